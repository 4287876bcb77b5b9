import { childPointer, type JsonPointer, type JsonValue, type LossGrade } from '@vouch/contracts';
import { isExactNumber, readLiteral, readNumber } from '../repair.ts';
import { closingQuotes, isQuote } from '../scan.ts';
import {
  acceptStructure,
  attachValue,
  closeAfterComma,
  closeContainer,
  completeValue,
  type DecodeOptions,
  type Machine,
  makeMachine,
  openContainer,
  structureHere,
} from './machine.ts';
import {
  bareRunEnd,
  type DecodeEdit,
  type Finding,
  type Guess,
  isRegionEnd,
  type Position,
  recordEdit,
  recordFinding,
  skipNoise,
  stopAtGuess,
} from './reader.ts';
import { readString } from './strings.ts';

/** A complete value. */
export interface DecodedValue {
  readonly kind: 'value';
  readonly value: JsonValue;
  /** After the value's last character. */
  readonly end: number;
  readonly loss: LossGrade;
  readonly edits: readonly DecodeEdit[];
  readonly editsOmitted: number;
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly position?: Position;
}

/** A value whose end is missing. */
export interface DecodedOpen {
  readonly kind: 'open';
  /** Where the text, or the region that holds the value, ended. */
  readonly end: number;
  /** The complete part; absent when nothing in it is complete. Nothing in it is completed. */
  readonly salvaged?: JsonValue;
  /** Only closers of objects are missing, and the last value delimits itself. */
  readonly closable: boolean;
  /** The open containers, outermost first. */
  readonly open: readonly { readonly path: JsonPointer; readonly keys: readonly string[] }[];
  readonly edits: readonly DecodeEdit[];
  readonly editsOmitted: number;
  readonly findings: readonly Finding[];
  readonly loss: LossGrade;
  readonly notes: readonly string[];
}

/** The whole span still carries one layer of escapes or entities. */
export interface DecodedLayer {
  readonly kind: 'layer';
  readonly layer: 'escapes' | 'entities';
}

/** Nesting passed the bound. */
export interface DecodedDeep {
  readonly kind: 'deep';
}

export type Decoded = DecodedValue | DecodedOpen | Guess | DecodedLayer | DecodedDeep;

/**
 * Reads one value from `start`, in JSON or in a spelling that has one meaning: trailing commas, comments, other quotes, bare keys, raw control
 * characters, other languages' literals, missing commas between members. Every departure is an edit; what would need a guess is `guess`; what ends
 * early is `open`. Never completes a token. Iterative and linear; recursion nowhere.
 */
export function decodeRelaxed(text: string, start: number, end: number, options: DecodeOptions = {}): Decoded {
  const machine = makeMachine(text, start, end, options);
  for (;;) {
    skipNoise(machine);
    if (machine.guess !== undefined) return machine.guess;
    if (machine.at >= end || (machine.frames.length > 0 && isRegionEnd(text, machine.at))) return openResult(machine);
    step(machine);
    if (machine.guess !== undefined) return machine.guess;
    if (machine.layer !== undefined) return { kind: 'layer', layer: machine.layer };
    if (machine.deep) return { kind: 'deep' };
    if (machine.cut) return openResult(machine);
    if (machine.state === 'done') return valueResult(machine);
  }
}

function step(machine: Machine): void {
  switch (machine.state) {
    case 'value':
    case 'first-element':
    case 'element':
      readValue(machine);
      return;
    case 'first-key':
    case 'key':
      machine.atKey = true;
      readKey(machine);
      machine.atKey = false;
      return;
    case 'colon':
      readColon(machine);
      return;
    case 'after':
      readAfter(machine);
      return;
    default:
      return;
  }
}

function readValue(machine: Machine): void {
  const code = structureHere(machine);
  const start = machine.at;
  if (code === 0x7b || code === 0x5b) openContainer(machine, code);
  else if (code === 0x5d && machine.state === 'first-element') closeContainer(machine, code);
  else if (code === 0x5d && machine.state === 'element') closeAfterComma(machine, code);
  else if (closingQuotes(code).length > 0) {
    const value = readString(machine);
    if (value !== undefined) completeValue(machine, value, start, true);
  } else if (isLayerMark(machine, code)) return;
  else readBare(machine);
}

