import type { JsonValue } from '@vouch/contracts';
import { asciiStructure } from '../scan.ts';
import { sameValue, setOwn } from './equality.ts';
import { isQuotedLine, type Position, pointerHere, type Reader, recordEdit, recordFinding } from './reader.ts';

/** How to decode. */
export interface DecodeOptions {
  /** Nesting at most. Default 512; passing it gives `deep`. */
  readonly maxDepth?: number;
  /** Keep where every value stood. Default false. */
  readonly keepPositions?: boolean;
}

/** Notes kept of one reading. */
const maxNotes = 32;

export type State = 'value' | 'first-element' | 'element' | 'first-key' | 'key' | 'colon' | 'after' | 'done';

export interface Machine extends Reader {
  state: State;
  root: JsonValue | undefined;
  rootPosition: Position | undefined;
  lastValueEnd: number;
  /** The last value ended in a quote or bracket. */
  selfDelimited: boolean;
  layer: 'escapes' | 'entities' | undefined;
  deep: boolean;
  leadingCommas: number;
}

export function makeMachine(text: string, start: number, end: number, options: DecodeOptions): Machine {
  return {
    text,
    end,
    maxDepth: options.maxDepth ?? 512,
    frames: [],
    edits: [],
    findings: [],
    notes: [],
    keepPositions: options.keepPositions ?? false,
    inBlockQuote: startsInBlockQuote(text, start),
    writtenBreaks: undefined,
    start,
    at: start,
    editsOmitted: 0,
    loss: 'none',
    guess: undefined,
    cut: false,
    atKey: false,
    awaitsColon: false,
    afterString: false,
    sawString: false,
    quoteStyle: undefined,
    state: 'value',
    root: undefined,
    rootPosition: undefined,
    lastValueEnd: start,
    selfDelimited: false,
    layer: undefined,
    deep: false,
    leadingCommas: 0,
  };
}

/** Only a `>` and spaces stand before `start` in its line. */
function startsInBlockQuote(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && start - at < 16 && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at -= 1;
  return at >= 0 && text.charCodeAt(at) === 0x3e && isQuotedLine(text, at);
}

/** The structural character here, noting the other-script forms. */
export function structureHere(machine: Machine): number {
  const raw = machine.text.charCodeAt(machine.at);
  return raw < 0x600 ? raw : asciiStructure(raw);
}

export function acceptStructure(machine: Machine, code: number): void {
  if (machine.text.charCodeAt(machine.at) !== code) {
    recordEdit(machine, 'other-punctuation', 'reencoded', machine.at, machine.at + 1, String.fromCharCode(code));
  }
  machine.at += 1;
}

export function openContainer(machine: Machine, code: number): void {
  if (machine.frames.length >= machine.maxDepth) {
    machine.deep = true;
    return;
  }
  const isArray = code === 0x5b;
  const holder: unknown[] | Record<string, unknown> = isArray ? [] : {};
  const start = machine.at;
  acceptStructure(machine, code);
  const position = machine.keepPositions ? attachPosition(machine, start) : undefined;
  if (machine.frames.length === 0) machine.root = holder as JsonValue;
  machine.frames.push({ holder, isArray, key: '', keyStart: start, ...(position === undefined ? {} : { position }) });
  machine.leadingCommas = 0;
  machine.state = isArray ? 'first-element' : 'first-key';
}

function attachPosition(machine: Machine, start: number): Position {
  const position: Position = { start, end: start };
  const frame = machine.frames.at(-1);
  if (frame?.position === undefined) machine.rootPosition ??= position;
  else {
    const name = frame.isArray ? String((frame.holder as unknown[]).length) : frame.key;
    frame.position.children ??= new Map();
    frame.position.children.set(name, position);
  }
  return position;
}

export function closeContainer(machine: Machine, code: number): void {
  acceptStructure(machine, code);
  machine.atKey = false;
  const frame = machine.frames.pop();
  if (frame === undefined) return;
  if (frame.position !== undefined) frame.position.end = machine.at;
  attachValue(machine, frame.holder as JsonValue, frame.keyStart, machine.at);
  machine.selfDelimited = true;
  machine.afterString = false;
}

export function closeAfterComma(machine: Machine, code: number): void {
  recordEdit(machine, 'trailing-comma', 'noise', machine.lastValueEnd, machine.at);
  closeContainer(machine, code);
}

export function completeValue(machine: Machine, value: JsonValue, start: number, isString: boolean): void {
  if (machine.keepPositions) attachPosition(machine, start).end = machine.at;
  machine.selfDelimited = isString;
  machine.afterString = isString;
  attachValue(machine, value, start, machine.at);
}

/** Puts a complete value into its container, or makes it the root. */
export function attachValue(machine: Machine, value: JsonValue, start: number, end: number): void {
  machine.lastValueEnd = end;
  const frame = machine.frames.at(-1);
  if (frame === undefined) {
    machine.root = value;
    machine.state = 'done';
    return;
  }
  if (frame.isArray) (frame.holder as unknown[]).push(value);
  else attachMember(machine, frame.holder as Record<string, unknown>, frame.key, value, start);
  machine.state = 'after';
}

/** The first notes are kept: a text of repeated keys alone would fill the memory with them. */
function noteRepeat(machine: Machine): void {
  if (machine.notes.length < maxNotes) machine.notes.push(`the key at ${pointerHere(machine)} came twice with equal values`.slice(0, 200));
}

function attachMember(machine: Machine, holder: Record<string, unknown>, key: string, value: JsonValue, start: number): void {
  if (Object.hasOwn(holder, key)) {
    if (sameValue(holder[key], value)) noteRepeat(machine);
    else recordFinding(machine, 'ambiguous', start, machine.at);
  }
  if (key === '__proto__') recordFinding(machine, 'unsafe_key', start, machine.at);
  if (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')) {
    recordFinding(machine, 'unsafe_key', start, machine.at);
  }
  setOwn(holder, key, value);
}
