/** White space that JSON itself allows. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Characters that carry no content outside strings, beyond JSON's own white space: Unicode spaces, zero-width and direction marks, byte order
 * marks and control characters.
 */
export function isInvisible(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x0d && code !== 0x09;
  if (code < 0x7f) return false;
  if (code < 0x2000) return code <= 0xa0 || code === 0xad || code === 0x1680 || code === 0x180e;
  // Embedding controls change how text reads, so they are not nothing.
  if (code <= 0x2064) return code <= 0x200f || code === 0x2028 || code === 0x2029 || code === 0x202f || code >= 0x205f;
  if (code <= 0x206f) return code >= 0x206a;
  return code === 0x3000 || code === 0xfeff;
}

/** White space of any kind. */
export function isSpace(code: number): boolean {
  return isJsonSpace(code) || isInvisible(code);
}

/** The first position at or after `at` that is not white space of any kind; `end` when there is none. */
export function skipSpace(text: string, at: number, end: number): number {
  let here = at;
  while (here < end && isSpace(text.charCodeAt(here))) here += 1;
  return here;
}

/** The position after the last character before `at` that is not white space; `start` when there is none. */
export function skipSpaceBack(text: string, at: number, start: number): number {
  let here = at;
  while (here > start && isSpace(text.charCodeAt(here - 1))) here -= 1;
  return here;
}

/** Nothing but white space of any kind between `start` and `end`. */
export function isBlank(text: string, start: number, end: number): boolean {
  return skipSpace(text, start, end) >= end;
}

/** The characters that close a string which `open` opens; empty when it opens none. */
export function closingQuotes(open: number): readonly number[] {
  switch (open) {
    case 0x22: // "
      return [0x22];
    case 0x27: // '
      return [0x27];
    case 0x60: // `
      return [0x60];
    case 0x201c: // “
    case 0x201d: // ”
      return [0x201d];
    case 0x201e: // „
      return [0x201c, 0x201d];
    case 0x2018: // ‘
    case 0x2019: // ’
      return [0x2019];
    case 0x201a: // ‚
      return [0x2018, 0x2019];
    case 0xab: // «
      return [0xbb];
    case 0x300c: // 「
      return [0x300d];
    case 0xff02: // ＂
      return [0xff02];
    default:
      return [];
  }
}

/** The character is any opening or closing quote. */
export function isQuote(code: number): boolean {
  return closingQuotes(code).length > 0 || code === 0xbb || code === 0x300d;
}

/** The ASCII form of a full-width or other-script structural character; the character itself otherwise. */
export function asciiStructure(code: number): number {
  if (code < 0x600) return code;
  switch (code) {
    case 0x060c: // Arabic comma
    case 0x3001: // ideographic comma
    case 0xff0c:
      return 0x2c;
    case 0xff1a:
      return 0x3a;
    case 0xff1b:
      return 0x3b;
    case 0xff3b:
      return 0x5b;
    case 0xff3d:
      return 0x5d;
    case 0xff5b:
      return 0x7b;
    case 0xff5d:
      return 0x7d;
    default:
      return code;
  }
}

/** One of `{`, `[` and their full-width forms. */
export function isOpener(code: number): boolean {
  return code === 0x7b || code === 0x5b || code === 0xff5b || code === 0xff3b;
}

/** One of `}`, `]` and their full-width forms. */
export function isCloser(code: number): boolean {
  return code === 0x7d || code === 0x5d || code === 0xff5d || code === 0xff3d;
}

/** Where a bracketed span ends. */
export interface BalancedSpan {
  /** After the closer that balances the opener; the end of the text when nothing does. */
  readonly end: number;
  /** The brackets balance, and do so at the same place whether or not quoted text is skipped. */
  readonly certain: boolean;
}

/** The end of the span that the opener at `start` begins, by counting brackets alone. Linear in the span. */
export function balancedSpan(text: string, start: number, end: number): BalancedSpan {
  const plain = countBrackets(text, start, end, false);
  const quoted = countBrackets(text, start, end, true);
  if (plain === quoted && plain !== undefined) return { end: plain, certain: true };
  return { end: plain === undefined || quoted === undefined ? end : Math.max(plain, quoted), certain: false };
}

/** Deeper than any value that is read: a list of the brackets of a text of nothing else would fill the memory. */
const mostOpen = 16_384;

function countBrackets(text: string, start: number, end: number, skipStrings: boolean): number | undefined {
  const open: number[] = [];
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isOpener(code)) {
      if (open.length >= mostOpen) return undefined;
      open.push(asciiStructure(code));
    } else if (isCloser(code)) {
      // `{` and `}`, `[` and `]` lie two code points apart.
      if (open.pop() !== asciiStructure(code) - 2) return undefined;
      if (open.length === 0) return at + 1;
    } else if (code === 0x22 && skipStrings) at = skipString(text, at, end) - 1;
  }
  return undefined;
}

/** The position after the double-quoted string that starts at `start`; `end` when it does not close. */
function skipString(text: string, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at + 1;
  }
  return end;
}
