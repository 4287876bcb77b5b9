import { makeFailure } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { judge, summarise } from './verdict.ts';

describe('judge', () => {
  const failure = makeFailure('truncated', { message: 'cut' });

  it('a value is right only when it equals the known answer deeply', () => {
    expect(judge({ value: { total: 5, lines: [{ a: 1 }] } }, { lines: [{ a: 1 }], total: 5 }, true)).toBe('right');
    expect(judge({ value: { total: 5, lines: [{ a: 2 }] } }, { total: 5, lines: [{ a: 1 }] }, true)).toBe('silently-wrong');
    expect(judge({ value: { total: '5' } }, { total: 5 }, true)).toBe('silently-wrong');
  });

  it('a value is silently wrong also where the damage was expected to destroy it', () => {
    expect(judge({ value: { total: 4 } }, { total: 5 }, false)).toBe('silently-wrong');
  });

  it('a failure is missed where something could have been recovered', () => {
    expect(judge({ failure }, { total: 5 }, true)).toBe('missed');
    expect(judge({ failure }, { total: 5 }, false)).toBe('typed-failure');
  });
});

it('summarise names first members, list lengths and the last number', () => {
  expect(summarise({ id: 'A-1', who: 'Ann', lines: [{}, {}], net: 4, total: 5 })).toBe('A-1 · Ann · 2 lines · total 5');
});
