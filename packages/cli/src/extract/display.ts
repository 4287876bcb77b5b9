import type { CliIo } from '../terminal/cli-io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { createProgressLine, type ProgressOptions } from '../terminal/progress-line.ts';
import { createWatch, type Watch } from '../watch/watch.ts';
import type { ExtractOptions } from './options.ts';

/** What a run shows while it goes on. */
export interface Display {
  /** Where values are shown as they grow; absent without `--watch`. */
  readonly watch?: Watch;
  /** Begins to draw how far the run is. */
  start(): Progress;
}

/**
 * A progress bar or lines, or with `--watch` the growing values above the same line. Throws `UsageError` where `--watch` has no terminal to draw on;
 * nothing is drawn before `start`.
 */
export function createDisplay(
  total: number,
  options: Pick<ExtractOptions, 'json' | 'watch'>,
  io: CliIo,
  progress: ProgressOptions,
): Display {
  if (options.watch !== true) return { start: () => createProgress(total, io, options.json === true, progress) };
  const line = createProgressLine(total, progress);
  const watch = createWatch(io, { clock: progress.clock, footer: line.text });
  return { watch, start: () => ({ tick: line.tick, skip: line.skip, pause: watch.pause, stop: watch.stop }) };
}
