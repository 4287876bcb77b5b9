import { describe, expect, it } from 'vitest';
import { toPlainJson } from './plain-json.ts';

describe('toPlainJson', () => {
  it.each([
    ['plain', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['a date', new Date('2026-11-30T10:00:00Z'), '2026-11-30T10:00:00.000Z'],
    ['a bigint', { big: 12345678901234567890n }, { big: '12345678901234567890' }],
    ['an absent member', { here: 1, absent: undefined }, { here: 1 }],
    ['a key __proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ])('%s is kept', (_title, value, expected) => {
    expect(toPlainJson(value)).toEqual({ ok: true, value: expected });
  });

  it.each([
    [{ a: { b: Number.NaN } }, '/a/b', 'NaN'],
    [[new Map()], '/0', 'a Map'],
    [{ when: new Date('never') }, '/when', 'an invalid date'],
    [{ call: () => 1 }, '/call', 'function'],
    [undefined, '', 'undefined'],
  ])('refuses what JSON would quietly change: %o', (value, path, what) => {
    expect(toPlainJson(value)).toEqual({ ok: false, path, what });
  });

  it('ends on a value that contains itself', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(toPlainJson(circle).ok).toBe(false);
  });
});
