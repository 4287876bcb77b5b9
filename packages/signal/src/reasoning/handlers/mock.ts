import type { ThinkingBlock, ThinkingHandler } from '@vouch/contracts';
import { thinkingOfBlock } from '../anthropic.ts';
import { fieldsOf, listOf } from './choice.ts';

/** What `MockThinkingHandler` reads: signed blocks, or the steps of a summary. */
export type MockThinking =
  | { readonly kind: 'anthropic'; readonly blocks: readonly { readonly [field: string]: string }[] }
  | { readonly kind: 'openai'; readonly summarySteps: readonly string[] };

/** One block for `mockSignedThinking`. `redacted`: `signature` is the opaque data, and no text is shown. */
export interface MockBlock {
  readonly content: string;
  readonly signature?: string;
  readonly redacted?: boolean;
}

/** Signed blocks for `MockThinkingHandler`, such as `[{ content: 'Two piers are free.', signature: 'c2ln' }]`. */
export function mockSignedThinking(blocks: readonly MockBlock[]): MockThinking {
  return {
    kind: 'anthropic',
    blocks: blocks.map(({ content, signature, redacted }) =>
      redacted === true
        ? { type: 'redacted_thinking', data: signature ?? '' }
        : { type: 'thinking', thinking: content, ...(signature === undefined ? {} : { signature }) },
    ),
  };
}

/** The steps of a summary for `MockThinkingHandler`. */
export const mockSummarisedThinking = (steps: readonly string[]): MockThinking => ({ kind: 'openai', summarySteps: [...steps] });

const steps = (value: unknown): readonly ThinkingBlock[] =>
  listOf(value).flatMap((text) =>
    typeof text === 'string' && text !== '' ? [{ type: 'thinking' as const, content: text, summary: true }] : [],
  );

const readers: ReadonlyMap<unknown, (raw: { readonly [field: string]: unknown }) => readonly ThinkingBlock[]> = /* @__PURE__ */ new Map([
  ['anthropic' as unknown, ({ blocks }) => listOf(blocks).flatMap(thinkingOfBlock)],
  ['openai' as unknown, ({ summarySteps }) => steps(summarySteps)],
]);

/** The thinking of a provider that is acted in a test: signed blocks or a summary, by `kind`; a chunk is `{ thinkingDelta }` (TH-012). */
export const MockThinkingHandler: ThinkingHandler = {
  id: 'mock',
  normalize(raw) {
    const fields = fieldsOf(raw);
    return readers.get(fields.kind)?.(fields) ?? [];
  },
  parseChunk(chunk) {
    const { thinkingDelta } = fieldsOf(chunk);
    return typeof thinkingDelta === 'string' ? { thinkingDelta } : {};
  },
};
