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
import { createTurn, takePart } from './step/assemble.ts';
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

/** The same under the scope of whoever asks, and the events in lists: what came in one piece, the last with `done` alone. */
export async function* stepLists(
  request: StepRequest,
  environment: StepEnvironment,
  delivery: ProviderRequest['delivery'],
  scope: StepScope,
): AsyncGenerator<readonly StepStreamEvent[], void, undefined> {
  const options = mergeOptions(environment.options, request.options);
  const providerRequest = providerRequestOf(request, options, environment, delivery);
  const newCallId = (): string => environment.ids('call');
  const turn = createTurn(newCallId, request.tools?.map(({ name }) => name) ?? []);
  let thrown: { readonly error: unknown } | undefined;
  try {
    const adapter = await environment.adapter(timeoutsOf(options));
    const lists = retryStream(() => adapter.send(providerRequest, { signal: scope.signal }), {
      isOutput: (parts) => parts.some(isOutput),
      network: networkOf(options),
      clock: environment.clock,
      random: environment.random,
      signal: scope.signal,
    });
    for await (const parts of lists) {
      if (scope.isStopped()) return;
      const events: StepStreamEvent[] = [];
      for (const part of parts) takePart(turn, part, events);
      if (events.length > 0) yield events;
    }
  } catch (error) {
    thrown = { error };
  }
  if (scope.isStopped()) return;
  const { strategies, secrets, accept, checkSuspectEscapes } = environment;
  const result = conclude({
    request,
    providerRequest,
    requestDigest: requestDigest(environment.provider, providerRequest),
    turn,
    strategies,
    secrets,
    newCallId,
    ...(thrown === undefined ? {} : { thrown }),
    ...(accept === undefined ? {} : { accept }),
    ...(checkSuspectEscapes === undefined ? {} : { checkSuspectEscapes }),
  });
  yield [{ type: 'done', result }];
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
  const thinking = resolveThinking({ provider, model, options, facts, toolChoice: request.toolChoice });
  const sampling = samplingOf(options);
  const { tools, toolChoice, responseFormat, providerChunks } = request;
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
