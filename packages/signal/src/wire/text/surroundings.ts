import { asciiStructure, isQuote, isSpace, skipSpace, skipSpaceBack } from '../scan.ts';

/** A value's surroundings are judged by this many characters before it. */
const lookBehind = 256;

const isTextQuote = (text: string, at: number): boolean => isQuote(text.charCodeAt(at)) && text.charCodeAt(at) !== 0x60;
const isMark = (text: string, at: number): boolean => at >= 0 && (isTextQuote(text, at) || text.charCodeAt(at) === 0x5c);

/**
 * What follows a value reads like more of it: something glued to it, a quote that none before it matches, a colon, or, after commas and closers, a
 * quote. The value may then be a part of a larger one, or end in the middle of a string.
 */
export function goesOn(text: string, start: number, valueEnd: number, end: number, regionStart: number): boolean {
  if (isBesideEscape(text, start, valueEnd, regionStart)) return true;
  const quotedBefore = isMark(text, start - 1) && !closesEarlierQuote(text, start - 1);
  const quotedAfter = isMark(text, valueEnd);
  if (quotedBefore !== quotedAfter && (quotedAfter || text.charCodeAt(start - 1) !== 0x5c)) return true;
  if (isGlued(text, valueEnd) || isHalfQuoted(text, start, valueEnd)) return true;
  let at = skipSpace(text, valueEnd, end);
  if (asciiStructure(text.charCodeAt(at)) === 0x3a) return text.charCodeAt(at + 1) !== 0x29;
  for (let steps = 0; steps < 32 && /[,;}\]，；｝］]/.test(text.charAt(at)); steps += 1) at = skipSpace(text, at + 1, end);
  return isMark(text, at) && !quotedBefore;
}

/** An empty list at the start of an item of a list of lines: a box to tick. */
export function isCheckbox(text: string, start: number, valueEnd: number): boolean {
  return (
    /^\[[ \t]*\]$/.test(text.slice(start, Math.min(valueEnd, start + 8))) &&
    /(?:^|\n)[ \t>]{0,16}(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}$/.test(text.slice(Math.max(0, start - 32), start)) &&
    /^[ \t]+\S/.test(text.slice(valueEnd, valueEnd + 8))
  );
}

/** Words stand on both sides in the same line, so a list of one number points at a source. */
export function isInSentence(text: string, start: number, valueEnd: number): boolean {
  return (
    /[\p{L}\p{N})\].,'"”’][ \t]{0,4}$/u.test(text.slice(Math.max(0, start - 8), start)) &&
    /^[.,;:)]{0,2}[ \t]{1,4}\p{L}/u.test(text.slice(valueEnd, valueEnd + 8))
  );
}

/** The quote at `at` ends a short quotation before it, so it is none of what follows. Only quotes whose two sides differ can tell. */
function closesEarlierQuote(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== 0x201d && code !== 0x300d && code !== 0xbb) return false;
  return /[“„«「][^“”„«»「」{}[\]\n]{1,64}$/.test(text.slice(Math.max(0, at - 66), at));
}

/**
 * An escaped quote stands beside the value on its line: outside strings nothing is escaped, so the line is part of a string. Other values, before the
 * region and from the next bracket on, have strings of their own.
 */
function isBesideEscape(text: string, start: number, valueEnd: number, regionStart: number): boolean {
  const before = text.slice(Math.max(regionStart, start - lookBehind), start);
  const after = text.slice(valueEnd, valueEnd + lookBehind);
  return /\\"[^\n]*$/.test(before) || /^[^\n{[｛［]*\\"/.test(after);
}

const gluedSign =
  /^[\p{N}\p{M}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}$@%^&_+=#|]/u;

/**
 * A word or sign touches the end of a value. Punctuation may, and words of scripts that put no space between words; a combining mark belongs to a
 * letter, which is then missing.
 */