/** A backslash or entity where a quote must stand: the whole document still carries a layer, if no plain string came before. */
function isLayerMark(machine: Machine, code: number): boolean {
  if (machine.sawString) return false;
  if (code === 0x5c && machine.text.charCodeAt(machine.at + 1) === 0x22) machine.layer = 'escapes';
  else if (code === 0x26 && /^&(?:quot|#34|#x22);/i.test(machine.text.slice(machine.at, machine.at + 6))) machine.layer = 'entities';
  return machine.layer !== undefined;
}

function readBare(machine: Machine): void {
  const start = machine.at;
  const stop = bareRunEnd(machine);
  const token = machine.text.slice(start, stop);
  if (stop >= machine.end && machine.frames.length > 0) {
    machine.cut = true;
    return;
  }
  const number = readNumber(token);
  const literal = number === undefined ? readLiteral(token) : undefined;
  if (number === undefined && literal === undefined) {
    stopAtGuess(machine, bareReason(token), isQuote(machine.text.charCodeAt(stop)));
    return;
  }
  machine.at = stop;
  const value = number === undefined ? (literal as boolean | null) : number.value;
  if (number !== undefined) {
    if (!number.strict) recordEdit(machine, 'number-spelling', 'reencoded', start, stop, String(number.value));
    if ((stop - start > 15 || /[eE]/.test(token)) && !isExactNumber(token, number.value))
      recordFinding(machine, 'lossy_value', start, stop);
  } else if (token !== String(literal)) recordEdit(machine, 'literal-spelling', 'reencoded', start, stop, String(literal));
  completeValue(machine, value, start, false);
}

function bareReason(token: string): string {
  if (token === '') return 'a value is missing, or a character stands where none can';
  if (token.startsWith('...') || token.startsWith('…')) return 'an ellipsis stands for data that was left out';
  return 'a bare word or an inexact number has more than one meaning';
}

const bareKey = /^(?:[\p{L}_$][\p{L}\p{N}\p{M}_$-]*|0|[1-9][0-9]{0,14})$/u;

function readKey(machine: Machine): void {
  const code = structureHere(machine);
  const frame = machine.frames.at(-1);
  if (frame === undefined) return;
  if (code === 0x7d && machine.state === 'first-key') closeContainer(machine, code);
  else if (code === 0x7d) closeAfterComma(machine, code);
  else if (code === 0x2c && machine.state === 'first-key' && machine.leadingCommas === 0) {
    machine.leadingCommas = 1;
    recordEdit(machine, 'leading-comma', 'noise', machine.at, machine.at + 1);
    machine.at += 1;
  } else if (closingQuotes(code).length > 0) {
    const start = machine.at;
    const key = readString(machine);
    if (key === undefined) return;
    machine.afterString = true;
    setKey(machine, key, start);
  } else if (!isLayerMark(machine, code)) readBareKey(machine);
}

function readBareKey(machine: Machine): void {
  const start = machine.at;
  const stop = bareRunEnd(machine);
  const token = machine.text.slice(start, stop);
  if (stop >= machine.end) {
    if (token === '' || bareKey.test(token)) machine.cut = true;
    else stopAtGuess(machine, 'a key that is no word', false);
    return;
  }
  if (!bareKey.test(token) || (readLiteral(token) !== undefined && token !== String(readLiteral(token)))) {
    stopAtGuess(machine, token === '' ? 'a key is missing' : 'a key that is no word', isQuote(machine.text.charCodeAt(stop)));
    return;
  }
  machine.at = stop;
  recordEdit(machine, 'bare-key', 'reencoded', start, stop);
  machine.afterString = false;
  setKey(machine, token, start);
}

function setKey(machine: Machine, key: string, start: number): void {
  const frame = machine.frames.at(-1);
  if (frame === undefined) return;
  frame.key = key;
  frame.keyStart = start;
  machine.awaitsColon = true;
  machine.state = 'colon';
}

function readColon(machine: Machine): void {
  const code = structureHere(machine);
  if (code === 0x3a) {
    acceptStructure(machine, code);
    machine.awaitsColon = false;
    machine.state = 'value';
    return;
  }
  stopAtGuess(machine, 'a key without a value', machine.afterString && code !== 0x2c && code !== 0x7d);
}

function readAfter(machine: Machine): void {
  const code = structureHere(machine);
  const frame = machine.frames.at(-1);
  if (frame === undefined) return;
  if (code === 0x2c || (code === 0x3b && !frame.isArray)) {
    if (code === 0x3b) recordEdit(machine, 'semicolon', 'reencoded', machine.at, machine.at + 1, ',');
    if (code === 0x3b) machine.at += 1;
    else acceptStructure(machine, code);
    machine.state = frame.isArray ? 'element' : 'key';
  } else if (code === (frame.isArray ? 0x5d : 0x7d)) closeContainer(machine, code);
  else if (!insertComma(machine, frame.isArray, code)) {
    stopAtGuess(machine, 'something stands beside a value', machine.afterString || isQuote(code));
  }
}

/** Goes on where only a comma can be missing; false where something else can be meant. */
function insertComma(machine: Machine, isArray: boolean, code: number): boolean {
  const { text, lastValueEnd, at } = machine;
  const between = text.slice(lastValueEnd, at);
  const newLine = between.includes('\n');
  const opener = code === 0x7b || code === 0x5b;
  const bracketBefore = machine.selfDelimited && !machine.afterString;
  // A string that ends with a space and goes on in the next line may be one that was wrapped.
  const isWrapped = machine.afterString && /\s/.test(text.charAt(lastValueEnd - 2)) && closingQuotes(code).length > 0;
  const plausible = isArray
    ? !isWrapped && (opener || bracketBefore || newLine) && code !== 0x7d
    : closingQuotes(code).length > 0
      ? // An apostrophe right behind a digit groups digits.
        between !== '' || (!machine.afterString && (code !== 0x27 || machine.selfDelimited))
      : (between !== '' || bracketBefore) && /[\p{L}_$]/u.test(text.charAt(at));
  if (!plausible || code === 0x3a || code === 0x3b) return false;
  const ahead = isArray || isKeyAhead(machine);
  if (ahead === 'cut') machine.cut = true;
  if (ahead !== true) return ahead === 'cut';
  recordEdit(machine, 'missing-comma', 'reencoded', lastValueEnd, lastValueEnd, ',');
  machine.state = isArray ? 'element' : 'key';
  return true;
}

/** A key and its colon follow, or the end comes before they could. Looks no further than the key's own end. */
function isKeyAhead(machine: Machine): boolean | 'cut' {
  const probe = makeMachine(machine.text, machine.at, machine.end, { maxDepth: 1 });
  if (closingQuotes(machine.text.charCodeAt(probe.at)).length > 0) {
    if (readString(probe) === undefined) return probe.cut ? 'cut' : false;
  } else {
    const stop = bareRunEnd(probe);
    if (!bareKey.test(machine.text.slice(probe.at, stop))) return false;
    probe.at = stop;
  }
  skipNoise(probe);
  return probe.at >= probe.end ? 'cut' : structureHere(probe) === 0x3a;
}

function valueResult(machine: Machine): DecodedValue {
  const { root, at, loss, edits, editsOmitted, findings, notes, rootPosition } = machine;
  return {
    kind: 'value',
    value: root as JsonValue,
    end: at,
    loss,
    edits,
    editsOmitted,
    findings,
    notes,
    ...(rootPosition === undefined ? {} : { position: rootPosition }),
  };
}

function openResult(machine: Machine): DecodedOpen {
  const { frames, loss, edits, editsOmitted, findings, notes, at, end } = machine;
  // White space delimits a number only where the text ends with it: before a mark it belongs to the mark.
  const delimited = machine.selfDelimited || (at > machine.lastValueEnd && at >= end);
  const closable = machine.state === 'after' && !machine.cut && delimited && frames.every((frame) => !frame.isArray);
  const open: { path: JsonPointer; keys: readonly string[] }[] = [];
  let path: JsonPointer = '';
  for (const frame of frames) {
    open.push({ path, keys: frame.isArray ? [] : [...Object.keys(frame.holder), frame.key] });
    path = childPointer(path, frame.isArray ? (frame.holder as unknown[]).length : frame.key);
  }
  const salvaged = attachOpen(machine);
  return {
    kind: 'open',
    end: machine.cut ? end : at,
    ...(salvaged === undefined ? {} : { salvaged }),
    closable,
    open,
    edits,
    editsOmitted,
    findings,
    loss,
    notes,
  };
}

/** Joins the open containers, innermost first, leaving out those that hold nothing complete. */
function attachOpen(machine: Machine): JsonValue | undefined {
  while (machine.frames.length > 0) {
    const frame = machine.frames.pop();
    if (frame === undefined) break;
    const size = frame.isArray ? (frame.holder as unknown[]).length : Object.keys(frame.holder).length;
    if (size === 0) continue;
    attachValue(machine, frame.holder as JsonValue, frame.keyStart, machine.at);
    if (machine.frames.length === 0) return frame.holder as JsonValue;
  }
  return undefined;
}
