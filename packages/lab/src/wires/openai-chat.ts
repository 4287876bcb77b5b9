import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabLogprob, LabUsage, RawReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { cutText } from '../random.ts';
import { readChatRequest } from './openai-chat-request.ts';
import { eventStream, type Frame, jsonReply, type LabWire, type WireRefusal } from './wire.ts';

/** The longest content or argument fragment of a stream, in UTF-16 units. */
const longestFragment = 9;

/** The Chat Completions wire. */
export const openaiChat: LabWire = {
  id: 'openai-chat',
  takes: (path) => path === '/v1/chat/completions',
  read: readChatRequest,
  whole: (answer, request, frame) => jsonReply(200, completion(answer, request, frame), serviceHeaders(frame)),
  parts: (answer, request, frame) =>
    eventStream([...completionChunks(answer, request, frame).map(dataEvent), doneEvent], serviceHeaders(frame)),
  refuse: (refusal) => jsonReply(refusal.status, errorBody(refusal)),
  models: (modelId, { path, headers }) => (headers['anthropic-version'] === undefined ? modelsReply(path, modelId) : undefined),
  terminalBlock: 'data: [DONE]\n\n',
};

function modelsReply(path: string, id: string): RawReply | undefined {
  const model = { id, object: 'model', created: 1_790_000_000, owned_by: 'lab' };
  if (path === '/v1/models') return jsonReply(200, { object: 'list', data: [model] });
  return path === `/v1/models/${id}` ? jsonReply(200, model) : undefined;
}

/** The last event of a stream. */
export const doneEvent = 'data: [DONE]\n\n';

/** One event of a stream. */
export function dataEvent(value: JsonValue): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The wire's error body. */
export function errorBody(refusal: WireRefusal): JsonObject {
  const { message, type = 'invalid_request_error', parameter = null, code = null } = refusal;
  return { error: { message, type, param: parameter, code } };
}

/** Headers that every answer of the service carries. */
export function serviceHeaders(frame: Frame): Readonly<Record<string, string>> {
  return { 'x-request-id': frame.requestId, 'openai-version': '2020-10-01', 'openai-processing-ms': '12' };
}

/** The body of an answer that is not streamed. */
export function completion(answer: LabAnswer, request: LabChatRequest, frame: Frame): JsonObject {
  return {
    id: frame.id,
    object: 'chat.completion',
    created: frame.created,
    model: frame.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text,
          refusal: answer.refusal ?? null,
          annotations: [],
          ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
          ...(answer.toolCalls.length === 0 ? {} : { tool_calls: answer.toolCalls.map(toolCall) }),
        },
        logprobs: logprobsOf(answer, request),
        finish_reason: answer.finish,
      },
    ],
    ...(answer.usage === null ? {} : { usage: usageBody(answer.usage) }),
    service_tier: 'default',
    system_fingerprint: frame.fingerprint,
  };
}

function toolCall(call: LabAnswer['toolCalls'][number]): JsonObject {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

/** The wire's usage object. */
export function usageBody(usage: LabUsage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function logprobsOf(answer: LabAnswer, request: LabChatRequest): JsonValue {
  if (!request.logprobs || answer.logprobs === undefined) return null;
  return { content: answer.logprobs.map(tokenLogprob), refusal: null };
}

function tokenLogprob(entry: LabLogprob): JsonObject {
  const withBytes = (one: { readonly token: string; readonly logprob: number }): JsonObject => ({
    token: one.token,
    logprob: one.logprob,
    bytes: [...Buffer.from(one.token)],
  });
  return { ...withBytes(entry), top_logprobs: (entry.top ?? []).map(withBytes) };
}

/** A chunk with one choice; `extra` goes on the choice. */
export function choiceChunk(frame: Frame, delta: JsonObject, finish: string | null = null, extra: JsonObject = {}): JsonObject {
  return {
    id: frame.id,
    object: 'chat.completion.chunk',
    created: frame.created,
    model: frame.model,
    service_tier: 'default',
    system_fingerprint: frame.fingerprint,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...extra }],
  };
}

/** The fragments of one call: the head with id and name, then the arguments cut at drawn places. */
export function callDeltas(call: LabAnswer['toolCalls'][number], index: number, frame: Frame): readonly JsonObject[] {
  const head = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
  const fragments = cutText(call.arguments, longestFragment, frame.random).map((text) => ({ index, function: { arguments: text } }));
  return [head, ...fragments];
}

/** The answer's chunks in the order of the wire, without `[DONE]`. */
export function completionChunks(answer: LabAnswer, request: LabChatRequest, frame: Frame): readonly JsonObject[] {
  const opensWithCall = answer.text === null && answer.toolCalls.length > 0;
  const chunks: JsonObject[] = [choiceChunk(frame, { role: 'assistant', content: opensWithCall ? null : '', refusal: null })];
  const cut = (text: string): readonly string[] => cutText(text, longestFragment, frame.random);
  for (const text of cut(answer.reasoning ?? '')) chunks.push(choiceChunk(frame, { reasoning_content: text }));
  const tokens = request.logprobs ? answer.logprobs : undefined;
  if (tokens === undefined) for (const text of cut(answer.text ?? '')) chunks.push(choiceChunk(frame, { content: text }));
  else
    for (const entry of tokens)
      chunks.push(choiceChunk(frame, { content: entry.token }, null, { logprobs: { content: [tokenLogprob(entry)], refusal: null } }));
  for (const text of cut(answer.refusal ?? '')) chunks.push(choiceChunk(frame, { refusal: text }));
  for (const [index, call] of answer.toolCalls.entries()) {
    for (const delta of callDeltas(call, index, frame)) chunks.push(choiceChunk(frame, { tool_calls: [delta] }));
  }
  chunks.push(choiceChunk(frame, {}, answer.finish));
  return withUsage(chunks, answer, request, frame);
}

/** Adds the usage chunk, and `usage: null` to the others, when the request asked for usage. */
export function withUsage(chunks: readonly JsonObject[], answer: LabAnswer, request: LabChatRequest, frame: Frame): readonly JsonObject[] {
  if (!request.includeUsage || answer.usage === null) return chunks;
  const last = { ...choiceChunk(frame, {}), choices: [], usage: usageBody(answer.usage) };
  return [...chunks.map((chunk) => ({ ...chunk, usage: null })), last];
}
