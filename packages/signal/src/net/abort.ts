/** One signal that follows several, and can be aborted by itself. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts `signal` with `reason`; later calls do nothing. */
  abort(reason: unknown): void;
  /** Removes every listener from the followed signals. Idempotent. */
  dispose(): void;
}

/**
 * Follows `signals`: the first to abort aborts the linked one with the same reason (SG-037). Unlike `AbortSignal.any` it can be disposed of, so a
 * long-lived signal of the caller keeps no listener of a finished call.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const listeners: (() => void)[] = [];
  const dispose = (): void => {
    for (const remove of listeners.splice(0)) remove();
  };
  const abort = (reason: unknown): void => {
    dispose();
    if (!controller.signal.aborted) controller.abort(reason);
  };
  for (const followed of signals) {
    if (followed === undefined) continue;
    if (followed.aborted) {
      abort(followed.reason);
      break;
    }
    const follow = (): void => abort(followed.reason);
    followed.addEventListener('abort', follow, { once: true });
    listeners.push(() => followed.removeEventListener('abort', follow));
  }
  return { signal: controller.signal, abort, dispose };
}

/** The promise's outcome, or a rejection with `signal.reason` as soon as the signal aborts, even when the promise never settles. */
export function raceAbort<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const done = (): void => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
  });
}
