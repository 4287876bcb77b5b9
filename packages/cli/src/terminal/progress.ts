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
    format: '{bar} {value}/{total} documents, {failed} failed, {duration_formatted}',
    clearOnComplete: true,
    hideCursor: false,
    barsize: 30,
  });
  let failed = 0;
  bar.start(total, 0, { failed });
  return {
    tick(succeeded) {
      if (!succeeded) failed += 1;
      bar.increment(1, { failed });
    },
    pause() {
      io.stderr.write('\r\u001b[K');
    },
    stop: () => bar.stop(),
  };
}
