import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundMessage, boundText, previewValue, textLimits } from './bounded-text.ts';
import { sha256 } from './sha256.ts';

const mark = /… \[(\d+) more characters, sha256 ([0-9a-f]{64})\]$/;
const isWhole = (text: string): boolean => !/[\ud800-\udbff]$/.test(text);

describe('bounded text', () => {
  it('[SG-086] the limits are those that the documents state', () => {
    expect(textLimits).toEqual({ message: 500, evidence: 4_000, preview: 200 });
  });

  it('[SG-086] a text within the limit stays as it is, without a digest', () => {
    expect(boundText('pier', 4)).toEqual({ text: 'pier', length: 4 });
    expect(boundText('', 0)).toEqual({ text: '', length: 0 });
  });

  it('[SG-086] a longer text is cut, and says how many more there were and the digest of the whole', () => {
    const text = 'berth'.repeat(100);
    const { text: shown, length, sha256: digest } = boundText(text, 7);
    expect(shown).toBe(`berthbe… [493 more characters, sha256 ${sha256(text)}]`);
    expect(length).toBe(500);
    expect(digest).toBe(sha256(text));
  });

  it('[SG-086] never shows more of any text than the limit, never half a character, and always adds up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 0, max: 60 }), (text, limit) => {
        const bound = boundText(text, limit);
        if (text.length <= limit) return bound.text === text && bound.sha256 === undefined;
        const cut = mark.exec(bound.text);
        const shown = bound.text.slice(0, cut?.index);
        return (
          shown.length <= limit &&
          text.startsWith(shown) &&
          (shown === '' || isWhole(shown)) &&
          shown.length + Number(cut?.[1]) === text.length &&
          cut?.[2] === sha256(text)
        );
      }),
    );
    expect(boundText('ab\u{1f6a2}cd', 3).text.startsWith('ab…')).toBe(true);
  });

  it('[SG-086] a message is cut at 500 characters', () => {
    expect(boundMessage('a'.repeat(500))).toBe('a'.repeat(500));
    expect(boundMessage('a'.repeat(501))).toMatch(/^a{500}… \[1 more characters/);
  });

  it('[SG-086] a preview shows at most 200 characters of any value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), (value) => {
        const shown = previewValue(value);
        const cut = mark.exec(shown);
        return shown.slice(0, cut?.index).length <= textLimits.preview;
      }),
    );
  });

  it('[SG-086] a preview says what JSON cannot say, and does not print a long list', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(previewValue(undefined)).toBe('nothing');
    expect(previewValue(1n)).toBe('bigint');
    expect(previewValue(circle)).toBe('object');
    expect(previewValue(() => 1)).toBe('function');
    expect(previewValue(Array.from({ length: 51 }, () => 1))).toBe('an array of 51');
    expect(previewValue([1, 2])).toBe('[1,2]');
    expect(previewValue('a "quoted" word')).toBe('"a \\"quoted\\" word"');
    expect(previewValue('x'.repeat(2_000))).toMatch(/^x{200}… \[1800 more characters/);
  });

  it('[SG-086] a preview of a value too deep to be written is its kind', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(previewValue(deep)).toBe('object');
  });
});
