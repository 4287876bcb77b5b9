import { sha256 } from './sha256.ts';

/** Characters (UTF-16 units) that each place may print (SG-086). What is longer is cut, with a mark. */
export const textLimits = {
  /** A failure's or error's message. */
  message: 500,
  /** The text of one attempt in evidence. */
  evidence: 4_000,
  /** A received value, or any other short look at data. */
  preview: 200,
} as const;

/** A text that may have been cut for evidence. */
export interface BoundedText {
  /** At most the limit's characters, plus the mark when cut. */
  readonly text: string;
  /** Length of the whole, in UTF-16 units. */
  readonly length: number;
  /** SHA-256 of the whole, in hex. Present only when the text was cut. */
  readonly sha256?: string;
}

/** Cuts `text` to `limit` characters, never inside a surrogate pair, and says how many more there were and the digest of the whole (SG-086). */
export function boundText(text: string, limit: number): BoundedText {
  if (text.length <= limit) return { text, length: text.length };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  const digest = sha256(text);
  return { text: `${text.slice(0, end)}… [${text.length - end} more characters, sha256 ${digest}]`, length: text.length, sha256: digest };
}

/** A message cut to `textLimits.message`. */
export function boundMessage(text: string): string {
  return boundText(text, textLimits.message).text;
}

/** JSON of a value, cut to `textLimits.preview`; `undefined` and what JSON cannot say are named instead. Bounded work: a long string is cut before it is encoded. */
export function previewValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return boundText(value.length > 1_000 ? value : JSON.stringify(value), textLimits.preview).text;
  if (Array.isArray(value)) return value.length > 50 ? `an array of ${value.length}` : boundText(jsonOf(value), textLimits.preview).text;
  return boundText(jsonOf(value), textLimits.preview).text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
