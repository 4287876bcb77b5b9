import type { JsonObject, JsonValue, ThinkingBlock, ThinkingHandler } from '@vouch/contracts';
import { detailsText, joinDetails } from '../chat-reasoning.ts';
import { deltaOf, type Fields, fieldsOf, listOf, messageOf } from './choice.ts';
import { ReasoningContentThinkingHandler, reasoningText } from './reasoning-content.ts';

const nothing: readonly ThinkingBlock[] = [];

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The block of one entry; of the text of one that is none of the known types, too. */
function blockOf(entry: unknown): readonly ThinkingBlock[] {
  const { type, text, summary, data, signature } = fieldsOf(entry);
  if (type === 'reasoning.encrypted') return isFilled(data) ? [{ type: 'redacted_thinking', content: '', signature: data }] : nothing;
  if (type === 'reasoning.summary') return isFilled(summary) ? [{ type: 'thinking', content: summary, summary: true }] : nothing;
  const content = [text, summary].find((one) => typeof one === 'string');
  if (isFilled(signature)) return [{ type: 'thinking', content: typeof content === 'string' ? content : '', signature }];
  return isFilled(content) ? [{ type: 'thinking', content }] : nothing;
}

// They were decoded from JSON, or are of no use.
const entriesOf = (message: Fields): readonly JsonValue[] => listOf(message.reasoning_details) as readonly JsonValue[];

function blocksOf(entries: readonly JsonValue[]): readonly ThinkingBlock[] {
  const joined: JsonObject[] = [];
  joinDetails(joined, entries);
  return joined.flatMap(blockOf);
}

/**
 * Reads `reasoning_details`: of a response, a message, or the list itself, whole or in fragments. One block an entry: text with its signature, a step of
 * a summary, or encrypted reasoning as redacted; signatures and data byte for byte (TH-002, TH-012). Without a list that holds any, the reasoning that
 * stands beside it.
 */
export const ReasoningDetailsThinkingHandler: ThinkingHandler = {
  id: 'reasoning-details',
  normalize(raw) {
    if (Array.isArray(raw)) return blocksOf(raw);
    const blocks = blocksOf(entriesOf(messageOf(raw)));
    return blocks.length > 0 ? blocks : ReasoningContentThinkingHandler.normalize(raw);
  },
  parseChunk(chunk) {
    const delta = deltaOf(chunk);
    const text = detailsText(entriesOf(delta)) || reasoningText(delta);
    return text === '' ? {} : { thinkingDelta: text };
  },
};
