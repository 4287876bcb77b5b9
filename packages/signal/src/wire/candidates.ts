import type { CallItem, ParsedCalls } from './dialects/call-item.ts';
import { plainToolName } from './dialects/call-shape.ts';
import { bareCallAt, type DialectContext, textCallsAt } from './dialects/text-calls.ts';
import { type DecodedOpen, type DecodedValue, decodeRelaxed } from './json/relaxed-json.ts';
import { type Marker, markerAt } from './markers.ts';
import { undoEntityLayer, undoEscapeLayer } from './repair.ts';
import { balancedSpan, closingQuotes, isBlank, isCloser, isOpener, skipSpace, skipSpaceBack } from './scan.ts';

/** One top-level span that may be the answer. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
  /** It stands in an answer tag or a final channel. */
  readonly inAnswer: boolean;
  readonly reading: DecodedValue | DecodedOpen | { readonly kind: 'guess'; readonly why: string; readonly proseLike: boolean };
  /** A layer over the whole span that was undone. */
  readonly layer?: string;
  /** It stands in reasoning, and is no candidate. */
  inReasoning: boolean;
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
  /** A reasoning mark that never closed. */
  readonly openReasoning: boolean;
  /** There is text beside marks, reasoning and white space. */
  readonly hasText: boolean;
}

interface Scanner {
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
  openReasoning: boolean;
  hasText: boolean;
  /** Where the last candidate or call ended. */
  lastEnd: number;
  inFence: boolean;
  /** Characters that may still be read for bare values: keeps a text of nothing but marks linear. */
  scalarBudget: number;
  /** Candidates and calls before these indexes are known to be reasoning. */
  reasonedCandidates: number;
  reasonedCalls: number;
  /** A stray closer or a fragment that makes every candidate doubtful, unless it turns out to be reasoning. */
  doubt: Scan['lost'];
}

/** Kept of each list; beyond it, spans that hold nothing are dropped and the rest makes the text `lost`. */
const maxCandidates = 4_096;
const maxRemoved = 256;

/**
 * Finds every top-level value of a text, every call of a dialect, and what the marks say of them, in one pass. A span is skipped whole, so nothing
 * inside one is a candidate or a mark.
 */
export function scanText(text: string, context: DialectContext): Scan {
  const scanner: Scanner = {
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
    openReasoning: false,
    hasText: false,
    lastEnd: -1,
    doubt: undefined,
    inFence: false,
    scalarBudget: 2 * text.length + 1_024,
    reasonedCandidates: 0,
    reasonedCalls: 0,
  };
  enterRegion(scanner);
  while (scanner.at < scanner.end && scanner.lost === undefined && !scanner.tooDeep) scanHere(scanner);
  closeProse(scanner, scanner.end);
  const { candidates, calls, removed, tooDeep, openReasoning, hasText } = scanner;
  const lost = scanner.lost ?? scanner.doubt;
  return { candidates, calls, removed, tooDeep, openReasoning, hasText, ...(lost === undefined ? {} : { lost }) };
}

function scanHere(scanner: Scanner): void {
  const { text, at } = scanner;
  const code = text.charCodeAt(at);
  // Most text is words: nothing below letters' codes but these starts anything.
  if ((code > 0x60 && code < 0x7b && code !== 0x66) || code === 0x20) {
    scanner.at += 1;
    return;
  }
  const calls = textCallsAt(text, at, scanner.end, scanner.context);
  if (calls !== undefined) return takeCalls(scanner, calls);
  const marker = markerAt(text, at);
  if (marker !== undefined) return takeMarker(scanner, marker);
  if (isOpener(code)) return takeCandidate(scanner);
  if (isCloser(code)) return takeCloser(scanner);
  scanner.at += 1;
}

function remove(scanner: Scanner, mechanism: string, start: number, end: number): void {
  if (end > start && scanner.removed.length < maxRemoved) scanner.removed.push({ mechanism, start, end });
}

/** Records the text since the last mark or candidate. */
function closeProse(scanner: Scanner, until: number): void {
  const { text, proseFrom } = scanner;
  if (until > proseFrom && !isBlank(text, proseFrom, until)) {
    scanner.hasText = true;
    remove(scanner, 'prose', proseFrom, until);
  }
  scanner.proseFrom = until;
}

