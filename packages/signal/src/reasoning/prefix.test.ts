import type { JsonObject, JsonValue } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyPrefix, extendByBlock, extendByValue, extendPrefix, type PrefixState, prefixStamp } from './prefix.ts';

const stampOf = (texts: readonly string[]): string => prefixStamp(texts.reduce(extendPrefix, emptyPrefix));
const stampOfBlocks = (blocks: readonly JsonObject[], role = 'user'): string =>
  prefixStamp(blocks.reduce<PrefixState>((state, block) => extendByBlock(state, role, block), emptyPrefix));

describe('the digest of a prefix', () => {
  it('[fp-L] is the same for the same texts, and another for any other: in a letter, an order, or where one text ends', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, texts, (some, others) => {
        expect(stampOf(some)).toMatch(/^[0-9a-f]{16}$/);
        expect(stampOf(some) === stampOf(others)).toBe(JSON.stringify(some) === JSON.stringify(others));
      }),
      { numRuns: 2_000 },
    );
    expect(new Set([stampOf(['ab', 'c']), stampOf(['a', 'bc']), stampOf(['abc']), stampOf(['c', 'ab']), stampOf(['abc', ''])]).size).toBe(
      5,
    );
  });

  it('meets nowhere among three hundred thousand texts, where 32 bits would', () => {
    const stamps = new Set(Array.from({ length: 300_000 }, (_, at) => stampOf([`Pier ${Math.sin(at)}`])));
    expect(stamps.size).toBe(300_000);
  });

  it('[fp-L] takes equal values as equal in whatever order their members stand', () => {
    const withOrder = (value: JsonValue, turned: boolean): JsonValue => {
      if (Array.isArray(value)) return value.map((one: JsonValue) => withOrder(one, turned));
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value as JsonObject).map(([name, inner]) => [name, withOrder(inner, turned)] as const);
      return Object.fromEntries(turned ? members.toReversed() : members);
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = value as JsonValue;
        expect(extendByValue(emptyPrefix, withOrder(json, true))).toEqual(extendByValue(emptyPrefix, json));
      }),
    );
    expect(extendByValue(emptyPrefix, [1, 2])).not.toEqual(extendByValue(emptyPrefix, [2, 1]));
  });

  it('[fp-L] takes no note of thinking, of empty texts, and of what stands beside a text or a call', () => {
    const text = { type: 'text', text: 'Low.' };
    const call = { type: 'tool_use', id: 'a', name: 'find_berth', input: { pier: 7 } };
    const plain = stampOfBlocks([text, call]);
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const hidden = { type: 'redacted_thinking', data: 'b3Bh' };
    expect(stampOfBlocks([thinking, text, hidden, { type: 'text', text: '' }, call])).toBe(plain);
    expect(
      stampOfBlocks([
        { ...text, citations: [{}] },
        { ...call, caller: { type: 'direct' } },
      ]),
    ).toBe(plain);
    for (const other of [
      { ...call, id: 'b' },
      { ...call, name: 'other' },
      { ...call, input: { pier: 8 } },
    ])
      expect(stampOfBlocks([text, other])).not.toBe(plain);
    expect(stampOfBlocks([text, call], 'assistant')).not.toBe(plain);
    expect(stampOfBlocks([{ type: 'text', text: 'a\uD800' }])).toBe(stampOfBlocks([{ type: 'text', text: 'a\uFFFD' }]));
  });

  it('bears values that are nested deeper than any encoder goes', () => {
    let deep: JsonValue = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(() => extendByValue(emptyPrefix, deep)).not.toThrow();
  });
});
