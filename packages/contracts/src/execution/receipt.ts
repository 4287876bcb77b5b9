import type { Usage } from '../conversation/usage.ts';

/** How an operation ended. `uncertain`: its process died, and the side effect may have happened. */
export type InvocationOutcome = 'succeeded' | 'failed' | 'rejected' | 'cancelled' | 'uncertain';

/** The receipt of one model or tool call (AC-005). Frozen and JSON-serialisable; holds no argument, result, key or payload. */
export interface Invocation {
  readonly id: string;
  readonly kind: 'tool' | 'model';
  /** The tool's id, or `provider/model`. */
  readonly target: string;
  readonly executionId: string;
  readonly parentId?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: InvocationOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: Usage;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** Which repair the response took. */
  readonly repair?: { readonly rung: string; readonly loss: string };
  /** 1 for the first try; retries of one call share their idempotency key. Default 1. */
  readonly attempt?: number;
}
