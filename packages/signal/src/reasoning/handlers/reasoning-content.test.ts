import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReasoningContentThinkingHandler as handler } from './reasoning-content.ts';

const response = (message: object, index = 0): object => ({
  object: 'chat.completion',
  choices: [{ index, message, finish_reason: 'stop' }],
});
const chunk = (delta: object, index = 0): object => ({ object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: null }] });
const block = (content: string): object => ({ type: 'thinking', content });

describe('ReasoningContentThinkingHandler', () => {
  it('[TH-012] reads the reasoning of a response, a message or a text, under each of its names, whole and in chunks', () => {
    expect(handler.id).toBe('reasoning-content');
    for (const message of [
      { content: 'Pier 7', reasoning_content: 'low tide' },
      { content: 'Pier 7', reasoning: 'low tide' },
      { content: 'Pier 7', reasoning: 'low tide', reasoning_content: 'low tide' },
      { content: 'Pier 7', reasoning: 'low tide', reasoning_content: null },
      { content: 'Pier 7', reasoning: 'low tide', reasoning_content: '' },
      {
        content: [
          {
            type: 'thinking',
            thinking: [
              { type: 'text', text: 'low ' },
              { type: 'text', text: 'tide' },
            ],
          },
          { type: 'text', text: 'Pier 7' },
        ],
      },
      { content: [{ type: 'thinking', thinking: 'low tide' }] },
    ]) {
      expect(handler.normalize(response(message))).toStrictEqual([block('low tide')]);
      expect(handler.normalize(message)).toStrictEqual([block('low tide')]);
      expect(handler.parseChunk?.(chunk(message))).toEqual({ thinkingDelta: 'low tide' });
    }
    expect(handler.normalize('low tide')).toStrictEqual([block('low tide')]);
  });

  it('takes the first choice alone', () => {
    const two = {
      choices: [
        { index: 1, message: { reasoning: 'high' } },
        { index: 0, message: { reasoning: 'low' } },
      ],
    };
    expect(handler.normalize(two)).toEqual([block('low')]);
    expect(handler.parseChunk?.(chunk({ reasoning: 'high' }, 1))).toEqual({});
  });

  it('[TH-007] gives an empty list, or no delta, for what holds no reasoning', () => {
    const plain = { content: 'Pier 7', tool_calls: [] };
    for (const raw of [
      null,
      undefined,
      7,
      '',
      [],
      {},
      { choices: [] },
      response(plain),
      response({ reasoning: 7 }),
      { choices: [null] },
      () => 1,
    ])
      expect(handler.normalize(raw)).toEqual([]);
    for (const raw of [null, undefined, 7, {}, { choices: 'x' }, chunk(plain), chunk({ reasoning: '' }), { choices: [], usage: {} }])
      expect(handler.parseChunk?.(raw)).toEqual({});
  });

  it('[TH-007] of anything at all it gives a list, and never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        for (const given of [raw, response({ content: raw }), { choices: [raw] }]) {
          expect(Array.isArray(handler.normalize(given))).toBe(true);
          expect(typeof handler.parseChunk?.(given)).toBe('object');
        }
      }),
    );
  });

  it('[TH-010] what the deltas add up to is what the whole holds', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.constantFrom('reasoning', 'reasoning_content'), (pieces, field) => {
        const added = pieces.map((piece) => handler.parseChunk?.(chunk({ [field]: piece }))?.thinkingDelta ?? '').join('');
        expect(added).toBe(
          handler
            .normalize(response({ [field]: pieces.join('') }))
            .map(({ content }) => content)
            .join(''),
        );
      }),
    );
  });
});