function advance(scanner: Scanner, to: number): void {
  scanner.at = Math.max(to, scanner.at + 1);
  scanner.proseFrom = scanner.at;
}

function takeMarker(scanner: Scanner, marker: Marker): void {
  const { at } = scanner;
  closeProse(scanner, at);
  switch (marker.kind) {
    case 'reasoning-open':
      return skipReasoning(scanner, marker);
    case 'reasoning-close':
      dropAsReasoning(scanner, marker.end);
      break;
    case 'answer-open':
      scanner.answerDepth += 1;
      remove(scanner, 'answer-tag', at, marker.end);
      break;
    case 'answer-close':
      scanner.answerDepth = Math.max(0, scanner.answerDepth - 1);
      remove(scanner, 'answer-tag', at, marker.end);
      break;
    case 'fence':
      scanner.inFence = !scanner.inFence;
      remove(scanner, 'fence', at, marker.end);
      break;
    default:
      remove(scanner, 'control-token', at, marker.end);
  }
  advance(scanner, marker.end);
  enterRegion(scanner);
}

function skipReasoning(scanner: Scanner, marker: Extract<Marker, { kind: 'reasoning-open' }>): void {
  marker.close.lastIndex = marker.end;
  const close = marker.close.exec(scanner.text);
  if (close === null) {
    scanner.openReasoning = true;
    remove(scanner, 'reasoning', scanner.at, scanner.end);
    advance(scanner, scanner.end);
    return;
  }
  const end = marker.keepsClose ? close.index : close.index + close[0].length;
  remove(scanner, 'reasoning', scanner.at, end);
  advance(scanner, end);
  enterRegion(scanner);
}

/** The opening mark was in the prompt: everything so far was reasoning. */
function dropAsReasoning(scanner: Scanner, end: number): void {
  const { candidates, calls } = scanner;
  for (; scanner.reasonedCandidates < candidates.length; scanner.reasonedCandidates += 1) {
    (candidates[scanner.reasonedCandidates] as Candidate).inReasoning = true;
  }
  for (; scanner.reasonedCalls < calls.length; scanner.reasonedCalls += 1) (calls[scanner.reasonedCalls] as FoundCalls).inReasoning = true;
  scanner.inFence = false;
  scanner.doubt = undefined;
  scanner.hasText = false;
  scanner.answerDepth = 0;
  scanner.removed.length = 0;
  remove(scanner, 'reasoning', 0, end);
  scanner.lastEnd = -1;
}

/** At the start of a region a bare value may stand: it is one only if it fills the region. */
function enterRegion(scanner: Scanner): void {
  const { text, end, context } = scanner;
  const start = skipSpace(text, scanner.at, end);
  if (start >= end || (scanner.hasText && !scanner.inFence && scanner.answerDepth === 0)) return;
  const code = text.charCodeAt(start);
  if (isOpener(code) || markerAt(text, start) !== undefined) return;
  if (closingQuotes(code).length > 0 || /[\w+.-]/.test(text.charAt(start))) {
    const calls = bareCallAt(text, start, end, context);
    if (calls !== undefined && fillsRegion(text, calls.end, end)) return takeCalls(scanner, calls);
    takeScalar(scanner, start);
  }
}

function fillsRegion(text: string, at: number, end: number): boolean {
  const next = skipSpace(text, at, end);
  if (next >= end) return true;
  const marker = markerAt(text, next);
  return marker !== undefined && marker.kind !== 'reasoning-open';
}

