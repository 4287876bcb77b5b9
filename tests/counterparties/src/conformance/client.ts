import type { Delivery, Scenario } from './scenario.ts';
import type { Outcome } from './verdict.ts';

/** Milliseconds without a byte after which a client that has such an option is told to give up. */
export const idleMs = 3_000;
/** Milliseconds after which the caller of D23 aborts. */
export const abortAfterMs = 300;

/** What one call of a client gets. */
export interface Ask {
  readonly baseUrl: string;
  readonly scenario: Scenario;
  readonly delivery: Delivery;
  /** The id of the service whose own way the case is, where there is one. */
  readonly like?: string;
  /** The caller's signal. */
  readonly signal: AbortSignal;
}

/** A client as its own documentation says to use it. */
export interface PeerClient {
  readonly id: 'vouch' | 'openai' | 'ai' | 'ai-middleware';
  readonly title: string;
  /** The exact calls, as Markdown list items. */
  readonly calls: readonly string[];
  /** It is the client before it in the list, with something added. */
  readonly variant?: true;
  run(ask: Ask): Promise<Outcome>;
}

/** An exception as an outcome. */
export function thrown(error: unknown, isTyped: (error: unknown) => boolean): Outcome {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return { kind: 'error', typed: isTyped(error), name, message: error instanceof Error ? error.message : String(error) };
}
