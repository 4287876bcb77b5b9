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
  it('[TH-012] [TH-007] has its id, lowercase, and answers at once', () => {
    expect(handler.id).toBe('anthropic');
    expect(handler.normalize([thought('a', '1')])).toBeInstanceOf(Array);
    expect(handler.parseChunk?.({})).not.toHaveProperty('then');
  });

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

  it('[fp-A8] [fp-B6] [fp-B7] [fp-B10] [fp-B14] takes thinking alone, in the order of the response, and changes nothing of its input', () => {
    expect(handler.normalize([text, call])).toEqual([]);
    const content = Object.freeze(
      [thought('a', '1'), text, thought('b', '2'), call, thought('c', '3')].map((block) => Object.freeze(block)),
    );
    expect(handler.normalize(Object.freeze({ content })).map((block) => block.content)).toEqual(['a', 'b', 'c']);
    expect(handler.normalize([thought('a'), call, thought('b')])).toHaveLength(2);
  });

  it('[fp-B8] [fp-B9] reads thinking deltas alone', () => {
    expect(handler.parseChunk?.({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'low' } })).toEqual({
      thinkingDelta: 'low',
    });
    const others = [
      { delta: { type: 'text_delta', text: 'x' } },
      { delta: { type: 'signature_delta', signature: 'x' } },
      { delta: { type: 'thinking_delta' } },
      { delta: null },
      {},
      null,
      undefined,
      7,
    ];
    for (const chunk of others) expect(handler.parseChunk?.(chunk)).toEqual({});
  });

  it('[TH-010] what the deltas of a stream add up to is what the whole holds', () => {
    const pieces = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(pieces, fc.string())), (blocks) => {
        const chunks = blocks.flatMap(([thinking, signature], index) => [
          { type: 'content_block_start', index, content_block: thought('', '') },
          ...thinking.map((piece) => ({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: piece } })),
          { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } },
          { type: 'content_block_stop', index },
        ]);
        const streamed = chunks.map((chunk) => handler.parseChunk?.(chunk)?.thinkingDelta ?? '').join('');
        const whole = handler.normalize({ content: blocks.map(([thinking, signature]) => thought(thinking.join(''), signature)) });
        expect(streamed).toBe(whole.map(({ content }) => content).join(''));
      }),
    );
  });

  it.each(['Er+8/w==', '=+/=', 'tail   ', ' lead', 'a\nb\r\n\tc', 'é 🚀 漢字', '\u0000\u001f', '"\\"', ''])(
    '[fp-B12] [fp-B13] %j: the same bytes through five readings and JSON, as a signature and as redacted data',
    (signature) => {
      let source: unknown = [thought('tide', signature), hidden(signature)];
      for (let cycle = 0; cycle < 5; cycle += 1) {
        const blocks = JSON.parse(JSON.stringify(handler.normalize(source))) as ReturnType<typeof handler.normalize>;
        for (const block of blocks) expect(Buffer.compare(Buffer.from(block.signature ?? '?'), Buffer.from(signature))).toBe(0);
        expect(blocks).toHaveLength(2);
        source = blocks.map((block) =>
          block.type === 'thinking' ? thought(block.content, block.signature) : hidden(block.signature ?? '?'),
        );
      }
    },
  );

  it('[fp-A4] [fp-B11] of any mix of blocks, as many as there is thinking, each of one of the two types', () => {
    const any = fc.string({ unit: 'binary' });
    const block = fc.oneof(
      fc.constant(text),
      fc.constant(call),
      fc.tuple(any, any).map(([a, b]) => thought(a, b)),
      any.map(hidden),
    );
    fc.assert(
      fc.property(fc.array(block), (content) => {
        const expected = content.flatMap((one) => ('data' in one ? [one.data] : 'signature' in one ? [one.signature] : []));
        const blocks = handler.normalize(content);
        expect(blocks.map((one) => one.signature)).toEqual(expected);
        for (const one of blocks) {
          expect(['thinking', 'redacted_thinking']).toContain(one.type);
          expect(typeof one.content).toBe('string');
          expect(one).not.toHaveProperty('summary');
          expect(one).not.toHaveProperty('providerMeta');
        }
      }),
    );
  });
});
