import type { ParsedCalls } from '../dialects/call-item.ts';
import type { DialectContext } from '../dialects/text-calls.ts';
import type { DecodedOpen, DecodedValue } from '../json/relaxed-json.ts';
import { isBlank, isQuote } from '../scan.ts';
import { isGlued, isHalfQuoted } from './surroundings.ts';

/** One top-level span that may be the answer. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
  /** It stands in an answer tag or a final channel. */
  readonly inAnswer: boolean;
  readonly reading: DecodedValue | DecodedOpen | { readonly kind: 'guess'; readonly why: string; readonly proseLike: boolean };
  /** A layer over the whole span that was undone. */
  readonly layer?: string;
  /** What touches it reads like the rest of a larger value, so it may be a part of one: it competes, and is no answer. */
  readonly isPart?: boolean;
  /** It is glued to a word, or follows a number and a comma: no value of its own. */
  readonly isSubscript?: boolean;
  /** It reads like a source that is pointed at, or a box to tick: it competes, and is no answer. */
  readonly isPointer?: boolean;
  /** It stands in reasoning, and is no candidate. */
  inReasoning: boolean;
}

/** `[1]` in prose points at a source. */
export function isCitation({ reading }: Pick<Candidate, 'reading'>): boolean {
  return reading.kind === 'value' && Array.isArray(reading.value) && reading.value.length === 1 && Number.isInteger(reading.value[0]);
}

/** Calls that a dialect wrote. */
export interface FoundCalls {
  readonly start: number;
  readonly parsed: ParsedCalls;
  inReasoning: boolean;
}

/** Text that is no candidate. */
export interface Removed {
  readonly mechanism: string;
  readonly start: number;
  readonly end: number;
}

/** What one linear pass over a text found. */
export interface Scan {
  readonly candidates: readonly Candidate[];
  readonly calls: readonly FoundCalls[];
  readonly removed: readonly Removed[];
  /** From here on nothing can be told apart; why. */
  readonly lost?: { readonly at: number; readonly why: string };
  readonly tooDeep: boolean;
  /** More candidates or calls than are kept. */
  readonly tooMany: boolean;
  /** Closing brackets right after a value that nothing opened; the first 64. */
  readonly strayClosers: string;
  /** After the last of them. */
  readonly strayEnd: number;
  /** A reasoning mark that never closed. */
  readonly openReasoning: boolean;
  /** There is text beside marks, reasoning and white space. */
  readonly hasText: boolean;
  /** Where a fence for JSON or an answer tag opened last, outside any other: what the text ends with there has only begun. */
  readonly opened: number;
}

export interface Scanner {
  readonly text: string;
  readonly end: number;
  readonly context: DialectContext;
  readonly candidates: Candidate[];
  readonly calls: FoundCalls[];
  readonly removed: Removed[];
  at: number;
  /** Where the text since the last mark or candidate began. */
  proseFrom: number;
  answerDepth: number;
  lost: Scan['lost'];
  tooDeep: boolean;
  tooMany: boolean;
  strayClosers: string;
  strayEnd: number;
  openReasoning: boolean;
  hasText: boolean;
  /** Where the text before the last candidate began. */
  lastRegion: number;
  /** Where the last candidate or call ended. */
  lastEnd: number;
  inFence: boolean;
  /** The fence holds program text, which may start with any string. */
  inProgram: boolean;
  /** Characters that may still be read for bare values: keeps a text of nothing but marks linear. */
  scalarBudget: number;
  opened: number;
  /** Programs that were passed over. */
  passedPrograms: number;
  /** Calls that did not fill their region. */
  passedCalls: number;
  /** The start of the last candidate that a closer looked before: the answer is the same for all closers after it. */
  judgedCandidate: number;
  /** Candidates and calls before these indexes are known to be reasoning. */
  reasonedCandidates: number;
  reasonedCalls: number;
  /** A value was open where reasoning ended: a closer that nothing else opened may be its own. */
  openInReasoning: boolean;
  /** A stray closer or a fragment that makes every candidate doubtful, unless it turns out to be reasoning. */
  doubt: Scan['lost'];
}

