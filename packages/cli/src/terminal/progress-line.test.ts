import type { Usage } from '@vouch/contracts';
import { manualClock } from '@vouch/contracts/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgressLine, durationText } from './progress-line.ts';

const usage = (inputTokens: number, outputTokens: number, reported = true): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  reported,
});
const done = (succeeded = true, tokens: Usage = usage(0, 0)): { readonly succeeded: boolean; readonly usage: Usage } => ({
  succeeded,
  usage: tokens,
});

describe('the line', () => {
  it('says how far the run is, at which pace, and how long it will take', async () => {
    const clock = manualClock();
    const line = createProgressLine(1_000, { clock, money: () => '0.45 EUR', pausedUntilMs: () => clock.now() + 41_200 });
    for (let document = 0; document < 100; document += 1) {
      await clock.advance(600);
      line.tick(done(document % 50 !== 0, usage(1_234, 98)));
    }
    expect(line.text(200)).toBe(
      '===--------------------------- 100/1000 documents · 2 failed · 100/min · 123k tokens in, 9.8k out · 0.45 EUR · about 9 min left · paused for 42 s',
    );
    expect(line.text(100)).toBe('100/1000 · 2 failed · 100/min · 0.45 EUR · about 9 min left · paused for 42 s');
    expect(line.text(59)).toBe('100/1000 · 2 failed · about 9 min left · paused for 42 s');
  });

  it('never is wider than it may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(300),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.tuple(fc.nat(90_000), fc.boolean(), fc.nat(10_000_000)), { maxLength: 30 }),
        async (columns, total, documents) => {
          const clock = manualClock();
          const line = createProgressLine(total, { clock, money: () => '123456.78 EUR for 12345 of 123456 documents' });
          for (const [ms, succeeded, tokens] of documents) {
            await clock.advance(ms);
            line.tick(done(succeeded, usage(tokens, tokens, succeeded)));
            expect(line.text(columns).length).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });

  it('does not guess a pace or a time left before it has seen enough', async () => {
    const clock = manualClock();
    const line = createProgressLine(10, { clock });
    const ticks = async (count: number, ms: number): Promise<string> => {
      for (let tick = 0; tick < count; tick += 1) {
        await clock.advance(ms);
        line.tick(done());
      }
      return line.text(44).replace(/^[=-]* /, '');
    };
    expect(await ticks(4, 2_000)).toBe('4/10 documents · 0 failed');
    expect(await ticks(1, 2_000)).toBe('5/10 · 0 failed · 30/min · about 10 s left');
    const quick = createProgressLine(10, { clock });
    for (let tick = 0; tick < 9; tick += 1) quick.tick(done());
    expect(quick.text(26)).toBe('9/10 documents · 0 failed');
  });

  it('counts documents of an earlier run as done, but not into the pace', async () => {
    const clock = manualClock();
    const line = createProgressLine(1_000, { clock });
    line.skip(900);
    for (let tick = 0; tick < 10; tick += 1) {
      await clock.advance(6_000);
      line.tick(done());
    }
    expect(line.text(60)).toBe('910/1000 documents · 0 failed · 10/min · about 9 min left');
  });

  it('follows the pace of late, and has none after a long silence', async () => {
    const clock = manualClock();
    const line = createProgressLine(10_000, { clock });
    const ticks = async (count: number, ms: number): Promise<string> => {
      for (let tick = 0; tick < count; tick += 1) {
        await clock.advance(ms);
        line.tick(done());
      }
      return line.text(70);
    };
    expect(await ticks(100, 100)).toContain('600/min');
    expect(await ticks(300, 1_000)).toContain('60/min');
    await clock.advance(600_000);
    expect(line.text(70)).toBe(`${'='.repeat(1)}${'-'.repeat(29)} 400/10000 documents · 0 failed`);
  });

  it('[SG-036] never adds estimated tokens to reported ones', () => {
    const line = createProgressLine(3, { clock: manualClock() });
    line.tick(done(true, usage(70, 7, false)));
    expect(line.text(100)).toContain('about 70 tokens in, 7 out');
    line.tick(done(true, usage(1_000, 20)));
    expect(line.text(100)).toContain('about 1.0k tokens in, 20 out');
  });

  it('shows no money where there is none to show', () => {
    const line = createProgressLine(3, { clock: manualClock(), money: () => undefined });
    expect(line.text(100)).toMatch(/0\/3 documents · 0 failed$/);
  });
});

it.each([
  [-5, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [59_001, '1 min'],
  [3_540_000, '59 min'],
  [3_540_001, '1 h'],
  [6_180_000, '1 h 43 min'],
  [86_400_000, '1 d'],
  [100_000_000, '1 d 3 h'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
