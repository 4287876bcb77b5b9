import type { Clock } from '../basics/clock.ts';

/** A clock that moves only when told. */
export interface ManualClock extends Clock {
  /** Moves time on by `ms`, calling what falls due in order of time, and lets the continuations of each run before the next. */
  advance(ms: number): Promise<void>;
  /** Timers not yet due; 0 when everything was released. */
  pending(): number;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

// Enough turns of the microtask queue for a chain of awaits behind one timer.
const turnsPerTimer = 20;

/** A clock for tests, at `startMs` milliseconds since the epoch. Default 0. */
export function manualClock(startMs = 0): ManualClock {
  let now = startMs;
  let made = 0;
  const timers = new Set<Timer>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turnsPerTimer; turn += 1) await Promise.resolve();
  };
  const nextDue = (until: number): Timer | undefined =>
    [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due || a.order - b.order)[0];
  const after = (ms: number, callback: () => void): (() => void) => {
    made += 1;
    const timer: Timer = { due: now + Math.max(0, ms), order: made, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    now: () => now,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.due);
        timer.callback();
        await settle();
      }
      now = until;
    },
    pending: () => timers.size,
  };
}
