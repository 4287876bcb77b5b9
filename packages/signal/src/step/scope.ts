import type { Clock } from '@vouch/contracts';
import { linkSignals } from '../net/abort.ts';
import { CallTimeoutError } from '../net/provider-error.ts';

/** The signal of one call or run: the callers' signals and a total time limit. Holds a timer and listeners until it is disposed of. */
export interface Scope {
  /** Aborts with a caller's reason, or with a `CallTimeoutError`. */
  readonly signal: AbortSignal;
  /** A caller aborted, or `signal` was aborted by the time limit. */
  ended(): 'aborted' | 'timeout' | undefined;
  dispose(): void;
}

/** Opens a scope. `totalMs`: the time limit; undefined or `Infinity` = none. */
export function openScope(signals: readonly (AbortSignal | undefined)[], totalMs: number | undefined, clock: Clock): Scope {
  const link = linkSignals(signals);
  const stopTimer =
    totalMs === undefined || totalMs === Number.POSITIVE_INFINITY
      ? () => undefined
      : clock.after(totalMs, () => link.abort(new CallTimeoutError('total', totalMs)));
  return {
    signal: link.signal,
    ended() {
      if (!link.signal.aborted) return undefined;
      return link.signal.reason instanceof CallTimeoutError && !signals.some((signal) => signal?.reason === link.signal.reason)
        ? 'timeout'
        : 'aborted';
    },
    dispose() {
      stopTimer();
      link.dispose();
    },
  };
}