function takeScalar(scanner: Scanner, start: number): void {
  const { text, end } = scanner;
  const code = text.charCodeAt(start);
  const isString = closingQuotes(code).length > 0;
  if (scanner.scalarBudget <= 0) return;
  const reading = decodeRelaxed(text, start, end);
  scanner.scalarBudget -=
    (reading.kind === 'guess' ? reading.at : reading.kind === 'value' || reading.kind === 'open' ? reading.end : end) - start;
  if (reading.kind === 'open' && isString && code === 0x22) {
    pushCandidate(scanner, { start, end, reading });
    advance(scanner, end);
    return;
  }
  if (reading.kind !== 'value') return cutScalar(scanner, start);
  const next = skipSpace(text, reading.end, end);
  if (isString && (text.charCodeAt(next) === 0x3a || text.charCodeAt(next) === 0xff1a)) {
    scanner.doubt ??= { at: start, why: 'the text starts inside an object' };
  } else if (fillsRegion(text, reading.end, end)) {
    pushCandidate(scanner, { start, end: reading.end, reading });
    advance(scanner, reading.end);
  }
}

/** The beginning of a literal or number that is the whole text. */
function cutScalar(scanner: Scanner, start: number): void {
  const { text, end } = scanner;
  if (end - start > 40) return;
  const word = text.slice(start, skipSpaceBack(text, end, start));
  if (!/^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?\d+(?:\.\d*)?[eE][+-]?|-?\d+\.)$/.test(word)) return;
  const reading: DecodedOpen = {
    kind: 'open',
    end,
    closable: false,
    open: [],
    edits: [],
    editsOmitted: 0,
    findings: [],
    loss: 'none',
    notes: [],
  };
  pushCandidate(scanner, { start, end, reading });
  advance(scanner, end);
}

function pushCandidate(scanner: Scanner, found: Pick<Candidate, 'start' | 'end' | 'reading' | 'layer'>): void {
  closeProse(scanner, found.start);
  scanner.hasText = true;
  if (scanner.candidates.length >= maxCandidates) {
    if (found.reading.kind === 'guess') return;
    scanner.lost = { at: found.start, why: 'too many candidates' };
    return;
  }
  scanner.candidates.push({ ...found, inAnswer: scanner.answerDepth > 0, inReasoning: false });
  scanner.lastEnd = found.end;
}

function takeCandidate(scanner: Scanner): void {
  const { text, at: start, end } = scanner;
  if (isMemberValue(text, start)) scanner.doubt ??= { at: start, why: 'a value follows a key that stands outside every object' };
  const reading = decodeRelaxed(text, start, end, { maxDepth: scanner.context.maxDepth });
  switch (reading.kind) {
    case 'value':
    case 'open': {
      const lostOpening = reading.kind === 'value' ? openingLost(scanner, start, reading) : undefined;
      if (lostOpening !== undefined) return takeCalls(scanner, lostOpening);
      pushCandidate(scanner, { start, end: reading.end, reading });
      return advance(scanner, reading.end);
    }
    case 'deep':
      scanner.tooDeep = true;
      return;
    case 'layer':
      return takeLayer(scanner, start, reading.layer);
    default:
      return takeGuess(scanner, start, reading.why, reading.quotes, reading.at);
  }
}

/** `"key":` right before: the span is a member of something whose start is missing. */
function isMemberValue(text: string, start: number): boolean {
  const colon = skipSpaceBack(text, start, Math.max(0, start - 64)) - 1;
  if (colon < 0 || (text.charCodeAt(colon) !== 0x3a && text.charCodeAt(colon) !== 0xff1a)) return false;
  const quote = skipSpaceBack(text, colon, Math.max(0, colon - 64)) - 1;
  return quote >= 0 && (closingQuotes(text.charCodeAt(quote)).length > 0 || text.charCodeAt(quote) === 0x201d);
}

/** `NAME{…}</function>`: a function tag whose beginning was lost. */
function openingLost(scanner: Scanner, start: number, reading: DecodedValue): ParsedCalls | undefined {
  const { text } = scanner;
  const after = skipSpace(text, reading.end, scanner.end);
  if (!text.startsWith('</function>', after)) return undefined;
  const before = /([\w.-]{1,64})\s{0,4}$/.exec(text.slice(Math.max(0, start - 72), start));
  const name = plainToolName(before?.[1] ?? '');
  if (before === null || !scanner.context.isDeclared(name)) return undefined;
  const { value, loss, edits, findings } = reading;
  const item: CallItem = { name, args: value, start: start - before[0].length, end: after + 11, loss, edits, findings };
  return { kind: 'calls', items: [item], end: after + 11 };
}

