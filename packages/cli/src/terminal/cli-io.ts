import type { Writable } from 'node:stream';
import type { Clock } from '@vouch/contracts';

/** Everything a command may touch of its process; handed in, so that tests need none. */
export interface CliIo {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: { readonly [name: string]: string | undefined };
  /** Relative paths are meant from here. */
  readonly cwd: string;
  /** Which of the two outputs is a terminal. */
  readonly isTTY: { readonly stdout: boolean; readonly stderr: boolean };
  /** Aborted by Ctrl-C and by SIGTERM: commands finish the line they are writing and end with exit code 130. */
  readonly signal: AbortSignal;
  /** Times pauses, limits and recordings. Default: the platform's. */
  readonly clock?: Clock;
}

/** Exit codes: everything asked was done; some work failed; the command was used wrongly; interrupted. */
export const exitCodes = { fine: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A terminal that may be sent escape sequences: NO_COLOR (any non-empty value) and TERM=dumb switch them off. */
export function takesEscapes(io: CliIo, output: 'stdout' | 'stderr'): boolean {
  return io.isTTY[output] && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}

/** Wraps text in SGR codes. */
export interface Paint {
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** Colours, or the text as it is when `enabled` is false. */
export function createPaint(enabled: boolean): Paint {
  const style =
    (open: number, close: number) =>
    (text: string): string =>
      enabled ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { green: style(32, 39), red: style(31, 39), yellow: style(33, 39), dim: style(2, 22), bold: style(1, 22) };
}
