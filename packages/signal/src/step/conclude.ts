import {
  type AcceptPolicy,
  type ErrorWireStrategy,
  lazyField,
  type ProviderFault,
  type Rejection,
  type StepOutcome,
  type StepRequest,
  type StepResult,
  type StepToolCall,
  type Usage,
  type WireStrategy,
} from '@vouch/contracts';
import type { ProviderRequest } from '../adapters/adapter.ts';
import { ProviderError, transportError } from '../net/provider-error.ts';
import { redactJson } from '../net/redact.ts';
import { type RouteContract, type Routed, routeRejection, routeResponse, type WireCall, type WireResponse } from '../wire/router.ts';
import { callsOf, hasAnswer, partsOf, type Turn, thinkingOf } from './assemble.ts';
import { estimateRequest, estimateTokens } from './estimate.ts';
import { type CallFacts, completeFailure, thrownFailure, withoutSecrets } from './evidence.ts';

/** What the conclusion of a call rests on. */
export interface Conclusion {
  readonly request: StepRequest;
  readonly providerRequest: ProviderRequest;
  readonly requestDigest: () => string;
  readonly turn: Turn;
  /** What ended the call before its end; absent when it ended by itself. */
  readonly thrown?: { readonly error: unknown };
  readonly accept?: AcceptPolicy;
  readonly checkSuspectEscapes?: boolean;
  readonly strategies: readonly WireStrategy[];
  readonly secrets: readonly string[];
  readonly newCallId: () => string;
}

/**
 * Classifies what came, once, and makes the result. What a provider's error carried is routed like a response (SG-067); a connection that broke
 * after an answer had begun is a cut answer. Throws the failure of a call that brought nothing to route.
 */
export function conclude(conclusion: Conclusion): StepResult {
  const { turn, thrown } = conclusion;
  const error = thrown?.error;
  const fault = error instanceof ProviderError ? error.fault : undefined;
  const rejection = error instanceof ProviderError ? recover(error, conclusion.strategies) : undefined;
  const cut = fault?.cause === 'transport' && hasAnswer(turn);
  const note = turn.endedEarly ? 'whitespace_loop' : refusedFormatNote(conclusion.providerRequest, fault);
  const facts: CallFacts = {
    requestDigest: conclusion.requestDigest,
    usage: usageOf(conclusion, rejection),
    finishReason: rejection === undefined ? (turn.metadata.finishReason ?? 'unknown') : 'error',
    ...(fault === undefined ? {} : { fault }),
    ...(note === undefined ? {} : { note }),
    ...writtenBy(turn),
  };
  if (thrown !== undefined && rejection === undefined && !cut) throw thrownFailure(error, facts, conclusion.secrets);
  if (thrown === undefined && !hasEnded(turn) && !hasAnswer(turn)) {
    // Reasoning alone is no answer that could have been cut.
    throw thrownFailure(transportError('The response ended before an answer began.', conclusion.secrets), facts, conclusion.secrets);
  }
  const contract = contractOf(conclusion);
  const routed = rejection === undefined ? routeResponse(responseOf(turn, facts), contract) : routeRejection(rejection, contract);
  return resultOf(conclusion, facts, withFacts(routed, facts, conclusion.secrets));
}

/** Names the registry fact to correct when an endpoint refused the response format that the facts promised (SG-007). */
function refusedFormatNote({ responseFormat, tools }: ProviderRequest, fault: ProviderFault | undefined): string | undefined {
  if (responseFormat === undefined || fault?.cause !== 'invalid_request') return undefined;
  if (!/response.?format|json.?schema|json.?object/i.test(`${fault.parameter ?? ''} ${fault.message}`)) return undefined;
  if (responseFormat.type === 'json_object') return 'registry fact: nativeJsonMode';
  const withTools = tools !== undefined && /tool|function/i.test(fault.message);
  return `registry fact: ${withTools ? 'toolsWithStructuredOutput' : 'nativeJsonSchema'}`;
}

function recover(error: ProviderError, strategies: readonly WireStrategy[]): (Rejection & { readonly strategy: string }) | undefined {
  const isError = (strategy: WireStrategy): strategy is ErrorWireStrategy => strategy.hook === 'error';
  for (const strategy of strategies.filter(isError)) {
    const rejection = strategy.recover({ fault: error.fault, payload: error.payload });
    if (rejection !== undefined) return { ...rejection, strategy: strategy.id };
  }
  return undefined;
}

