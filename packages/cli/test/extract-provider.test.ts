import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { completion, deadAddress, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, vouch } from './support/run-vouch.ts';

const files = {
  'schema.json': '{"type":"object","properties":{"pier":{"type":"integer"}},"required":["pier"],"additionalProperties":false}',
  'a.txt': 'Pier: 7',
  'b.txt': 'Pier: 8',
  'c.txt': 'Pier: 9',
};
const canary = 'sk-canary-5f1e0d';

const extract = (baseUrl: string, ...rest: readonly string[]) => [
  'extract',
  '--schema',
  'schema.json',
  '--base-url',
  baseUrl,
  '--model',
  'm',
  ...rest,
];

describe('providers that do not answer as they should', () => {
  it('an unreachable server: one line that names the address', async () => {
    const cwd = await directoryOf(files);
    const baseUrl = await deadAddress();
    const ran = await vouch(extract(baseUrl, '--concurrency', '1', 'a.txt'), { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toMatchObject([{ failure: { kind: 'provider', cause: 'transport' } }]);
    expect(ran.stderr.split('\n').filter((line) => line.startsWith('vouch: a.txt:'))).toHaveLength(1);
    expect(ran.stderr).toContain(`check that ${baseUrl} is running and reachable`);
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it('a server that nobody ever reached is not tried for every document', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    const cwd = await directoryOf({ ...files, ...Object.fromEntries(names.map((name) => [name, 'Pier: 7'])) });
    const ran = await vouch(extract(await deadAddress(), '--concurrency', '2', ...names), { cwd });
    expect(ran.code).toBe(1);
    const failures = jsonLines(ran.stdout).map((line) => line.failure as unknown as { cause: string; message: string });
    expect(failures).toHaveLength(30);
    expect(failures.filter(({ message }) => message.startsWith('Not sent')).length).toBeGreaterThanOrEqual(27);
    expect(failures.every(({ cause }) => cause === 'transport')).toBe(true);
  });

  it('a timeout gives the time limit as the thing to change, and keeps the document out of its line', async () => {
    const cwd = await directoryOf(files);
    const { baseUrl } = await fakeServer(() => undefined);
    const ran = await vouch(extract(baseUrl, '--timeout', '1', 'a.txt'), { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toMatchObject([{ failure: { kind: 'timeout' } }]);
    expect(ran.stdout).not.toContain('Pier: 7');
    expect(ran.stderr).toContain('raise --timeout');
  });

  it('[SG-038] a wrong key: one line, no further request, and the key in no output', async () => {
    const cwd = await directoryOf(files);
    const server = await fakeServer((response) =>
      sendJson(
        response,
        401,
        JSON.stringify({
          error: { message: `Incorrect API key provided: ${canary}.`, type: 'invalid_request_error', code: 'invalid_api_key' },
        }),
      ),
    );
    const ran = await vouch(extract(server.baseUrl, '--concurrency', '1', 'a.txt', 'b.txt', 'c.txt'), {
      cwd,
      env: { VOUCH_API_KEY: canary },
    });
    expect(ran.code).toBe(1);
    expect(server.requests.map((request) => request.authorization)).toEqual([`Bearer ${canary}`]);
    expect(jsonLines(ran.stdout).map((line) => line.failure)).toMatchObject(Array(3).fill({ kind: 'provider', cause: 'auth' }));
    expect(ran.stderr).toContain('check the key in VOUCH_API_KEY or OPENAI_API_KEY');
    expect(ran.stdout + ran.stderr).not.toContain(canary);
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it.each([
    ['a web page', 'text/html', '<!doctype html><title>Sign in</title>'],
    ['half a body', 'application/json', '{"id":"c1","choices":[{"index":0,'],
    ['nothing', 'application/json', ''],
  ])('%s instead of JSON: one line, no stack', async (_title, type, body) => {
    const cwd = await directoryOf(files);
    const { baseUrl } = await fakeServer((response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(body);
    });
    const ran = await vouch(extract(baseUrl, 'a.txt'), { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)[0]).toHaveProperty('failure');
    expect(ran.stderr.split('\n').filter((line) => line.startsWith('vouch: a.txt:'))).toHaveLength(1);
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it('a model name that the server does not know: the advice names both culprits', async () => {
    const cwd = await directoryOf(files);
    const { baseUrl } = await fakeServer((response) =>
      sendJson(response, 404, JSON.stringify({ error: { message: 'The model `m` does not exist' } })),
    );
    const ran = await vouch(extract(baseUrl, 'a.txt'), { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('The model `m` does not exist');
    expect(ran.stderr).toContain('check');
  });

  it('an answer cut at its limit is a truncated failure, never a value', async () => {
    const cwd = await directoryOf(files);
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": 7', 'length')));
    const ran = await vouch(extract(baseUrl, '--retries', '0', 'a.txt'), { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toMatchObject([{ failure: { kind: 'truncated' } }]);
    expect(ran.stderr).toContain('raise --max-output-tokens');
  });
});

describe('interruption', () => {
  it('Ctrl-C: whole lines of what is done, exit 130', async () => {
    const cwd = await directoryOf(files);
    const interrupt = new AbortController();
    const { baseUrl } = await fakeServer((response, _request, body) => {
      if (body.includes('Pier: 7')) sendJson(response, 200, completion('{"pier": 7}'));
      // The others are never answered.
    });
    const ran = await vouch(extract(baseUrl, '--concurrency', '2', 'a.txt', 'b.txt', 'c.txt'), {
      cwd,
      signal: interrupt.signal,
      onStdout: () => interrupt.abort(),
    });
    expect(ran.code).toBe(130);
    expect(ran.stdout.endsWith('\n')).toBe(true);
    expect(jsonLines(ran.stdout)).toMatchObject([{ path: 'a.txt', value: { pier: 7 } }]);
    expect(ran.stderr).toContain('interrupted with 2 unfinished');
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it('a reader that goes away (EPIPE) ends the run quietly', async () => {
    const cwd = await directoryOf(files);
    const server = await fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));
    const closing = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const ran = await vouch(extract(server.baseUrl, '--concurrency', '1', 'a.txt', 'b.txt', 'c.txt'), { cwd, stdout: closing });
    expect(ran.code).toBe(0);
    expect(server.requests.length).toBeLessThan(3);
    expect(isPlain(ran.stderr)).toBe(true);
  });
});

describe('without a model', () => {
  it('the lab reader answers, and every place says that it is no language model', async () => {
    const cwd = await directoryOf(files);
    const ran = await vouch(['extract', '--schema', 'schema.json', 'a.txt'], { cwd });
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout)).toMatchObject([{ value: { pier: 7 }, model: 'lab-reader (not a language model)' }]);
    expect(ran.stderr).toContain('not a language model');
  });
});

describe('progress', () => {
  it('shows a bar on a terminal only, and none with NO_COLOR', async () => {
    const cwd = await directoryOf(files);
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));
    const argv = extract(baseUrl, 'a.txt', 'b.txt', 'c.txt');
    const terminal = { stdout: false, stderr: true };
    expect((await vouch(argv, { cwd, isTTY: terminal })).stderr).toContain('/3 documents');
    expect((await vouch(argv, { cwd, isTTY: terminal, env: { NO_COLOR: '1' } })).stderr).not.toContain('\u001b');
    expect((await vouch(argv, { cwd })).stderr).not.toContain('\u001b');
  });
});
