import { type Gate, type StepOutcome, sequentialIds, type ToolDescriptor } from '@vouch/contracts';
import type { RouteContract, Routed, WireResponse } from '../../src/wire/router.ts';
import { type CaseKind, type DerivedCase, deriveCase } from './derive.ts';
import { sameValue } from './draw/equality.ts';
import type { MangleState } from './mangle.ts';
import { readLeniently } from './spelling/reader.ts';

/** The router under test. */
export type Route = (response: WireResponse, contract: RouteContract) => Routed;

/** The same over a wire: the response is delivered as bytes, cut anywhere. Absent fields mean the case cannot go this way. */
export type Deliver = (derived: DerivedCase, response: WireResponse, contract: RouteContract) => Promise<StepOutcome>;

/** A value that was not meant. */
export interface WrongValue {
  readonly seed: number;
  readonly index: number;
  readonly path: 'direct' | 'stream';
  readonly manglers: readonly string[];
  readonly schema: Gate['jsonSchema'];
  readonly text: string;
  readonly finish: string;
  readonly channel: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** What a run found. */
export interface PropertyCounts {
  readonly seed: number;
  readonly runs: number;
  readonly value: number;
  readonly failureByReason: Readonly<Record<string, number>>;
  /** Cases whose whole text is valid, conforming JSON of another value: valid bytes stand (principle 1), so they prove nothing. */
  readonly undetectable: number;
  /** At most `maxWrong`, each with as few manglers as still show it. */
  readonly wrong: readonly WrongValue[];
  readonly wrongCount: number;
  readonly streamed: number;
}

export interface PropertyOptions {
  readonly runs: number;
  /** 32 bits. */
  readonly seed: number;
  readonly route: Route;
  /** Cases go this way too, when given, and must come out the same. */
  readonly deliver?: Deliver;
  /** How many cases there are to one that is delivered. Default 4. */
  readonly deliverEvery?: number;
  /** The first case. Default 0. */
  readonly from?: number;
  readonly onWrong?: (wrong: WrongValue) => void;
  readonly onProgress?: (done: number) => void;
}

const maxWrong = 50;

type Verdict =
  | { readonly kind: 'value' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'undetectable' }
  | { readonly kind: 'wrong'; readonly got: unknown };

/** Takes any arguments, as a tool without a schema of its own would. */
const otherTool: ToolDescriptor = {
  name: 'lookup_stock',
  description: 'Look up stock.',
  jsonSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], additionalProperties: false },
  validate: (value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 1 && typeof (value as { sku?: unknown }).sku === 'string'
      ? { ok: true }
      : { ok: false, issues: [{ path: '', code: 'type', expected: 'a sku', received: typeof value }] },
};

/** The response and the contract of a case. */
export function requestOf(state: MangleState): { readonly response: WireResponse; readonly contract: RouteContract } {
  const { gate } = state.schema;
  const exit: ToolDescriptor | undefined =
    state.exitTool === undefined
      ? undefined
      : { name: state.exitTool, description: 'The final answer.', jsonSchema: gate.jsonSchema, validate: gate.validate };
  const called = state.channel === 'arguments' && state.exitTool !== undefined;
  const ids = sequentialIds();
  return {
    response: {
      content: called ? '' : state.text,
      calls: called ? [{ id: 'call_1', name: state.exitTool, argsText: state.text }] : [],
      finish: state.finish,
      terminated: state.terminated,
    },
    contract: {
      gate,
      declared: exit === undefined ? [] : [exit, otherTool],
      ...(state.exitTool === undefined ? {} : { exitTool: state.exitTool }),
      ...(state.undo === undefined ? {} : { envelope: state.undo }),
      newCallId: () => ids('call'),
    },
  };
}

/** The whole text is strict JSON without conflicting members, and conforms. The schema itself is not an answer. */
function standsByItself(state: MangleState): boolean {
  try {
    const value: unknown = JSON.parse(state.text);
    return state.schema.passes(value) && readLeniently(state.text) !== undefined && !sameValue(value, state.schema.gate.jsonSchema);
  } catch {
    return false;
  }
}