function takeGuess(scanner: Scanner, start: number, why: string, quotes: boolean, guessAt: number): void {
  const span = balancedSpan(scanner.text, start, scanner.end);
  const proseLike = isProseLike(scanner.text, start, guessAt);
  pushCandidate(scanner, { start, end: span.end, reading: { kind: 'guess', why, proseLike } });
  advance(scanner, span.end);
  // Where the span ends is uncertain: whatever opens after it may stand in one of its strings.
  const uncertain = quotes || !span.certain || guessAt >= span.end;
  if (uncertain && opensAfter(scanner, span.certain ? span.end : start + 1)) scanner.lost = { at: start, why };
}

/** The bracket opens no JSON: it starts with a bare word that is no key, and no quoted text came before the guess. */
function isProseLike(text: string, start: number, guessAt: number): boolean {
  const head = text.slice(start, Math.min(start + 64, text.length));
  if (/^[{[]\s*[^\s"'`“‘{[\d-]/.test(head) && !/^[{[]\s*[\p{L}_$][\p{L}\p{N}_$-]*\s*[:：]/u.test(head)) {
    return !text.slice(start, Math.min(guessAt + 1, start + 4_096)).includes('"');
  }
  return false;
}

function opensAfter(scanner: Scanner, from: number): boolean {
  for (let at = from; at < scanner.end; at += 1) if (isOpener(scanner.text.charCodeAt(at))) return true;
  return false;
}

function takeLayer(scanner: Scanner, start: number, layer: 'escapes' | 'entities'): void {
  const { text, end, context } = scanner;
  const undone = layer === 'escapes' ? undoEscapeLayer(text, start, end) : undoEntityLayer(text, start, end);
  if (undone === undefined || undone === 'open') {
    const reading: Candidate['reading'] =
      undone === 'open'
        ? { kind: 'open', end, closable: false, open: [], edits: [], editsOmitted: 0, findings: [], loss: 'none', notes: [] }
        : { kind: 'guess', why: 'a layer of escapes that is not whole', proseLike: false };
    pushCandidate(scanner, { start, end, reading });
    scanner.lost = undone === undefined ? { at: start, why: 'a layer of escapes that is not whole' } : scanner.lost;
    return advance(scanner, end);
  }
  const inner = decodeRelaxed(undone.text, 0, undone.text.length, { maxDepth: context.maxDepth });
  const strict = inner.kind === 'value' && inner.loss === 'none' && inner.end === undone.text.length;
  if (inner.kind === 'deep') scanner.tooDeep = true;
  const reading: Candidate['reading'] = strict ? inner : { kind: 'guess', why: 'an escaped document that is not JSON', proseLike: false };
  pushCandidate(scanner, { start, end: undone.end, reading, layer: layer === 'escapes' ? 'escape-layer' : 'entity-layer' });
  advance(scanner, undone.end);
}

/** A closer that nothing opened: harmless right after a value, else a sign that a value began or ended elsewhere. */
function takeCloser(scanner: Scanner): void {
  const { text, at, lastEnd } = scanner;
  if (lastEnd >= 0 && at - lastEnd <= 64 && /^[\s,;)]*$/.test(text.slice(lastEnd, at))) {
    closeProse(scanner, at);
    remove(scanner, 'stray-closer', at, at + 1);
    scanner.lastEnd = at + 1;
    return advance(scanner, at + 1);
  }
  scanner.doubt ??= { at, why: 'a closing bracket that nothing opened' };
  scanner.at += 1;
}

function takeCalls(scanner: Scanner, parsed: ParsedCalls): void {
  const start = scanner.at;
  closeProse(scanner, start);
  scanner.hasText = true;
  if (scanner.calls.length < maxCandidates) scanner.calls.push({ start, parsed, inReasoning: false });
  if (parsed.kind === 'deep') scanner.tooDeep = true;
  if (parsed.kind === 'broken') scanner.doubt ??= { at: start, why: parsed.why };
  scanner.lastEnd = parsed.end;
  advance(scanner, parsed.end);
}
