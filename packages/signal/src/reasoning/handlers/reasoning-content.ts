import type { ThinkingBlock, ThinkingHandler } from '@vouch/contracts';
import { reasoningTextFields } from '../chat-reasoning.ts';
import { deltaOf, type Fields, fieldsOf, listOf, messageOf } from './choice.ts';

const nothing: readonly ThinkingBlock[] = [];

const blockOf = (text: string): readonly ThinkingBlock[] => (text === '' ? nothing : [{ type: 'thinking', content: text }]);

/** The reasoning of a message or a delta: the first field that has text, else the thinking parts of its content. */
export function reasoningText(message: Fields): string {
  for (const field of reasoningTextFields) {
    const text = message[field];
    if (typeof text === 'string' && text !== '') return text;
  }
  return listOf(message.content).map(thinkingOfPart).join('');
}

/** The text of a thinking part: a string, or a list of text parts. */
function thinkingOfPart(part: unknown): string {
  const { type, thinking, text } = fieldsOf(part);
  if (type !== 'thinking' && type !== 'reasoning') return '';
  const said = thinking ?? text;
  const pieces = Array.isArray(said) ? said : [said];
  return pieces
    .map((piece: unknown) => (typeof piece === 'string' ? piece : fieldsOf(piece).text))
    .filter(isText)
    .join('');
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Reads the reasoning that servers of the Chat Completions wire send beside the answer, as `reasoning_content`, `reasoning` or thinking parts of the
 * content: of a response, a message, or a text. One block, without a signature; what a model wrote between tags into its answer is the answer's (TH-012).
 */
export const ReasoningContentThinkingHandler: ThinkingHandler = {
  id: 'reasoning-content',
  normalize: (raw) => blockOf(typeof raw === 'string' ? raw : reasoningText(messageOf(raw))),
  parseChunk(chunk) {
    const text = reasoningText(deltaOf(chunk));
    return text === '' ? {} : { thinkingDelta: text };
  },
};
