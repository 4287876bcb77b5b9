import type { Clock } from '@vouch/contracts';
import { type LinkedSignal, linkSignals, neverAborted } from '../net/abort.ts';
import { CallTimeoutError } from '../net/provider-error.ts';

/** The signal of one call or run: the callers' signals and a total time limit. Holds a timer and listeners until it is disposed of. */
export interface Scope {
  /** Aborts with a caller's reason, or with a `CallTimeoutError`. */
  readonly signal: AbortSignal;
  /** The same for callers' code: never the shared one of scopes that nobody can end, which would keep its listeners. */
  toolSignal(): AbortSignal;
  /** A caller aborted, or `signal` was aborted by the time limit. */
  ended(): 'aborted' | 'timeout' | undefined;
  dispose(): void;
}

/** Opens a scope. `totalMs`: the time limit; undefined or `Infinity` = none. */
export function openScope(signals: readonly (AbortSignal | undefined)[], totalMs: number | undefined, clock: Clock): Scope {
  const isTimed = totalMs !== undefined && totalMs !== Number.POSITIVE_INFINITY;
  const callers = signals.filter((signal) => signal !== undefined);
  const link = isTimed || callers.length > 0 ? linkSignals(callers) : undefined;
  const signal = link?.signal ?? neverAborted;
  const stopTimer =
    isTimed && link !== undefined ? clock.after(totalMs, () => link.abort(new CallTimeoutError('total', totalMs))) : undefined;
  let tools: LinkedSignal | undefined;
  return {
    signal,
    toolSignal() {
      if (link !== undefined) return signal;
      tools ??= linkSignals([]);
      return tools.signal;
    },
    ended() {
      if (!signal.aborted) return undefined;
      return signal.reason instanceof CallTimeoutError && !callers.some(({ reason }) => reason === signal.reason) ? 'timeout' : 'aborted';
    },
    dispose() {
      stopTimer?.();
      link?.dispose();
    },
  };
}
