import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completion } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines } from './support/run-vouch.ts';
import { vouchInVirtualTime } from './support/virtual-time.ts';

const schema = '{"type":"object","properties":{"pier":{"type":"integer"}},"required":["pier"]}';
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${index}.txt`);
const documents = (count: number): { readonly [name: string]: string } => ({
  'schema.json': schema,
  ...Object.fromEntries(names(count).map((name, index) => [name, `Pier: ${index}.`])),
});
const argv = (...rest: readonly string[]): readonly string[] => [
  'extract',
  '--schema',
  'schema.json',
  '--base-url',
  'http://provider.example/v1',
  '--model',
  'm',
  ...rest,
];

const json = (status: number, body: string, headers: { readonly [name: string]: string } = {}): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
const found = (body: string): Response => json(200, completion(`{"pier": ${/Pier: (\d+)/.exec(body)?.[1]}}`));
const tooMany = (headers: { readonly [name: string]: string } = {}): Response =>
  json(429, JSON.stringify({ error: { message: 'Rate limit reached', type: 'rate_limit_error' } }), headers);
const minute = 60_000;

describe('a provider that is busy', () => {
  it('for a while: every document is put back and done, in the order of the documents', async () => {
    const cwd = await directoryOf(documents(12));
    const ran = await vouchInVirtualTime(argv('--json', ...names(12)), ({ body, atMs }) => (atMs < 3 * minute ? tooMany() : found(body)), {
      cwd,
    });
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout).map(({ path }) => path)).toEqual(names(12));
    const [{ summary } = {}] = jsonLines(ran.stderr) as readonly { summary?: { retried: number; paused: number; values: number } }[];
    expect(summary?.values).toBe(12);
    expect(summary?.retried).toBeGreaterThan(0);
    expect(summary?.paused).toBeGreaterThan(0);
  });

  it('stdin can be read once: what was put back is asked about with its text', async () => {
    const cwd = await directoryOf(documents(0));
    const ran = await vouchInVirtualTime(argv('-'), ({ body, atMs }) => (atMs < 3 * minute ? tooMany() : found(body)), {
      cwd,
      stdin: ['Pier: 7.'],
    });
    expect(ran.stderr).toContain('put back');
    expect([ran.code, jsonLines(ran.stdout)]).toMatchObject([0, [{ path: '-', value: { pier: 7 } }]]);
  });

  it('tokens of an answer whose correction found it busy are counted with its document', async () => {
    const cwd = await directoryOf(documents(1));
    let answers = 0;
    const ran = await vouchInVirtualTime(
      argv('--json', '0.txt'),
      ({ body, atMs }) => {
        if (answers > 0 && atMs < 3 * minute) return tooMany();
        answers += 1;
        return answers === 1 ? json(200, completion('{"pier": "none"}')) : found(body);
      },
      { cwd },
    );
    const usage = { inputTokens: 10 * answers, outputTokens: 5 * answers, totalTokens: 15 * answers, reported: true };
    expect(answers).toBeGreaterThan(1);
    expect([ran.code, jsonLines(ran.stdout)]).toMatchObject([0, [{ value: { pier: 0 }, usage }]]);
    expect(jsonLines(ran.stderr)).toMatchObject([{ summary: { values: 1, usage } }]);
  });

  it('nobody asks while the provider wants to be left alone', async () => {
    const cwd = await directoryOf(documents(20));
    const refusedAt: number[] = [];
    const ran = await vouchInVirtualTime(
      argv('--concurrency', '8', '--out', 'o.jsonl', ...names(20)),
      ({ body, atMs }) => {
        if (atMs >= (refusedAt[0] ?? 0) + 2 * minute && refusedAt.length > 0) return found(body);
        refusedAt.push(atMs);
        return tooMany({ 'retry-after': '40' });
      },
      { cwd },
    );
    expect(ran.code).toBe(0);
    // Requests that were under way at once are refused together; the next come 40 s later.
    const bursts = [...new Set(refusedAt)];
    expect(bursts.length).toBeGreaterThan(1);
    for (const [index, at] of bursts.entries()) expect(at - (bursts[index - 1] ?? at - 40_000)).toBeGreaterThanOrEqual(40_000);
    expect(jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8'))).toHaveLength(20);
    expect(ran.stderr.split('\n').filter((line) => line.includes('wants no requests'))).toEqual([
      'vouch: the provider wants no requests for 40 s; every document waits',
    ]);
  });

  it('many documents wait together without a warning of the runtime', async () => {
    const cwd = await directoryOf(documents(64));
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const ran = await vouchInVirtualTime(
      argv('--concurrency', '64', ...names(64)),
      ({ body, atMs }) => (atMs < minute ? tooMany({ 'retry-after': '60' }) : found(body)),
      { cwd },
    );
    expect(ran.code).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('a provider that asks for a second each time, for minutes: the run does not give up within seconds', async () => {
    const cwd = await directoryOf(documents(6));
    const ran = await vouchInVirtualTime(
      argv(...names(6)),
      ({ body, atMs }) => (atMs < 3 * minute ? tooMany({ 'retry-after': '1' }) : found(body)),
      { cwd },
    );
    expect([ran.code, jsonLines(ran.stdout).length]).toEqual([0, 6]);
    expect(ran.stderr).toContain('6 values');
  });

  it('overloaded without a word of how long: waited for as well', async () => {
    const cwd = await directoryOf(documents(5));
    const ran = await vouchInVirtualTime(
      argv('--out', 'o.jsonl', ...names(5)),
      ({ body, atMs }) => (atMs < 4 * minute ? json(503, '{"error":{"message":"Overloaded"}}') : found(body)),
      { cwd },
    );
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('5 documents · 5 values');
    expect(ran.requests.length).toBeLessThan(200);
  });

  it('for ever: given up within a bound, the rest not sent, and the next run asks about it', async () => {
    const cwd = await directoryOf(documents(40));
    const ran = await vouchInVirtualTime(argv('--out', 'o.jsonl', ...names(40)), () => tooMany(), { cwd });
    expect(ran.code).toBe(1);
    expect(ran.tookMs).toBeGreaterThan(5 * minute);
    expect(ran.tookMs).toBeLessThan(90 * minute);
    expect(ran.requests.length).toBeLessThan(150);
    expect(ran.stderr.split('\n').filter((line) => line.includes('lower --concurrency'))).toHaveLength(1);
    expect(isPlain(ran.stderr)).toBe(true);
    const lines = jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8'));
    expect(lines).toHaveLength(40);
    expect(lines.every((line) => (line.failure as unknown as { cause: string }).cause === 'rate_limit')).toBe(true);
    const unsent = lines.filter((line) => line.key === undefined);
    expect(unsent.length).toBeGreaterThan(30);
    const again = await vouchInVirtualTime(argv('--out', 'o.jsonl', ...names(40)), ({ body }) => found(body), { cwd });
    expect(again.stderr).toContain('40 documents · 40 values');
  });

  it('a storm of 429: one line for all documents', async () => {
    const cwd = await directoryOf(documents(3));
    const ran = await vouchInVirtualTime(argv(...names(3)), () => tooMany({ 'retry-after': '0' }), { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout).map((line) => line.failure)).toMatchObject(Array(3).fill({ kind: 'provider', cause: 'rate_limit' }));
    expect(ran.stderr.split('\n').filter((line) => line.includes('lower --concurrency'))).toHaveLength(1);
  });

  it('for one document alone: the others are done first, then that one is given up', async () => {
    const cwd = await directoryOf(documents(6));
    const ran = await vouchInVirtualTime(
      argv('--concurrency', '1', '--out', 'o.jsonl', ...names(6)),
      ({ body }) => (body.includes('Pier: 0.') ? tooMany() : found(body)),
      { cwd },
    );
    expect(ran.code).toBe(1);
    const lines = jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8'));
    expect(lines.map(({ path }) => path)).toEqual(['1.txt', '2.txt', '3.txt', '4.txt', '5.txt', '0.txt']);
    expect(lines.filter((line) => line.value !== undefined)).toHaveLength(5);
    expect(lines.at(-1)?.failure).toMatchObject({ cause: 'rate_limit' });
  });

  it('Ctrl-C ends a pause at once', async () => {
    const cwd = await directoryOf(documents(3));
    const interrupt = new AbortController();
    const ran = await vouchInVirtualTime(
      argv('--out', 'o.jsonl', ...names(3)),
      () => {
        setImmediate(() => interrupt.abort());
        return tooMany({ 'retry-after': '3000' });
      },
      { cwd, signal: interrupt.signal },
    );
    expect(ran.code).toBe(130);
    // Far below the 3,000 s that the provider asked for: the clock of this test runs on while files are written.
    expect(ran.tookMs).toBeLessThan(600_000);
    expect(ran.stderr).toContain('the same command goes on where this one stopped');
    expect(await readFile(join(cwd, 'o.jsonl'), 'utf8')).toBe('');
  });
});

describe('a quota that is used up', () => {
  it('ends the run at once: waiting would not help', async () => {
    const cwd = await directoryOf(documents(10));
    const quota = JSON.stringify({
      error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
    });
    const ran = await vouchInVirtualTime(argv('--concurrency', '1', '--out', 'o.jsonl', ...names(10)), () => json(429, quota), { cwd });
    expect(ran.code).toBe(1);
    expect(ran.requests).toHaveLength(1);
    expect(ran.stderr).toContain('the quota is used up');
  });
});
