import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenAIThinkingHandler as handler } from './openai.ts';

const summaryStep = (text: string) => ({ type: 'summary_text', text });
const item = (...steps: readonly string[]) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: steps.map(summaryStep),
  encrypted_content: 'gAAA',
});
const block = (content: string) => ({ type: 'thinking', content, summary: true });

describe('OpenAIThinkingHandler', () => {
  it('[TH-012] has its id', () => expect(handler.id).toBe('openai'));

  it('[TH-007] [fp-A2] [fp-A3] gives an empty list for what holds no step', () => {
    const garbage = [
      null,
      undefined,
      {},
      7,
      42,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '',
      [],
      [{}],
      [null],
      [[]],
      Symbol('x'),
      () => 1,
      true,
      false,
      { kind: 'openai' },
      { output: 'x' },
      { output: [null, 7, { type: 'message', content: [{ type: 'output_text', text: 'x' }] }] },
      [{ type: 'summary_text' }],
      [{ type: 'summary_text', text: 1 }],
      [{ type: 'message', text: 'x' }],
      { type: 'reasoning' },
      { type: 'reasoning', summary: 'x', content: 7 },
      { type: 'reasoning', summary: [{ type: 'reasoning', summary: [summaryStep('x')] }] },
    ];
    for (const raw of garbage) expect(handler.normalize(raw)).toEqual([]);
  });

  it('[TH-004] [fp-C] one block a step, in order, each marked as a step; no signature, none redacted', () => {
    expect(handler.normalize('Low tide.')).toEqual([block('Low tide.')]);
    expect(handler.normalize([{ text: 'a' }, { text: 'b' }, { text: 'c' }])).toEqual([block('a'), block('b'), block('c')]);
    expect(handler.normalize(item('a', '', 'b'))).toEqual([block('a'), block('b')]);
    const output = [item('a', 'b'), { type: 'message', content: [] }, item(), item('c')];
    expect(handler.normalize(output)).toEqual([block('a'), block('b'), block('c')]);
    expect(handler.normalize({ object: 'response', output })).toEqual([block('a'), block('b'), block('c')]);
  });

  it('[TH-004] the reasoning itself, of an open-weight server, is no step of a summary', () => {
    const raw = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Low tide.' }] };
    expect(handler.normalize([raw])).toEqual([{ type: 'thinking', content: 'Low tide.' }]);
  });

  it('[fp-A4] [fp-A8] [fp-C] any number of steps, unchanged, through JSON, out of frozen input', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'binary' }), { maxLength: 30 }), (steps) => {
        const raw = Object.freeze(item(...steps));
        const blocks = handler.normalize(raw);
        expect(blocks.map(({ content }) => content)).toEqual(steps);
        expect(blocks.every((one) => one.type === 'thinking' && one.summary === true && one.signature === undefined)).toBe(true);
        expect(JSON.parse(JSON.stringify(blocks))).toEqual(blocks);
      }),
    );
  });

  it('[TH-010] what the deltas of a stream add up to is what the whole holds', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), { maxLength: 5 }), (steps) => {
        const chunks = steps.flatMap((pieces, summary_index) =>
          pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index, delta })),
        );
        const streamed = chunks.map((chunk) => handler.parseChunk?.(chunk)?.thinkingDelta ?? '').join('');
        const whole = handler.normalize(item(...steps.map((pieces) => pieces.join(''))));
        expect(streamed).toBe(whole.map(({ content }) => content).join(''));
      }),
    );
  });

  it('[TH-007] a chunk of anything else adds nothing', () => {
    for (const chunk of [
      null,
      undefined,
      'x',
      7,
      {},
      { type: 'response.output_text.delta', delta: 'x' },
      { type: 'response.reasoning_text.delta', delta: 7 },
    ])
      expect(handler.parseChunk?.(chunk)).toEqual({});
    expect(handler.parseChunk?.({ type: 'response.reasoning_text.delta', delta: 'x' })).toEqual({ thinkingDelta: 'x' });
  });
});
