import {
  type AcceptPolicy,
  type Clock,
  type IdSource,
  type ModelFacts,
  type ModelPart,
  makeFailure,
  type ReasoningEffort,
  SignalError,
  type SignalOptions,
  type StepRequest,
  type StepResult,
  type StepStreamEvent,
  toMessages,
  type WireStrategy,
} from '@vouch/contracts';
import type { ChatAdapter, ProviderRequest } from './adapters/adapter.ts';
import { retryStream } from './net/retry.ts';
import { createTurn, endEarly, runsAway, type Turn, takePart } from './step/assemble.ts';
import { conclude } from './step/conclude.ts';
import { requestDigest } from './step/digest.ts';
import { mergeOptions, networkOf, samplingOf, timeoutsOf } from './step/options.ts';
import { openScope } from './step/scope.ts';
import { resolveThinking } from './step/thinking.ts';

/** Where and under what a step runs; made by the client. */
export interface StepEnvironment {
  readonly provider: string;
  readonly model: string;
  /** The adapter for these byte timeouts, in milliseconds; made once for each pair. */
  readonly adapter: (timeout: { readonly firstByte: number; readonly idle: number }) => Promise<ChatAdapter>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Texts that must appear in no error (SG-038). */
  readonly secrets: readonly string[];
  readonly strategies: readonly WireStrategy[];
  readonly options?: SignalOptions;
  /** What the model's row states. */
  readonly facts?: ModelFacts;
  readonly accept?: AcceptPolicy;
  /** Default true (SG-070). */
  readonly checkSuspectEscapes?: boolean;
  /** Throws a configuration error for an effort that the endpoint is known to refuse. */
  readonly checkEffort?: (effort: ReasoningEffort) => void;
}

/** How one call is made. */
export interface StepCall {
  /** Aborts the call, beside `options.signal`. */
  readonly signal?: AbortSignal;
  /** Default `parts` for `stepStream`, `whole` for `step` (SG-080). */
  readonly delivery?: ProviderRequest['delivery'];
}

/** Under what a step runs that is part of something longer. */
export interface StepScope {
  readonly signal: AbortSignal;
  /** The step is to end without a result: its owner was stopped. */
  isStopped(): boolean;
}

/**
 * One model call: the only execution core (SG-080). Yields what arrives and ends in `done` with the routed result. An abort by the caller ends the
 * iteration without `done` and without throwing. Throws `SignalError` when there was nothing to route: kinds `provider`, `timeout`, `limit`, and
 * `configuration` before any request. Network retries happen only before output.
 */
export async function* stepStream(
  request: StepRequest,
  environment: StepEnvironment,
  call: StepCall = {},
): AsyncGenerator<StepStreamEvent, void, undefined> {
  const signals = [environment.options?.signal, request.options?.signal, call.signal];
  const totalMs = mergeOptions(environment.options, request.options).timeout?.total;
  const scope = openScope(signals, totalMs, environment.clock);
  const { signal } = scope;
  const isStopped = (): boolean => scope.ended() === 'aborted';
  try {
    for await (const events of stepLists(request, environment, call.delivery ?? 'parts', { signal, isStopped })) {
      for (const event of events) {
        if (isStopped()) return;
        if (event.type === 'done' || !signal.aborted) yield event;
      }
    }
  } finally {
    scope.dispose();
  }
}

/**
 * The same under the scope of whoever asks, and the events in lists: what came in one piece, the last with `done` alone. No generator: each costs
 * every delta turns of the queue.
 */
