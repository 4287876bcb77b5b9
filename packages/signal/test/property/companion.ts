import { type CaseKind, type DerivedCase, deriveCase } from './derive.ts';
import { type Route, runCase } from './property.ts';

/** How often lossless mangling of a valid value under a closed schema gave the value. */
export interface CompanionCounts {
  readonly count: number;
  /** Cases that took exactly `count` manglings. */
  readonly cases: number;
  readonly values: number;
  readonly rate: number;
  /** By mangler: how many cases had it, and how many of these failed. */
  readonly byMangler: ReadonlyMap<string, { readonly cases: number; readonly missed: number }>;
  readonly misses: readonly CompanionMiss[];
}

/** A case that gave no value though one was there. */
export interface CompanionMiss {
  readonly seed: number;
  readonly index: number;
  readonly manglers: readonly string[];
  readonly text: string;
  readonly channel: string;
  readonly reason: string;
  readonly schema: unknown;
  readonly expected: unknown;
}

export interface CompanionOptions {
  readonly runs: number;
  readonly seed: number;
  readonly route: Route;
  /** Lossless manglings in each case. */
  readonly count: number;
  /** Manglings for which the corpus tolerates a failure take part too. Default false. */
  readonly tolerable?: boolean;
  /** Only these manglings. */
  readonly among?: readonly string[];
}

const maxMisses = 200;

function describe(derived: DerivedCase, reason: string): CompanionMiss {
  const { state } = derived;
  return {
    seed: derived.seed,
    index: derived.index,
    manglers: derived.applied.map((mangler) => mangler.id),
    text: state.text,
    channel: state.channel,
    reason,
    schema: state.schema.gate.jsonSchema,
    expected: state.value,
  };
}

/** Failing always is no way out: runs cases that must give their value. */
export function runCompanion(options: CompanionOptions): CompanionCounts {
  const { count, tolerable = false, among } = options;
  const kind: CaseKind = { kind: 'lossless', count, tolerable, ...(among === undefined ? {} : { among }) };
  const byMangler = new Map<string, { cases: number; missed: number }>();
  const misses: CompanionMiss[] = [];
  let [cases, values] = [0, 0];
  for (let index = 0; index < options.runs; index += 1) {
    const derived = deriveCase(options.seed, index, kind);
    if (derived === undefined || !derived.state.schema.closed) continue;
    cases += 1;
    const verdict = runCase(derived, options.route);
    const missed = verdict.kind !== 'value';
    if (!missed) values += 1;
    for (const mangler of derived.applied) {
      const tally = byMangler.get(mangler.id) ?? { cases: 0, missed: 0 };
      byMangler.set(mangler.id, { cases: tally.cases + 1, missed: tally.missed + (missed ? 1 : 0) });
    }
    if (missed && misses.length < maxMisses) misses.push(describe(derived, verdict.kind === 'failed' ? verdict.reason : 'wrong value'));
  }
  return { count, cases, values, rate: cases === 0 ? 0 : values / cases, byMangler, misses };
}
