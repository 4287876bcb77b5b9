import type { CallItem, ParsedCalls } from '../dialects/call-item.ts';
import { plainToolName } from '../dialects/call-shape.ts';
import { strictValue } from '../json/readings.ts';
import { type DecodedOpen, type DecodedValue, decodeRelaxed } from '../json/relaxed-json.ts';
import { reasoningEndLine } from '../markers.ts';
import { undoEntityLayer, undoEscapeLayer, undoOpenLayer } from '../repair.ts';
import { asciiStructure, balancedSpan, isOpener, skipSpace } from '../scan.ts';
import { advance, type Candidate, closeProse, isCitation, pushCandidate, remove, type Scanner, takeCalls } from './scanner.ts';
import { followsLostBrace, goesOn, isCheckbox, isEmphasised, isGlued, isIndexed, isInSentence, isMemberValue } from './surroundings.ts';

export function takeCandidate(scanner: Scanner): void {
  const { text, at: start, end } = scanner;
  const encoded = encodedValue(scanner, start);
  const valueStart = encoded === undefined ? start : start - 1;
  if (isMemberValue(text, valueStart, scanner.proseFrom, previousSpan(scanner))) {
    scanner.doubt ??= { at: start, why: 'a value follows a key that stands outside every object' };
  }
  if (encoded !== undefined) {
    pushCandidate(scanner, {
      start: valueStart,
      end: encoded.end,
      reading: encoded,
      isPart: isGlued(text, encoded.end) || /[\]}\p{L}\p{N}]$/u.test(text.slice(Math.max(scanner.proseFrom, valueStart - 2), valueStart)),
    });
    advance(scanner, encoded.end);
    return;
  }
  const reading = decodeRelaxed(text, start, end, { maxDepth: scanner.context.maxDepth });
  switch (reading.kind) {
    case 'value':
    case 'open': {
      const lostOpening = reading.kind === 'value' ? openingLost(scanner, start, reading) : undefined;
      if (lostOpening !== undefined) {
        takeCalls(scanner, lostOpening);
        return;
      }
      const emphasised = reading.kind === 'value' && isEmphasised(text, start, reading.end);
      pushCandidate(scanner, {
        start,
        end: reading.end,
        reading,
        isPointer: isCheckbox(text, start, reading.end) || (isCitation({ reading }) && isInSentence(text, start, reading.end)),
        isPart: !emphasised && reading.kind === 'value' && goesOn(text, start, reading.end, end, scanner.proseFrom),
        isSubscript: !emphasised && isIndexed(text, start, scanner.proseFrom),
      });
      advance(scanner, reading.end);
      return;
    }
    case 'deep':
      scanner.tooDeep = true;
      return;
    case 'layer':
      takeLayer(scanner, start, reading.layer);
      return;
    default:
      takeGuess(scanner, start, reading.why, reading.quotes, reading.at);
  }
}

function previousSpan({ candidates, proseFrom, lastEnd }: Scanner): 'mark' | 'guess' | 'value' {
  if (proseFrom !== lastEnd) return 'mark';
  const last = candidates.at(-1);
  return last?.reading.kind === 'guess' || (last !== undefined && isCitation(last)) ? 'guess' : 'value';
}

/** A string that starts right before the bracket and is, as a whole, the JSON text of a container: the value was encoded twice. */
function encodedValue({ text, end, context }: Scanner, start: number): DecodedValue | undefined {
  if (start === 0 || text.charCodeAt(start - 1) !== 0x22) return undefined;
  const reading = decodeRelaxed(text, start - 1, end, { maxDepth: context.maxDepth });
  if (reading.kind !== 'value' || typeof reading.value !== 'string') return undefined;
  return strictValue(reading.value.trim(), context.maxDepth) === undefined ? undefined : reading;
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
  // Where the span ends is uncertain: whatever opens after it may stand in one of its strings.
  const uncertain = quotes || !span.certain || guessAt >= span.end;
  const programEnd =
    uncertain && scanner.inProgram && scanner.passedPrograms < maxPrograms ? bareFenceAfter(scanner.text, start) : undefined;
  const spanEnd = programEnd === undefined ? span.end : Math.min(span.end, programEnd);
  pushCandidate(scanner, { start, end: spanEnd, reading: { kind: 'guess', why, proseLike } });
  // Program text ends with its fence, whatever its quotes are; what could be a value in the rest of it cannot be told apart.
  if (programEnd !== undefined && !literalStart.test(scanner.text.slice(start + 1, programEnd))) {
    scanner.passedPrograms += 1;
    advance(scanner, programEnd);
    return;
  }
  const holdsReasoningEnd = span.certain && reasoningEndLine(scanner.text.slice(start, span.end), 0) !== undefined;
  if (holdsReasoningEnd || (uncertain && opensAfter(scanner, span.certain ? span.end : start + 1))) scanner.lost = { at: start, why };
  // Where nothing opens any more, marks may still follow.
  advance(scanner, span.certain ? span.end : start + 1);
}

