import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FailureReason } from '@vouch/contracts';
import { linkSignals, raceAbort } from '@vouch/signal/net';
import type { CliIo } from '../terminal/cli-io.ts';

/** Bytes of one document. A larger one is refused: no model takes as much. */
export const largestDocumentBytes: number = 16 * 1024 * 1024;

const pieceBytes = 64 * 1024;

/** The text of a document, or why there is none, in a few words. */
export type DocumentText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: FailureReason; readonly message: string };

const refused = (message: string, reason: FailureReason = 'configuration'): DocumentText => ({ ok: false, reason, message });

/** Reads one document; `-` is stdin. UTF-8 with or without a byte order mark, or UTF-16 with one; anything binary, empty or larger than 16 MiB is refused. An abort of `signal` ends the wait for a terminal or a pipe. Never throws. */
export async function readDocument(path: string, io: Pick<CliIo, 'stdin' | 'cwd' | 'signal'>): Promise<DocumentText> {
  // A signal of its own: listeners of many documents on one would look like a leak.
  const link = linkSignals([io.signal]);
  try {
    const bytes = await raceAbort(path === '-' ? readStream(io.stdin) : readFile(resolve(io.cwd, path), link.signal), link.signal);
    return bytes instanceof Uint8Array ? decode(bytes) : bytes;
  } catch (error) {
    if (io.signal.aborted) return refused('interrupted', 'aborted');
    return refused(reasonOf(error as NodeJS.ErrnoException));
  } finally {
    link.dispose();
  }
}

/** Whether a document can be read once more: stdin and a pipe are empty after the first time. */
export async function canReadAgain(path: string, cwd: string): Promise<boolean> {
  if (path === '-') return false;
  try {
    return (await stat(resolve(cwd, path))).isFile();
  } catch {
    return false;
  }
}

async function readFile(path: string, signal: AbortSignal): Promise<Uint8Array | DocumentText> {
  const facts = await stat(path);
  signal.throwIfAborted();
  if (facts.isDirectory()) return refused('this is a directory; give its files, such as dir/*.txt');
  if (facts.isFile() && facts.size > largestDocumentBytes) return tooLarge();
  if (facts.isFIFO()) signal.addEventListener('abort', () => wakeReader(path), { once: true });
  const handle = await open(path, 'r');
  try {
    return await readStream(piecesOf(handle, signal));
  } finally {
    await handle.close();
  }
}

/** Reads only when asked: a read ahead could wait in a pipe for ever. */
async function* piecesOf(handle: FileHandle, signal: AbortSignal): AsyncIterable<Uint8Array> {
  while (!signal.aborted) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A process cannot end while a thread of it waits in a named pipe, so the wait is ended from the other side. */
function wakeReader(path: string): void {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(descriptor, '\n');
    closeSync(descriptor);
  } catch {
    // Nobody waits there.
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array | DocumentText> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    length += bytes.byteLength;
    if (length > largestDocumentBytes) return tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): DocumentText {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  if (encoding === 'utf-8' && bytes.includes(0)) return refused('this is a binary file (it holds NUL bytes); give a text document');
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return refused(`this is not ${encoding.toUpperCase()} text; convert it to UTF-8, or give a text document`);
  }
  if (text.trim() === '') return refused('it is empty');
  return { ok: true, text };
}

function tooLarge(): DocumentText {
  return refused(`it is larger than ${largestDocumentBytes / 1024 / 1024} MiB; split it`, 'limit_exceeded');
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EISDIR':
      return 'this is a directory; give its files, such as dir/*.txt';
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'EACCES':
    case 'EPERM':
      return 'the file may not be read (permission denied)';
    default:
      return `the file cannot be read (${error.code ?? 'unknown error'})`;
  }
}
