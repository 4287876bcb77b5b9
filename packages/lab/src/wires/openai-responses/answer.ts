import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabThinking, LabUsage } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import type { Frame } from '../wire.ts';
import { asked } from './request.ts';
import type { Seal } from './seal.ts';

/** The output items of an answer, in the order of the wire. */
export function outputItems(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): readonly JsonObject[] {
  const { random } = frame;
  const speaks = answer.text !== null || answer.refusal !== undefined;
  const cut = answer.finish === 'length';
  const items: JsonObject[] = [];
  let last: string | undefined;
  const think = (
    pieces: readonly LabThinking[],
    next: (id: string) => { readonly key: string; readonly item: JsonObject } | undefined,
  ): void => {
    const ids = pieces.map(() => seal.reasoningId(random));
    last = ids.at(-1) ?? last;
    const product = next(last ?? '');
    for (const [index, piece] of pieces.entries())
      items.push(reasoningItem(piece, ids[index] ?? '', product?.key ?? '', { request, model: frame.model, seal }));
    if (product !== undefined) items.push(product.item);
  };
  const status = (isLast: boolean): string => (cut && isLast ? 'incomplete' : 'completed');
  const opening = answer.thinking.filter(({ beforeCall }) => beforeCall === undefined);
  if (speaks || answer.toolCalls.length === 0) {
    think(opening, () => {
      const id = seal.itemId('msg', last, random);
      const content = messageContent(answer, request);
      const message = { type: 'message', id, status: status(answer.toolCalls.length === 0), role: 'assistant', content };
      return speaks ? { key: id, item: message } : undefined;
    });
  }
  for (const [index, call] of answer.toolCalls.entries()) {
    const own = answer.thinking.filter(({ beforeCall }) => beforeCall === index);
    think(index === 0 && !speaks ? [...opening, ...own] : own, () => ({
      key: call.id,
      item: {
        type: 'function_call',
        id: seal.itemId('fc', last, random),
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
        status: status(index === answer.toolCalls.length - 1),
      },
    }));
  }
  return items;
}

interface ReasoningContext {
  readonly request: LabChatRequest;
  readonly model: string;
  readonly seal: Seal;
}

function reasoningItem(piece: LabThinking, id: string, next: string, { request, model, seal }: ReasoningContext): JsonObject {
  const { reasoning } = request.body;
  const wanted = typeof reasoning === 'object' && reasoning !== null && 'summary' in reasoning && reasoning.summary !== null;
  const steps = wanted && piece.redacted !== true ? (piece.summary ?? [piece.text]) : [];
  return {
    type: 'reasoning',
    id,
    summary: steps.map((text) => ({ type: 'summary_text', text })),
    // The blob is of the model that was asked: a pinned name in the answer is the same model.
    ...(asked(request.body, 'reasoning.encrypted_content')
      ? { encrypted_content: seal.encrypt({ id, model: request.model || model, next }) }
      : {}),
  };
}

function messageContent(answer: LabAnswer, request: LabChatRequest): readonly JsonObject[] {
  const refusal: readonly JsonObject[] = answer.refusal === undefined ? [] : [{ type: 'refusal', refusal: answer.refusal }];
  if (answer.text === null) return refusal;
  const logprobs = request.logprobs ? (answer.logprobs ?? []).map(tokenLogprob) : [];
  return [{ type: 'output_text', text: answer.text, annotations: [], logprobs }, ...refusal];
}

/** One token's log-probability. */
export function tokenLogprob({ token, logprob, top = [] }: NonNullable<LabAnswer['logprobs']>[number]): JsonObject {
  const withBytes = (one: { readonly token: string; readonly logprob: number }): JsonObject => ({
    token: one.token,
    logprob: one.logprob,
    bytes: [...Buffer.from(one.token)],
  });
  return { ...withBytes({ token, logprob }), top_logprobs: top.map(withBytes) };
}

/** The wire's usage object. */
function usageBody(usage: LabUsage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

/** Why an answer is incomplete; null when it is not. */
const incompleteReason = ({ finish }: LabAnswer): string | null =>
  finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : null;

/** The response object. Without `output` it is as a stream begins with it. */
export function responseObject(answer: LabAnswer, request: LabChatRequest, frame: Frame, output?: readonly JsonObject[]): JsonObject {
  const { body } = request;
  const reason = output === undefined ? null : incompleteReason(answer);
  const orNull = (name: string): JsonValue => body[name] ?? null;
  return {
    id: responseId(frame),
    object: 'response',
    created_at: frame.created,
    ...(output === undefined ? {} : { completed_at: frame.created + 1 }),
    status: output === undefined ? 'in_progress' : reason === null ? 'completed' : 'incomplete',
    background: false,
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: orNull('instructions'),
    max_output_tokens: orNull('max_output_tokens'),
    model: frame.model,
    output: output ?? [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...(typeof body.reasoning === 'object' ? body.reasoning : {}) },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...(typeof body.text === 'object' ? body.text : {}) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: output === undefined || answer.usage === null ? null : usageBody(answer.usage),
    metadata: body.metadata ?? {},
  };
}

const responseId = (frame: Frame): string => frame.id.replace(/^chatcmpl-/, 'resp_');
