import { closeSync, constants, createWriteStream, openSync, type Stats, type WriteStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { besideOf, openJournal } from '../journal/journal.ts';
import { isUnanswered, type JournalEntry } from '../journal/journal-line.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import type { DocumentLine } from './extract-document.ts';

/** Where lines go. */
export interface Output {
  /** A file keeps what earlier runs wrote, and lines in the order in which documents finish; a stream has them in the order of the documents. */
  readonly keeps: boolean;
  /** The line of an earlier run that counts for a document. */
  find(path: string): JournalEntry | undefined;
  write(line: DocumentLine): Promise<void>;
  /** Nobody reads any more. */
  isClosed(): boolean;
  /** `tidy`: a file is left with each document's last line only. */
  close(options: { readonly tidy: boolean }): Promise<void>;
}

/** How an output is opened. */
export interface OutputOptions {
  readonly overwrite: boolean;
  /** Hears what was done to a file before anything is written, in a sentence. */
  readonly note: (text: string) => Promise<void>;
}

const wakeEveryMs = 20;

const ownStdout = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

/**
 * Opens `path`; none, `-` and the names of this process's stdout are stdout. A pipe or a device is written to as it is. A file is a journal, also
 * through a symbolic link. Throws `UsageError` when it cannot be written, when another run writes it, and when it holds other than our lines.
 */
export async function openOutput(path: string | undefined, options: OutputOptions, io: CliIo): Promise<Output> {
  if (path === undefined || ownStdout.has(path)) return streamed(sinkOf(io.stdout), async () => undefined);
  const target = resolve(io.cwd, path);
  const facts = await factsOf(target);
  if (facts !== undefined && !facts.isFile() && !facts.isDirectory()) {
    const stream = await openStream(target, path, facts, io.signal);
    return streamed(sinkOf(stream), () => endOf(stream));
  }
  const journal = await openJournal(await createFile(target, path), { ...options, shown: path });
  return {
    keeps: true,
    find: journal.find,
    write: (line) => journal.append(JSON.stringify(line), entryOf(line)),
    isClosed: () => false,
    close: journal.close,
  };
}

function entryOf({ path, key, value, failure }: DocumentLine): JournalEntry {
  return { path, hasValue: value !== undefined, isUnanswered: isUnanswered(failure), ...(key === undefined ? {} : { key }) };
}

function streamed(sink: ReturnType<typeof sinkOf>, end: () => Promise<void>): Output {
  return {
    keeps: false,
    find: () => undefined,
    write: (line) => sink.write(`${JSON.stringify(line)}\n`),
    isClosed: sink.isClosed,
    close: end,
  };
}

async function factsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    // Not there, or not to be seen: opening it says why.
    return undefined;
  }
}

/** Makes the file if need be, and gives the path that no link stands in. */
async function createFile(target: string, shown: string): Promise<string> {
  try {
    await (await open(target, 'a')).close();
    return await realpath(target);
  } catch (error) {
    throw cannotWrite(shown, error as NodeJS.ErrnoException);
  }
}

async function openStream(target: string, shown: string, facts: Stats, signal: AbortSignal): Promise<WriteStream> {
  const stream = createWriteStream(target);
  const stopWaking = facts.isFIFO() ? wakeOnAbort(target, signal) : () => undefined;
  try {
    await new Promise<void>((opened, failed) => {
      stream.once('open', () => opened());
      stream.once('error', (error: NodeJS.ErrnoException) => failed(cannotWrite(shown, error)));
    });
  } finally {
    stopWaking();
  }
  return stream;
}

/**
 * A named pipe opens for writing when a reader opens it, and a process cannot end while a thread of it waits for that. So after Ctrl-C this process is
 * its reader for a moment, again and again, because nobody can tell when the thread begins to wait.
 */
function wakeOnAbort(pipe: string, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const read = (): void => closeSync(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK));
  const start = (): void => {
    timer = setInterval(read, wakeEveryMs);
  };
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return () => {
    signal.removeEventListener('abort', start);
    clearInterval(timer);
  };
}

function endOf(stream: WriteStream): Promise<void> {
  return new Promise((done, failed) => {
    if (stream.destroyed) return done();
    stream.once('error', failed);
    stream.once('close', () => done());
    stream.end();
  });
}

function cannotWrite(shown: string, error: NodeJS.ErrnoException): UsageError {
  return new UsageError(`cannot write ${shown}: ${reasonOf(error)}`, 'give another --out');
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'its directory does not exist';
  if (error.code === 'EISDIR') return 'it is a directory';
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return 'permission denied';
  return error.code ?? 'unknown error';
}

/** Throws `UsageError` when writing to `out` would destroy one of `inputs`, also through a link or another spelling. */
export async function refuseOverwriting(out: string | undefined, inputs: readonly string[], cwd: string): Promise<void> {
  if (out === undefined || ownStdout.has(out)) return;
  const target = resolve(cwd, out);
  const file = await realpath(target).catch(() => target);
  const written = new Set(await Promise.all([file, ...besideOf(file)].map(identityOf)));
  for (const input of inputs) {
    if (!written.has(await identityOf(resolve(cwd, input)))) continue;
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
