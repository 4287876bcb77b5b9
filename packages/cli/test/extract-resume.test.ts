import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completion, type FakeServer, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, type Ran, vouch } from './support/run-vouch.ts';

const schema = '{"type":"object","properties":{"pier":{"type":"integer"}},"required":["pier"],"additionalProperties":false}';
const files = { 'schema.json': schema, 'a.txt': 'Pier: 1', 'b.txt': 'Pier: 2', 'c.txt': 'Pier: 3' };

/** Answers with the number in the document; a document with the word "broken" gets no JSON. */
const readsPiers = (): Promise<FakeServer> =>
  fakeServer((response, _request, body) => {
    const number = /Pier: (\d+)/.exec(body)?.[1];
    sendJson(response, 200, completion(body.includes('broken') ? 'I see no pier.' : `{"pier": ${number}}`));
  });

interface Place {
  readonly cwd: string;
  readonly server: FakeServer;
  run(...rest: readonly string[]): Promise<Ran>;
  lines(name?: string): Promise<readonly Record<string, unknown>[]>;
}

async function place(more: { readonly [name: string]: string } = {}): Promise<Place> {
  const server = await readsPiers();
  const cwd = await directoryOf({ ...files, ...more });
  return {
    cwd,
    server,
    run: (...rest) =>
      vouch(
        ['extract', '--schema', 'schema.json', '--base-url', server.baseUrl, '--model', 'm', '--retries', '0', '--out', 'o.jsonl', ...rest],
        { cwd },
      ),
    lines: async (name = 'o.jsonl') => jsonLines(await readFile(join(cwd, name), 'utf8')),
  };
}

