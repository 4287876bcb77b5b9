import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabThinking, LabUsage } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import type { Frame } from '../wire.ts';
import { isOfOldLine } from './request.ts';
import { type Seal, textDigest } from './seal.ts';

const words: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/** An answer in the wire's terms. */
export interface WireAnswer {
  readonly parts: readonly JsonObject[];
  readonly finishReason: string;
  readonly finishMessage?: string;
}

function thinkingConfigOf({ body }: LabChatRequest): JsonObject {
  const { generationConfig: config } = body;
  return isJsonObject(config) && isJsonObject(config.thinkingConfig) ? (config.thinkingConfig as JsonObject) : {};
}

/** The arguments as the wire has them; undefined for what is no object. */
function structOf(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text === '' ? '{}' : text) as JsonValue;
    return isJsonObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of an answer, in the order of the wire, and how it ends. */
export function wireAnswer(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): WireAnswer {
  // A model of its own word, such as `RECITATION`, is said as it is.
  const finishReason = Object.hasOwn(words, answer.finish) ? (words[answer.finish] ?? 'OTHER') : answer.finish;
  if (answer.refusal !== undefined) return { parts: [], finishReason: 'SAFETY', finishMessage: answer.refusal };
  const config = thinkingConfigOf(request);
  // The old line signs what it thinks, the new one always thinks.
  const signs = !isOfOldLine(request.model) || (request.thinking === true && config.thinkingBudget !== 0);
  const sign = (of: string): JsonObject =>
    signs ? { thoughtSignature: seal.sign({ model: request.model || frame.model, of }, frame.random) } : {};
  const thoughts = (pieces: readonly LabThinking[]): readonly JsonObject[] =>
    config.includeThoughts === true ? pieces.filter(({ redacted }) => redacted !== true).map(thoughtPart) : [];
  const parts: JsonObject[] = [...thoughts(answer.thinking.filter(({ beforeCall }) => beforeCall === undefined))];
  if (answer.text !== null && answer.text !== '')
    parts.push({ text: answer.text, ...(answer.toolCalls.length === 0 && !request.stream ? sign(textDigest(answer.text)) : {}) });
  for (const [index, { id, name, arguments: text }] of answer.toolCalls.entries()) {
    const args = structOf(text);
    // The service shows no call that it cannot read.
    if (args === undefined && finishReason === 'MAX_TOKENS') break;
    if (args === undefined) return malformed(parts, name, text);
    parts.push(...thoughts(answer.thinking.filter(({ beforeCall }) => beforeCall === index)));
    // Of parallel calls the first carries the signature. Defaults are left out.
    const filled = Object.keys(args).length === 0 ? {} : { args };
    parts.push({ functionCall: { name, ...filled, id }, ...(index === 0 ? sign(id) : {}) });
  }
  // A streamed text is long out when its signature is made.
  if (answer.text !== null && answer.text !== '' && answer.toolCalls.length === 0 && request.stream && signs)
    parts.push({ text: '', ...sign(textDigest('')) });
  return { parts, finishReason };
}

const malformed = (parts: readonly JsonObject[], name: string, text: string): WireAnswer => ({
  parts,
  finishReason: 'MALFORMED_FUNCTION_CALL',
  finishMessage: `Malformed function call: ${name}(${text})`,
});

const thoughtPart = ({ text, summary }: LabThinking): JsonObject => ({ thought: true, text: summary?.join('\n\n') ?? text });

/** The wire's usage; counts of 0 are left out. */
export function usageMetadata(usage: LabUsage): JsonObject {
  const { inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  const counts = {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - reasoningTokens),
    totalTokenCount: inputTokens + outputTokens,
    cachedContentTokenCount: cachedTokens,
    thoughtsTokenCount: reasoningTokens,
  };
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  return { ...Object.fromEntries(said), promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }] };
}

/** The likeliest tokens, where they were asked for. */
function logprobsResult({ logprobs }: LabAnswer, request: LabChatRequest): JsonObject {
  if (!request.logprobs || logprobs === undefined) return {};
  const one = ({ token, logprob }: { readonly token: string; readonly logprob: number }): JsonObject => ({
    token,
    logProbability: logprob,
  });
  return {
    logprobsResult: {
      topCandidates: logprobs.map(({ top = [] }) => ({ candidates: top.map(one) })),
      chosenCandidates: logprobs.map(one),
    },
  };
}

/** One response object: a whole answer, or one event of a stream. */
export function responseObject(parts: readonly JsonObject[], ending: JsonObject, frame: Frame): JsonObject {
  // An empty list is a default, and left out.
  const content = parts.length === 0 ? { role: 'model' } : { parts, role: 'model' };
  const { usageMetadata: usage, ...candidate } = ending;
  return {
    candidates: [{ content, ...candidate, index: 0 }],
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: frame.model,
    responseId: frame.requestId,
  };
}

/** What the last object of an answer says of its end. */
export function endingOf(answer: LabAnswer, said: WireAnswer, request: LabChatRequest): JsonObject {
  return {
    finishReason: said.finishReason,
    ...(said.finishMessage === undefined ? {} : { finishMessage: said.finishMessage }),
    ...logprobsResult(answer, request),
    ...(answer.usage === null ? {} : { usageMetadata: usageMetadata(answer.usage) }),
  };
}
