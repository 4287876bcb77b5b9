import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReasoningDetailsThinkingHandler as handler } from './reasoning-details.ts';

const text = { type: 'reasoning.text', text: 'low tide', signature: 'c2ln', format: 'unknown', index: 0 };
const summary = { type: 'reasoning.summary', summary: 'Two piers are free.', index: 1 };
const encrypted = { type: 'reasoning.encrypted', data: 'b3Bh', id: 'r1', index: 2 };
const response = (message: object): object => ({ choices: [{ index: 0, message }] });
const chunk = (delta: object): object => ({ choices: [{ index: 0, delta }] });

const blocks = [
  { type: 'thinking', content: 'low tide', signature: 'c2ln' },
  { type: 'thinking', content: 'Two piers are free.', summary: true },
  { type: 'redacted_thinking', content: '', signature: 'b3Bh' },
];

describe('ReasoningDetailsThinkingHandler', () => {
  it('[TH-012] [TH-001] [TH-004] one block an entry, in order, signatures and data as they are', () => {
    expect(handler.id).toBe('reasoning-details');
    const details = [text, summary, encrypted];
    for (const raw of [response({ reasoning: 'low tide', reasoning_details: details }), { reasoning_details: details }, details])
      expect(handler.normalize(raw)).toStrictEqual(blocks);
  });

  it('[TH-012] joins the fragments of an entry, also where the signature comes by itself', () => {
    const fragments = [
      { type: 'reasoning.text', text: 'low ', index: 0 },
      { type: 'reasoning.text', text: 'tide', index: 0 },
      { type: 'reasoning.text', signature: 'c2ln', index: 0 },
    ];
    expect(handler.normalize(fragments)).toStrictEqual([blocks[0]]);
    const deltas = fragments.map((entry) => handler.parseChunk?.(chunk({ reasoning: entry.text ?? null, reasoning_details: [entry] })));
    expect(deltas).toEqual([{ thinkingDelta: 'low ' }, { thinkingDelta: 'tide' }, {}]);
  });

  it('keeps a signature without text, and reads the reasoning beside a list that is empty or missing', () => {
    expect(handler.normalize([{ type: 'reasoning.text', text: '', signature: 'c2ln' }])).toEqual([
      { type: 'thinking', content: '', signature: 'c2ln' },
    ]);
    for (const message of [{ reasoning: 'low tide' }, { reasoning: 'low tide', reasoning_details: [] }]) {
      expect(handler.normalize(response(message))).toEqual([{ type: 'thinking', content: 'low tide' }]);
      expect(handler.parseChunk?.(chunk(message))).toEqual({ thinkingDelta: 'low tide' });
    }
  });

  it('[TH-007] of anything at all it gives a list, and never throws', () => {
    for (const raw of [
      null,
      undefined,
      7,
      '',
      'x',
      {},
      [],
      [null],
      [{}],
      [{ type: 'reasoning.text' }],
      response({ reasoning_details: 'x' }),
    ])
      expect(handler.normalize(raw)).toEqual(raw === 'x' ? [{ type: 'thinking', content: 'x' }] : []);
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        for (const given of [raw, [raw], response({ reasoning_details: [raw, raw] })]) {
          expect(Array.isArray(handler.normalize(given))).toBe(true);
          expect(typeof handler.parseChunk?.(given)).toBe('object');
        }
      }),
    );
  });

  it('[TH-002] any signature and any data, any cutting of the text: the same bytes', () => {
    const any = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.record({ pieces: fc.array(any), seal: any, hidden: fc.boolean() })), (entries) => {
        const fragments = entries.flatMap(({ pieces, seal, hidden }, index): readonly object[] =>
          hidden
            ? [{ type: 'reasoning.encrypted', data: seal, index }]
            : [
                ...pieces.map((piece) => ({ type: 'reasoning.text', text: piece, index })),
                { type: 'reasoning.text', signature: seal, index },
              ],
        );
        const read = handler.normalize(fragments);
        expect(read.map(({ signature }) => signature)).toEqual(entries.map(({ seal }) => seal));
        expect(read.map(({ content }) => content)).toEqual(entries.map(({ pieces, hidden }) => (hidden ? '' : pieces.join(''))));
        const added = fragments.map((entry) => handler.parseChunk?.(chunk({ reasoning_details: [entry] }))?.thinkingDelta ?? '');
        expect(added.join('')).toBe(read.map(({ content }) => content).join(''));
      }),
    );
  });
});
