import {
  type AttemptEvidence,
  type Failure,
  type FinishReason,
  lazyField,
  type Message,
  type SignalError,
  type SignalMeta,
  type StepResult,
  type ToolCallRecord,
  totalUsage,
  type Usage,
  type WireReport,
} from '@vouch/contracts';

/** What a run has gathered so far. */
export interface RunState {
  /** The conversation as it goes back to the caller: no system prompt, corrections marked internal (SG-055). */
  readonly history: Message[];
  readonly usages: Usage[];
  readonly wire: WireReport[];
  readonly withheld: StepResult['withheld'][number][];
  readonly requests: (() => string)[];
  readonly attempts: AttemptEvidence[];
  readonly toolCalls: ToolCallRecord[];
  readonly startedAt: number;
  /** Corrections sent. */
  retries: number;
  finish: FinishReason;
}

/** Begins a run's record with the conversation so far. */
export function createRunState(history: readonly Message[], startedAt: number): RunState {
  return {
    history: [...history],
    usages: [],
    wire: [],
    withheld: [],
    requests: [],
    attempts: [],
    toolCalls: [],
    startedAt,
    retries: 0,
    finish: 'unknown',
  };
}

/** Records what one model call came to. */
export function recordStep(state: RunState, result: StepResult): void {
  state.usages.push(result.usage);
  state.requests.push(() => result.requestDigest);
  for (const part of result.withheld) state.withheld.push(part);
  state.finish = result.finishReason;
  if (result.wire !== undefined) state.wire.push(result.wire);
  if (result.outcome?.kind === 'failed') state.attempts.push(...result.outcome.failure.evidence.attempts);
}

/** Records a call that threw; gives its failure. */
export function recordThrown(state: RunState, error: SignalError): Failure {
  const { usage, requestDigest, attempts } = error.evidence;
  state.usages.push(usage);
  if (requestDigest !== undefined) state.requests.push(() => requestDigest);
  state.attempts.push(...attempts);
  return error.failure;
}

/** A failure with the evidence of the whole run: every attempt, all usage. After an abort, a time limit or the last turn the history too. */
export function withRun(failure: Failure, state: RunState): Failure {
  const requestDigest = failure.evidence.requestDigest ?? state.requests.at(-1)?.();
  const stopped = failure.kind === 'aborted' || failure.kind === 'timeout' || failure.code === 'E_MAX_ITERATIONS';
  return {
    ...failure,
    evidence: {
      ...failure.evidence,
      attempts: [...state.attempts],
      usage: totalUsage(state.usages),
      ...(requestDigest === undefined ? {} : { requestDigest }),
    },
    ...(stopped ? { history: [...state.history] } : {}),
  };
}

/** What is known of a run beside its response. */
export function metaOf(state: RunState, run: { readonly provider: string; readonly model: string }, now: number): SignalMeta {
  const requests = [...state.requests];
  const meta = {
    provider: run.provider,
    model: run.model,
    finish: state.finish,
    usage: totalUsage(state.usages),
    durationMs: now - state.startedAt,
    retries: state.retries,
    toolCalls: [...state.toolCalls],
    wire: [...state.wire],
    withheld: [...state.withheld],
  };
  return withRequests(meta, () => requests.map((digest) => digest()));
}

const withRequests = /* @__PURE__ */ lazyField<'requests', readonly string[]>('requests');
