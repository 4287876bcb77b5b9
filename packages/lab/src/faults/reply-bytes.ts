import { STATUS_CODES } from 'node:http';
import type { RawReply } from '../answer.ts';

/** A body of fewer writes is cut into so many pieces by a fault that needs some. */
const pieceCount = 8;

/** The body's bytes. */
export function bodyOf(reply: RawReply): Buffer {
  return Buffer.concat(reply.chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}

/** The writes of the body; a body of few writes in up to eight even pieces. Empty when there is no body. */
export function piecesOf(reply: RawReply): readonly (string | Uint8Array)[] {
  if (reply.chunks.length >= pieceCount / 2) return reply.chunks;
  const bytes = bodyOf(reply);
  return cutBytes(bytes, Math.max(1, Math.ceil(bytes.length / pieceCount)));
}

/** Cuts bytes every `size` bytes, at most `mostPieces` times; the rest is the last piece. */
export function cutBytes(bytes: Buffer, size: number, mostPieces: number = Number.POSITIVE_INFINITY): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    if (pieces.length >= mostPieces) return [...pieces, bytes.subarray(start)];
    pieces.push(bytes.subarray(start, start + size));
  }
  return pieces;
}

/** The first `count` pieces, by default half of them; never all, so that the end is missing. Undefined when that leaves nothing to miss. */
export function startOf(reply: RawReply, count: number | undefined): readonly (string | Uint8Array)[] | undefined {
  const pieces = piecesOf(reply);
  if (pieces.length === 0) return undefined;
  return pieces.slice(0, Math.min(count ?? Math.floor(pieces.length / 2), pieces.length - 1));
}

/** Headers without those of a given name. */
export function withoutHeaders(reply: RawReply, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !names.includes(name.toLowerCase())));
}

/** The value of a header; undefined when there is none. */
export function headerOf(reply: RawReply, name: string): string | undefined {
  return Object.entries(reply.headers).find(([other]) => other.toLowerCase() === name)?.[1];
}

/** The head of a response as bytes for the framing `bytes`; the connection ends with it. */
export function headBytes(reply: RawReply, more: Readonly<Record<string, string>>): string {
  const headers = { ...withoutHeaders(reply, 'content-length', 'transfer-encoding', 'connection'), ...more, connection: 'close' };
  const lines = Object.entries(headers).map(([name, text]) => `${name}: ${text}\r\n`);
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`;
}
