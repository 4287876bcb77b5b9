import { createHash } from 'node:crypto';

/** A reproducible source of numbers: the same seed text gives the same sequence on every machine. */
export interface Random {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** The next whole number, at least 0 and below `bound` (at least 1). */
  below(bound: number): number;
  /** `length` digits and small letters, as ids carry. */
  letters(length: number): string;
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** sfc32, started from the SHA-256 of `seed`. */
export function seededRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = digest.readUInt32LE(12);
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const letters = (length: number): string => {
    let text = '';
    while (text.length < length) text += alphabet[below(alphabet.length)];
    return text;
  };
  return { next, below, letters };
}

/** Cuts `text` at drawn places into pieces of 1 to `longest` UTF-16 units; a surrogate pair or an escape may be cut in two, as real servers do. */
export function cutText(text: string, longest: number, random: Random): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = start + 1 + random.below(longest);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
