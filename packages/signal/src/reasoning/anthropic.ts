import { isJsonObject, type ThinkingBlock, type ThinkingHandler } from '@vouch/contracts';

/** The block of one content block; none for what is no thinking. */
export function thinkingOfBlock(value: unknown): readonly ThinkingBlock[] {
  if (!isJsonObject(value)) return [];
  const { type, thinking, signature, data } = value;
  if (type === 'thinking' && typeof thinking === 'string')
    return [{ type, content: thinking, ...(typeof signature === 'string' ? { signature } : {}) }];
  return type === 'redacted_thinking' && typeof data === 'string' ? [{ type, content: '', signature: data }] : [];
}

/**
 * Reads the thinking of the Messages wire: of a response, or of its list of content blocks. Signatures and redacted data are kept byte for byte, also
 * where the text is empty (TH-002, TH-012).
 */
export const AnthropicThinkingHandler: ThinkingHandler = {
  id: 'anthropic',
  normalize(raw) {
    const blocks: unknown = isJsonObject(raw) ? raw.content : raw;
    return Array.isArray(blocks) ? blocks.flatMap(thinkingOfBlock) : [];
  },
  parseChunk(chunk) {
    const delta: unknown = isJsonObject(chunk) ? chunk.delta : undefined;
    if (!isJsonObject(delta) || delta.type !== 'thinking_delta' || typeof delta.thinking !== 'string') return {};
    return { thinkingDelta: delta.thinking };
  },
};
