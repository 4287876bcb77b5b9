/** A value, or something that can be awaited for one (AC-002). */
export type MaybePromise<T> = T | PromiseLike<T>;

/** `value` has a callable `then`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * Refuses a thenable where the contract is synchronous (AC-002): throws `TypeError` naming `callback`, and observes the thenable so that its
 * later rejection raises no `unhandledRejection`.
 */
export function requireSynchronous<T>(value: T, callback: string): Exclude<T, PromiseLike<unknown>> {
  if (isThenable(value)) {
    Promise.resolve(value).catch(() => undefined);
    throw new TypeError(
      `${callback} must answer synchronously, but it returned a promise. Make it synchronous, or move the work before the call.`,
    );
  }
  return value as Exclude<T, PromiseLike<unknown>>;
}
