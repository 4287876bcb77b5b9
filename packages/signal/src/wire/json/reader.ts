import { childPointer, type FailureReason, type JsonPointer, type LossGrade } from '@vouch/contracts';
import { asciiStructure, closingQuotes, isInvisible, isJsonSpace, isQuote, isSpace, skipSpaceBack } from '../scan.ts';

/** One change that decoding made, in offsets of the text that was decoded. */
export interface DecodeEdit {
  readonly mechanism: string;
  readonly loss: LossGrade;
  readonly start: number;
  readonly end: number;
  readonly path?: JsonPointer;
  readonly after?: string;
}

/** Something that refuses a value although it is JSON (SG-070). */
export interface Finding {
  readonly reason: Extract<FailureReason, 'lossy_value' | 'unsafe_key' | 'ambiguous' | 'suspect_escape'>;
  readonly path: JsonPointer;
  readonly start: number;
  readonly end: number;
}

/** Why a text cannot be read without a guess. */
export interface Guess {
  readonly kind: 'guess';
  readonly at: number;
  readonly why: string;
  /** A quote is involved, so where strings end in the rest is uncertain too. */
  readonly quotes: boolean;
  /** How far the text was read before the guess was clear. */
  readonly readTo: number;
}

/** Where a value stood, and its members. */
export interface Position {
  start: number;
  end: number;
  children?: Map<string, Position>;
}

/** A container that is being read. */
export interface Frame {
  readonly holder: unknown[] | Record<string, unknown>;
  readonly isArray: boolean;
  /** The key being read; unused in arrays. */
  key: string;
  keyStart: number;
  readonly position?: Position;
}

/** What a decoding run keeps while it goes over a text. */
export interface Reader {
  readonly text: string;
  readonly end: number;
  readonly maxDepth: number;
  readonly frames: Frame[];
  readonly edits: DecodeEdit[];
  readonly findings: Finding[];
  readonly notes: string[];
  readonly keepPositions: boolean;
  /** The value starts in a quoted block, so each of its lines carries the block's mark. */
  readonly inBlockQuote: boolean;
  readonly start: number;
  /** The value's line breaks are written out, as `\n` between its tokens; looked at when the first one comes. */
  writtenBreaks: boolean | undefined;
  at: number;
  /** The edits that did not fit the list. */
  editsOmitted: number;
  loss: LossGrade;
  /** Set when reading cannot go on. */
  guess: Guess | undefined;
  /** The end came inside a token. */
  cut: boolean;
  /** A key is being read: the place is the object that will hold it. */
  atKey: boolean;
  /** A key was read, and its colon was not. */
  awaitsColon: boolean;
  /** The last token was a string. */
  afterString: boolean;
  sawString: boolean;
  /** How typographic quotes open strings in this text. */
  quoteStyle: 'opening' | 'closing' | undefined;
}

/** Edits kept per text; the rest is counted. */
const maxEdits = 256;
const maxFindings = 16;

/** The pointer of the place that is being read. */
export function pointerHere(reader: Reader): JsonPointer {
  let pointer = '';
  const frames = reader.atKey ? reader.frames.slice(0, -1) : reader.frames;
  for (const frame of frames) pointer = childPointer(pointer, frame.isArray ? (frame.holder as unknown[]).length : frame.key);
  return pointer;
}

const grades: Readonly<Record<LossGrade, number>> = { none: 0, noise: 1, reencoded: 2, truncated: 3 };

/** The worse of two grades. */
export function worseLoss(a: LossGrade, b: LossGrade): LossGrade {
  return grades[a] >= grades[b] ? a : b;
}

/** Records an edit; beyond the list's bound it is only counted. */
export function recordEdit(reader: Reader, mechanism: string, loss: LossGrade, start: number, end: number, after?: string): void {
  reader.loss = worseLoss(reader.loss, loss);
  if (reader.edits.length >= maxEdits) {
    reader.editsOmitted += 1;
    return;
  }
  const path = pointerHere(reader);
  reader.edits.push({ mechanism, loss, start, end, path, ...(after === undefined ? {} : { after }) });
}

/** Records a finding; the first sixteen are kept. */
export function recordFinding(reader: Reader, reason: Finding['reason'], start: number, end: number): void {
  if (reader.findings.length < maxFindings) reader.findings.push({ reason, path: pointerHere(reader), start, end });
}

/** Stops reading: only a guess could go on. */
export function stopAtGuess(reader: Reader, why: string, quotes: boolean, readTo: number = reader.at): void {
  reader.guess ??= { kind: 'guess', at: reader.at, why, quotes, readTo };
}

/** The word at a position that ends a region in which JSON stands: a fence, a closing tag, a special token. */
export function isRegionEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x3c) {
    const next = text.charCodeAt(at + 1);
    return next === 0x2f || next === 0x7c || next === 0xff5c;
  }
  if (code === 0x5b) return text.charCodeAt(at + 1) === 0x2f && /[A-Z]/.test(text.charAt(at + 2));
  if (code === 0x5d) return text.startsWith(']]>', at);
  return (code === 0x60 && text.startsWith('```', at)) || (code === 0x7e && text.startsWith('~~~', at));
}

/** A token that ends a bare word. */
function endsBareRun(text: string, at: number): boolean {
  const code = asciiStructure(text.charCodeAt(at));
  if (code === 0x2c || code === 0x3a || code === 0x3b || code === 0x7d || code === 0x5d || code === 0x7b || code === 0x5b) return true;
  if (isJsonSpace(code) || isInvisible(code) || code === 0x3c || code === 0x5c) return true;
  if (code === 0x2f) return text.charCodeAt(at + 1) === 0x2f || text.charCodeAt(at + 1) === 0x2a;
  return closingQuotes(code).length > 0;
}

