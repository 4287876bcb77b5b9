import { isJsonObject, type ThinkingBlock, type ThinkingHandler } from '@vouch/contracts';

const nothing: readonly ThinkingBlock[] = [];

/** The step of a summary, or the bare text of a reasoning that is none; an empty one is no block. */
const step = (text: string): readonly ThinkingBlock[] => (text === '' ? nothing : [{ type: 'thinking', content: text, summary: true }]);

function stepsOf(value: unknown): readonly ThinkingBlock[] {
  if (!isJsonObject(value)) return nothing;
  const { type, text } = value as { readonly [field: string]: unknown };
  // Open-weight servers show the reasoning itself, which is no summary.
  if (type === 'reasoning_text') return typeof text === 'string' && text !== '' ? [{ type: 'thinking', content: text }] : nothing;
  if (type === 'reasoning') return thinkingOfItem(value as { readonly [field: string]: unknown });
  // Items of an output that hold no reasoning may hold a text of their own.
  return typeof text === 'string' && (type === undefined || type === 'summary_text') ? step(text) : nothing;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The blocks of one reasoning item: one a step of its summary, then what it shows of the reasoning itself. */
export function thinkingOfItem(item: { readonly [field: string]: unknown }): readonly ThinkingBlock[] {
  return [...listOf(item.summary), ...listOf(item.content)].flatMap((entry) =>
    isJsonObject(entry) && (entry.type === 'summary_text' || entry.type === 'reasoning_text') ? stepsOf(entry) : nothing,
  );
}

const deltaTypes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
]);

/**
 * Reads the reasoning of the Responses wire: of a response, its output, one reasoning item, a list of summary steps, or a summary that is one text.
 * One block a step, `summary: true`; no signature, because what must go back is the whole item and travels as a carry (TH-004, TH-012, TH-014).
 */
export const OpenAIThinkingHandler: ThinkingHandler = {
  id: 'openai',
  normalize(raw) {
    if (typeof raw === 'string') return step(raw);
    if (Array.isArray(raw)) return raw.flatMap(stepsOf);
    if (!isJsonObject(raw)) return nothing;
    const object = raw as { readonly [field: string]: unknown };
    return object.type === 'reasoning' ? thinkingOfItem(object) : listOf(object.output).flatMap(stepsOf);
  },
  parseChunk(chunk) {
    if (!isJsonObject(chunk) || !deltaTypes.has(chunk.type) || typeof chunk.delta !== 'string') return {};
    return { thinkingDelta: chunk.delta };
  },
};
