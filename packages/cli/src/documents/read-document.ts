import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';

/** Bytes of one document. A larger one is refused: no model takes as much. */
export const largestDocumentBytes: number = 16 * 1024 * 1024;

/** The text of a document, or why there is none, in one sentence. */
export type DocumentText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly limit: boolean; readonly message: string };

const refused = (message: string, limit = false): DocumentText => ({ ok: false, limit, message });

/** Reads one document; `-` is stdin. UTF-8 with or without a byte order mark, or UTF-16 with one; anything binary, empty or larger than 16 MiB is refused. Never throws for what a file may be. */
export async function readDocument(path: string, io: Pick<CliIo, 'stdin' | 'cwd'>): Promise<DocumentText> {
  try {
    const bytes = path === '-' ? await readStream(io.stdin) : await readRegularFile(resolve(io.cwd, path));
    return bytes instanceof Uint8Array ? decode(bytes) : bytes;
  } catch (error) {
    return refused(reasonOf(error as NodeJS.ErrnoException));
  }
}

async function readRegularFile(path: string): Promise<Uint8Array | DocumentText> {
  const handle = await open(path, 'r');
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) return refused('this is a directory; give its files, such as dir/*.txt');
    if (facts.size > largestDocumentBytes) return tooLarge();
    return await readStream(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
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
  if (text.trim() === '') return refused('the document is empty');
  return { ok: true, text };
}

function tooLarge(): DocumentText {
  return refused(`the document is larger than ${largestDocumentBytes / 1024 / 1024} MiB; split it`, true);
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'this is a directory; give its files, such as dir/*.txt';
    case 'EACCES':
    case 'EPERM':
      return 'the file may not be read (permission denied)';
    default:
      return `the file cannot be read (${error.code ?? 'unknown error'})`;
  }
}