/** The end of the bare word at the reader's position. */
export function bareRunEnd(reader: Reader): number {
  let at = reader.at;
  while (at < reader.end && !endsBareRun(reader.text, at)) at += 1;
  return at;
}

/** Skips white space, invisible characters, comments and written-out line breaks between tokens, recording all but white space. */
export function skipNoise(reader: Reader): void {
  const { text, end } = reader;
  while (reader.at < end && reader.guess === undefined) {
    const code = text.charCodeAt(reader.at);
    if (isJsonSpace(code)) reader.at += 1;
    else if (isInvisible(code)) skipInvisible(reader);
    else if (code === 0x2f || code === 0x23) {
      if (!skipComment(reader, code)) return;
    } else if (code === 0x5c && /^[nrt]$/.test(text.charAt(reader.at + 1)) && hasWrittenBreaks(reader)) {
      recordEdit(reader, 'written-line-break', 'noise', reader.at, reader.at + 2);
      reader.at += 2;
    } else if (code === 0x3e && reader.inBlockQuote && isQuotedLine(text, reader.at)) {
      recordEdit(reader, 'block-quote', 'noise', reader.at, reader.at + 1);
      reader.at += 1;
    } else return;
  }
}

/** The character at `at` is the first of its line: for a `>`, the mark of a quoted block. */
export function isQuotedLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text.charCodeAt(before) === 0x20 || text.charCodeAt(before) === 0x09)) before -= 1;
  return before < 0 || text.charCodeAt(before) === 0x0a;
}

/** The whole value carries a layer of escapes, or its first line break is written out and something follows that. */
function hasWrittenBreaks(reader: Reader): boolean {
  if (reader.writtenBreaks === undefined) {
    const head = reader.text.slice(reader.start, reader.start + 512);
    const quote = head.indexOf('"');
    const layered = quote > 0 && head.charAt(quote - 1) === '\\';
    reader.writtenBreaks = layered || (!head.includes('\n') && /^[{[]\s*\\n(?!\s*[}\]])/.test(head));
  }
  return reader.writtenBreaks;
}

function skipInvisible(reader: Reader): void {
  const start = reader.at;
  while (reader.at < reader.end && isInvisible(reader.text.charCodeAt(reader.at))) reader.at += 1;
  recordEdit(reader, 'invisible', 'noise', start, reader.at);
}

/** Numbers stand on both sides of the slashes, and nothing else does. */
function isArithmetic(text: string, start: number, comment: string): boolean {
  return /[0-9]/.test(text.charAt(skipSpaceBack(text, start, 0) - 1)) && /^\/\/\s*[0-9.(][0-9.()+*/\s-]*$/.test(comment);
}

/** An ellipsis in words. */
const elision =
  /\b(?:etc\b|and so (?:on|forth)\b|omitted\b|elided\b|abridged\b|(?:more|remaining|other|further) (?:items|entries|elements|rows|records|values|objects|fields|results)\b)/i;

/** Skips one comment; false when there is none. A comment with an ellipsis may stand for data that was left out. */
function skipComment(reader: Reader, code: number): boolean {
  const { text, end } = reader;
  const start = reader.at;
  if (start + 1 >= end) {
    reader.cut = true;
    reader.at = end;
    return false;
  }
  const next = text.charCodeAt(start + 1);
  if (code === 0x2f ? next !== 0x2f && next !== 0x2a : !(isJsonSpace(next) || next === 0x23)) return false;
  const block = code === 0x2f && next === 0x2a;
  const close = text.indexOf(block ? '*/' : '\n', start + 2 - (code === 0x23 ? 1 : 0));
  const stop = close < 0 || close >= end ? end : close + (block ? 2 : 0);
  const comment = text.slice(start, stop);
  if (comment.includes('...') || comment.includes('…') || elision.test(comment)) {
    stopAtGuess(reader, 'a comment with an ellipsis may stand for data that was left out', false);
    return false;
  }
  if (!reader.afterString && code === 0x2f && !block && isArithmetic(text, start, comment)) {
    stopAtGuess(reader, 'a number after a number and two slashes may be a division', false);
    return false;
  }
  if (reader.afterString && !reader.awaitsColon && mayBeString(text, start, stop)) {
    stopAtGuess(reader, 'a comment after a string may be the rest of it', true);
    return false;
  }
  if (close < 0 || close >= end) reader.cut = true;
  reader.at = stop;
  recordEdit(reader, 'comment', 'noise', start, stop);
  return true;
}

/**
 * What looks like a comment may be the rest of the string before it, if that string lost an escape: it holds the string's own quote, and not around
 * whole words.
 */
function mayBeString(text: string, start: number, stop: number): boolean {
  const before = skipSpaceBack(text, start, 0) - 1;
  const quote = text.charAt(before);
  if (before < 0 || !isQuote(quote.charCodeAt(0))) return false;
  let inside = false;
  for (let at = text.indexOf(quote, start); at >= 0 && at < stop; at = text.indexOf(quote, at + 1)) {
    if (isApostrophe(text, at)) continue;
    const outer = text.charCodeAt(inside ? at + 1 : at - 1);
    const inner = text.charCodeAt(inside ? at - 1 : at + 1);
    if (isSpace(inner) || inner === quote.charCodeAt(0) || !(isSpace(outer) || outer === 0x2a || outer === 0x2f || Number.isNaN(outer)))
      return true;
    inside = !inside;
  }
  return inside;
}

const isApostrophe = (text: string, at: number): boolean => /^[A-Za-z]['’][A-Za-z]$/.test(text.slice(at - 1, at + 2));
