/** One signal that follows several, and can be aborted by itself. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts `signal` with `reason`; later calls do nothing. */
  abort(reason: unknown): void;
  /** Removes every listener from the followed signals. Idempotent. */
  dispose(): void;
}

/** Who follows each signal. One listener serves them all: many calls under one signal are no leak, and must not look like one to the platform. */
const followers = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly listener: () => void }>();

function follow(signal: AbortSignal, callback: () => void): () => void {
  let hub = followers.get(signal);
  if (hub === undefined) {
    const callbacks = new Set<() => void>();
    hub = {
      callbacks,
      listener() {
        followers.delete(signal);
        for (const call of [...callbacks]) call();
      },
    };
    followers.set(signal, hub);
    signal.addEventListener('abort', hub.listener, { once: true });
  }
  const { callbacks, listener } = hub;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || followers.get(signal)?.listener !== listener) return;
    followers.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}

/**
 * Follows `signals`: the first to abort aborts the linked one with the same reason (SG-037). Unlike `AbortSignal.any` it can be disposed of, so a
 * long-lived signal of the caller keeps no listener of a finished call.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const unfollow: (() => void)[] = [];
  const dispose = (): void => {
    for (const stop of unfollow.splice(0)) stop();
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
    unfollow.push(follow(followed, () => abort(followed.reason)));
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
