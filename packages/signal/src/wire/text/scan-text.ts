import { type DialectContext, textCallsAt } from '../dialects/text-calls.ts';
import { type Marker, markerAt } from '../markers.ts';
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