/** Programs that are passed over: each may have been read to the end of the text before that was clear. */
const maxPrograms = 16;

/** An object with a quoted key, or a list that is no index. */
const literalStart = /[{｛]\s*["'“‘{[]|(?:^|[^\p{L}\p{N}_)\]\s])\s*\[/u;
const fenceLine = /\n[ \t]{0,8}(```|~~~)([^\n]{0,64})/g;

/** Where the next fence stands, if its line holds nothing else: one with a language would open another block inside this one. */
function bareFenceAfter(text: string, from: number): number | undefined {
  fenceLine.lastIndex = from;
  const match = fenceLine.exec(text);
  return match === null || match[2]?.trim() !== '' ? undefined : match.index + match[0].indexOf(match[1] ?? '');
}

/** The bracket opens no JSON: it starts with a bare word that is no key, and no quoted text came before the guess. */
function isProseLike(text: string, start: number, guessAt: number): boolean {
  const head = text.slice(start, Math.min(start + 64, text.length));
  if (/^\[\p{L}[^"'{}[\]\n]{0,62}\]/u.test(head)) return true;
  if (/^[{[]\s*\p{L}/u.test(head) && !/^[{[]\s*[\p{L}_$][\p{L}\p{N}_$-]*\s*[:：]/u.test(head)) {
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
  if (undone === 'open') {
    pushCandidate(scanner, { start, end, reading: openLayer(scanner, start, layer) });
    advance(scanner, end);
    return;
  }
  if (undone === undefined) {
    const why = 'a layer of escapes that is not whole';
    pushCandidate(scanner, { start, end, reading: { kind: 'guess', why, proseLike: false } });
    scanner.lost = { at: start, why };
    advance(scanner, end);
    return;
  }
  const inner = strictValue(undone.text, context.maxDepth);
  if (inner === undefined && decodeRelaxed(undone.text, 0, undone.text.length, { maxDepth: context.maxDepth }).kind === 'deep')
    scanner.tooDeep = true;
  const reading: Candidate['reading'] = inner ?? { kind: 'guess', why: 'an escaped document that is not JSON', proseLike: false };
  pushCandidate(scanner, { start, end: undone.end, reading, layer: layer === 'escapes' ? 'escape-layer' : 'entity-layer' });
  advance(scanner, undone.end);
}

/** A layer over a value that is cut: its complete part, read from what the layer gives. */
function openLayer({ text, end, context }: Scanner, start: number, layer: 'escapes' | 'entities'): DecodedOpen {
  const undone = undoOpenLayer(text, start, end, layer);
  const inner = decodeRelaxed(undone, 0, undone.length, { maxDepth: context.maxDepth });
  const nothing = { open: [], edits: [], editsOmitted: 0, findings: [], notes: [] };
  const known = inner.kind === 'open' && inner.loss === 'none' ? inner : undefined;
  return { kind: 'open', loss: 'reencoded', ...nothing, ...known, edits: [], end, closable: false };
}

/** A closer that nothing opened: harmless right after a value, else a sign that a value began or ended elsewhere. */
export function takeCloser(scanner: Scanner): void {
  const { text, at, lastEnd } = scanner;
  if (scanner.openInReasoning) scanner.doubt ??= { at, why: 'a closing bracket, and a value that was open where reasoning ended' };
  const last = scanner.candidates.at(-1);
  if (last !== undefined && scanner.judgedCandidate !== last.start) {
    scanner.judgedCandidate = last.start;
    if (followsLostBrace(text, last.start, scanner.lastRegion))
      scanner.doubt ??= { at, why: 'a closing bracket, and a key before the value' };
  }
  if (lastEnd >= 0 && at - lastEnd <= 64 && /^[\s,;)]*$/.test(text.slice(lastEnd, at))) {
    closeProse(scanner, at);
    remove(scanner, 'stray-closer', at, at + 1);
    if (scanner.strayClosers.length < 64) scanner.strayClosers += String.fromCharCode(asciiStructure(text.charCodeAt(at)));
    scanner.strayEnd = at + 1;
    scanner.lastEnd = at + 1;
    advance(scanner, at + 1);
    return;
  }
  scanner.doubt ??= { at, why: 'a closing bracket that nothing opened' };
  scanner.at += 1;
}
