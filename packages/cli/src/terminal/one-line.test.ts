import { expect, it } from 'vitest';
import { cellText, oneLine } from './one-line.ts';

it('no text can move the cursor, colour, reverse or break a line', () => {
  expect(oneLine('a\u001b[2J\u0007b\r\nc\u202ed\u2028e\u009bf')).toBe('a [2J b c d e f');
});

it('[SG-086] a long text is cut with how much more there was', () => {
  expect(oneLine('x'.repeat(600), 100)).toMatch(/^x{100}… \[500 more characters, sha256 [0-9a-f]{64}\]$/);
});

it('a cell is cut to its width, never inside a surrogate pair', () => {
  expect(cellText('abcdef', 4)).toBe('abc…');
  expect(cellText('ab🚀def', 4)).toBe('ab…');
  expect(cellText('發票號碼', 8)).toBe('發票號碼');
  expect(cellText('發票號碼', 7)).toBe('發票號…');
});
