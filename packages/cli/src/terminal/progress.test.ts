import { PassThrough } from 'node:stream';
import { manualClock } from '@vouch/contracts/testing';
import { describe, expect, it } from 'vitest';
import type { CliIo } from './cli-io.ts';
import { createProgress } from './progress.ts';

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reported: true };
const done = { succeeded: true, usage };

function terminal(columns: number | undefined, env: CliIo['env'] = {}): { readonly io: CliIo; readonly written: () => string } {
  const stderr = new PassThrough();
  if (columns !== undefined) Object.assign(stderr, { isTTY: true, columns });
  const io: CliIo = {
    stdout: new PassThrough(),
    stderr,
    stdin: stderr,
    env,
    cwd: '/',
    isTTY: { stdout: false, stderr: columns !== undefined },
    signal: new AbortController().signal,
  };
  return { io, written: () => String(stderr.read() ?? '') };
}

/** What is left of the text when the terminal has obeyed its escape sequences that clear and move within a line. */
const plain = (text: string): string => text.replaceAll(/\u001b[78]|\u001b\[[0-9;?]*[a-zA-Z]/g, '\r');

describe('on a terminal', () => {
  it.each([60, 80, 120])('draws one line that does not wrap at %d columns, and clears it at the end', (columns) => {
    const { io, written } = terminal(columns);
    const progress = createProgress(1_000, io, false, {
      pausedUntilMs: () => Date.now() + 60_000,
      money: () => '0.45 EUR for 12 of 13 documents',
    });
    progress.skip(100);
    for (let tick = 0; tick < 20; tick += 1) progress.tick(done);
    progress.pause();
    const text = written();
    expect(text).toContain('120/1000');
    for (const line of plain(text).split(/[\r\n]+/)) expect(line.length).toBeLessThan(columns);
    expect(text.endsWith('\u001b[2K')).toBe(true);
    progress.tick(done);
    progress.stop();
    expect(written()).toContain('121/1000');
    expect(text).not.toContain('\u001b[?7l');
  });
});

describe('where no bar can be drawn', () => {
  it.each<[string, number | undefined, CliIo['env']]>([
    ['a log', undefined, {}],
    ['NO_COLOR', 80, { NO_COLOR: '1' }],
    ['TERM=dumb', 80, { TERM: 'dumb' }],
  ])('writes a plain line each minute: %s', async (_title, columns, env) => {
    const clock = manualClock();
    const { io, written } = terminal(columns, env);
    const progress = createProgress(100, io, false, { clock });
    progress.skip(40);
    await clock.advance(59_999);
    progress.tick(done);
    expect(written()).toBe('');
    await clock.advance(1);
    expect(written()).toBe(`vouch: ${'='.repeat(12)}${'-'.repeat(18)} 41/100 documents · 0 failed · 10 tokens in, 5 out\n`);
    for (let tick = 0; tick < 6; tick += 1) progress.tick(done);
    await clock.advance(120_000);
    expect(written().match(/^vouch: [^\n]+ 47\/100 documents .+ about \d+ min left$/gm)).toHaveLength(2);
    progress.stop();
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ['when quiet', 100, true],
    ['for one document', 1, false],
  ])('writes nothing %s', async (_title, total, quiet) => {
    const clock = manualClock();
    const { io, written } = terminal(undefined);
    const progress = createProgress(total, io, quiet, { clock });
    progress.tick(done);
    await clock.advance(600_000);
    expect([written(), clock.pending()]).toEqual(['', 0]);
    progress.stop();
  });
});
