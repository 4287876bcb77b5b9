import {
  type AcceptPolicy,
  type CandidateReport,
  childPointer,
  type FailureReason,
  type FinishReason,
  type FitUndo,
  type Gate,
  type Issue,
  isJsonObject,
  type JsonValue,
  type LossGrade,
  type ResponseWireStrategy,
  type ToolDescriptor,
} from '@vouch/contracts';
import { type CallItem, plainItem } from './dialects/call-item.ts';
import { callsOf, openCallOf, plainToolName, type ShapedCall } from './dialects/call-shape.ts';
import { typedParameters } from './dialects/typed-parameters.ts';
import { sameValue } from './json/equality.ts';
import { type DecodeEdit, type Finding, worseLoss } from './json/reader.ts';
import { passingReading, type ReadingEdit, type ReadingTarget, strictValue } from './json/readings.ts';
import type { DecodedOpen, DecodedValue } from './json/relaxed-json.ts';
import { declaresKeys, leavesNoKey, placesAt, typesAt } from './json/schema-shape.ts';
import type { Candidate } from './text/scanner.ts';

/** Everything that routing one text depends on. */
export interface TextContract {
  readonly gate: Gate | undefined;
  readonly isEnvelope: (key: string) => boolean;
  readonly undo: FitUndo | undefined;
  readonly declared: ReadonlyMap<string, ToolDescriptor>;
  readonly exitTool: string | undefined;
  readonly accept: AcceptPolicy;
  readonly strategies: readonly ResponseWireStrategy[];
  readonly maxChars: number;
  readonly maxDepth: number;
  readonly maxCandidates: number;
  readonly checkSuspectEscapes: boolean;
  readonly newCallId: () => string;
  readonly finish: FinishReason;
  readonly terminated: boolean;
  /** Text beside the value. `refused`: only marks, fences and white space may stand there. */
  readonly prose: 'allowed' | 'refused';
}

