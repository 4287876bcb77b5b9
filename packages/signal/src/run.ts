import {
  assertNever,
  type Capabilities,
  type ContentPart,
  configurationError,
  type Failure,
  type Message,
  type MessageInput,
  type OutputSchema,
  pointerKeys,
  SignalError,
  type SignalResult,
  type StepRequest,
  type StepResult,
  type StepToolCall,
  type StreamEvent,
  type ToolChoice,
  type TryResult,
  thrownMessage,
  toMessages,
} from '@vouch/contracts';
import { type PartialInput, partialSource } from './partial/partials.ts';
import { type Acts, type CallEnd, eventLists } from './run/acts.ts';
import { correctionFor } from './run/correction.ts';
import { describeTool, type Tool } from './run/define-tool.ts';
import { runFailure, stoppedFailure } from './run/failures.ts';
import { assistantMessage, correctionMessages, toolMessages } from './run/messages.ts';
import { readTurn } from './run/read-turn.ts';
import { createRunState, metaOf, type RunState, recordStep, recordThrown, withRun } from './run/state.ts';
import { asTheyEnd, cancelledCall, runToolCall, type ToolOutcome } from './run/tool-calls.ts';
import { withoutSecrets } from './step/evidence.ts';
import { oneByOne } from './step/one-by-one.ts';
import { openScope, type Scope } from './step/scope.ts';
import { type StepCall, type StepEnvironment, type StepScope, stepLists } from './step.ts';
import { type PreparedRequest, prepareRequest } from './transport/prepare-request.ts';
import type { TransportSpec } from './transport/resolve.ts';
import { fitSchema, type SchemaSubset } from './transport/schema-fit.ts';

/** What a run is asked for, and under what. Fixed for the whole run. */
export interface RunSpec<Value> {
  readonly input: string | readonly ContentPart[];
  readonly systemPrompt?: string;
  readonly history: readonly MessageInput[];
  /** Absent: free text, and `Value` is `string`. */
  readonly output?: OutputSchema<Value>;
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly toolExecution: 'in-order' | 'parallel';
  /** Corrections at most. */
  readonly retries: number;
  /** Model calls at most, beside one for each correction that was sent. */
  readonly maxTurns: number;
  readonly transport?: TransportSpec['choice'];
  readonly forceTool?: boolean;
  readonly capabilities: Capabilities;
  readonly subset: SchemaSubset;
  readonly onRetry?: (error: SignalError, attempt: number) => void;
  readonly onToolCall?: (name: string, args: unknown) => void;
  readonly environment: StepEnvironment;
  /** What every run of this client sends beside the conversation, made once. Default: made for this run. */
  readonly prepared?: () => PreparedRequest;
}

interface Run<Value> {
  readonly spec: RunSpec<Value>;
  readonly prepared: PreparedRequest;
  readonly scope: Scope;
  readonly state: RunState;
  /** Sent before the history: the system prompt and the schema prompts. */
  readonly preamble: readonly Message[];
}

type Ending<Value> = Extract<StreamEvent<Value>, { readonly type: 'done' | 'error' }>;

/**
 * The one loop over `step` (SG-080): calls the model, runs tools, corrects, until a value conforms or nothing more may be done. Ends in `done` or
 * `error`; throws configuration errors only, on the first read. At most `maxTurns` model calls and one for each
 * correction sent, then `E_MAX_ITERATIONS`; tools that the last of them asked for have run, so that failure has the history.
 */
export function runStream<Value>(spec: RunSpec<Value>, call: StepCall = {}): PartialInput<Value> {
  let run: Run<Value> | undefined;
  const acts = loop(spec, call, (begun) => {
    run = begun;
  });
  // Nothing of a list that is left when the run is stopped; what the run itself has to say comes all the same.
  const isDropped = (event: StreamEvent<Value>): boolean => run?.scope.signal.aborted === true && isDelta(event);
  const events = oneByOne(eventLists(acts), isDropped);
  return {
    [Symbol.asyncIterator]: () => events,
    [partialSource]: () => {
      const { outputTool, envelope } = run?.prepared.stepOutput ?? {};
      const absentAsNull = envelope?.madeNullable.flatMap((pointer) => pointerKeys(pointer).slice(-1));
      const jsonSchema = spec.output?.jsonSchema;
      return {
        ...(outputTool === undefined ? {} : { outputTool }),
        ...(envelope?.rootKey === undefined ? {} : { rootKey: envelope.rootKey }),
        ...(absentAsNull === undefined ? {} : { absentAsNull }),
        ...(jsonSchema === undefined
          ? {}
          : { jsonSchema: envelope?.rootKey === undefined ? jsonSchema : fitSchema(jsonSchema, 'open').schema }),
      };
    },
  };
}

const isDelta = ({ type }: StreamEvent<unknown>): boolean => type === 'text' || type === 'reasoning' || type === 'tool_call_delta';