export function isGlued(text: string, valueEnd: number): boolean {
  if (isSpace(text.charCodeAt(valueEnd - 1)) || /^&(?:nbsp|#160|#xa0);/i.test(text.slice(valueEnd, valueEnd + 6))) return false;
  return gluedSign.test(text.slice(valueEnd, valueEnd + 2));
}

/** Marks of emphasis stand on both sides of a value, and touch no word. */
export function isEmphasised(text: string, start: number, valueEnd: number): boolean {
  const before = /(?:^|[^\p{L}\p{N}_])(_{1,3})$/u.exec(text.slice(Math.max(0, start - 8), start))?.[1];
  const after = /^(_{1,3})(?![\p{L}\p{N}_])/u.exec(text.slice(valueEnd, valueEnd + 8))?.[1];
  return before !== undefined && before === after;
}

/** A back-tick touches the end of a value that none opened. */
export function isHalfQuoted(text: string, start: number, valueEnd: number): boolean {
  return text.charCodeAt(valueEnd) === 0x60 && !text.startsWith('```', valueEnd) && text.charCodeAt(start - 1) !== 0x60;
}

/** Words that may touch an opening brace. */
const labels =
  /(?:^|[^\p{L}\p{N}_])(?:json[5c]?|jsonl|javascript|js|typescript|ts|python|py|return|answer|output|result|response|final|assistant)$/iu;

/** A bracket that is glued to a word or a path, or a list that follows a number and a comma, is no value of its own. */
export function isIndexed(text: string, start: number, regionStart: number): boolean {
  const before = text.slice(Math.max(regionStart, start - 24), start);
  // A slash ends an address or a path, or a comment.
  if (/(?:^|[^*])\/$/.test(before)) return true;
  if (text.charCodeAt(start) === 0x5b) return /(?:[\p{L}\p{N}_+.-]|[0-9]\s{0,8},\s{0,8})$/u.test(before);
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_]$/u.test(before) && !labels.test(before);
}

const announces = /[\p{L}\p{N}] ["'“„«‘‚「][^"'“”„«»‘’「」{}[\],:\n]{1,64}["'“”»‘’」]$/u;

/**
 * A colon after a quoted key, or a colon or comma with nothing before it in its region: the value is a member of something whose start is missing.
 * `regionStart`: where the text since the last mark or value began; `previous`: what stood before that.
 */
export function isMemberValue(text: string, start: number, regionStart: number, previous: 'mark' | 'guess' | 'value'): boolean {
  const floor = Math.max(regionStart, start - lookBehind);
  const before = skipCommentsBack(text, start, floor) - 1;
  if (before < floor) return false;
  const code = asciiStructure(text.charCodeAt(before));
  if (code !== 0x3a && code !== 0x2c) return false;
  // A comma in prose has a space after it.
  if (code === 0x2c && before === start - 1) return true;
  const earlier = skipCommentsBack(text, before, floor) - 1;
  if (earlier < regionStart) return previous === 'mark' || (previous === 'value' && code === 0x3a);
  // A line that ends with a quotation and a colon announces what stands in the next ones; a key does so without words before it.
  if (code === 0x3a && text.slice(before, start).includes('\n') && announces.test(text.slice(floor, before))) return false;
  // Prose starts no line with a colon or a comma.
  return isTextQuote(text, earlier) || text.slice(earlier + 1, before).includes('\n');
}

/** The position after the last character before `at` that is neither white space nor in a comment. Looks no further back than `floor`. */
function skipCommentsBack(text: string, at: number, floor: number): number {
  let here = skipSpaceBack(text, at, floor);
  for (let comments = 0; comments < 4; comments += 1) {
    const window = text.slice(floor, here);
    const line = window.slice(window.lastIndexOf('\n') + 1);
    const mark = text.slice(here, at).includes('\n') ? /(?:\/\/|#\s).*$/.exec(line) : null;
    const block = window.endsWith('*/') ? window.lastIndexOf('/*') : -1;
    const comment = block >= 0 ? floor + block : mark === null ? -1 : here - mark[0].length;
    if (comment < floor) return here;
    here = skipSpaceBack(text, comment, floor);
  }
  return here;
}

/**
 * Before a value that a brace too many follows stands what reads like the key of an object whose opening brace is lost: a quoted word, a colon after
 * one, a comment, or a bare word, with or without a colon, at the start or after a comma.
 */
export function followsLostBrace(text: string, start: number, regionStart: number): boolean {
  const from = Math.max(regionStart, start - lookBehind);
  const before = text.slice(from, start);
  if (/["'”’]\s*:?\s*$|`[^`\n]{1,64}`\s*:\s*$|\*\/\s*$|(?:\/\/|[^\s#]\s*#)[^\n]*\n\s*$/.test(before)) return true;
  const bare = /(^|,)\s{0,16}[\p{L}_$][\p{L}\p{N}_$-]{0,64}\s{0,8}:?\s{0,8}$/u.exec(before);
  return bare !== null && (bare[1] === ',' || from === 0) && !labels.test(before.trimEnd());
}
