import { hasDestroyedEscape, hasLoneSurrogate } from '../repair.ts';
import { closingQuotes } from '../scan.ts';
import { type Reader, recordEdit, recordFinding, stopAtGuess } from './reader.ts';

const shortEscapes: Readonly<Record<number, string>> = {
  34: '"',
  47: '/',
  92: '\\',
  98: '\b',
  102: '\f',
  110: '\n',
  114: '\r',
  116: '\t',
};

interface StringFacts {
  rawControl: boolean;
  needlessEscape: boolean;
  surrogate: boolean;
  controlEscape: boolean;
}

/**
 * Reads the quoted string at the reader's position, whatever its quotes, and moves past it. Undefined when it does not end (`cut`) or needs a
 * guess. Linear in the string.
 */
export function readString(reader: Reader): string | undefined {
  const { text, end, at: start } = reader;
  const open = text.charCodeAt(start);
  if (!keepsQuoteStyle(reader, open)) return undefined;
  const closers = closingQuotes(open);
  const [first = 0, second = first] = closers;
  const facts: StringFacts = { rawControl: false, needlessEscape: false, surrogate: false, controlEscape: false };
  let value = '';
  let from = start + 1;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === first || code === second) {
      value = from === start + 1 ? text.slice(from, at) : value + text.slice(from, at);
      reader.at = at + 1;
      return finishString(reader, start, open, value, facts);
    }
    if (code === 0x5c) {
      const unescaped = readEscape(reader, at, facts);
      if (unescaped === undefined) return undefined;
      value += text.slice(from, at) + unescaped;
      at += text.charCodeAt(at + 1) === 0x75 ? 5 : 1;
      from = at + 1;
    } else if (code < 0x20) facts.rawControl = true;
    else if (code >= 0xd800 && code <= 0xdfff) facts.surrogate = true;
  }
  // A typographic quote that only straight ones could close does not end: which of them does is a guess.
  const isMixed = first !== open && text.charCodeAt(start) >= 0x2018 && text.slice(start, end).includes(first === 0x2019 ? "'" : '"');
  if (isMixed && !text.slice(reader.start, start).includes(String.fromCharCode(first))) {
    stopAtGuess(reader, 'a typographic quote opens a string that a straight one may close', true, end);
    return undefined;
  }
  reader.cut = true;
  return undefined;
}

/** A closing quote opens strings only in a text where none other does; a text that mixes both has lost some. */
function keepsQuoteStyle(reader: Reader, open: number): boolean {
  const style = open === 0x201d || open === 0x2019 ? 'closing' : open === 0x22 || open === 0x27 || open === 0x60 ? undefined : 'opening';
  if (style === undefined) return true;
  if (reader.quoteStyle !== undefined && reader.quoteStyle !== style) {
    stopAtGuess(reader, 'a closing quote opens a string', true);
    return false;
  }
  reader.quoteStyle = style;
  return true;
}

/** The text that the escape at `at` stands for; undefined when it is cut or has more than one meaning. */
function readEscape(reader: Reader, at: number, facts: StringFacts): string | undefined {
  const { text, end } = reader;
  if (at + 1 >= end) {
    reader.cut = true;
    return undefined;
  }
  const code = text.charCodeAt(at + 1);
  if (code === 0x27) {
    facts.needlessEscape = true;
    return "'";
  }
  if (code === 0x75) return readUnicodeEscape(reader, at, facts);
  const short = shortEscapes[code];
  if (short !== undefined) {
    if (short < ' ') facts.controlEscape = true;
    return short;
  }
  reader.at = at;
  stopAtGuess(reader, 'an escape that JSON does not know has more than one meaning', false);
  return undefined;
}

function readUnicodeEscape(reader: Reader, at: number, facts: StringFacts): string | undefined {
  const hex = reader.text.slice(at + 2, Math.min(at + 6, reader.end));
  if (/^[0-9a-fA-F]{4}$/.test(hex)) {
    const code = Number.parseInt(hex, 16);
    if (code >= 0xd800 && code <= 0xdfff) facts.surrogate = true;
    if (code < 0x20) facts.controlEscape = true;
    return String.fromCharCode(code);
  }
  if (at + 2 + hex.length >= reader.end && /^[0-9a-fA-F]*$/.test(hex)) {
    reader.cut = true;
    return undefined;
  }
  reader.at = at;
  stopAtGuess(reader, 'a Unicode escape without four hexadecimal digits', false);
  return undefined;
}

function finishString(reader: Reader, start: number, open: number, value: string, facts: StringFacts): string | undefined {
  const { at } = reader;
  // A template is written for its line breaks or quotes; a short word in back-ticks is as likely a text that lost its quotes.
  if (open === 0x60 && (value.includes('${') || !/["\n]/.test(value))) {
    reader.at = start;
    stopAtGuess(reader, 'back-ticks may mark a template, or be part of the text', true, at);
    return undefined;
  }
  if (open !== 0x22) recordEdit(reader, quoteMechanism(open), 'reencoded', start, at);
  if (facts.rawControl) recordEdit(reader, 'raw-control', 'reencoded', start, at);
  if (facts.needlessEscape) recordEdit(reader, 'needless-escape', 'reencoded', start, at);
  if (facts.surrogate && hasLoneSurrogate(value)) recordFinding(reader, 'lossy_value', start, at);
  if (facts.controlEscape && hasDestroyedEscape(value)) recordFinding(reader, 'suspect_escape', start, at);
  reader.sawString = true;
  return value;
}

function quoteMechanism(open: number): string {
  if (open === 0x27) return 'single-quotes';
  return open === 0x60 ? 'back-tick-quotes' : 'smart-quotes';
}
