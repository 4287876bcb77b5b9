import { SingleBar } from 'cli-progress';
import { type CliIo, takesEscapes } from './cli-io.ts';

/** A bar on stderr. */
export interface Progress {
  tick(succeeded: boolean): void;
  /** Clears the bar's line, so that a message can be written; the next tick draws it again. */
  pause(): void;
  stop(): void;
}

const silent: Progress = { tick: () => undefined, pause: () => undefined, stop: () => undefined };

/** A progress bar on stderr when that is a terminal that takes escapes and there is more than one document; else nothing. */
export function createProgress(total: number, io: CliIo, quiet: boolean): Progress {
  if (quiet || total < 2 || !takesEscapes(io, 'stderr')) return silent;
  const bar = new SingleBar({
    stream: io.stderr as NodeJS.WriteStream,
    format: '{bar} {value}/{total} documents, {failed} failed',
    clearOnComplete: true,
    hideCursor: false,
    // Ctrl-C is the program's own business.
    gracefulExit: false,
    barsize: 30,
  });
  let done = 0;
  let failed = 0;
  bar.start(total, done, { failed });
  return {
    tick(succeeded) {
      done += 1;
      if (!succeeded) failed += 1;
      if (bar.isActive) bar.update(done, { failed });
      else bar.start(total, done, { failed });
    },
    // The library returns to where the bar began, so nothing may be written between its start and its stop.
    pause: () => bar.stop(),
    stop: () => bar.stop(),
  };
}
