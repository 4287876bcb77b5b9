import { type Clock, type JsonValue, systemClock } from '@vouch/contracts';
import { type CliIo, takesEscapes } from '../terminal/cli-io.ts';
import { createDrawing } from '../terminal/drawing.ts';
import { cellText } from '../terminal/one-line.ts';
import { UsageError } from '../usage-error.ts';
import { valueLines } from './value-lines.ts';

/** Shows the values of the documents in flight as they grow. */
export interface Watch {
  begin(path: string): void;
  /** The value as far as it is written. */
  partial(path: string, value: JsonValue): void;
  /** What was shown of the document is void, and why. */
  retract(path: string, reason: string): void;
  end(path: string): void;
  /** Clears what is drawn, so that a message can be written; it is drawn again with the next change. */
  pause(): void;
  /** Clears what is drawn; nothing is drawn any more, and no timer is left. */
  stop(): void;
}

/** How a watch is drawn. */
export interface WatchOptions {
  /** A last line, such as how far the run is, at most so many columns wide. Default: none. */
  readonly footer?: (columns: number) => string;
  readonly clock?: Clock;
}

const drawEveryMs = 100;
/** Lines of one document, its name included. */
const mostLines = 8;
const fewestLines = 2;

interface Block {
  readonly path: string;
  value?: JsonValue;
  retracted?: string;
}

/**
 * Draws one block for each document in flight on stderr, at most ten times a second, never higher or wider than the terminal. Throws `UsageError`
 * where stderr is no terminal that takes escape sequences: half-written values make no log.
 */
export function createWatch(io: CliIo, options: WatchOptions = {}): Watch {
  if (!takesEscapes(io, 'stderr'))
    throw new UsageError(
      '--watch needs a terminal that takes escape sequences',
      'leave it out, or unset NO_COLOR; stderr must be the terminal',
    );
  const { clock = systemClock, footer } = options;
  const stream = io.stderr as NodeJS.WriteStream;
  const drawing = createDrawing(stream);
  // A document keeps its place while others come and go.
  const places: (Block | undefined)[] = [];
  let cancel: (() => void) | undefined;
  let isStopped = false;

  const draw = (): void => {
    cancel = undefined;
    const blocks = places.filter((block) => block !== undefined);
    const lines = linesOf(blocks, { columns: stream.columns ?? 80, rows: stream.rows ?? 24, ...(footer === undefined ? {} : { footer }) });
    if (lines.length > 0) drawing.draw(lines.join('\n'));
    else drawing.clear();
  };
  const changed = (): void => {
    if (!isStopped) cancel ??= clock.after(drawEveryMs, draw);
  };
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
    drawing.clear();
  };
  const put = (path: string, change: Omit<Block, 'path'>): void => {
    const place = places.findIndex((block) => block?.path === path);
    if (place < 0) return;
    places[place] = { path, ...change };
    changed();
  };
  return {
    begin(path) {
      const free = places.indexOf(undefined);
      places[free < 0 ? places.length : free] = { path };
      changed();
    },
    partial: (path, value) => put(path, { value }),
    retract: (path, retracted) => put(path, { retracted }),
    end(path) {
      const place = places.findIndex((block) => block?.path === path);
      if (place >= 0) places[place] = undefined;
      changed();
    },
    pause: clear,
    stop() {
      isStopped = true;
      clear();
    },
  };
}

interface Room {
  readonly columns: number;
  readonly rows: number;
  readonly footer?: (columns: number) => string;
}

function linesOf(blocks: readonly Block[], { columns, rows, footer }: Room): readonly string[] {
  // A column stays free, since some terminals wrap behind the last; and a line for the cursor.
  const width = Math.max(10, columns - 1);
  const last = footer === undefined ? [] : [footer(width)];
  const free = Math.max(fewestLines, rows - 2 - last.length);
  const shown = blocks.slice(0, Math.max(1, Math.floor(free / fewestLines)));
  const each = Math.min(mostLines, Math.max(fewestLines, Math.floor(free / Math.max(1, shown.length))));
  const hidden = blocks.length - shown.length;
  return [
    ...shown.flatMap((block) => blockLines(block, each, width)),
    ...(hidden > 0 ? [cellText(`… and ${hidden} more documents`, width)] : []),
    ...last,
  ];
}

function blockLines({ path, value, retracted }: Block, lines: number, width: number): readonly string[] {
  const name = cellText(path, width);
  if (retracted !== undefined) return [name, `  ${cellText(`void, asked again: ${retracted}`, width - 2)}`];
  if (value === undefined) return [name];
  return [name, ...valueLines(value, lines - 1, width - 2).map((line) => `  ${line}`)];
}