/** Drains `runStream`, asking for whole responses. Throws configuration errors only. */
export async function runTry<Value>(spec: RunSpec<Value>, call: StepCall = {}): Promise<TryResult<Value>> {
  for await (const events of eventLists(loop(spec, { delivery: 'whole', ...call }, () => undefined))) {
    for (const event of events) {
      if (event.type === 'error') return { ok: false, failure: event.failure };
      if (event.type === 'done') return { ok: true, response: event.response, history: event.history, meta: event.meta };
    }
  }
  throw new Error('a run ended without its last event');
}

/** The same, with the failure thrown as `SignalError`. */
export async function runComplete<Value>(spec: RunSpec<Value>, call: StepCall = {}): Promise<SignalResult<Value>> {
  const result = await runTry(spec, call);
  if (!result.ok) throw new SignalError(result.failure);
  const { response, history, meta } = result;
  return { response, history, meta };
}

async function* loop<Value>(spec: RunSpec<Value>, call: StepCall, onBegun: (run: Run<Value>) => void): Acts<Value, void> {
  const { clock, options } = spec.environment;
  const prepared = spec.prepared?.() ?? prepare(spec);
  const preamble = preambleOf(spec, prepared);
  const state = createRunState(conversationOf(spec), clock.now());
  const scope = openScope([options?.signal, call.signal], options?.timeout?.total, clock);
  const run: Run<Value> = { spec, prepared, scope, state, preamble };
  onBegun(run);
  const stepScope: StepScope = { signal: scope.signal, isStopped: () => scope.signal.aborted };
  try {
    for (let turn = 0; turn < spec.maxTurns + state.retries; turn += 1) {
      const end = yield { steps: stepLists(requestOf(run), spec.environment, call.delivery ?? 'parts', stepScope) };
      const ending = yield* takeTurn(run, answerOf(run, end));
      if (ending === undefined) continue;
      yield [ending];
      return;
    }
    const corrections = state.retries === 0 ? '' : ` beside ${state.retries} for corrections`;
    const message = `The run did not end within ${spec.maxTurns} model calls${corrections}: the model kept calling tools. Raise maxTurns, or go on from the history.`;
    yield [errorEvent(run, runFailure('limit_exceeded', message, 'E_MAX_ITERATIONS'))];
  } finally {
    scope.dispose();
  }
}

/** Throws configuration errors: they are the caller's. */
function answerOf<Value>({ scope, state }: Run<Value>, { result, thrown, written }: CallEnd): Answer {
  if (result !== undefined) return { result };
  if (thrown === undefined) return { failure: stoppedFailure(scope, written) };
  const { error } = thrown;
  if (!(error instanceof SignalError) || error.kind === 'configuration') throw error;
  return { failure: recordThrown(state, error) };
}

/** The request side of a run: the same for every run under the same settings. Throws configuration errors. */
export function prepare<Value>(spec: Omit<RunSpec<Value>, 'input' | 'prepared'>): PreparedRequest {
  const { output, capabilities, subset, transport: choice, forceTool } = spec;
  return prepareRequest({
    tools: spec.tools.map(describeTool),
    capabilities,
    subset,
    ids: spec.environment.ids,
    ...(output === undefined ? {} : { output }),
    ...(choice === undefined ? {} : { choice }),
    ...(forceTool === undefined ? {} : { forceTool }),
  });
}

function preambleOf<Value>({ systemPrompt, environment }: RunSpec<Value>, prepared: PreparedRequest): readonly Message[] {
  if (systemPrompt === undefined) return prepared.systemMessages;
  const origin = { kind: 'system-prompt' } as const;
  return [...toMessages([{ role: 'system', content: systemPrompt }], environment.ids, { origin }), ...prepared.systemMessages];
}

function conversationOf<Value>({ history, input, environment }: RunSpec<Value>): readonly Message[] {
  return toMessages([...history, { role: 'user', content: input }], environment.ids);
}

type Answer = { readonly result: StepResult } | { readonly failure: Failure };

async function* takeTurn<Value>(run: Run<Value>, answer: Answer): Acts<Value, Ending<Value> | undefined> {
  if ('failure' in answer) return errorEvent(run, answer.failure);
  const { result } = answer;
  recordStep(run.state, result);
  const reading = readTurn(result, run.spec.output);
  switch (reading.kind) {
    case 'calls':
      return yield* runCalls(run, result, reading.calls);
    case 'value': {
      const { provider, model, ids } = run.spec.environment;
      const turn = { parts: result.parts, calls: [], ...(reading.text === undefined ? {} : { text: reading.text }) };
      run.state.history.push(assistantMessage(turn, { provider, model, ids }));
      const meta = metaOf(run.state, { provider, model }, run.spec.environment.clock.now());
      return { type: 'done', response: reading.response, history: [...run.state.history], meta };
    }
    case 'failed':
      if (reading.attempt !== undefined) run.state.attempts.push(reading.attempt);
      return yield* correct(run, reading.failure, reading.written);
    default:
      return assertNever(reading);
  }
}

