import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesWithin } from './text-lines.ts';
import { textWidth } from './text-width.ts';

it('breaks behind spaces and hyphens, and cuts only what stands behind the last line', () => {
  expect(linesWithin('fence-and-prose', 20, 3)).toEqual(['fence-and-prose']);
  expect(linesWithin('invoice-north-light-studio', 14, 3)).toEqual(['invoice-north-', 'light-studio']);
  expect(linesWithin('one two three', 7, 3)).toEqual(['one two', 'three']);
  expect(linesWithin('aaaaaaaaaa', 4, 3)).toEqual(['aaaa', 'aaaa', 'aa']);
  expect(linesWithin('one two three four', 5, 2)).toEqual(['one', 'two …']);
  expect(linesWithin('', 5, 2)).toEqual([]);
});

it('is never wider or higher than asked, and loses no character that has room', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 20 }), (text, columns) => {
      const lines = linesWithin(text, columns, 3);
      expect(lines.length).toBeLessThanOrEqual(3);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
