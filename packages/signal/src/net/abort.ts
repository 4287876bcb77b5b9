/** One signal that follows several, and can be aborted by itself. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts `signal` with `reason`; later calls do nothing. */
  abort(reason: unknown): void;
  /** Calls `callback` once with the reason when `signal` aborts, at once if it has; the returned function cancels that. Costs no listener. */
  onAbort(callback: (reason: unknown) => void): () => void;
  /** Removes every listener from the followed signals. Idempotent. */
  dispose(): void;
}

/** A signal that nobody can abort, for calls that nobody can stop: following it costs nothing. Not for callers' code, whose listeners it would keep. */
export const neverAborted: AbortSignal = /* @__PURE__ */ new AbortController().signal;

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
  // A platform's signal is dear when it has its first listener, and each call has one of its own.
  const { signal } = controller;
  const waiting = new Set<(reason: unknown) => void>();
  const unfollow: (() => void)[] = [];
  const dispose = (): void => {
    for (const stop of unfollow.splice(0)) stop();
  };
  const abort = (reason: unknown): void => {
    dispose();
    if (signal.aborted) return;
    controller.abort(reason);
    const callbacks = [...waiting];
    waiting.clear();
    for (const callback of callbacks) callback(signal.reason);
  };
  for (const followed of signals) {
    if (followed === undefined || followed === neverAborted) continue;
    if (followed.aborted) {
      abort(followed.reason);
      break;
    }
    unfollow.push(follow(followed, () => abort(followed.reason)));
  }
  return {
    signal,
    abort,
    dispose,
    onAbort(callback) {
      if (signal.aborted) {
        callback(signal.reason);
        return () => undefined;
      }
      waiting.add(callback);
      return () => {
        waiting.delete(callback);
      };
    },
  };
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
