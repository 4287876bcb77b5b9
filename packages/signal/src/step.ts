import {
  type AcceptPolicy,
  type Clock,
  type IdSource,
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
  const options = mergeOptions(environment.options, request.options);
  const providerRequest = providerRequestOf(request, options, environment, call.delivery ?? 'parts');
  const signals = [environment.options?.signal, request.options?.signal, call.signal];
  const scope = openScope(signals, options.timeout?.total, environment.clock);
  const newCallId = (): string => environment.ids('call');
  const turn = createTurn(newCallId, request.tools?.map(({ name }) => name) ?? []);
  let thrown: { readonly error: unknown } | undefined;
  try {
    try {
      const adapter = await environment.adapter(timeoutsOf(options));
      const parts = retryStream(() => adapter.send(providerRequest, { signal: scope.signal }), {
        isOutput,
        network: networkOf(options),
        clock: environment.clock,
        random: environment.random,
        signal: scope.signal,
      });
      for await (const part of parts) {
        if (scope.ended() === 'aborted') return;
        for (const event of takePart(turn, part)) yield event;
      }
    } catch (error) {
      thrown = { error };
    }
    if (scope.ended() === 'aborted') return;
    const { strategies, secrets, accept, checkSuspectEscapes } = environment;
    yield {
      type: 'done',
      result: conclude({
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
      }),
    };
  } finally {
    scope.dispose();
  }
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
  const sampling = samplingOf(options);
  const { tools, toolChoice, responseFormat, providerChunks } = request;
  return {
    model: environment.model,
    messages: toMessages(request.messages, environment.ids),
    delivery,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(sampling === undefined ? {} : { options: sampling }),
    ...(providerChunks === undefined ? {} : { providerChunks }),
  };
}

const isOutput = (part: ModelPart): boolean =>
  ((part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta') && part.text !== '') ||
  part.type === 'function-call-delta';