export function stepLists(
  request: StepRequest,
  environment: StepEnvironment,
  delivery: ProviderRequest['delivery'],
  scope: StepScope,
): AsyncIterableIterator<readonly StepStreamEvent[]> {
  let call: Call | undefined;
  let lists: AsyncIterator<readonly ModelPart[]> | undefined;
  let over = false;
  const end = async (): Promise<IteratorResult<never>> => {
    over = true;
    await lists?.return?.();
    return noMore;
  };
  const next = async (): Promise<IteratorResult<readonly StepStreamEvent[]>> => {
    if (over) return noMore;
    call ??= prepareCall(request, environment, delivery);
    let thrown: { readonly error: unknown } | undefined;
    try {
      lists ??= openLists(await environment.adapter(timeoutsOf(call.options)), call, environment, scope);
      for (;;) {
        const parts = await lists.next();
        if (parts.done === true || scope.isStopped()) break;
        const events: StepStreamEvent[] = [];
        for (const part of parts.value) takePart(call.turn, part, events);
        if (runsAway(call.turn, request.output !== undefined)) {
          endEarly(call.turn);
          await lists.return?.();
        }
        if (events.length > 0) return { done: false, value: events };
      }
    } catch (error) {
      thrown = { error: scope.signal.aborted ? scope.signal.reason : error };
    }
    if (scope.isStopped()) return end();
    over = true;
    return { done: false, value: [{ type: 'done', result: concludeCall(request, call, environment, thrown) }] };
  };
  const iterator: AsyncIterableIterator<readonly StepStreamEvent[]> = { next, return: end, [Symbol.asyncIterator]: () => iterator };
  return iterator;
}

const noMore: IteratorResult<never> = { done: true, value: undefined };

interface Call {
  readonly options: SignalOptions;
  readonly providerRequest: ProviderRequest;
  readonly turn: Turn;
  readonly newCallId: () => string;
}

function prepareCall(request: StepRequest, environment: StepEnvironment, delivery: ProviderRequest['delivery']): Call {
  const options = mergeOptions(environment.options, request.options);
  const newCallId = (): string => environment.ids('call');
  return {
    options,
    providerRequest: providerRequestOf(request, options, environment, delivery),
    turn: createTurn(newCallId, request.tools?.map(({ name }) => name) ?? []),
    newCallId,
  };
}

function openLists(
  adapter: ChatAdapter,
  { options, providerRequest }: Call,
  environment: StepEnvironment,
  { signal }: StepScope,
): AsyncIterator<readonly ModelPart[]> {
  return retryStream(() => adapter.send(providerRequest, { signal }), {
    isOutput: (parts) => parts.some(isOutput),
    network: networkOf(options),
    clock: environment.clock,
    random: environment.random,
    signal,
  });
}

function concludeCall(
  request: StepRequest,
  call: Call,
  environment: StepEnvironment,
  thrown: { readonly error: unknown } | undefined,
): StepResult {
  const { strategies, secrets, accept, checkSuspectEscapes } = environment;
  return conclude({
    request,
    providerRequest: call.providerRequest,
    requestDigest: requestDigest(environment.provider, call.providerRequest),
    turn: call.turn,
    strategies,
    secrets,
    newCallId: call.newCallId,
    ...(thrown === undefined ? {} : { thrown }),
    ...(accept === undefined ? {} : { accept }),
    ...(checkSuspectEscapes === undefined ? {} : { checkSuspectEscapes }),
  });
}

/** Drains `stepStream` (SG-008), asking for one whole response. An abort by the caller throws `SignalError` of kind `aborted`. */
export async function step(request: StepRequest, environment: StepEnvironment, call: StepCall = {}): Promise<StepResult> {
  for await (const event of stepStream(request, environment, { delivery: 'whole', ...call })) {
    if (event.type === 'done') return event.result;
  }
  throw new SignalError(makeFailure('aborted', { message: 'The call was aborted by its caller.' }));
}

function providerRequestOf(
  request: StepRequest,
  options: SignalOptions,
  environment: StepEnvironment,
  delivery: ProviderRequest['delivery'],
): ProviderRequest {
  if (options.reasoningEffort !== undefined) environment.checkEffort?.(options.reasoningEffort);
  if (typeof options.thinking === 'object' && options.thinking.effort !== undefined) environment.checkEffort?.(options.thinking.effort);
  const { provider, model, facts } = environment;
  const { tools, toolChoice, responseFormat, providerChunks } = request;
  // A choice among no tools is never sent, and forces nothing.
  const sentChoice = (tools ?? []).length === 0 ? undefined : toolChoice;
  const thinking = resolveThinking({ provider, model, options, facts, toolChoice: sentChoice });
  const sampling = samplingOf(options);
  return {
    model,
    messages: toMessages(request.messages, environment.ids),
    delivery,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(sampling === undefined ? {} : { options: sampling }),
    ...(facts === undefined ? {} : { facts }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(providerChunks === undefined ? {} : { providerChunks }),
  };
}

const isOutput = (part: ModelPart): boolean =>
  ((part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta') && part.text !== '') ||
  part.type === 'function-call-delta';
