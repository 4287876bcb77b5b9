import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabThinking, LabUsage } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import type { Frame } from '../wire.ts';
import type { Seal } from './seal.ts';

/** One content block, and for a call the text of its input, which need not be JSON. */
export interface AnswerBlock {
  readonly block: JsonObject;
  readonly input?: string;
}

/** The content blocks of an answer, in the order of the wire. */
export function answerBlocks(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): readonly AnswerBlock[] {
  const thinks = request.thinking !== false && answer.thinking.length > 0;
  const thoughts = (before: number | undefined): readonly LabThinking[] =>
    thinks ? answer.thinking.filter(({ beforeCall }) => beforeCall === before) : [];
  const speaks = answer.text !== null && answer.text !== '';
  const opens = thoughts(undefined).length > 0 || (!speaks && thoughts(0).length > 0);
  const response = thinks ? { stem: seal.stem(frame.random), opens } : undefined;
  const calls = answer.toolCalls.map((call) => ({ ...call, id: ownId(call.id) ? call.id : seal.callId(response, frame.random) }));
  const plan: readonly (LabThinking | AnswerBlock)[] = [
    ...thoughts(undefined),
    ...(speaks ? [{ block: { type: 'text', text: answer.text } }] : []),
    ...calls.flatMap((call, index) => [
      ...thoughts(index),
      { block: { type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.arguments) }, input: call.arguments },
    ]),
  ];
  const layout = plan.map((one) => ('block' in one ? blockKey(one.block) : 'thinking'));
  return plan.map((one, at) => {
    if ('block' in one) return one;
    const signed = { model: request.model, stem: response?.stem ?? '', at, layout };
    if (one.redacted === true) return { block: { type: 'redacted_thinking', data: seal.sign(signed, undefined) } };
    const thinking = omitsThinking(request.body) ? '' : one.text;
    return { block: { type: 'thinking', thinking, signature: seal.sign(signed, thinking) } };
  });
}

/** How a block is named in a layout. */
export const blockKey = ({ type, id }: JsonObject): string =>
  type === 'thinking' || type === 'redacted_thinking' ? 'thinking' : type === 'tool_use' ? `tool_use ${String(id)}` : String(type);

/** An id that the script gave; the lab's own are of another wire. */
const ownId = (id: string): boolean => !/^call_[0-9a-z]{24}$/.test(id);

const omitsThinking = ({ thinking }: JsonObject): boolean => isJsonObject(thinking) && thinking.display === 'omitted';

/** The wire has objects alone for arguments; what does not parse was cut, and the service shows nothing of it. */
function inputOf(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const stopWords: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/** Why the answer stopped, in the wire's word. A forced call stops as any call. */
export function stopReason({ finish, toolCalls, refusal }: LabAnswer): string {
  if (refusal !== undefined) return 'refusal';
  if (finish === 'stop' && toolCalls.length > 0) return 'tool_use';
  return Object.hasOwn(stopWords, finish) ? (stopWords[finish] ?? finish) : finish;
}

/** What is said of a refusal; null for any other stop. */
export const stopDetails = (answer: LabAnswer): JsonObject | null =>
  stopReason(answer) === 'refusal' ? { type: 'refusal', category: null, explanation: answer.refusal ?? null } : null;

/** The wire's usage object: what was read from the cache stands beside the input. */
export function usageBody(usage: LabUsage): JsonObject {
  const cached = usage.cachedTokens ?? 0;
  return {
    input_tokens: Math.max(0, usage.inputTokens - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens ?? 0 },
    service_tier: 'standard',
    server_tool_use: null,
  };
}

/** The message object. Without `content` it is as a stream begins with it. */
export function messageBody(answer: LabAnswer, frame: Frame, content?: readonly JsonObject[]): JsonObject {
  const begun = content === undefined;
  const usage = answer.usage === null ? {} : { usage: { ...usageBody(answer.usage), ...(begun ? { output_tokens: 1 } : {}) } };
  return {
    id: frame.id.replace(/^chatcmpl-/, 'msg_'),
    type: 'message',
    role: 'assistant',
    model: frame.model,
    content: content ?? [],
    stop_reason: begun ? null : stopReason(answer),
    stop_sequence: null,
    stop_details: begun ? null : stopDetails(answer),
    container: null,
    ...usage,
  };
}

/** Headers that every answer of the service carries. */
export const messagesHeaders = (frame: Frame): Readonly<Record<string, string>> => ({
  'request-id': frame.requestId,
  'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
});