/** Kept of each list; beyond it, spans that need a guess are dropped and the scan stops at any other. */
const maxCandidates = 4_096;
const maxCalls = 128;

const maxRemoved = 256;

/** A scanner at the start of a text. */
export function makeScanner(text: string, context: DialectContext): Scanner {
  return {
    text,
    end: text.length,
    context,
    candidates: [],
    calls: [],
    removed: [],
    at: 0,
    proseFrom: 0,
    answerDepth: 0,
    lost: undefined,
    tooDeep: false,
    tooMany: false,
    strayClosers: '',
    strayEnd: 0,
    openReasoning: false,
    hasText: false,
    lastRegion: 0,
    lastEnd: -1,
    doubt: undefined,
    inFence: false,
    inProgram: false,
    scalarBudget: 2 * text.length + 1_024,
    opened: -1,
    passedPrograms: 0,
    passedCalls: 0,
    judgedCandidate: -1,
    reasonedCandidates: 0,
    reasonedCalls: 0,
    openInReasoning: false,
  };
}

export function remove(scanner: Scanner, mechanism: string, start: number, end: number): void {
  if (end > start && scanner.removed.length < maxRemoved) scanner.removed.push({ mechanism, start, end });
}

/** Counts a call that does not fill its region: each was read as far as the text may go, so there are as many at most as calls are kept. */
export function passCall(scanner: Scanner, start: number, parsed: ParsedCalls): void {
  scanner.passedCalls += 1;
  // Alone in its line it reads like one that is made.
  if (parsed.kind === 'calls' && /^[ \t]*;?[ \t]*(?:\n|$)/.test(scanner.text.slice(parsed.end, parsed.end + 16)))
    scanner.doubt ??= { at: start, why: 'a call stands beside other text' };
  if (scanner.passedCalls > maxCalls) scanner.tooMany = true;
}

/** Records the text since the last mark or candidate. */
export function closeProse(scanner: Scanner, until: number): void {
  const { text, proseFrom } = scanner;
  if (until > proseFrom && !isBlank(text, proseFrom, until)) {
    scanner.hasText = true;
    remove(scanner, 'prose', proseFrom, until);
  }
  scanner.proseFrom = until;
}

export function advance(scanner: Scanner, to: number): void {
  scanner.at = Math.max(to, scanner.at + 1);
  scanner.proseFrom = scanner.at;
}

export function pushCandidate(
  scanner: Scanner,
  found: Pick<Candidate, 'start' | 'end' | 'reading' | 'layer' | 'isPart' | 'isSubscript' | 'isPointer'>,
): void {
  scanner.lastRegion = Math.min(scanner.proseFrom, found.start);
  closeProse(scanner, found.start);
  scanner.hasText = true;
  if (scanner.candidates.length >= maxCandidates) {
    if (found.reading.kind === 'guess') return;
    scanner.tooMany = true;
    return;
  }
  scanner.candidates.push({ ...found, inAnswer: scanner.answerDepth > 0, inReasoning: false });
  scanner.lastEnd = found.end;
}

export function takeCalls(scanner: Scanner, parsed: ParsedCalls): void {
  const start = scanner.at;
  closeProse(scanner, start);
  scanner.hasText = true;
  if (scanner.calls.length < maxCalls) scanner.calls.push({ start, parsed, inReasoning: false });
  else scanner.tooMany = true;
  // Quoted, a call is talked about rather than made.
  if (start > 0 && isQuote(scanner.text.charCodeAt(start - 1))) scanner.doubt ??= { at: start, why: 'a call stands in quotes' };
  if (parsed.kind === 'calls' && (isGlued(scanner.text, parsed.end) || isHalfQuoted(scanner.text, start, parsed.end)))
    scanner.doubt ??= { at: parsed.end, why: 'a word touches the end of a call' };
  if (parsed.kind === 'deep') scanner.tooDeep = true;
  if (parsed.kind === 'broken') scanner.doubt ??= { at: start, why: parsed.why };
  scanner.lastEnd = parsed.end;
  advance(scanner, parsed.end);
}
