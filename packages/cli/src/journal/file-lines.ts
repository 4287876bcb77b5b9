import type { FileHandle } from 'node:fs/promises';

/** One line of a file. */
export interface FileLine {
  /** Where it begins, in bytes. */
  readonly offset: number;
  /** Without its line feed. Valid until the next line is asked for. */
  readonly bytes: Uint8Array;
  /** False for a last line without its line feed. */
  readonly isEnded: boolean;
}

/** Bytes of one line; no document and no answer is as long. */
const longestJournalLineBytes = 256 * 1024 * 1024;

const pieceBytes = 1024 * 1024;
const lineFeed = 0x0a;

/** The lines of a file from its beginning, read piece by piece: memory holds one line. Throws `RangeError` at a line over 256 MiB. */
export async function* fileLines(handle: FileHandle): AsyncGenerator<FileLine, void, undefined> {
  const piece = Buffer.alloc(pieceBytes);
  let held: Buffer[] = [];
  let heldBytes = 0;
  let lineOffset = 0;
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = piece.subarray(0, bytesRead);
    let start = 0;
    for (let end = read.indexOf(lineFeed); end >= 0; end = read.indexOf(lineFeed, start)) {
      const rest = read.subarray(start, end);
      const bytes = heldBytes === 0 ? rest : Buffer.concat([...held, rest]);
      held = [];
      heldBytes = 0;
      yield { offset: lineOffset, bytes, isEnded: true };
      lineOffset += bytes.byteLength + 1;
      start = end + 1;
    }
    // The piece is read into again.
    held.push(Buffer.from(read.subarray(start)));
    heldBytes += bytesRead - start;
    if (heldBytes > longestJournalLineBytes) throw new RangeError('a line is over 256 MiB long');
  }
  if (heldBytes > 0) yield { offset: lineOffset, bytes: Buffer.concat(held), isEnded: false };
}
