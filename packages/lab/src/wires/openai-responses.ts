import type { LabAnswer, RawReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { errorBody, serviceHeaders } from './openai-chat.ts';
import { outputItems, responseObject } from './openai-responses/answer.ts';
import { answerEvents, eventBlock, numbered } from './openai-responses/events.ts';
import { readResponsesRequest } from './openai-responses/request.ts';
import { createSeal } from './openai-responses/seal.ts';
import { eventStream, type Frame, jsonReply, type LabWire } from './wire.ts';

/**
 * The Responses wire. It keeps no response: what it issues, ids and encrypted reasoning, it knows again by the lab's seed, and a history in which any
 * of it is altered, missing or out of place is refused as the service refuses it.
 */
export function openaiResponses(seed: number): LabWire {
  const seal = createSeal(seed);
  return {
    id: 'openai-responses',
    takes: (path) => path === '/v1/responses',
    read: (body) => readResponsesRequest(body, seal),
    whole: (answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply =>
      jsonReply(200, responseObject(answer, request, frame, outputItems(answer, request, frame, seal)), serviceHeaders(frame)),
    parts: (answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply =>
      eventStream(numbered(answerEvents(answer, request, frame, seal)).map(eventBlock), serviceHeaders(frame)),
    refuse: (refusal) => jsonReply(refusal.status, errorBody(refusal)),
  };
}
