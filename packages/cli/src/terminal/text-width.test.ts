import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endWithin, startWithin, textWidth } from './text-width.ts';

describe('the width of text', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['發票', 4],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['🚀', 2],
    ['❤️', 2],
    ['👨‍👩‍👧', 6],
    ['…·–', 3],
  ])('of %j is %i columns', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('a beginning or an end is as long as fits, and cuts no character', () => {
    expect(startWithin('發票abc', 5)).toBe('發票a');
    expect(startWithin('發票abc', 3)).toBe('發');
    expect(endWithin('abc發票', 5)).toBe('c發票');
    expect(endWithin('abc🚀🚀', 3)).toBe('🚀');
    expect(endWithin(`🚀${'a'.repeat(5)}`, 3)).toBe('aaa');
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat({ max: 30 }), (given, columns) => {
        const [start, end] = [startWithin(given, columns), endWithin(given, columns)];
        expect(given.startsWith(start)).toBe(true);
        expect(given.endsWith(end)).toBe(true);
        expect(textWidth(start)).toBeLessThanOrEqual(columns);
        expect(textWidth(end)).toBeLessThanOrEqual(columns);
        // Half a surrogate pair would become another character.
        for (const part of [start, end]) expect(Buffer.from(part).toString()).toBe(part);
      }),
    );
  });
});
