import type { Check } from './check.ts';
import { limitChecks } from './limit-checks.ts';
import { schemaChecks } from './schema-checks.ts';
import { plainChecks } from './text-checks.ts';
import { toolChecks } from './tool-checks.ts';

/** Everything that is asked of an endpoint, in order; ids are unique. */
export const checks: readonly Check[] = [...plainChecks, ...schemaChecks, ...toolChecks, ...limitChecks];

/** What the checks will take, about. */
export interface Plan {
  readonly checks: number;
  readonly calls: number;
  readonly tokens: number;
}

const plainTokens = 40;

/** Calls and tokens of these checks; a shared answer counts once. */
export function planOf(chosen: readonly Check[]): Plan {
  const shared = new Set(chosen.flatMap(({ shares = [] }) => shares)).size;
  return {
    checks: chosen.length,
    calls: shared + chosen.reduce((sum, { calls }) => sum + calls, 0),
    tokens: shared * plainTokens + chosen.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}
