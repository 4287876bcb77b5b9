import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnthropicThinkingHandler as handler } from './anthropic.ts';

const text = { type: 'text', text: 'Pier 7' };
const call = { type: 'tool_use', id: 'toolu_1', name: 'find_berth', input: {} };
const thought = (thinking: string, signature?: string) => ({
  type: 'thinking',
  thinking,
  ...(signature === undefined ? {} : { signature }),
});
const hidden = (data: string) => ({ type: 'redacted_thinking', data });

describe('AnthropicThinkingHandler', () => {
  it('[TH-012] has its id', () => expect(handler.id).toBe('anthropic'));

  it('[TH-007] [fp-A2] [fp-A3] [fp-B1] [fp-B2] gives an empty list for what holds no block', () => {
    const garbage = [
      null,
      undefined,
      {},
      7,
      Number.NaN,
      Infinity,
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
      { kind: 'anthropic' },
      { content: 'x' },
      [{ type: 'thinking' }],
      [{ type: 'thinking', thinking: 1 }],
      [{ type: 'redacted_thinking' }],
      [{ type: 'redacted_thinking', data: null }],
    ];
    for (const raw of garbage) expect(handler.normalize(raw)).toEqual([]);
  });

  it('[TH-001] [TH-004] [fp-B3] [fp-B4] [fp-B5] [fp-B15] keeps text and signature, and adds nothing', () => {
    expect(handler.normalize([thought('tide low', 'c2ln')])).toStrictEqual([{ type: 'thinking', content: 'tide low', signature: 'c2ln' }]);
    expect(handler.normalize([thought('tide low')])).toStrictEqual([{ type: 'thinking', content: 'tide low' }]);
    expect(handler.normalize([hidden('b3Bh')])).toStrictEqual([{ type: 'redacted_thinking', content: '', signature: 'b3Bh' }]);
    expect(handler.normalize([thought('', 'c2ln')])).toStrictEqual([{ type: 'thinking', content: '', signature: 'c2ln' }]);
  });

  it('[TH-013] [fp-A8] [fp-B6] [fp-B7] [fp-B10] [fp-B14] takes thinking alone, in order, and changes nothing of its input', () => {
    expect(handler.normalize([text, call])).toEqual([]);
    const content = Object.freeze(
      [thought('a', '1'), text, thought('b', '2'), call, thought('c', '3')].map((block) => Object.freeze(block)),
    );
    expect(handler.normalize(Object.freeze({ content })).map((block) => block.content)).toEqual(['a', 'b', 'c']);
    expect(handler.normalize([thought('a'), call, thought('b')])).toHaveLength(2);
  });

  it('[TH-010] [fp-B8] [fp-B9] reads thinking deltas alone', () => {
    expect(handler.parseChunk?.({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'low' } })).toEqual({
      thinkingDelta: 'low',
    });
    for (const chunk of [{ delta: { type: 'text_delta', text: 'x' } }, { delta: { type: 'thinking_delta' } }, {}, null, undefined, 7])
      expect(handler.parseChunk?.(chunk)).toEqual({});
  });

  it('[TH-002] [fp-B11] [fp-B12] [fp-B13] keeps any signature and any mix, through any number of JSON round trips', () => {
    const any = fc.string({ unit: 'binary' });
    const block = fc.oneof(
      fc.constant(text),
      fc.constant(call),
      fc.tuple(any, any).map(([a, b]) => thought(a, b)),
      any.map(hidden),
    );
    fc.assert(
      fc.property(fc.array(block), fc.nat(4), (content, rounds) => {
        let source: unknown = content;
        for (let round = 0; round < rounds; round += 1) source = JSON.parse(JSON.stringify(source));
        const expected = content.flatMap((one) => ('data' in one ? [one.data] : 'signature' in one ? [one.signature] : []));
        expect(handler.normalize(source).map((one) => one.signature)).toEqual(expected);
      }),
    );
  });
});
