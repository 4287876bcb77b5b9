import type { JsonValue } from '@vouch/contracts';
import { isJsonSpace } from '../scan.ts';

/** A text that `JSON.parse` took. */
export interface StrictParse {
  readonly value: JsonValue;
  /** Greatest nesting; counted only beyond the bound, 0 within it. */
  readonly excessDepth: number;
  /** The slower reading would give the same value and find nothing: within the depth bound, no repeated key, nothing suspicious. */
  readonly isExact: boolean;
}

/** Parses a text that is strict JSON; undefined for any other. */
export function parseStrict(text: string, maxDepth: number): StrictParse | undefined {
  if (!mayBeStrict(text)) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const tally: Tally = { tokens: 0, isTooDeep: false, hasZero: false, isSuspicious: false };
  count(value, maxDepth, tally);
  if (tally.isTooDeep) return { value, excessDepth: depthOf(text), isExact: false };
  return { value, excessDepth: 0, isExact: !tally.isSuspicious && isExactText(text, tally) };
}

/**
 * A container ends with its own bracket, and an object starts with a quote or ends at once. A parse that fails throws, which is dear where a text holds
 * many that are none, and builds all that comes before the fault.
 */
function mayBeStrict(text: string): boolean {
  const start = skipJsonSpace(text, 0);
  const open = text.charCodeAt(start);
  if (open !== 0x7b && open !== 0x5b) return true;
  let last = text.length - 1;
  while (last > start && isJsonSpace(text.charCodeAt(last))) last -= 1;
  // `{` and `}`, `[` and `]` lie two code points apart.
  if (text.charCodeAt(last) !== open + 2) return false;
  if (open === 0x5b) return true;
  const first = text.charCodeAt(skipJsonSpace(text, start + 1));
  return first === 0x22 || first === 0x7d;
}

function skipJsonSpace(text: string, from: number): number {
  let at = from;
  while (isJsonSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** What a walk through a parsed value finds. */
interface Tally {
  /** Keys and strings: each was written between two quotes. */
  tokens: number;
  isTooDeep: boolean;
  /** A zero may have been a number that is too small for a double. */
  hasZero: boolean;
  /** A number that a double may have rounded, or a key that may reach a prototype. */
  isSuspicious: boolean;
}

/** From here on doubles leave whole numbers out. */
const exactLimit = 2 ** 53;

/** Recursive within the depth that is left. */
function count(value: JsonValue, depthLeft: number, tally: Tally): void {
  if (typeof value === 'string') tally.tokens += 1;
  else if (typeof value === 'number') {
    if (value === 0) tally.hasZero = true;
    else if (value >= exactLimit || value <= -exactLimit) tally.isSuspicious = true;
  } else if (typeof value === 'object' && value !== null) {
    if (depthLeft <= 0) tally.isTooDeep = true;
    else if (Array.isArray(value)) for (const item of value) count(item, depthLeft - 1, tally);
    else {
      const object = value as { readonly [key: string]: JsonValue };
      for (const key in object) {
        tally.tokens += 1;
        if (key === '__proto__' || key === 'constructor') tally.isSuspicious = true;
        count(object[key] as JsonValue, depthLeft - 1, tally);
      }
    }
  }
}

/**
 * What a parsed value cannot show, of a text that `JSON.parse` took (SG-070): repeated keys, escapes that may be damage, lone surrogates, numbers too
 * small for a double. Linear, no allocation; it may suspect too much, never too little.
 */
function isExactText(text: string, tally: Tally): boolean {
  const escapedQuotes = countEscapedQuotes(text);
  if (escapedQuotes === undefined || !isWellFormed(text)) return false;
  // A repeated key leaves at least its own two quotes without a token.
  if (countQuotes(text) - escapedQuotes !== 2 * tally.tokens) return false;
  return !tally.hasZero || !mayRoundToZero(text);
}

/** A zero may be a number that is too small. Searched for as text first: the pattern looks at every character, and most texts hold none of these. */
function mayRoundToZero(text: string): boolean {
  if (text.includes('000000000000000')) return true;
  return (text.includes('e-') || text.includes('E-')) && /[0-9][eE]-/.test(text);
}

/** Undefined when an escape needs the slower look: one by number, a backspace or form feed, a control character right after a colon. */
function countEscapedQuotes(text: string): number | undefined {
  let quotes = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2)) {
    const letter = text.charCodeAt(at + 1);
    if (letter === 0x22) quotes += 1;
    else if (letter === 0x75 || letter === 0x62 || letter === 0x66) return undefined;
    else if ((letter === 0x6e || letter === 0x72 || letter === 0x74) && text.charCodeAt(at - 1) === 0x3a) return undefined;
  }
  return quotes;
}

function countQuotes(text: string): number {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes;
}

/** Engines that cannot say it quickly suspect every surrogate. */
function isWellFormed(text: string): boolean {
  const { isWellFormed: check } = text as { readonly isWellFormed?: () => boolean };
  return check === undefined ? !/[\ud800-\udfff]/.test(text) : check.call(text);
}

/** The greatest nesting of a text that is strict JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}