function requestOf<Value>({ spec, prepared, preamble, state }: Run<Value>): StepRequest {
  const { responseFormat, stepOutput: output } = prepared;
  const toolChoice = prepared.toolChoice ?? spec.toolChoice;
  return {
    messages: [...preamble, ...state.history],
    tools: prepared.tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(output === undefined ? {} : { output }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

async function* runCalls<Value>(
  run: Run<Value>,
  result: StepResult,
  calls: readonly StepToolCall[],
): Acts<Value, Ending<Value> | undefined> {
  const { spec, state, scope } = run;
  const { provider, model, ids } = spec.environment;
  state.history.push(assistantMessage({ parts: partsBeside(result, calls), calls }, { provider, model, ids }));
  const outcomes: ToolOutcome[] = [];
  try {
    if (spec.toolExecution === 'parallel') yield* inParallel(run, calls, outcomes);
    else yield* inOrder(run, calls, outcomes);
  } finally {
    // The history is closed whatever happened: wires refuse one with an open call.
    const ended = new Map(outcomes.map((outcome) => [outcome.record.callId, outcome]));
    const closed = calls.map((call) => ended.get(call.id) ?? cancelledCall(call));
    // One by one: a call's arguments are limited in number, a turn's calls are not.
    for (const { record } of closed) state.toolCalls.push(record);
    for (const message of toolMessages(closed, ids)) state.history.push(message);
  }
  const fatal = outcomes.find((outcome) => outcome.fatal !== undefined);
  if (fatal !== undefined) {
    const message = `The tool "${fatal.record.name}" ended the run: it failed, and it is marked fatal. ${fatal.text}`;
    return errorEvent(run, runFailure('aborted', message, 'E_TOOL_EXECUTION'));
  }
  return scope.ended() === undefined ? undefined : errorEvent(run, stoppedFailure(scope, ''));
}

/** Calls that were written as text go back as calls, and the text with them would be a second copy. */
function partsBeside(result: StepResult, calls: readonly StepToolCall[]): StepResult['parts'] {
  const structured = new Set(result.parts.flatMap((part) => (part.type === 'function-call-delta' ? [part.id] : [])));
  return calls.every(({ id }) => structured.has(id)) ? result.parts : result.parts.filter(({ type }) => type !== 'text-delta');
}

/** A hook that throws is its caller's mistake: a run throws nothing but such (SG-081). */
function callHook(name: string, call: () => void): void {
  try {
    call();
  } catch (error) {
    throw configurationError('E_CONFIGURATION', `${name} threw: ${thrownMessage(error)}`, { cause: error });
  }
}

function startCall<Value>(run: Run<Value>, call: StepToolCall): StreamEvent<Value> {
  callHook('onToolCall', () => run.spec.onToolCall?.(call.name, call.args));
  return { type: 'tool_start', callId: call.id, name: call.name, args: call.args };
}

const endCall = ({ record: { callId, name, result, outcome } }: ToolOutcome): StreamEvent<never> => ({
  type: 'tool_end',
  callId,
  name,
  result,
  outcome,
});

const toolScope = <Value>({ spec, scope }: Run<Value>): Parameters<typeof runToolCall>[1] => ({
  tools: spec.tools,
  clock: spec.environment.clock,
  signal: scope.toolSignal(),
});

async function* inOrder<Value>(run: Run<Value>, calls: readonly StepToolCall[], outcomes: ToolOutcome[]): Acts<Value, void> {
  for (const call of calls) {
    yield [startCall(run, call)];
    const outcome = await runToolCall(call, toolScope(run));
    outcomes.push(outcome);
    yield [endCall(outcome)];
    if (outcome.fatal !== undefined || run.scope.ended() !== undefined) return;
  }
}

async function* inParallel<Value>(run: Run<Value>, calls: readonly StepToolCall[], outcomes: ToolOutcome[]): Acts<Value, void> {
  for (const call of calls) yield [startCall(run, call)];
  const running = calls.map((call) => runToolCall(call, toolScope(run)));
  for (const ended of asTheyEnd(running)) {
    const outcome = await ended;
    outcomes.push(outcome);
    yield [endCall(outcome)];
  }
}

async function* correct<Value>(run: Run<Value>, failure: Failure, written: string): Acts<Value, Ending<Value> | undefined> {
  const { spec, state, prepared } = run;
  const correction = correctionFor(failure, prepared.resolved, spec.tools.length > 0);
  if (correction === undefined || state.retries >= spec.retries) return errorEvent(run, failure);
  state.retries += 1;
  callHook('onRetry', () => spec.onRetry?.(new SignalError(withRun(failure, state)), state.retries));
  const { provider, model, ids } = spec.environment;
  state.history.push(...correctionMessages(written, correction, state.retries, { provider, model, ids }));
  yield [{ type: 'retry', reason: failure.message, attempt: state.retries }];
  return undefined;
}

function errorEvent<Value>(run: Run<Value>, failure: Failure): Ending<Value> {
  return { type: 'error', failure: withoutSecrets(withRun(failure, run.state), run.spec.environment.secrets) };
}