/** The oracle of SG-065: the original value, or a typed failure; a different value never. */
function judge(state: MangleState, outcome: StepOutcome | { readonly kind: 'thrown'; readonly error: unknown }): Verdict {
  if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.failure.reason };
  if (outcome.kind === 'thrown') return { kind: 'wrong', got: `thrown: ${String(outcome.error)}` };
  if (outcome.kind === 'tool_calls') return { kind: 'wrong', got: { calls: outcome.calls } };
  if (sameValue(outcome.value, state.value)) return { kind: 'value' };
  return state.marks.has('lossy') && standsByItself(state) ? { kind: 'undetectable' } : { kind: 'wrong', got: outcome.value };
}

/** One case, by the router alone. */
export function runCase(derived: DerivedCase, route: Route): Verdict {
  const { response, contract } = requestOf(derived.state);
  try {
    return judge(derived.state, route(response, contract).outcome);
  } catch (error) {
    return judge(derived.state, { kind: 'thrown', error });
  }
}

async function runStreamed(derived: DerivedCase, deliver: Deliver): Promise<Verdict> {
  const { response, contract } = requestOf(derived.state);
  try {
    return judge(derived.state, await deliver(derived, response, contract));
  } catch (error) {
    return judge(derived.state, { kind: 'thrown', error });
  }
}

/** The case with as few manglers as still give a wrong value. */
function shrink(derived: DerivedCase, kind: CaseKind, route: Route): DerivedCase {
  let best = derived;
  for (let index = 0; index < best.applied.length; ) {
    const ids = best.applied.filter((_, at) => at !== index).map((mangler) => mangler.id);
    const fewer = deriveCase(derived.seed, derived.index, kind, ids);
    if (fewer !== undefined && runCase(fewer, route).kind === 'wrong') best = fewer;
    else index += 1;
  }
  return best;
}

function describe(derived: DerivedCase, path: 'direct' | 'stream', got: unknown): WrongValue {
  const { state } = derived;
  return {
    seed: derived.seed,
    index: derived.index,
    path,
    manglers: derived.applied.map((mangler) => mangler.id),
    schema: state.schema.gate.jsonSchema,
    text: state.text,
    finish: state.finish,
    channel: state.channel,
    expected: state.value,
    got,
  };
}

/** Runs cases `from` to `from + runs - 1` of a seed. Each depends on the seed and its index alone. */
export async function runProperty(options: PropertyOptions): Promise<PropertyCounts> {
  const { runs, seed, route, deliver, deliverEvery = 4, from = 0 } = options;
  const failureByReason: Record<string, number> = {};
  const wrong: WrongValue[] = [];
  let [value, undetectable, wrongCount, streamed] = [0, 0, 0, 0];
  const kind: CaseKind = { kind: 'any' };
  const record = (found: WrongValue): void => {
    wrongCount += 1;
    if (wrong.length < maxWrong) wrong.push(found);
    options.onWrong?.(found);
  };
  for (let index = from; index < from + runs; index += 1) {
    const derived = deriveCase(seed, index, kind) as DerivedCase;
    const verdict = runCase(derived, route);
    if (verdict.kind === 'value') value += 1;
    else if (verdict.kind === 'undetectable') undetectable += 1;
    else if (verdict.kind === 'failed') failureByReason[verdict.reason] = (failureByReason[verdict.reason] ?? 0) + 1;
    else {
      const least = shrink(derived, kind, route);
      const again = runCase(least, route);
      record(describe(least, 'direct', again.kind === 'wrong' ? again.got : verdict.got));
    }
    if (deliver !== undefined && index % deliverEvery === 0) {
      streamed += 1;
      const over = await runStreamed(derived, deliver);
      // A wrong value is recorded once; what is left is a wire that changes the outcome.
      if (over.kind !== verdict.kind) record(describe(derived, 'stream', { direct: verdict, streamed: over }));
    }
    options.onProgress?.(index - from + 1);
  }
  return { seed, runs, value, failureByReason, undetectable, wrong, wrongCount, streamed };
}