/** A reading that passes the gate. */
export interface Passing {
  readonly value: JsonValue;
  readonly loss: LossGrade;
  readonly start: number;
  readonly end: number;
  readonly rung: string;
  readonly edits: readonly DecodeEdit[];
  /** Edits beyond those that were kept. */
  readonly editsOmitted?: number;
  readonly readingEdits: readonly ReadingEdit[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  /** It came as the arguments of a call. */
  readonly fromCall: boolean;
  readonly candidate?: Candidate;
}

/** A tool call that text holds, with arguments that its tool takes. */
export interface PassingCall {
  readonly name: string;
  readonly id?: string;
  readonly args: JsonValue;
  readonly start: number;
  readonly end: number;
  readonly loss: LossGrade;
  readonly edits: readonly DecodeEdit[];
  readonly readingEdits: readonly ReadingEdit[];
  readonly findings: readonly Finding[];
  readonly unchecked: boolean;
}

/** What became of one candidate or call. */
export type Evaluated =
  | { readonly kind: 'output'; readonly passing: Passing }
  | {
      readonly kind: 'calls';
      readonly calls: readonly PassingCall[];
      readonly outputs: readonly Passing[];
      readonly start: number;
      readonly bare: boolean;
    }
  | {
      readonly kind: 'cut-call';
      readonly start: number;
      readonly complete: readonly CallItem[];
      readonly name?: string;
      readonly args?: JsonValue;
    }
  | { readonly kind: 'open'; readonly start: number; readonly reading: DecodedOpen }
  | {
      readonly kind: 'failed';
      readonly reason: Extract<FailureReason, 'schema_mismatch' | 'invalid_json' | 'lossy_value'>;
      readonly issues: readonly Issue[];
      readonly start: number;
      readonly end: number;
      readonly verdict: CandidateReport['verdict'];
      readonly message: string;
    };

const failed = (
  at: { readonly start: number; readonly end: number },
  reason: Extract<Evaluated, { kind: 'failed' }>['reason'],
  message: string,
  issues: readonly Issue[] = [],
  verdict: CandidateReport['verdict'] = reason,
): Evaluated => ({ kind: 'failed', reason, issues, start: at.start, end: at.end, verdict, message });

/** What a call's arguments must meet: the contract for the exit tool and for undeclared names, the tool's own schema else. */
function targetOf(contract: TextContract, gate: Gate): ReadingTarget {
  const { isEnvelope, undo, maxDepth } = contract;
  return { gate, isEnvelope, maxDepth, ...(undo === undefined ? {} : { undo }) };
}

/** The keys under which a call's arguments stand in themselves, once too often. */
export const isArgumentsKey = (key: string): boolean => key === 'arguments' || key === 'parameters';

/** A declared tool's arguments are never taken out of an envelope that could be one of its own. */
function toolTarget(contract: TextContract, tool: ToolDescriptor): ReadingTarget {
  const { jsonSchema, validate } = tool;
  return {
    gate: { jsonSchema, validate: validate ?? takeAll },
    isEnvelope: isArgumentsKey,
    maxDepth: contract.maxDepth,
  };
}

const takeAll: Gate['validate'] = () => ({ ok: true });

/** The name is declared, and is not the exit tool's. */
export function isToolName(contract: TextContract, name: string): boolean {
  return name !== contract.exitTool && contract.declared.has(name);
}

/** Judges one candidate against the contract. */
export function evaluateCandidate(candidate: Candidate, contract: TextContract): Evaluated {
  const { reading } = candidate;
  switch (reading.kind) {
    case 'guess':
      return failed(candidate, 'invalid_json', reading.why);
    case 'open':
      return evaluateOpen(candidate, reading, contract);
    default:
      if (candidate.isSubscript === true) return failed(candidate, 'invalid_json', 'the value is glued to what stands before it');
      return partOnly(candidate, evaluateValue(candidate, reading, contract));
  }
}

/** What may be a part of a larger value competes with others, for doubt must not choose between them; it is no call. */
function partOnly(candidate: Candidate, evaluated: Evaluated): Evaluated {
  if (candidate.isPart !== true || evaluated.kind === 'output') return evaluated;
  return failed(candidate, 'invalid_json', 'what touches the value reads like the rest of a larger one');
}

function evaluateValue(candidate: Candidate, reading: DecodedValue, contract: TextContract): Evaluated {
  const { value } = reading;
  const { gate } = contract;
  if (gate !== undefined && isJsonObject(value) && sameValue(value, gate.jsonSchema)) {
    return failed(candidate, 'schema_mismatch', 'the answer repeats its schema', [], 'schema_echo');
  }
  const shaped = contract.declared.size > 0 || contract.exitTool !== undefined || isJsonObject(value) ? callsOf(value) : undefined;
  if (shaped !== undefined) {
    const asCalls = evaluateShaped(candidate, reading, shaped, contract);
    if (asCalls !== undefined) return asCalls;
  }
  if (gate === undefined) return failed(candidate, 'schema_mismatch', 'the value is no call of a declared tool');
  const result = passingReading(value, targetOf(contract, gate));
  if (!result.ok) return mismatch(candidate, reading, contract, result.issues);
  return { kind: 'output', passing: passingOf(candidate, reading, result.value, result.edits, result.findings) };
}

function mismatch(candidate: Candidate, reading: DecodedValue, contract: TextContract, issues: readonly Issue[]): Evaluated {
  if (isOverflow(reading.value, reading.findings, contract.maxDepth))
    return failed(candidate, 'lossy_value', 'a number does not fit a double', issues);
  return failed(candidate, 'schema_mismatch', 'the value does not meet the schema', issues);
}

/** A number that does not fit a double is why the value fails. */
function isOverflow(value: JsonValue, findings: readonly Finding[], maxDepth: number): boolean {
  return findings.some((finding) => finding.reason === 'lossy_value') && !isFiniteThroughout(value, maxDepth);
}

/** No number in the value is infinite. Recursive within the depth bound. */
function isFiniteThroughout(value: JsonValue, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null || depth < 0) return true;
  return Object.values(value).every((item: JsonValue) => isFiniteThroughout(item, depth - 1));
}

