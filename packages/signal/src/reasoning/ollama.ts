import {
  type Carry,
  isJsonObject,
  type Message,
  type MessagePart,
  type ThinkingBlock,
  type ThinkingHandler,
  type WithheldPart,
} from '@vouch/contracts';
import type { CarrySource } from './chat-reasoning.ts';
import { ownCarries } from './withheld.ts';

const shape = 'ollama-thinking';
const shapes: ReadonlySet<string> = /* @__PURE__ */ new Set([shape]);

/** The carry of one stretch of thinking, as it came. */
export function thinkingCarry(blockId: string, text: string, source: CarrySource): Carry {
  return { owner: { kind: 'item', id: blockId }, shape, ...source, data: text };
}

/** What goes back of a message's thinking, and what stays out. */
export interface ReplayedThinking {
  /** Absent: the message has none that may go back. */
  readonly thinking?: string;
  readonly withheld: readonly WithheldPart[];
}

/**
 * The thinking that an assistant message sends back: what this endpoint and model gave, as it came. Thinking of another provider or model stays out and
 * is reported: no server of this wire reads another's (TH-014, TH-015). A thinking piece whose text is not what was carried was edited, and goes by
 * what it says now.
 */
export function replayThinking(message: Message, source: CarrySource): ReplayedThinking {
  const withheld: WithheldPart[] = [];
  let thinking = '';
  for (const part of message.parts) {
    const carried = ownCarries(part, { source, shapes }, withheld)
      .map(({ data }) => (typeof data === 'string' ? data : ''))
      .join('');
    if (part.type !== 'thinking') thinking += carried;
    else if (carried !== '') thinking += wellFormed(carried) === part.block.content ? carried : part.block.content;
    else if ((part.carry ?? []).length === 0) thinking += uncarried(part, source, withheld);
  }
  return { ...(thinking === '' ? {} : { thinking }), withheld };
}

/** Thinking without a carry, such as of a history by hand: its origin decides. */
function uncarried(part: Extract<MessagePart, { type: 'thinking' }>, source: CarrySource, withheld: WithheldPart[]): string {
  const { origin, block } = part;
  if (origin.kind !== 'model' || block.type !== 'thinking') return '';
  const isOwn = origin.provider === source.provider;
  if (isOwn && origin.model === source.model) return block.content;
  withheld.push({ type: 'withheld', partId: part.id, shape, reason: isOwn ? 'other-model' : 'other-provider' });
  return '';
}

/** As the neutral parts have it: lone surrogates replaced. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

const opening = /<think(?:ing)?>/gi;
const closing = /<\/think(?:ing)?>/gi;

/** The reasoning that a model wrote between tags into its text, one entry a tag; a tag that is not closed reaches to the end. The text stays as it is. */
export function extractInlineThinking(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; ; ) {
    opening.lastIndex = at;
    const start = opening.exec(text);
    if (start === null) return found;
    closing.lastIndex = start.index + start[0].length;
    const end = closing.exec(text);
    const inner = text.slice(start.index + start[0].length, end?.index ?? text.length).trim();
    if (inner !== '') found.push(inner);
    if (end === null) return found;
    at = end.index + end[0].length;
  }
}

const block = (content: string): ThinkingBlock => ({ type: 'thinking', content });

/** One block, unless nothing but white space was said. */
const blockOf = (text: unknown): readonly ThinkingBlock[] => (typeof text === 'string' && text.trim() !== '' ? [block(text)] : []);

function thinkingOfMessage(value: unknown): readonly ThinkingBlock[] {
  if (!isJsonObject(value)) return [];
  const { thinking, content } = value;
  const field = blockOf(thinking);
  return field.length > 0 || typeof content !== 'string' ? field : extractInlineThinking(content).map(block);
}

/**
 * Reads the thinking of the /api/chat wire: of a response; of a text that is reasoning; of `{ kind: 'field', thinking }`, where the server parted it from
 * the answer, or `{ kind: 'inline', content }`, where the model wrote it into the answer between tags. The field wins. No signature, no summary (TH-012).
 */
export const OllamaThinkingHandler: ThinkingHandler = {
  id: 'ollama',
  normalize(raw) {
    if (typeof raw === 'string') return blockOf(raw);
    if (!isJsonObject(raw)) return [];
    if (raw.kind === 'field') return blockOf(raw.thinking);
    if (raw.kind === 'inline') return typeof raw.content === 'string' ? extractInlineThinking(raw.content).map(block) : [];
    return thinkingOfMessage(raw.message);
  },
  parseChunk(chunk) {
    const message: unknown = isJsonObject(chunk) ? chunk.message : undefined;
    if (!isJsonObject(message) || typeof message.thinking !== 'string') return {};
    return { thinkingDelta: message.thinking };
  },
};
