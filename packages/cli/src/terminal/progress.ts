import { systemClock } from '@vouch/contracts';
import { SingleBar } from 'cli-progress';
import { type CliIo, takesEscapes } from './cli-io.ts';
import { createProgressLine, type ProgressLine, type ProgressOptions } from './progress-line.ts';
import { sinkOf } from './text-sink.ts';

/** How far a run is, on stderr. */
export interface Progress extends Pick<ProgressLine, 'tick' | 'skip'> {
  /** Clears the bar's line, so that a message can be written; the next tick draws it again. */
  pause(): void;
  /** Ends it: nothing is drawn any more, and no timer is left. */
  stop(): void;
}

const silent: Progress = { tick: () => undefined, skip: () => undefined, pause: () => undefined, stop: () => undefined };

/** Milliseconds between two lines where no bar can be drawn: an overnight log shows life, and a short run says nothing. */
const logEveryMs = 60_000;
const logColumns = 200;

/**
 * How far a run of at least two documents is: a bar on a terminal that takes escapes, never wider than it; elsewhere a plain line each minute.
 * `quiet`: nothing at all.
 */
export function createProgress(total: number, io: CliIo, quiet: boolean, options: Partial<ProgressOptions> = {}): Progress {
  if (quiet || total < 2) return silent;
  const clock = options.clock ?? systemClock;
  const line = createProgressLine(total, { ...options, clock });
  return takesEscapes(io, 'stderr') ? drawn(line, total, io.stderr as NodeJS.WriteStream) : logged(line, io, clock);
}

function drawn(line: ProgressLine, total: number, stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({
    stream,
    // One column stays free: a cursor behind the last would wrap on some terminals.
    format: () => line.text((stream.columns ?? 80) - 1),
    clearOnComplete: true,
    hideCursor: false,
    // Ctrl-C is the program's own business, and a killed one must not leave a terminal that does not wrap.
    gracefulExit: false,
    linewrap: true,
  });
  let done = 0;
  bar.start(total, done);
  return {
    tick(document) {
      line.tick(document);
      done += 1;
      if (bar.isActive) bar.update(done);
      else bar.start(total, done);
    },
    skip(count) {
      line.skip(count);
      done += count;
      bar.update(done);
    },
    // The library returns to where the bar began, so nothing may be written between its start and its stop.
    pause: () => bar.stop(),
    stop: () => bar.stop(),
  };
}

function logged(line: ProgressLine, io: CliIo, clock: ProgressOptions['clock']): Progress {
  let cancel = (): void => undefined;
  const wait = (): void => {
    cancel = clock.after(logEveryMs, () => {
      // A log that cannot be written is no reason to stop.
      sinkOf(io.stderr)
        .write(`vouch: ${line.text(logColumns)}\n`)
        .catch(() => undefined);
      wait();
    });
  };
  wait();
  return { tick: line.tick, skip: line.skip, pause: () => undefined, stop: () => cancel() };
}