function passingOf(
  candidate: Candidate,
  reading: DecodedValue,
  value: JsonValue,
  readingEdits: readonly ReadingEdit[],
  findings: readonly Finding[],
): Passing {
  const layered = candidate.layer !== undefined;
  const layer: readonly DecodeEdit[] = layered
    ? [{ mechanism: candidate.layer ?? '', loss: 'reencoded', start: candidate.start, end: candidate.end }]
    : [];
  const loss = readingEdits.reduce(
    (worst, edit) => worseLoss(worst, readingLoss(edit)),
    worseLoss(reading.loss, layered ? 'reencoded' : 'none'),
  );
  return {
    value,
    loss,
    start: candidate.start,
    end: candidate.end,
    rung: layered ? 'repair-escapes' : reading.loss === 'none' ? 'extract' : rungOf(reading.edits),
    edits: layered ? layer : reading.edits,
    editsOmitted: layered ? 0 : reading.editsOmitted,
    readingEdits,
    findings: [...reading.findings, ...findings],
    notes: reading.notes,
    fromCall: false,
    candidate,
  };
}

/** Envelopes and brackets are no content; the others spell the same content otherwise. */
export function readingLoss(edit: ReadingEdit): LossGrade {
  return edit.mechanism === 'envelope' || edit.mechanism === 'list-brackets' ? 'noise' : 'reencoded';
}

const escapeMechanisms: ReadonlySet<string> = new Set(['needless-escape', 'raw-control']);

function rungOf(edits: readonly DecodeEdit[]): string {
  return edits.every((edit) => escapeMechanisms.has(edit.mechanism)) ? 'repair-escapes' : 'relaxed';
}

/** A value in the shape of a call: a call of a declared tool, arguments that may be the output, or undefined where it is a value all the same. */
function evaluateShaped(
  candidate: Candidate,
  reading: DecodedValue,
  shaped: readonly ShapedCall[],
  contract: TextContract,
): Evaluated | undefined {
  const { gate } = contract;
  const names = shaped.map((call) => plainToolName(call.name));
  const known = names.every((name) => contract.declared.has(name) || name === contract.exitTool);
  // A schema that declares exactly these keys wants the object itself.
  const keys = isJsonObject(reading.value) ? Object.keys(reading.value) : [];
  const wanted = gate?.validate(reading.value).ok === true && (!known || (keys.length > 0 && declaresKeys(gate.jsonSchema, keys)));
  if (wanted) return undefined;
  const items = shaped.map((call, index) => ({
    ...plainItem(names[index] ?? '', candidate.start, candidate.end, { args: call.args }),
    ...(call.id === undefined ? {} : { id: call.id }),
    loss: reading.loss,
    edits: reading.edits,
    findings: reading.findings,
  }));
  const result = evaluateItems(items, candidate.start, candidate.end, contract, true);
  return result.kind === 'failed' && !known ? undefined : result;
}

/** Judges the calls that one place holds. One that its tool refuses fails them all. */
export function evaluateItems(items: readonly CallItem[], start: number, end: number, contract: TextContract, bare: boolean): Evaluated {
  const calls: PassingCall[] = [];
  const outputs: Passing[] = [];
  for (const item of items) {
    const label = item.name.slice(0, 64);
    const tool = isToolName(contract, item.name) ? contract.declared.get(item.name) : undefined;
    const target = tool === undefined ? contract.gate && targetOf(contract, contract.gate) : toolTarget(contract, tool);
    if (target === undefined) return failed({ start, end }, 'schema_mismatch', `the call names ${label}, which is not declared`);
    const read = itemArguments(item, target, tool !== undefined);
    if (!read.ok) return failed({ start, end }, read.reason, read.why);
    const result = passingReading(read.value, target);
    if (!result.ok) {
      const lossy = isOverflow(read.value, [...item.findings, ...read.findings], contract.maxDepth);
      return failed(
        { start, end },
        lossy ? 'lossy_value' : 'schema_mismatch',
        `the arguments of ${label} do not meet the schema`,
        result.issues,
      );
    }
    const shared = {
      start: item.start,
      end: item.end,
      loss: result.edits.reduce((worst, edit) => worseLoss(worst, readingLoss(edit)), worseLoss('reencoded', item.loss)),
      edits: item.edits,
      readingEdits: result.edits,
      findings: [...item.findings, ...read.findings, ...result.findings],
    };
    if (tool === undefined) {
      const note = `the call names ${label}, which is not declared; its arguments meet the contract`;
      const notes = item.name === contract.exitTool ? [] : [note];
      outputs.push({ value: result.value, rung: 'call', notes, fromCall: true, ...shared });
    } else {
      const id = item.id === undefined ? {} : { id: item.id };
      calls.push({ name: item.name, args: result.value, unchecked: tool.validate === undefined, ...shared, ...id });
    }
  }
  return { kind: 'calls', calls, outputs, start, bare };
}

