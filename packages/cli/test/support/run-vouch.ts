import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Clock } from '@vouch/contracts';
import { onTestFinished } from 'vitest';
import { runCli } from '../../src/run-cli.ts';

/** What one command line came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: readonly (string | Uint8Array)[];
  readonly isTTY?: { readonly stdout: boolean; readonly stderr: boolean };
  readonly signal?: AbortSignal;
  readonly stdout?: Writable;
  readonly onStdout?: (text: string) => void;
  readonly clock?: Clock;
}

/** The repository's root. */
export const root: string = new URL('../../../../', import.meta.url).pathname;

/** Runs one command line in this process. */
export async function vouch(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const out = collector(options.onStdout);
  const err = collector();
  // What a terminal's stream says of itself, for the libraries that draw.
  if (options.isTTY?.stdout) Object.assign(out.stream, { isTTY: true, columns: 120, rows: 60 });
  if (options.isTTY?.stderr) Object.assign(err.stream, { isTTY: true, columns: 120, rows: 60 });
  const code = await runCli(argv, {
    stdout: options.stdout ?? out.stream,
    stderr: err.stream,
    stdin: chunks(options.stdin ?? []),
    env: options.env ?? {},
    cwd: options.cwd ?? root,
    isTTY: options.isTTY ?? { stdout: false, stderr: false },
    signal: options.signal ?? new AbortController().signal,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  return { code, stdout: out.text(), stderr: err.text() };
}

function collector(onText: (text: string) => void = () => undefined): { readonly stream: Writable; readonly text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      parts.push(text);
      onText(text);
      done();
    },
  });
  return { stream, text: () => parts.join('') };
}

async function* chunks(list: readonly (string | Uint8Array)[]): AsyncIterable<string | Uint8Array> {
  yield* list;
}

/** A directory with these files, gone after the test. */
export async function directoryOf(files: { readonly [name: string]: string | Uint8Array }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vouch-cli-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(directory, name), content)));
  return directory;
}

/** The JSON lines of an output. */
export function jsonLines(text: string): readonly Record<string, never>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, never>);
}

/** What every error output must be: not empty, no stack, no escape sequences, and each line within a terminal's patience. */
export function isPlain(text: string): boolean {
  return text !== '' && !/\n\s+at /.test(text) && !text.includes('\u001b') && text.split('\n').every((line) => line.length < 1_200);
}
