import type { JsonObject } from '@vouch/contracts';
import type { LabAnswer } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import { cutText } from '../../random.ts';
import type { Frame } from '../wire.ts';
import { type AnswerBlock, answerBlocks, messageBody, stopDetails, stopReason, usageBody } from './answer.ts';
import type { Seal } from './seal.ts';

/** The longest fragment of a stream, in UTF-16 units. */
const longestFragment = 9;

/** One event of a stream. */
export type MessagesEvent = JsonObject & { readonly type: string };

/** One event with its `event` line. */
export const eventBlock = (event: MessagesEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The events of an answer, in the order of the wire. */
export function answerEvents(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): readonly MessagesEvent[] {
  const blocks = answerBlocks(answer, request, frame, seal).flatMap((one, index) => blockEvents(one, index, frame));
  return [
    { type: 'message_start', message: messageBody(answer, frame) },
    ...blocks.slice(0, 1),
    { type: 'ping' },
    ...blocks.slice(1),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null, stop_details: stopDetails(answer), container: null },
      ...(answer.usage === null ? {} : { usage: usageBody(answer.usage) }),
    },
    { type: 'message_stop' },
  ];
}

function blockEvents({ block, input }: AnswerBlock, index: number, { random }: Frame): readonly MessagesEvent[] {
  const cut = (type: string, field: string, text: string): readonly JsonObject[] =>
    cutText(text, longestFragment, random).map((piece) => ({ type, [field]: piece }));
  const [begun, deltas]: readonly [JsonObject, readonly JsonObject[]] =
    block.type === 'text'
      ? [{ ...block, text: '' }, cut('text_delta', 'text', String(block.text))]
      : block.type === 'thinking'
        ? [
            { ...block, thinking: '', signature: '' },
            [...cut('thinking_delta', 'thinking', String(block.thinking)), { type: 'signature_delta', signature: String(block.signature) }],
          ]
        : block.type === 'tool_use'
          ? [
              { ...block, input: {} },
              // The service opens every input with an empty fragment.
              [
                { type: 'input_json_delta', partial_json: '' },
                ...cut('input_json_delta', 'partial_json', input === '{}' ? '' : (input ?? '')),
              ],
            ]
          : [block, []];
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
