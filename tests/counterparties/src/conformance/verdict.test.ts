import { faults, pathologies, pathologyById } from '@vouch/lab';
import { describe, expect, it } from 'vitest';
import { thrown } from './client.ts';
import { watchingEscapes } from './escapes.ts';
import { cellOf, runUndisturbed } from './run-all.ts';
import { cases, isCalls } from './scenario.ts';
import { watchStandstills } from './standstill.ts';
import { describeOutcome, judge, type Outcome, type Verdict } from './verdict.ts';

const value = { pier: 7, note: 'low' };
const calls = [
  { name: 'find_berth', args: { pier: 7 } },
  { name: 'find_berth', args: { pier: 8 } },
];
const typed: Outcome = { kind: 'error', typed: true, name: 'APIError', message: 'no' };
const untyped: Outcome = { kind: 'error', typed: false, name: 'SyntaxError', message: 'no' };

describe('the verdict on a planted outcome', () => {
  it.each<readonly [string, Outcome, Verdict, Verdict]>([
    ["the model's value", { kind: 'value', value: { note: 'low', pier: 7 } }, 'right', 'right'],
    ['another value', { kind: 'value', value: { pier: 8, note: 'low' } }, 'wrong', 'wrong'],
    ['a part of the value', { kind: 'value', value: { pier: 7 } }, 'wrong', 'wrong'],
    ['calls where a value was asked for', { kind: 'calls', calls: [] }, 'wrong', 'wrong'],
    ['an empty success', { kind: 'nothing' }, 'wrong', 'wrong'],
    ['a typed failure', typed, 'failed', 'right'],
    ['an untyped exception', untyped, 'crash', 'crash'],
    ['an escaped rejection', { kind: 'escaped', name: 'TypeError', message: 'no' }, 'crash', 'crash'],
    ['no end', { kind: 'hang' }, 'hang', 'hang'],
  ])('%s', (_title, outcome, whenRecoverable, whenNot) => {
    expect(judge(outcome, { value }, 'value')).toBe(whenRecoverable);
    expect(judge(outcome, { value }, 'typed-failure')).toBe(whenNot);
  });

  it.each<readonly [string, Outcome, Verdict]>([
    ["the model's calls", { kind: 'calls', calls: structuredClone(calls) }, 'right'],
    ['a call less', { kind: 'calls', calls: calls.slice(0, 1) }, 'wrong'],
    ['a call twice', { kind: 'calls', calls: [...calls, ...calls.slice(1)] }, 'wrong'],
    ['another order', { kind: 'calls', calls: [...calls].reverse() }, 'wrong'],
    ['arguments as text', { kind: 'calls', calls: [{ name: 'find_berth', args: '{"pier":7}' }, ...calls.slice(1)] }, 'wrong'],
  ])('%s', (_title, outcome, verdict) => {
    expect(judge(outcome, { calls }, 'tool_calls')).toBe(verdict);
  });

  it('of several draws the worst counts, with its share', () => {
    const result = (verdict: Verdict, outcome: Outcome) => ({ verdict, outcome, applied: ['C1'] });
    const right = result('right', { kind: 'value', value });
    const failed = result('failed', typed);
    expect(cellOf([right, failed, right, failed, right])).toMatchObject({
      verdict: 'failed',
      count: 2,
      draws: 5,
      result: failed,
      notShown: 0,
    });
    expect(cellOf([failed, result('wrong', { kind: 'nothing' }), result('hang', { kind: 'hang' })])).toMatchObject({
      verdict: 'wrong',
      count: 1,
    });
    expect(cellOf([{ ...right, applied: [] }, right])).toMatchObject({ verdict: 'right', count: 2, notShown: 1 });
  });

  it('an exception is typed by what the client says of its classes', () => {
    const isTyped = (error: unknown): boolean => error instanceof RangeError;
    expect(thrown(new RangeError('far'), isTyped)).toEqual({ kind: 'error', typed: true, name: 'RangeError', message: 'far' });
    expect(thrown('text', isTyped)).toEqual({ kind: 'error', typed: false, name: 'string', message: 'text' });
  });

  it('descriptions are short and the same on every port', () => {
    const outcome: Outcome = { kind: 'error', typed: true, name: 'A', message: `http://127.0.0.1:4711/v1\n${'x'.repeat(500)}` };
    expect(describeOutcome(outcome)).toMatch(/^A: http:\/\/host\/v1 x{50,}…$/);
    expect(describeOutcome(outcome).length).toBeLessThan(150);
  });
});

describe('what escapes a caller', () => {
  it('is given to the case that made it, among cases side by side', async () => {
    // The test runner has handlers of its own, for which these would be failures.
    const events = ['unhandledRejection', 'uncaughtException'] as const;
    const handlers = events.map((event) => [event, process.rawListeners(event)] as const);
    for (const event of events) process.removeAllListeners(event);
    try {
      const seen = await watchingEscapes((watch) =>
        Promise.all([
          watch(async () => {
            await Promise.resolve();
            void Promise.reject(new TypeError('first'));
            return 1;
          }),
          watch(async () => 2),
          watch(async () => {
            setTimeout(() => {
              throw new RangeError('third');
            }, 1);
            return 3;
          }),
        ]),
      );
      expect(seen).toEqual([
        [1, [{ name: 'TypeError', message: 'first' }]],
        [2, []],
        [3, [{ name: 'RangeError', message: 'third' }]],
      ]);
    } finally {
      for (const [event, listeners] of handlers) for (const listener of listeners) process.on(event, listener as () => void);
    }
  });
});

describe('a process that stood still', () => {
  it('is noticed by its clock, for what began before the pause ended', () => {
    let time = 0;
    const standstills = watchStandstills(500, () => time);
    try {
      time = 400;
      expect(standstills.after(0)).toBe(false);
      time = 1_000;
      expect([standstills.after(0), standstills.after(1_000)]).toEqual([true, false]);
    } finally {
      standstills.stop();
    }
  });

  it('has its case run again, unless that was right, and five times at most', async () => {
    const runs = async (verdicts: readonly Verdict[], stood: boolean): Promise<readonly [Verdict, number]> => {
      let count = 0;
      const { verdict } = await runUndisturbed({ after: () => stood }, async () => {
        const next = verdicts[count] ?? 'hang';
        count += 1;
        return { verdict: next, outcome: { kind: 'hang' }, applied: [] };
      });
      return [verdict, count];
    };
    expect(await runs(['failed', 'right'], true)).toEqual(['right', 2]);
    expect(await runs(['failed', 'right'], false)).toEqual(['failed', 1]);
    expect(await runs(['right', 'failed'], true)).toEqual(['right', 1]);
    expect(await runs([], true)).toEqual(['hang', 5]);
  });
});

describe('the cases', () => {
  it('every pathology of the chat wire and every fault, in each delivery in which it can show', () => {
    const known = [...pathologies.filter(({ apply }) => apply !== undefined), ...faults];
    expect(new Set(cases.map(({ id }) => id))).toEqual(new Set(known.map(({ id }) => id)));
    const deliveries = (id: string): readonly string[] => cases.filter((it) => it.id === id).map(({ delivery }) => delivery);
    expect([deliveries('C10'), deliveries('D22'), deliveries('stall')]).toEqual([['whole', 'parts'], ['parts'], ['whole', 'parts']]);
    for (const it of cases) expect(isCalls(it)).toBe(pathologyById(it.id)?.needs === 'tools');
  });
});
