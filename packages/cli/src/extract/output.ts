import { createWriteStream, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';

/** Where lines go. */
export interface Output {
  write(text: string): Promise<void>;
  /** Nobody reads any more. */
  isClosed(): boolean;
  close(): Promise<void>;
}

/** Opens `path` for writing; `-` or none is stdout. Throws `UsageError` when the file cannot be written. */
export async function openOutput(path: string | undefined, io: CliIo): Promise<Output> {
  if (path === undefined || path === '-') return { ...sinkOf(io.stdout), close: async () => undefined };
  const stream = createWriteStream(resolve(io.cwd, path));
  await new Promise<void>((opened, failed) => {
    stream.once('open', () => opened());
    stream.once('error', (error: NodeJS.ErrnoException) =>
      failed(new UsageError(`cannot write ${path}: ${reasonOf(error)}`, 'give another --out')),
    );
  });
  return { ...sinkOf(stream), close: () => endOf(stream) };
}

function endOf(stream: WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.end(() => resolve());
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'its directory does not exist';
  if (error.code === 'EISDIR') return 'it is a directory';
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return 'permission denied';
  return error.code ?? 'unknown error';
}

/** Throws `UsageError` when writing to `out` would destroy one of `inputs`, also through a link or another spelling. */
export async function refuseOverwriting(out: string | undefined, inputs: readonly string[], cwd: string): Promise<void> {
  if (out === undefined || out === '-') return;
  const target = await identityOf(resolve(cwd, out));
  for (const input of inputs) {
    if ((await identityOf(resolve(cwd, input))) !== target) continue;
    throw new UsageError(`--out ${out} would overwrite ${input}`, 'choose another name for the output');
  }
}

/** The same text for every path that leads to one file. */
async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // Not there yet: only its own spelling leads to it.
    return path;
  }
}
