import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GeminiThinkingHandler as handler } from './gemini.ts';

const thought = (text: string, thoughtSignature?: string) => ({
  thought: true,
  text,
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});
const text = { text: 'Pier 7' };
const call = { functionCall: { name: 'find_berth', args: {} }, thoughtSignature: 'c2ln' };
const response = (...parts: readonly object[]) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });

describe('GeminiThinkingHandler', () => {
  it('[TH-012] has its id', () => expect(handler.id).toBe('gemini'));

  it('[TH-007] [fp-A2] [fp-A3] gives an empty list for what holds no thought', () => {
    const garbage = [
      null,
      undefined,
      {},
      7,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '',
      'x',
      [],
      [{}],
      [null],
      [[]],
      Symbol('x'),
      () => 1,
      true,
      false,
      { kind: 'gemini' },
      { candidates: 'x' },
      { candidates: [null, 7] },
      { candidates: [{ index: 1, content: { parts: [thought('x')] } }] },
      { candidates: [{ content: { role: 'model' } }] },
      { candidates: [{ content: {} }] },
      { content: null },
      { parts: 'x' },
      [{ thought: true }],
      [{ thought: true, text: 7 }],
      [{ thought: 'true', text: 'x' }],
      [{ thought: true, text: '' }],
      [text, call],
    ];
    for (const raw of garbage) expect(handler.normalize(raw)).toEqual([]);
  });

  it('[TH-004] [TH-013] one block a part, in order, no step of a summary; whatever the parts stand in', () => {
    const parts = [thought('Low'), text, thought('tide', 'c2ln'), call];
    const blocks = [
      { type: 'thinking', content: 'Low' },
      { type: 'thinking', content: 'tide', signature: 'c2ln' },
    ];
    for (const raw of [parts, { parts }, { content: { parts } }, response(...parts)])
      expect(handler.normalize(Object.freeze(raw))).toStrictEqual(blocks);
  });

  it('[TH-002] keeps any signature byte for byte, also beside no text, through any number of JSON round trips', () => {
    const any = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), any)), fc.nat(4), (drawn, rounds) => {
        let raw: unknown = response(...drawn.map(([said, signature]) => thought(said, signature)));
        for (let round = 0; round < rounds; round += 1) raw = JSON.parse(JSON.stringify(raw));
        expect(handler.normalize(raw).map(({ content, signature }) => [content, signature])).toEqual(drawn);
      }),
    );
  });

  it('[TH-010] what the deltas of a stream add up to is what the whole holds', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { maxLength: 3 }), { maxLength: 5 }), (chunks) => {
        const streamed = chunks.map(
          (said) => handler.parseChunk?.(response(...said.map((one) => thought(one)), text))?.thinkingDelta ?? '',
        );
        const whole = handler.normalize(response(...chunks.flat().map((one) => thought(one))));
        expect(streamed.join('')).toBe(whole.map(({ content }) => content).join(''));
      }),
    );
  });

  it('[TH-007] a chunk of anything else adds nothing', () => {
    for (const chunk of [null, undefined, 'x', 7, {}, response(text, call), { error: { message: 'x' } }])
      expect(handler.parseChunk?.(chunk)).toEqual({});
  });
});
