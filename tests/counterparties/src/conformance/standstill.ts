import { performance } from 'node:perf_hooks';

const beatMs = 50;

/** Tells whether this process stood still, as on a busy machine: then its timers fire before the bytes that had come are read. */
export interface Standstills {
  /** The latest pause of more than `longestMs` ended after `since`, a time of `performance.now()`. */
  after(since: number): boolean;
  stop(): void;
}

/** Watches for pauses until it is stopped. `now` is for tests. */
export function watchStandstills(longestMs: number, now: () => number = () => performance.now()): Standstills {
  let last = now();
  let latest = Number.NEGATIVE_INFINITY;
  const beat = (): void => {
    const time = now();
    if (time - last > longestMs) latest = time;
    last = time;
  };
  const timer = setInterval(beat, beatMs);
  return {
    after(since) {
      beat();
      return latest > since;
    },
    stop: () => clearInterval(timer),
  };
}
