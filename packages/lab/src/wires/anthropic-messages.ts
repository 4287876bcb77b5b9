import type { JsonObject } from '@vouch/contracts';
import type { LabAnswer, RawReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { answerBlocks, messageBody, messagesHeaders } from './anthropic-messages/answer.ts';
import { messagesError } from './anthropic-messages/errors.ts';
import { answerEvents, eventBlock } from './anthropic-messages/events.ts';
import { readMessagesRequest } from './anthropic-messages/request.ts';
import { createSeal } from './anthropic-messages/seal.ts';
import { eventStream, type Frame, jsonReply, type LabTarget, type LabWire } from './wire.ts';

/**
 * The Messages wire. It keeps no response: what it issues, signatures, redacted thinking and call ids, it knows again by the lab's seed, and a history
 * in which thinking is altered, missing or out of place is refused as the service refuses it.
 */
export function anthropicMessages(seed: number): LabWire {
  const seal = createSeal(seed);
  return {
    id: 'anthropic-messages',
    takes: (path) => path === '/v1/messages',
    read: (body, target) => readMessagesRequest(body, target, seal),
    whole(answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply {
      const content = answerBlocks(answer, request, frame, seal).map(({ block }) => block);
      return jsonReply(200, messageBody(answer, frame, content), messagesHeaders(frame));
    },
    parts: (answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply =>
      eventStream(answerEvents(answer, request, frame, seal).map(eventBlock), messagesHeaders(frame)),
    refuse: (refusal) => jsonReply(refusal.status, messagesError(refusal)),
    models: modelsReply,
  };
}

/** The path of the models is another wire's too; this one is known by its header. */
function modelsReply(id: string, { path, headers }: LabTarget): RawReply | undefined {
  if (headers['anthropic-version'] === undefined) return undefined;
  const model: JsonObject = {
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-09-21T14:13:20Z',
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    lifecycle: 'active',
  };
  if (path === '/v1/models') return jsonReply(200, { data: [model], has_more: false, first_id: id, last_id: id });
  return path === `/v1/models/${id}` ? jsonReply(200, model) : undefined;
}