const piers = (lines: readonly Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(lines.map((line) => [line.path, (line.value as { pier: number } | undefined)?.pier]));

describe('going on', () => {
  it('asks only about documents that are not done, and keeps the lines of the others', async () => {
    const { run, lines, server } = await place();
    expect((await run('a.txt', 'b.txt')).code).toBe(0);
    const before = await lines();
    const again = await run('b.txt', 'c.txt');
    expect(again.code).toBe(0);
    expect(server.requests).toHaveLength(3);
    expect((await lines()).slice(0, 2)).toEqual(before);
    expect(piers(await lines())).toEqual({ 'a.txt': 1, 'b.txt': 2, 'c.txt': 3 });
    expect(again.stderr).toContain('1 document · 1 value · 0 failures · 1 done before');
  });

  it('a run of what is done asks nothing, changes nothing, and leaves nothing beside the file', async () => {
    const { run, cwd, server } = await place();
    await run('a.txt', 'b.txt');
    const before = await readFile(join(cwd, 'o.jsonl'));
    const again = await run('a.txt', 'b.txt');
    expect(again.code).toBe(0);
    expect(server.requests).toHaveLength(2);
    expect(await readFile(join(cwd, 'o.jsonl'))).toEqual(before);
    expect((await readdir(cwd)).filter((name) => name.startsWith('o.'))).toEqual(['o.jsonl']);
  });

  it.each<readonly [string, { readonly [name: string]: string }, readonly string[]]>([
    ['another schema', { 'schema.json': schema.replace('"integer"', '"number"') }, []],
    ['another document', { 'a.txt': 'Pier: 1, and so on' }, []],
    ['another model', {}, ['--model', 'n']],
    ['another grade', {}, ['--accept', 'exact']],
    ['another instruction', {}, ['--instruction', 'The pier.']],
    ['another seed', {}, ['--seed', '7']],
    ['another bound of the answer', {}, ['--max-output-tokens', '500']],
  ])('%s is another question', async (_title, change, rest) => {
    const { run, server, cwd, lines } = await place();
    await run('a.txt');
    await Promise.all(Object.entries(change).map(([name, text]) => writeFile(join(cwd, name), text)));
    const again = await run('a.txt', ...rest);
    expect(again.code).toBe(0);
    expect(server.requests).toHaveLength(2);
    expect(await lines()).toHaveLength(1);
    expect(await lines('o.jsonl.replaced.jsonl')).toHaveLength(1);
  });

  it.each<readonly [string, { readonly [name: string]: string }, readonly string[]]>([
    [
      'the order of the schema members',
      { 'schema.json': '{"additionalProperties":false,"required":["pier"],"properties":{"pier":{"type":"integer"}},"type":"object"}' },
      [],
    ],
    ['the time limit', {}, ['--timeout', '60']],
    ['the concurrency', {}, ['--concurrency', '1']],
  ])('%s is the same question', async (_title, change, rest) => {
    const { run, server, cwd } = await place();
    await run('a.txt');
    await Promise.all(Object.entries(change).map(([name, text]) => writeFile(join(cwd, name), text)));
    expect((await run('a.txt', ...rest)).code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('another address is another question, its query is not', async () => {
    const { run, server } = await place();
    await run('a.txt');
    await run('a.txt', '--base-url', `${server.baseUrl}?key=sk-canary-1`);
    expect(server.requests).toHaveLength(1);
    const other = await readsPiers();
    await run('a.txt', '--base-url', other.baseUrl);
    expect(other.requests).toHaveLength(1);
  });

  it('a document that failed is left, until it is asked for', async () => {
    const { run, server, lines, cwd } = await place({ 'd.txt': 'broken' });
    expect((await run('a.txt', 'd.txt')).code).toBe(1);
    const again = await run('a.txt', 'd.txt');
    expect(again.code).toBe(1);
    expect(server.requests).toHaveLength(2);
    expect(again.stderr).toContain('2 done before (1 failed: --retry failed asks again)');
    expect((await run('--retry', 'failed', 'a.txt', 'd.txt')).code).toBe(1);
    expect(server.requests).toHaveLength(3);
    expect((await lines()).map((line) => line.path).sort()).toEqual(['a.txt', 'd.txt']);
    // A failure that is replaced held no value.
    expect(await readdir(cwd)).not.toContain('o.jsonl.replaced.jsonl');
  });

  it('a document that cannot be read takes no value away', async () => {
    const { run, lines, cwd } = await place();
    await run('a.txt');
    await writeFile(join(cwd, 'a.txt'), '');
    expect((await run('a.txt')).code).toBe(1);
    expect(piers(await lines())).toEqual({ 'a.txt': 1 });
  });

  it('what was never sent is asked about in the next run', async () => {
    const { run, lines, cwd } = await place();
    const refusing = await fakeServer((response) => sendJson(response, 401, '{"error":{"message":"no such key"}}'));
    const argv = ['--base-url', refusing.baseUrl, '--concurrency', '1', 'a.txt', 'b.txt', 'c.txt'];
    expect((await run(...argv)).code).toBe(1);
    expect(refusing.requests).toHaveLength(1);
    expect((await lines()).map((line) => line.key === undefined)).toEqual([false, true, true]);
    await run(...argv);
    // The first is sent again, and finds the same.
    expect(refusing.requests).toHaveLength(2);
    expect(await readdir(cwd)).not.toContain('o.jsonl.lock');
  });

  it.each<readonly [string, (response: ServerResponse) => void]>([
    ['the wrong key', (response) => sendJson(response, 401, '{"error":{"message":"no such key"}}')],
    ['a used-up quota', (response) => sendJson(response, 429, '{"error":{"message":"no quota","code":"insufficient_quota"}}')],
    ['a broken connection', (response) => response.destroy()],
  ])('%s says nothing about a document: the next run asks again, without an option', async (_title, refuse) => {
    let isRefused = true;
    const server = await fakeServer((response) => (isRefused ? refuse(response) : sendJson(response, 200, completion('{"pier": 5}'))));
    const { run, lines } = await place();
    expect((await run('--base-url', server.baseUrl, 'a.txt')).code).toBe(1);
    const [line] = await lines();
    expect(line).toMatchObject({ key: expect.any(String), failure: { kind: 'provider' } });
    isRefused = false;
    expect((await run('--base-url', server.baseUrl, 'a.txt')).code).toBe(0);
    expect(piers(await lines())).toEqual({ 'a.txt': 5 });
  });

  it('a request that the provider refuses for what is in it is left, until it is asked for', async () => {
    const server = await fakeServer((response) => sendJson(response, 400, '{"error":{"message":"this text is not allowed"}}'));
    const { run } = await place();
    await run('--base-url', server.baseUrl, 'a.txt');
    await run('--base-url', server.baseUrl, 'a.txt');
    expect(server.requests).toHaveLength(1);
    await run('--base-url', server.baseUrl, '--retry', 'failed', 'a.txt');
    expect(server.requests).toHaveLength(2);
  });

  it('what the provider refused takes no value away', async () => {
    const { run, lines, cwd } = await place();
    await run('a.txt');
    const before = await lines();
    const refusing = await fakeServer((response) => sendJson(response, 401, '{"error":{"message":"no such key"}}'));
    expect((await run('--base-url', refusing.baseUrl, 'a.txt')).code).toBe(1);
    expect(await lines()).toEqual(before);
    expect(await readdir(cwd)).not.toContain('o.jsonl.replaced.jsonl');
  });

  it('a document that is named twice, in whatever spelling, is done once', async () => {
    const { run, lines, server, cwd } = await place();
    const ran = await run('a.txt', './a.txt', join(cwd, 'a.txt'));
    expect(ran.code).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect((await lines()).map((line) => line.path)).toEqual(['a.txt']);
  });

  it('lines of a time before keys are ours, and are asked about again', async () => {
    const { run, lines, cwd } = await place();
    await writeFile(join(cwd, 'o.jsonl'), '{"path":"a.txt","value":{"pier":9},"model":"m","usage":{}}\n');
    expect((await run('a.txt')).code).toBe(0);
    expect(piers(await lines())).toEqual({ 'a.txt': 1 });
    expect(piers(await lines('o.jsonl.replaced.jsonl'))).toEqual({ 'a.txt': 9 });
  });

  it('stdout is not gone on with', async () => {
    const { cwd, server } = await place();
    const argv = ['extract', '--schema', 'schema.json', '--base-url', server.baseUrl, '--model', 'm', 'a.txt'];
    const first = await vouch(argv, { cwd });
    expect((await vouch(argv, { cwd })).stdout).toBe(first.stdout);
    expect(server.requests).toHaveLength(2);
    expect(jsonLines(first.stdout)[0]).toHaveProperty('key');
  });

  it('--json counts what was done before', async () => {
    const { run } = await place();
    await run('a.txt');
    const ran = await run('--json', 'a.txt', 'b.txt');
    expect(jsonLines(ran.stderr)).toMatchObject([
      { summary: { documents: 1, values: 1, resumed: 1, resumedFailures: 0, retried: 0, unfinished: 0 } },
    ]);
  });
});

describe('starting afresh', () => {
  it('--overwrite discards what the file holds, even what is not ours', async () => {
    const { run, lines, cwd, server } = await place();
    await writeFile(join(cwd, 'o.jsonl'), 'name;pier\n');
    expect((await run('a.txt')).code).toBe(2);
    expect((await run('--overwrite', 'a.txt')).code).toBe(0);
    expect((await run('--overwrite', 'b.txt')).code).toBe(0);
    expect(piers(await lines())).toEqual({ 'b.txt': 2 });
    expect(server.requests).toHaveLength(2);
  });

  it('values that are replaced over several runs are all kept', async () => {
    const { run, lines, cwd } = await place();
    for (const number of [1, 2, 3]) {
      await writeFile(join(cwd, 'a.txt'), `Pier: ${number}`);
      await run('a.txt');
    }
    expect((await lines('o.jsonl.replaced.jsonl')).map((line) => line.value)).toEqual([{ pier: 1 }, { pier: 2 }]);
    expect(piers(await lines())).toEqual({ 'a.txt': 3 });
  });
});

describe('wrong use', () => {
  it.each([
    [['--overwrite'], '--overwrite needs --out FILE'],
    [['--retry', 'failed'], '--retry needs --out FILE'],
    [['--retry', 'all', '--out', 'o.jsonl'], 'failed'],
    [['--overwrite', '--retry', 'failed', '--out', 'o.jsonl'], 'contradict each other'],
  ])('%j: exit 2, and no file is made', async (rest, says) => {
    const cwd = await directoryOf(files);
    const ran = await vouch(['extract', '--schema', 'schema.json', ...rest, 'a.txt'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(isPlain(ran.stderr)).toBe(true);
    expect(await readdir(cwd)).not.toContain('o.jsonl');
  });
});
