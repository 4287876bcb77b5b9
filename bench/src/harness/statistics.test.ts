import { describe, expect, it } from 'vitest';
import { measureBench } from './measure.mjs';
import { finalVerdict, quantile, roundRatios, spreadOf, verdictOf } from './statistics.mjs';
import { benchTable, formatValue } from './table.mjs';

describe('statistics', () => {
  it('takes quantiles between two numbers in proportion', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
    expect(quantile([7], 0.9)).toBe(7);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  it('gives median and quartiles in any order of the numbers', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
  });

  it('one disturbed round moves the median of the ratios little', () => {
    // Both subjects slow down together in the third round.
    const ratios = roundRatios([2, 2, 40, 2], [1, 1, 20, 1]);
    expect(spreadOf(ratios)).toEqual({ median: 2, low: 2, high: 2 });
    expect(() => roundRatios([1], [])).toThrow(RangeError);
  });

  it('is unsure while the limit lies between the quartiles, and lets the median decide at the end', () => {
    const spread = { median: 1.9, low: 1.5, high: 2.2 };
    expect([2.2, 2, 1.4].map((limit) => verdictOf(spread, limit))).toEqual(['ok', 'unsure', 'over']);
    expect([2, 1.8].map((limit) => finalVerdict(spread, limit))).toEqual(['ok', 'over']);
    expect(verdictOf(spread, undefined)).toBe('ok');
  });
});

const sampled = (name: string, values: readonly number[], turns: string[]) => {
  let turn = 0;
  return {
    name,
    unit: 'bytes' as const,
    sample: () => {
      turns.push(name);
      turn += 1;
      return values[(turn - 1) % values.length] ?? Number.NaN;
    },
  };
};

describe('measureBench', () => {
  const options = { rounds: 2, milliseconds: 1 };

  it('alternates the subjects in every round, and compares within the round', async () => {
    const turns: string[] = [];
    const subjects = [sampled('a', [2, 20], turns), sampled('b', [1, 10], turns)];
    const result = await measureBench({ name: 'x', title: 't', subjects, ratios: [{ of: 'a', to: 'b', limit: 2 }] }, options);
    expect(turns).toEqual(['a', 'b', 'a', 'b']);
    expect(result.ratios[0]).toMatchObject({ ratio: { median: 2, low: 2, high: 2 }, verdict: 'ok' });
  });

  it('takes more rounds while it is unsure, four times as many at most', async () => {
    const turns: string[] = [];
    const subjects = [sampled('a', [1, 3], turns), sampled('b', [1], turns)];
    const result = await measureBench({ name: 'x', title: 't', subjects, ratios: [{ of: 'a', to: 'b', limit: 1.9 }] }, options);
    expect(result.rounds).toBe(8);
    expect(result.ratios[0]).toMatchObject({ ratio: { median: 2 }, verdict: 'over' });
  });

  it('refuses a ratio of a subject that is not there, before any turn', async () => {
    const turns: string[] = [];
    const bench = { name: 'x', title: 't', subjects: [sampled('a', [1], turns)], ratios: [{ of: 'a', to: 'c' }] };
    await expect(measureBench(bench, options)).rejects.toThrow('no subject c');
    expect(turns).toEqual([]);
  });

  it('runs work that gives a value and work that gives a promise', async () => {
    let ends = 0;
    const slow = async (): Promise<void> => {
      await Promise.resolve();
      ends += 1;
    };
    const subjects = [
      { name: 'now', run: () => 1 },
      { name: 'later', run: slow },
    ];
    const result = await measureBench({ name: 'x', title: 't', subjects, ratios: [] }, { rounds: 1, milliseconds: 1 });
    expect(ends).toBeGreaterThan(0);
    expect(result.subjects.map(({ unit }) => unit)).toEqual(['ns', 'ns']);
  });
});

describe('tables', () => {
  it('writes numbers in their largest unit', () => {
    expect(formatValue(1_234_000, 'ns')).toBe('1.23 ms');
    expect(formatValue(2_048, 'bytes')).toBe('2.00 KiB');
    expect(formatValue(0.5, 'ns')).toBe('0.500 ns');
  });

  it('shows a ratio with its spread, its limit and the verdict', () => {
    const ratio = { median: 2.5, low: 2.25, high: 3 };
    const rows = [{ of: 'a', to: 'b', ratio, limit: 2, requirement: 'SG-100', verdict: 'over' as const }];
    const table = benchTable({ name: 'x', title: 't', rounds: 3, subjects: [], ratios: rows });
    for (const shown of ['a / b', '2.50', '2.25 – 3.00', '2 (SG-100)', 'over']) expect(table).toContain(shown);
  });
});
