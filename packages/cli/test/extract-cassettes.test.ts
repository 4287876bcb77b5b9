import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { completion, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, vouch } from './support/run-vouch.ts';

const files = {
  'schema.json': '{"type":"object","properties":{"pier":{"type":"integer"}},"required":["pier"]}',
  'a.txt': 'Pier: 1',
  'b.txt': 'Pier: 2',
};
const canary = 'sk-canary-5f1e0d';

const readsPiers = () =>
  fakeServer((response, request, body) =>
    sendJson(response, 200, completion(`{"pier": ${/Pier: (\d+)/.exec(body)?.[1]}}`), { 'x-echo': request.headers.authorization ?? '' }),
  );
const argv = (...rest: readonly string[]): readonly string[] => ['extract', '--schema', 'schema.json', ...rest];

async function noNetwork<T>(work: () => Promise<T>): Promise<T> {
  const fetch = vi.fn(() => Promise.reject(new Error('the network was used')));
  vi.stubGlobal('fetch', fetch);
  try {
    return await work();
  } finally {
    expect(fetch).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  }
}

describe('recording and replaying', () => {
  it('[SG-101] a recorded run is replayed without key and network, line for line, and no key is in the files', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf(files);
    const run = argv('--base-url', baseUrl, '--model', 'm');
    const recorded = await vouch([...run, '--record', 'tapes', 'a.txt', 'b.txt'], { cwd, env: { VOUCH_API_KEY: canary } });
    expect(recorded.code).toBe(0);
    const names = await readdir(join(cwd, 'tapes'));
    expect(names).toHaveLength(2);
    for (const name of names) expect(await readFile(join(cwd, 'tapes', name), 'utf8')).not.toContain(canary);
    const replayed = await noNetwork(() => vouch([...run, '--replay', 'tapes', 'a.txt', 'b.txt'], { cwd }));
    expect(replayed.code).toBe(0);
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it('[SG-101] a placeholder for a key is no secret, and no word of a recording', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf({ ...files, 'a.txt': 'Pier: 1, the latest test' });
    const run = argv('--base-url', baseUrl, '--model', 'm');
    expect((await vouch([...run, '--record', 'tapes', 'a.txt'], { cwd, env: { VOUCH_API_KEY: 'test' } })).code).toBe(0);
    const [name = ''] = await readdir(join(cwd, 'tapes'));
    const tape = await readFile(join(cwd, 'tapes', name), 'utf8');
    expect(tape).toContain('the latest test');
    expect(tape).not.toContain('Bearer test');
    const replayed = await noNetwork(() => vouch([...run, '--replay', 'tapes', 'a.txt'], { cwd }));
    expect(replayed.code).toBe(0);
  });

  it('[SG-101] a miss is a typed failure that names the first difference, and the other documents go on', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf(files);
    const run = argv('--base-url', baseUrl, '--model', 'm');
    await vouch([...run, '--record', 'tapes', 'a.txt', 'b.txt'], { cwd });
    await writeFile(join(cwd, 'a.txt'), 'Pier: 9');
    const ran = await noNetwork(() => vouch([...run, '--replay', 'tapes', '--concurrency', '1', 'a.txt', 'b.txt'], { cwd }));
    expect(ran.code).toBe(1);
    const [first, second] = jsonLines(ran.stdout) as readonly { failure?: { kind: string; message: string }; value?: unknown }[];
    expect(first?.failure?.kind).toBe('provider');
    expect(first?.failure?.message).toMatch(/messages\/\d+\/content/);
    expect(second?.value).toEqual({ pier: 2 });
    expect(ran.stderr).toContain('record what is missing');
    expect(ran.stderr).toContain('1 of the recorded answers in tapes was not asked for');
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it.each([
    ['a provider of the registry whose key is not set', ['--model', 'groq/x']],
    ['the reader of the lab, which is not started', []],
  ])('%s is replayed as well', async (_title, model) => {
    const cwd = await directoryOf(files);
    const env = { GROQ_API_KEY: canary };
    if (model.length > 0)
      vi.stubGlobal('fetch', async () => new Response(completion('{"pier": 1}'), { headers: { 'content-type': 'application/json' } }));
    const recorded = await vouch(argv(...model, '--record', 'tapes', 'a.txt'), { cwd, env });
    vi.unstubAllGlobals();
    expect(recorded.code).toBe(0);
    const replayed = await noNetwork(() => vouch(argv(...model, '--replay', 'tapes', 'a.txt'), { cwd }));
    expect(replayed.code).toBe(0);
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it('recording goes on in the same directory, beside what is there', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf(files);
    const run = argv('--base-url', baseUrl, '--model', 'm', '--record', 'tapes', '--out', 'o.jsonl');
    await vouch([...run, 'a.txt'], { cwd });
    await vouch([...run, 'a.txt', 'b.txt'], { cwd });
    expect(await readdir(join(cwd, 'tapes'))).toHaveLength(2);
  });

  it.each([
    [['--record', 'x', '--replay', 'y'], 'contradict each other'],
    [['--replay', 'nowhere'], 'there is no such directory'],
    [['--replay', 'tapes'], '--replay tapes'],
    [['--record', 'a.txt'], '--record a.txt'],
    [['--replay', ''], '--replay is empty'],
  ])('%j: exit 2 and one line', async (rest, says) => {
    const cwd = await directoryOf({ ...files });
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(cwd, 'tapes'));
    await writeFile(join(cwd, 'tapes', '0001.json'), '{"half": ');
    const ran = await vouch(argv(...rest, 'a.txt'), { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(isPlain(ran.stderr)).toBe(true);
  });
});

describe('money', () => {
  it('--prices: both reports tell what the tokens cost', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf({
      ...files,
      'prices.json': '{"currency":"EUR","models":{"m":{"inputPerMillion":1000,"outputPerMillion":4000}}}',
    });
    const run = argv('--base-url', baseUrl, '--model', 'm', '--prices', 'prices.json', 'a.txt', 'b.txt');
    // 10 tokens in and 5 out for each document.
    expect((await vouch(run, { cwd })).stderr).toContain('20 tokens in, 10 out · 0.060 EUR');
    const [{ summary } = {}] = jsonLines((await vouch([...run, '--json'], { cwd })).stderr) as readonly { summary?: { cost: unknown } }[];
    expect(summary?.cost).toEqual({ cost: { amount: 0.06, currency: 'EUR' }, counted: 2, documents: 2 });
  });

  it('a model without a price is said, and no number is made up', async () => {
    const { baseUrl } = await readsPiers();
    const cwd = await directoryOf({
      ...files,
      'prices.json': '{"currency":"EUR","models":{"n":{"inputPerMillion":1,"outputPerMillion":1}}}',
    });
    const ran = await vouch(argv('--base-url', baseUrl, '--model', 'm', '--prices', 'prices.json', 'a.txt'), { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^vouch: the prices name n, but not m: what it costs will not be known\n/);
    expect(ran.stderr).toContain('cost unknown');
  });

  it('prices that cannot be read: exit 2 before anything is sent', async () => {
    const { baseUrl, requests } = await readsPiers();
    const cwd = await directoryOf({
      ...files,
      'prices.json': '{"currency":"EUR","models":{"m":{"inputPerMillion":-1,"outputPerMillion":1}}}',
    });
    const run = (...rest: readonly string[]) =>
      vouch(argv('--base-url', baseUrl, '--model', 'm', '--prices', 'prices.json', ...rest, 'a.txt'), { cwd });
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('/models/m/inputPerMillion') });
    expect(await run('--out', 'prices.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('would overwrite prices.json') });
    expect(requests).toHaveLength(0);
  });
});