type ItemArguments =
  | { readonly ok: true; readonly value: JsonValue; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly reason: 'schema_mismatch' | 'invalid_json'; readonly why: string };

/** A call's arguments as a value. They may travel as their JSON text: that is the wire's own encoding. */
function itemArguments(item: CallItem, target: ReadingTarget, isTool: boolean): ItemArguments {
  if (item.parameters !== undefined) {
    return typedParameters(item.parameters, target.gate.jsonSchema, target.maxDepth);
  }
  // No arguments are a tool's empty ones, but never an output.
  if (!isTool && item.args === undefined) return { ok: false, reason: 'schema_mismatch', why: 'the call holds no arguments' };
  const given = item.args ?? null;
  const value = isTool && (given === null || given === '') ? {} : given;
  const sent = typeof value === 'string' && value.trimStart().startsWith('{') ? strictValue(value.trim(), target.maxDepth) : undefined;
  return sent === undefined ? { ok: true, value, findings: [] } : { ok: true, value: sent.value, findings: sent.findings };
}

function evaluateOpen(candidate: Candidate, reading: DecodedOpen, contract: TextContract): Evaluated {
  const { start } = candidate;
  const call = openCallOf(reading.salvaged);
  if (call !== undefined && (contract.declared.has(plainToolName(call.name)) || plainToolName(call.name) === contract.exitTool)) {
    return { kind: 'cut-call', start, complete: [], name: plainToolName(call.name), args: call.args };
  }
  const closed = closedReading(candidate, reading, contract);
  return closed === undefined ? { kind: 'open', start, reading } : { kind: 'output', passing: closed };
}

/** The last value is a string where an object may stand too: it may be the first key of one that lost its brace. */
function mayBeLostKey({ open }: DecodedOpen, gate: Gate): boolean {
  const last = open.at(-1);
  const key = last?.keys.at(-1);
  if (last === undefined || key === undefined) return false;
  const types = typesAt(placesAt(gate.jsonSchema, childPointer(last.path, key)));
  return types === undefined || (types.has('string') && types.has('object'));
}

/** A close that loses nothing (SG-063), or, where the caller takes lossy values, the complete part. */
function closedReading(candidate: Candidate, reading: DecodedOpen, contract: TextContract): Passing | undefined {
  const { gate, finish, accept, terminated } = contract;
  if (gate === undefined || reading.salvaged === undefined) return undefined;
  // A stream without an end is no output in any policy: the complete part is its evidence.
  if (finish === 'unknown' && !terminated) return undefined;
  const provable =
    reading.closable &&
    finish !== 'length' &&
    finish !== 'unknown' &&
    accept !== 'exact' &&
    reading.open.every(({ path, keys }) => leavesNoKey(placesAt(gate.jsonSchema, path), keys)) &&
    !mayBeLostKey(reading, gate) &&
    gate.validate(reading.salvaged).ok;
  const { start, end } = candidate;
  const shared = { start, end, findings: reading.findings, notes: reading.notes, fromCall: false, candidate };
  if (provable) {
    const close: DecodeEdit = { mechanism: 'close', loss: 'reencoded', start: end, end };
    const loss = worseLoss(reading.loss, 'reencoded');
    return { value: reading.salvaged, loss, rung: 'close', edits: [...reading.edits, close], readingEdits: [], ...shared };
  }
  if (accept !== 'lossy') return undefined;
  const result = passingReading(reading.salvaged, targetOf(contract, gate));
  if (!result.ok) return undefined;
  const close: DecodeEdit = { mechanism: 'close-truncated', loss: 'truncated', start: end, end };
  return {
    value: result.value,
    loss: 'truncated',
    rung: 'close-truncated',
    edits: [...reading.edits, close],
    readingEdits: result.edits,
    ...shared,
  };
}