function contractOf({ request, accept, checkSuspectEscapes, strategies, newCallId }: Conclusion): RouteContract {
  const output = request.output;
  return {
    declared: request.tools ?? [],
    newCallId,
    strategies: strategies.filter((strategy) => strategy.hook === 'response'),
    ...(output === undefined ? {} : { gate: output.accept }),
    ...(output?.outputTool === undefined ? {} : { exitTool: output.outputTool }),
    ...(output?.envelope === undefined ? {} : { envelope: output.envelope }),
    ...(accept === undefined ? {} : { accept }),
    ...(checkSuspectEscapes === undefined ? {} : { checkSuspectEscapes }),
  };
}

/** A finish reason is an end, too: some servers never send the wire's mark after it. */
function hasEnded({ metadata }: Turn): boolean {
  return metadata.terminated === true || metadata.finishReason !== undefined;
}

function responseOf(turn: Turn, facts: CallFacts): WireResponse {
  const refusal = turn.refusal === '' ? undefined : turn.refusal;
  const reasoned = (facts.usage.reported && (facts.usage.reasoning ?? 0) > 0) || turn.parts.some((part) => part.type === 'thinking-delta');
  return {
    content: turn.content,
    calls: callsOf(turn),
    finish: facts.finishReason,
    terminated: hasEnded(turn),
    ...(refusal === undefined ? {} : { refusal }),
    ...(reasoned ? { reasoned } : {}),
  };
}

/** The provider's own numbers; without them an estimate of what was sent and came. */
function usageOf({ turn, providerRequest, thrown }: Conclusion, rejection: Rejection | undefined): Usage {
  if (turn.metadata.usage !== undefined) return turn.metadata.usage;
  const parts = partsOf(turn);
  const texts = parts.map((part) =>
    'text' in part ? part.text : part.type === 'function-call-delta' ? `${part.name}${part.arguments}` : '',
  );
  const written = texts.join('') + (rejection?.argsText ?? '');
  // A refused request was not read by the model as far as anyone knows.
  if (thrown !== undefined && written === '' && rejection === undefined)
    return { inputTokens: 0, outputTokens: 0, totalTokens: 0, reported: false };
  const inputTokens = estimateRequest(providerRequest.messages, providerRequest.tools);
  const outputTokens = estimateTokens(written);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, reported: false };
}

function writtenBy(turn: Turn): Pick<CallFacts, 'written'> {
  if (turn.content !== '') return { written: { source: 'content', text: turn.content } };
  const first = callsOf(turn)[0];
  if (first !== undefined) return { written: { source: 'arguments', text: first.argsText } };
  return turn.refusal === undefined ? {} : { written: { source: 'content', text: turn.refusal } };
}

/** A model or a gateway may repeat the key in its answer: what is shown of that hides it. */
function withFacts({ outcome, wire: report }: Routed, facts: CallFacts, secrets: readonly string[]): Routed {
  const wire = redactJson(report, secrets);
  if (outcome.kind !== 'failed') return { outcome, wire };
  const failure = withoutSecrets(completeFailure(outcome.failure, { ...facts, wire }), secrets);
  return { outcome: { ...outcome, failure }, wire };
}

function resultOf({ request, turn, requestDigest: digest }: Conclusion, facts: CallFacts, { outcome, wire }: Routed): StepResult {
  const parts = partsOf(turn);
  const freeText = request.output === undefined && outcome.kind === 'output' && wire.recovered === undefined;
  const result = {
    content: turn.content,
    thinking: thinkingOf(parts),
    toolCalls: toolCallsOf(callsOf(turn), outcome),
    usage: facts.usage,
    finishReason: facts.finishReason,
    ...(turn.refusal === undefined || turn.refusal === '' ? {} : { refusal: turn.refusal }),
    metadata: turn.metadata,
    parts,
    withheld: turn.withheld,
    ...(freeText ? {} : { outcome }),
    wire,
  };
  const digested = withRequestDigest(result, digest);
  // Not enumerable: no log and no checkpoint of the result holds it.
  return turn.providerRef === undefined ? digested : Object.defineProperty(digested, 'providerRef', { value: turn.providerRef });
}

const withRequestDigest = /* @__PURE__ */ lazyField<'requestDigest', string>('requestDigest');

const noCalls: readonly StepToolCall[] = [];

/** Every call of the turn; those that run with the arguments that the router read. */
function toolCallsOf(calls: readonly WireCall[], outcome: StepOutcome): readonly StepToolCall[] {
  if (calls.length === 0 && outcome.kind !== 'tool_calls') return noCalls;
  const routed = new Map(outcome.kind === 'tool_calls' ? outcome.calls.map((call) => [call.id, call]) : []);
  const seen = new Set(calls.map(({ id }) => id));
  return [
    ...calls.map((call) => routed.get(call.id) ?? { ...call, args: parseArguments(call.argsText) }),
    // Calls that were written as text, or that an error body carried.
    ...[...routed.values()].filter(({ id }) => !seen.has(id)),
  ];
}

function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
