import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MockThinkingHandler as handler, mockSignedThinking, mockSummarisedThinking } from './mock.ts';

describe('MockThinkingHandler', () => {
  it('[TH-012] [TH-001] reads signed blocks, redacted ones with their data', () => {
    expect(handler.id).toBe('mock');
    const raw = mockSignedThinking([
      { content: 'low tide', signature: 'c2ln' },
      { content: 'seen', signature: 'b3Bh', redacted: true },
      { content: 'unsigned' },
    ]);
    expect(handler.normalize(raw)).toStrictEqual([
      { type: 'thinking', content: 'low tide', signature: 'c2ln' },
      { type: 'redacted_thinking', content: '', signature: 'b3Bh' },
      { type: 'thinking', content: 'unsigned' },
    ]);
    expect(JSON.stringify(raw)).not.toContain('seen');
  });

  it('[TH-012] [TH-004] reads the steps of a summary', () => {
    expect(handler.normalize(mockSummarisedThinking(['Look.', 'Choose.']))).toStrictEqual([
      { type: 'thinking', content: 'Look.', summary: true },
      { type: 'thinking', content: 'Choose.', summary: true },
    ]);
  });

  it('reads the delta of a chunk', () => {
    expect(handler.parseChunk?.({ thinkingDelta: 'low' })).toEqual({ thinkingDelta: 'low' });
    for (const chunk of [null, {}, { thinkingDelta: 7 }, 'low']) expect(handler.parseChunk?.(chunk)).toEqual({});
  });

  it('[TH-007] of anything at all it gives a list, and never throws', () => {
    const raws = [
      null,
      undefined,
      'x',
      [],
      {},
      { kind: 'anthropic' },
      { kind: 'openai', summarySteps: [7, ''] },
      { kind: 'anthropic', blocks: [{}] },
    ];
    for (const raw of raws) expect(handler.normalize(raw)).toEqual([]);
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        for (const given of [raw, { kind: 'anthropic', blocks: raw }, { kind: 'openai', summarySteps: raw }, { kind: raw }])
          expect(Array.isArray(handler.normalize(given))).toBe(true);
      }),
    );
  });

  it('[TH-002] any texts and signatures: as many blocks, the same bytes, through JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))), (pairs) => {
        const raw = mockSignedThinking(pairs.map(([content, signature]) => ({ content, signature })));
        const blocks = handler.normalize(JSON.parse(JSON.stringify(raw)));
        expect(blocks.map(({ content, signature }) => [content, signature])).toEqual(pairs);
      }),
    );
  });
});
