import type { JsonSchema, JsonValue } from '@vouch/contracts';
import { begin, createExpectation, type Expectation, end, mayBe, mayHaveKey, type ValueKind } from './expectation.ts';
import {
  appendString,
  closeContainer,
  closeString,
  createTree,
  inObject,
  openContainer,
  openKey,
  openString,
  putScalar,
  readsAsAbsent,
  snapshot,
  type Tree,
} from './tree.ts';

/** `waiting`: no value began. `reading`: one is open. `complete`: it ended. `broken`: the text left JSON, and the value grows no more. */
export type PartialState = 'waiting' | 'reading' | 'complete' | 'broken';

/** Reads one JSON value out of a text that arrives in pieces. */
export interface PartialReader {
  /**
   * Takes the next piece and gives the latest snapshot, `undefined` before there is one. Snapshots never change and share what is closed; the same
   * snapshot comes again where nothing is new, or where copying would cost more than the text that came (see `slotsPerChar`).
   */
  push(text: string): JsonValue | undefined;
  /** The text ended: gives the last snapshot, brought up to date. A number or literal at the root counts only now. */
  finish(): JsonValue | undefined;
  readonly state: PartialState;
}

/** Settings of a reader. */
export interface PartialReaderOptions {
  /** Nesting after which the reader is `broken`. Default 512. */
  readonly maxDepth?: number;
  /**
   * How many slots of open containers may be copied for each character read; a member of an object of over 128 counts as 32. Default 8: the work stays within a
   * constant times the text's length, and a snapshot that would cost more is held back until more text came. With a list of 1,000 rows that is one
   * snapshot for each 125 characters.
   */
  readonly slotsPerChar?: number;
  /** Names of members whose null is withheld, because the sent schema used null for "absent". */
  readonly absentAsNull?: readonly string[];
  /** The value's schema. Text that it rules out by type or by name is `broken` at once: it is an envelope, an echo, or a string that holds the value. */
  readonly jsonSchema?: JsonSchema;
}

type Mode = 'lead' | 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'after' | 'string' | 'key-string' | 'scalar' | 'end';

interface Scan {
  readonly tree: Tree;
  readonly expectation: Expectation;
  readonly maxDepth: number;
  mode: Mode;
  state: PartialState;
  /** Text of the key, string or scalar in progress since it was last handed on. */
  pending: string;
  /** An escape in progress, with its backslash. */
  escape: string;
  /** A fence line in progress. */
  lead: string;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const openingFence = /^```[\w-]*[ \t\r]*\n$/;
const escapes: { readonly [letter: string]: string } = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const longestScalar = 400;
const longestLead = 64;
const quote = 34;
const backslash = 92;

/**
 * Makes a reader of partial values (SG-083): linear time in the text, iterative. Prefix-consistent: a string only gets longer, a number or literal
 * appears when it is complete, a container only gains members. What cannot hold to that (a repeated key, `__proto__`, text that is no JSON)
 * freezes the value instead. White space or one code fence before the value is skipped, and what follows it is not looked at.
 */
export function createPartialReader(options?: PartialReaderOptions): PartialReader {
  const scan: Scan = {
    tree: createTree(options),
    expectation: createExpectation(options?.jsonSchema),
    maxDepth: options?.maxDepth ?? 512,
    mode: 'lead',
    state: 'waiting',
    pending: '',
    escape: '',
    lead: '',
  };
  return {
    push(text) {
      for (let index = 0; index < text.length && scan.mode !== 'end'; ) index = readAt(scan, text, index);
      if (scan.mode === 'string') handOn(scan);
      return snapshot(scan.tree, text.length);
    },
    finish() {
      if (scan.mode === 'scalar' && scan.tree.frames.length === 0) endScalar(scan);
      return snapshot(scan.tree, Number.POSITIVE_INFINITY);
    },
    get state() {
      return scan.state;
    },
  };
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
const isDelimiter = (code: number): boolean => isSpace(code) || code === 44 || code === 93 || code === 125;

function breakOff(scan: Scan): void {
  scan.state = 'broken';
  scan.mode = 'end';
}

/** Takes what begins at `index`; gives the index after it. */
function readAt(scan: Scan, text: string, index: number): number {
  if (scan.escape !== '') {
    readEscape(scan, text.charAt(index));
    return index + 1;
  }
  if (scan.mode === 'string' || scan.mode === 'key-string') return readString(scan, text, index);
  const code = text.charCodeAt(index);
  if (scan.mode === 'scalar') {
    if (isDelimiter(code)) {
      endScalar(scan);
      return index;
    }
    scan.pending += text.charAt(index);
    if (scan.pending.length > longestScalar) breakOff(scan);
    return index + 1;
  }
  if (scan.mode === 'lead') {
    if (!leadEnds(scan, code, text.charAt(index))) return index + 1;
    scan.mode = 'value';
  }
  if (!isSpace(code)) readStructure(scan, code, text.charAt(index));
  return index + 1;
}

/** Skips white space, a byte order mark and one opening fence; true where the value begins. */
function leadEnds(scan: Scan, code: number, character: string): boolean {
  if (scan.lead === '') {
    if (isSpace(code) || code === 0xfeff) return false;
    if (character !== '`') return true;
  }
  scan.lead += character;
  if (code === 10 && openingFence.test(scan.lead)) scan.mode = 'value';
  else if (code === 10 || scan.lead.length > longestLead) breakOff(scan);
  return false;
}

