/** Time as an argument, so that tests decide it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` when `signal` aborts first. Leaves neither timer nor listener. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

interface TimerHost {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: never): void;
}

// setTimeout holds 32-bit delays: a longer one would fire at once.
const longestDelayMs = 2_147_483_647;

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const host = globalThis as unknown as TimerHost;
    const handle = host.setTimeout(callback, Math.min(Math.max(0, ms), longestDelayMs));
    return () => host.clearTimeout(handle as never);
  },
  sleep: (ms, signal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = systemClock.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
