import type { JsonValue } from '@vouch/contracts';
import { bareCallAt } from '../dialects/text-calls.ts';
import { strictValue } from '../json/readings.ts';
import { type DecodedOpen, decodeRelaxed } from '../json/relaxed-json.ts';
import { markerAt } from '../markers.ts';
import { asciiStructure, closingQuotes, isOpener, skipSpace, skipSpaceBack } from '../scan.ts';
import { advance, passCall, pushCandidate, type Scanner, takeCalls } from './scanner.ts';

/** At the start of a region a bare value may stand: it is one only if it fills the region. */
export function enterRegion(scanner: Scanner): void {
  const { text, end, context } = scanner;
  const start = skipSpace(text, scanner.at, end);
  if (start >= end || (scanner.hasText && !scanner.inFence && scanner.answerDepth === 0)) return;
  const code = text.charCodeAt(start);
  if (code === 0x2c || code === 0x3a) scanner.doubt ??= { at: start, why: 'the text starts inside an object or a list' };
  if (isOpener(code) || markerAt(text, start) !== undefined) return;
  if (closingQuotes(code).length > 0 || /[\w+.-]/.test(text.charAt(start))) {
    const calls = bareCallAt(text, start, end, context);
    if (calls !== undefined && fillsRegion(scanner, calls.end)) takeCalls(scanner, calls);
    else {
      if (calls !== undefined) passCall(scanner, start, calls);
      takeScalar(scanner, start);
    }
  }
}

/**
 * Nothing but marks follows in the region: the end of the text, of the fence, or of the answer tag. A region that a mark opened must be closed, after
 * other text, or for what may be text itself (`mustClose`).
 */
function fillsRegion(scanner: Scanner, from: number, mustClose = false): boolean {
  const { text, end, inFence, answerDepth, hasText } = scanner;
  let at = skipSpace(text, from, end);
  for (let marks = 0; at < end && marks < 16; marks += 1) {
    const marker = markerAt(text, at);
    if (marker === undefined || marker.kind === 'reasoning-open' || marker.kind === 'reasoning-close' || marker.kind === 'answer-open')
      return false;
    if ((inFence && marker.kind === 'fence') || (answerDepth > 0 && marker.kind === 'answer-close')) return true;
    at = skipSpace(text, marker.end, end);
  }
  return at >= end && ((!mustClose && !hasText) || (!inFence && answerDepth === 0));
}

function takeScalar(scanner: Scanner, start: number): void {
  const { text, end } = scanner;
  const code = text.charCodeAt(start);
  const isString = closingQuotes(code).length > 0;
  if (scanner.scalarBudget <= 0) {
    scanner.tooMany = true;
    return;
  }
  const reading = decodeRelaxed(text, start, end);
  scanner.scalarBudget -=
    (reading.kind === 'guess' ? reading.readTo : reading.kind === 'value' || reading.kind === 'open' ? reading.end : end) - start;
  if (reading.kind === 'open' && code === 0x22) {
    pushCandidate(scanner, { start, end, reading });
    advance(scanner, end);
    return;
  }
  if (reading.kind !== 'value') {
    cutScalar(scanner, start);
    return;
  }
  const next = skipSpace(text, reading.end, end);
  const structure = asciiStructure(text.charCodeAt(next));
  if ((isString && structure === 0x3a) || structure === 0x2c) {
    scanner.doubt ??= { at: start, why: 'the text starts inside an object or a list' };
  } else if (fillsRegion(scanner, reading.end, isString && code !== 0x22)) {
    pushCandidate(scanner, { start, end: reading.end, reading });
    advance(scanner, reading.end);
  } else if (code === 0x22 && !scanner.inProgram && !isEncoded(reading.value, scanner.context.maxDepth)) {
    scanner.doubt ??= { at: start, why: 'the text starts with a string that does not end where it should' };
  }
}

/** The string is the JSON text of a container. */
const isEncoded = (value: JsonValue, maxDepth: number): boolean =>
  typeof value === 'string' && /^\s*[{[]/.test(value) && strictValue(value.trim(), maxDepth) !== undefined;

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
