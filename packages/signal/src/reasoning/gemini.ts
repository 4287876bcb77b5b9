import { isJsonObject, type ThinkingBlock, type ThinkingHandler } from '@vouch/contracts';

const nothing: readonly ThinkingBlock[] = [];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The block of a part that is a thought; other parts may carry a signature too, but show no thinking. */
function blockOf(part: unknown): readonly ThinkingBlock[] {
  if (!isJsonObject(part) || part.thought !== true || typeof part.text !== 'string') return nothing;
  const signature: unknown = part.thoughtSignature;
  const signed = typeof signature === 'string' && signature !== '';
  if (part.text === '' && !signed) return nothing;
  return [{ type: 'thinking', content: part.text, ...(signed ? { signature } : {}) }];
}

/** The parts of a response's first candidate, of a content, or of a list of parts. */
function partsOf(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (!isJsonObject(raw)) return [];
  const { parts, content, candidates } = raw as { readonly [field: string]: unknown };
  if (Array.isArray(parts)) return parts;
  if (isJsonObject(content)) return listOf(content.parts);
  const first = listOf(candidates).find((candidate) => isJsonObject(candidate) && (candidate.index ?? 0) === 0);
  return isJsonObject(first) && isJsonObject(first.content) ? listOf(first.content.parts) : [];
}

/**
 * Reads the thoughts of the generateContent wire: of a response, a candidate, a content, or a list of parts. One block a part, with the part's signature
 * where it has one, byte for byte; the signatures of text and calls are no thinking and travel as carries (TH-002, TH-012, TH-014).
 */
export const GeminiThinkingHandler: ThinkingHandler = {
  id: 'gemini',
  normalize: (raw) => partsOf(raw).flatMap(blockOf),
  parseChunk(chunk) {
    const text = partsOf(chunk)
      .flatMap(blockOf)
      .map(({ content }) => content)
      .join('');
    return text === '' ? {} : { thinkingDelta: text };
  },
};
