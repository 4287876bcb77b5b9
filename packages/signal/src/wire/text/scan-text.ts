import { type DialectContext, textCallsAt } from '../dialects/text-calls.ts';
import { type Marker, markerAt, reasoningEndLine, strippedChannelAt } from '../markers.ts';
import { isCloser, isOpener } from '../scan.ts';
import { enterRegion } from './scalars.ts';
import {
  advance,
  type Candidate,
  closeProse,
  type FoundCalls,
  makeScanner,
  remove,
  type Scan,
  type Scanner,
  takeCalls,
} from './scanner.ts';
import { takeCandidate, takeCloser } from './spans.ts';

/**
 * Finds every top-level value of a text, every call of a dialect, and what the marks say of them, in one pass. A span is skipped whole, so nothing
 * inside one is a candidate or a mark.
 */
export function scanText(text: string, context: DialectContext): Scan {
  const scanner = makeScanner(text, context);
  const marker = strippedChannelAt(text);
  if (marker === undefined) enterRegion(scanner);
  else takeMarker(scanner, marker);
  while (scanner.at < scanner.end && !scanner.tooDeep && !scanner.tooMany) {
    if (scanner.lost !== undefined && !findsReasoningEnd(scanner, scanner.lost.at)) break;
    scanHere(scanner);
  }
  closeProse(scanner, scanner.end);
  const { lost: certain, doubt, ...found } = scanner;
  const lost = certain ?? doubt;
  return { ...found, ...(lost === undefined ? {} : { lost }) };
}

/** The next position at which a span, a mark or a call can start. Most text is words, which are passed quickly. */
function nextStart(text: string, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80 ? isAsciiStart(text, at, code) : isOpener(code) || isCloser(code) || code === 0x25c1 || code === 0x25c0) return at;
  }
  return end;
}

function isAsciiStart(text: string, at: number, code: number): boolean {
  switch (code) {
    case 0x5b: // [
    case 0x5d:
    case 0x7b: // {
    case 0x7d:
      return true;
    case 0x60: // `
    case 0x7e: // ~
      return text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code;
    case 0x3c: // <
      return isTagStart(text.charCodeAt(at + 1));
    case 0x66: // f
    case 0x46:
      return text.charCodeAt(at + 1) === 0x75 && text.charCodeAt(at + 8) === 0x73;
    default:
      return false;
  }
}

/** A letter, `/`, `!`, `?`, or a bar of either width. */
function isTagStart(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x2f || code === 0x21 || code === 0x3f || code === 0x7c || code === 0xff5c;
}

function scanHere(scanner: Scanner): void {
  const { text, end } = scanner;
  scanner.at = nextStart(text, scanner.at, end);
  const { at } = scanner;
  if (at >= end) return;
  const code = text.charCodeAt(at);
  const calls = textCallsAt(text, at, end, scanner.context);
  const marker = calls === undefined ? markerAt(text, at) : undefined;
  if (calls !== undefined) takeCalls(scanner, calls);
  else if (marker !== undefined) takeMarker(scanner, marker);
  else if (isOpener(code)) takeCandidate(scanner);
  else if (isCloser(code)) takeCloser(scanner);
  else scanner.at += 1;
}

function takeMarker(scanner: Scanner, marker: Marker): void {
  const { at } = scanner;
  closeProse(scanner, at);
  switch (marker.kind) {
    case 'reasoning-open':
      skipReasoning(scanner, marker);
      return;
    case 'reasoning-close':
      dropAsReasoning(scanner, marker.end);
      break;
    case 'answer-open':
      if (scanner.answerDepth === 0) scanner.opened = marker.end;
      scanner.answerDepth += 1;
      remove(scanner, 'answer-tag', at, marker.end);
      break;
    case 'answer-close':
      scanner.answerDepth = Math.max(0, scanner.answerDepth - 1);
      remove(scanner, 'answer-tag', at, marker.end);
      break;
    case 'fence':
      scanner.inFence = !scanner.inFence && startsLine(scanner.text, at);
      remove(scanner, 'fence', at, marker.end);
      if (scanner.inFence && marker.language.startsWith('json')) scanner.opened = marker.end;
      scanner.inProgram = scanner.inFence && marker.language !== '' && !marker.language.startsWith('json');
      break;
    default:
      remove(scanner, 'control-token', at, marker.end);
  }
  advance(scanner, marker.end);
  enterRegion(scanner);
}

/** Only white space and the mark of a quoted block stand before `at` in its line. */
function startsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /[^\S\n]|>|\ufeff/.test(text.charAt(before))) before -= 1;
  return before < 0 || text.charCodeAt(before) === 0x0a;
}

/** What could not be told apart was reasoning, if the mark of its end stands in a line of its own. Goes on after that mark. */
function findsReasoningEnd(scanner: Scanner, from: number): boolean {
  const end = reasoningEndLine(scanner.text, from);
  if (end === undefined) return false;
  scanner.at = end;
  scanner.proseFrom = end;
  scanner.lost = undefined;
  dropAsReasoning(scanner, end);
  enterRegion(scanner);
  return true;
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
    const candidate = candidates[scanner.reasonedCandidates] as Candidate;
    candidate.inReasoning = true;
    if (candidate.reading.kind === 'open') scanner.openInReasoning = true;
  }
  for (; scanner.reasonedCalls < calls.length; scanner.reasonedCalls += 1) (calls[scanner.reasonedCalls] as FoundCalls).inReasoning = true;
  scanner.inFence = false;
  scanner.doubt = undefined;
  scanner.hasText = false;
  scanner.strayClosers = '';
  scanner.strayEnd = 0;
  scanner.answerDepth = 0;
  scanner.removed.length = 0;
  remove(scanner, 'reasoning', 0, end);
  scanner.lastEnd = -1;
}