function readStructure(scan: Scan, code: number, character: string): void {
  switch (scan.mode) {
    case 'value':
      openValue(scan, character);
      return;
    case 'first-element':
      if (character === ']') endContainer(scan);
      else openValue(scan, character);
      return;
    case 'first-key':
    case 'key':
      if (code === quote) scan.mode = 'key-string';
      else if (character === '}' && scan.mode === 'first-key') endContainer(scan);
      else breakOff(scan);
      return;
    case 'colon':
      if (character === ':') scan.mode = 'value';
      else breakOff(scan);
      return;
    default:
      if (character === ',') scan.mode = inObject(scan.tree) ? 'key' : 'value';
      else if (character === (inObject(scan.tree) ? '}' : ']')) endContainer(scan);
      else breakOff(scan);
  }
}

function kindOf(character: string): ValueKind {
  switch (character) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 'n':
      return 'null';
    default:
      return character === 't' || character === 'f' ? 'boolean' : 'number';
  }
}

function openValue(scan: Scan, character: string): void {
  scan.state = 'reading';
  const kind = kindOf(character);
  const ruledOut = !mayBe(scan.expectation, kind) && !(kind === 'null' && readsAsAbsent(scan.tree));
  if (ruledOut || ((kind === 'object' || kind === 'array') && scan.tree.frames.length >= scan.maxDepth)) {
    breakOff(scan);
    return;
  }
  begin(scan.expectation, kind);
  if (character === '{' || character === '[') {
    openContainer(scan.tree, character === '{' ? 'object' : 'array');
    scan.mode = character === '{' ? 'first-key' : 'first-element';
  } else if (character === '"') {
    openString(scan.tree);
    scan.mode = 'string';
  } else {
    scan.pending = character;
    scan.mode = 'scalar';
  }
}

function endValue(scan: Scan): void {
  if (scan.tree.frames.length > 0) {
    scan.mode = 'after';
    return;
  }
  scan.mode = 'end';
  scan.state = 'complete';
}

function endContainer(scan: Scan): void {
  end(scan.expectation);
  closeContainer(scan.tree);
  endValue(scan);
}

function handOn(scan: Scan): void {
  appendString(scan.tree, scan.pending);
  scan.pending = '';
}

function endString(scan: Scan): void {
  if (scan.mode === 'key-string') {
    const key = scan.pending;
    scan.pending = '';
    if (mayHaveKey(scan.expectation, key) && openKey(scan.tree, key)) scan.mode = 'colon';
    else breakOff(scan);
    return;
  }
  handOn(scan);
  closeString(scan.tree);
  endValue(scan);
}

function readString(scan: Scan, text: string, start: number): number {
  let index = start;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote || code === backslash) break;
    // Raw line breaks and tabs are a common slip that repair reads as themselves; other control characters are not.
    if (code < 32 && !isSpace(code)) {
      breakOff(scan);
      return text.length;
    }
  }
  scan.pending += text.slice(start, index);
  if (index === text.length) return index;
  if (text.charCodeAt(index) === quote) endString(scan);
  else scan.escape = '\\';
  return index + 1;
}

function readEscape(scan: Scan, character: string): void {
  scan.escape += character;
  if (scan.escape.charAt(1) !== 'u') {
    const decoded = escapes[character];
    scan.escape = '';
    if (decoded === undefined) breakOff(scan);
    else scan.pending += decoded;
    return;
  }
  if (scan.escape.length < 6) return;
  const digits = scan.escape.slice(2);
  scan.escape = '';
  if (/^[0-9a-fA-F]{4}$/.test(digits)) scan.pending += String.fromCharCode(Number.parseInt(digits, 16));
  else breakOff(scan);
}

function endScalar(scan: Scan): void {
  const text = scan.pending;
  scan.pending = '';
  const value = scalarOf(text);
  if (value === undefined) {
    breakOff(scan);
    return;
  }
  putScalar(scan.tree, value);
  endValue(scan);
}

function scalarOf(text: string): number | boolean | null | undefined {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  const value = jsonNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
