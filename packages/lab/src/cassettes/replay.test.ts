import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@vouch/contracts/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLab } from '../lab.ts';
import { scripted } from '../models/scripted.ts';
import { CassetteError } from './cassette.ts';
import { recordCassettes } from './record.ts';
import { replayCassettes } from './replay.ts';

const address = 'https://provider.example/v1/chat/completions';
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vouch-cassettes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const post = (body: unknown, more: RequestInit = {}): RequestInit => ({ method: 'POST', body: JSON.stringify(body), ...more });

/** Records the answer `answer 1`, `answer 2` … to each body in turn; the names of the files. */
async function record(...bodies: readonly unknown[]): Promise<readonly string[]> {
  let count = 0;
  const fetch = async (): Promise<Response> => {
    count += 1;
    return new Response(`answer ${count}`);
  };
  const recorder = await recordCassettes({ directory, fetch });
  for (const body of bodies) await (await recorder.fetch(address, post(body))).text();
  return (await recorder.done()).recorded;
}

async function missOf(body: unknown): Promise<string> {
  const player = await replayCassettes({ directory });
  const response = await player.fetch(address, post(body));
  expect(response.status).toBe(404);
  expect(response.headers.get('x-should-retry')).toBe('false');
  const { error } = (await response.json()) as { readonly error: { readonly message: string; readonly code: string } };
  expect(error.code).toBe('cassette_miss');
  expect(player.misses()).toEqual([error.message]);
  return error.message;
}

describe('a miss', () => {
  const recorded = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is 2 + 2?' },
    ],
    temperature: 0,
  };
  const changed: readonly (readonly [string, unknown, RegExp])[] = [
    [
      'a text',
      { ...recorded, messages: [recorded.messages[0], { role: 'user', content: 'What is 2 + 3?' }] },
      /at \/body\/messages\/1\/content: recorded "What is 2 \+ 2\?", came "What is 2 \+ 3\?"/,
    ],
    ['a number', { ...recorded, temperature: 1 }, /at \/body\/temperature: recorded 0, came 1/],
    ['a member less', { ...recorded, temperature: undefined }, /at \/body\/temperature: recorded 0, came nothing/],
    ['a member more', { ...recorded, 'a/b~c': true }, /at \/body\/a~1b~0c: recorded nothing, came true/],
    ['another type', { ...recorded, messages: 'What?' }, /at \/body\/messages: recorded a list of 2, came "What\?"/],
    [
      'a message more',
      { ...recorded, messages: [...recorded.messages, { role: 'user', content: 'And?' }] },
      /at \/body\/messages\/2: recorded nothing, came an object with "content, role"/,
    ],
    ['the first of two', { ...recorded, model: 'n', temperature: 1 }, /at \/body\/model: recorded "m", came "n"/],
    [
      'the tenth thousand of a long text',
      { ...recorded, model: `${'x'.repeat(10_000)}y` },
      /at \/body\/model: recorded "m", came "x{60}"…/,
    ],
  ];
  it.each(changed)('[SG-101] names the first difference: %s', async (_name, body, message) => {
    const [, near] = await record({ model: 'far', messages: [] }, recorded);
    const said = await missOf(body);
    expect(said).toMatch(message);
    expect(said).toContain(`Nearest is ${near}`);
    expect(said.length).toBeLessThanOrEqual(600);
  });

  it('[SG-101] tells deep and exact bodies apart, too', async () => {
    const deep = (inner: string): RequestInit => ({ method: 'POST', body: `${'['.repeat(50_000)}${inner}${']'.repeat(50_000)}` });
    const recorder = await recordCassettes({ directory, fetch: async () => new Response('deep') });
    await (await recorder.fetch(address, deep('1'))).text();
    await recorder.done();
    const player = await replayCassettes({ directory });
    expect((await player.fetch(address, deep('2'))).status).toBe(404);
    expect(await (await player.fetch(address, deep('1'))).text()).toBe('deep');
  });

  it('[SG-101] shows the place at which two long texts part', async () => {
    await record({ text: `${'long '.repeat(2_000)}and 1` });
    expect(await missOf({ text: `${'long '.repeat(2_000)}and 2` })).toMatch(/recorded …"[^"]{1,60}and 1", came …"[^"]{1,60}and 2"/);
  });

  it('[SG-101] says that every recorded answer was given', async () => {
    await record(recorded, recorded);
    const player = await replayCassettes({ directory });
    expect(await (await player.fetch(address, post(recorded))).text()).toBe('answer 1');
    expect(player.unused()).toHaveLength(1);
    expect(await (await player.fetch(address, post(recorded))).text()).toBe('answer 2');
    expect((await player.fetch(address, post(recorded))).status).toBe(404);
    expect(player.misses()[0]).toMatch(/all 2 recorded answers to this POST \/v1\/chat\/completions were given already/);
  });

  it('[SG-101] in an empty directory says so', async () => {
    expect(await missOf(recorded)).toContain('holds no cassette');
  });

  it('[SG-101] never reaches the network', async () => {
    const lab = await startLab();
    try {
      const player = await replayCassettes({ directory });
      expect((await player.fetch(`${lab.baseUrl}/models`)).status).toBe(404);
      expect(lab.requests()).toEqual([]);
    } finally {
      await lab.close();
    }
  });
});

describe('the files of a directory', () => {
  async function damaged(change: (text: string) => string): Promise<CassetteError> {
    const [name = ''] = await record({ a: 1 });
    const path = join(directory, name);
    await writeFile(path, change(await readFile(path, 'utf8')));
    const error: unknown = await replayCassettes({ directory }).catch((thrown: unknown) => thrown);
    if (!(error instanceof CassetteError)) throw new Error('it was read');
    expect(error).toMatchObject({ code: 'E_CASSETTE', file: path });
    expect(error.message).toContain(path);
    return error;
  }
  const withMember = (name: string, value: unknown) => (text: string) => JSON.stringify({ ...JSON.parse(text), [name]: value });
  const inResponse = (change: object) => (text: string) => {
    const cassette = JSON.parse(text) as { readonly response: object };
    return JSON.stringify({ ...cassette, response: { ...cassette.response, ...change } });
  };
  const damages: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ['is empty', () => '', /is empty/],
    ['is cut', (text) => text.slice(0, -20), /not whole JSON/],
    ['is foreign JSON', () => '{"a":1}', /no cassette/],
    ['is a JSON list', () => '[]', /no cassette/],
    [
      'is deeper than a stack',
      (text) => text.replace('"request"', `"x": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "request"`),
      /nests deeper/,
    ],
    ['is of a newer version', withMember('version', 2), /has version 2; this version of Vouch reads 1/],
    ['has no request', withMember('request', undefined), /at \/request, expected an object, came nothing/],
    ['has an odd address', withMember('request', { method: 'GET', url: 'there', headers: {} }), /at \/request\/url/],
    ['has an impossible status', inResponse({ status: 99 }), /at \/response\/status/],
    ['has a chunk that is none', inResponse({ chunks: [{ afterMs: 0 }] }), /at \/response\/chunks\/0/],
    ['has a chunk that is two', inResponse({ chunks: [{ afterMs: 0, text: '', base64: '' }] }), /at \/response\/chunks\/0/],
    ['has base64 that is none', inResponse({ chunks: [{ afterMs: 0, base64: '???' }] }), /at \/response\/chunks\/0\/base64/],
    ['has a chunk before its time', inResponse({ chunks: [{ afterMs: -1, text: '' }] }), /at \/response\/chunks\/0\/afterMs/],
    ['has a body where none can be', inResponse({ status: 204 }), /at \/response\/chunks, expected nothing/],
    ['has an ending that nobody knows', inResponse({ ending: { kind: 'maybe' } }), /at \/response\/ending\/kind/],
    ['has headers that HTTP forbids', inResponse({ headers: { 'a b': 'c' } }), /at \/response\/headers/],
  ];
  it.each(damages)('[SG-101] one that %s is refused by name', async (_name, change, message) => {
    expect((await damaged(change)).message).toMatch(message);
  });

  it('[SG-101] every proper beginning of a cassette is refused', async () => {
    const [name = ''] = await record({ a: 1 });
    const whole = await readFile(join(directory, name));
    for (let length = 0; length < whole.length - 1; length += 7) {
      await writeFile(join(directory, name), whole.subarray(0, length));
      await expect(replayCassettes({ directory })).rejects.toThrow(CassetteError);
    }
  });

  it('[SG-101] others are not looked at: notes, dotfiles, folders, unfinished ones', async () => {
    const [name = ''] = await record({ a: 1 });
    await writeFile(join(directory, '.DS_Store'), 'x');
    await writeFile(join(directory, '.hidden.json'), 'x');
    await writeFile(join(directory, 'README.md'), 'x');
    await writeFile(join(directory, 'post-001.json.part'), '{');
    await mkdir(join(directory, 'folder.json'));
    expect((await replayCassettes({ directory })).unused()).toEqual([name]);
  });

  it('[SG-101] an unfinished one that a stopped process left is no answer, and takes no place from the next', async () => {
    const [name = ''] = await record({ a: 1 });
    await rename(join(directory, name), join(directory, `${name}.part`));
    expect(await missOf({ a: 1 })).toContain('holds no cassette');
    const [next = ''] = await record({ a: 1 });
    expect(next).not.toBe(name);
    expect(await (await (await replayCassettes({ directory })).fetch(address, post({ a: 1 }))).text()).toBe('answer 1');
  });

  it('[SG-101] may be renamed: the answer belongs to what the file says', async () => {
    const [name = ''] = await record({ a: 1 });
    await rename(join(directory, name), join(directory, 'the-only-one.json'));
    expect(await (await (await replayCassettes({ directory })).fetch(address, post({ a: 1 }))).text()).toBe('answer 1');
  });

  it('[SG-101] a directory that is not there is refused for replay, and made for a recording', async () => {
    const absent = join(directory, 'a', 'b');
    await expect(replayCassettes({ directory: absent })).rejects.toMatchObject({ code: 'E_CASSETTE', file: absent });
    await (await recordCassettes({ directory: absent })).done();
    expect((await replayCassettes({ directory: absent })).unused()).toEqual([]);
    await writeFile(join(directory, 'file'), '');
    await expect(recordCassettes({ directory: join(directory, 'file') })).rejects.toMatchObject({ code: 'E_CASSETTE' });
  });
});

describe('who stops early', () => {
  const endless = (): Response => {
    let count = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(new Uint8Array(Buffer.from(`${count};`)));
          count += 1;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body);
  };

  it('[SG-101] a client that stops reading: what it read is recorded, and no more is ever given', async () => {
    const recorder = await recordCassettes({ directory, fetch: async () => endless() });
    const reader = (await recorder.fetch(address, post({}))).body?.getReader();
    for (let count = 0; count < 3; count += 1) await reader?.read();
    await reader?.cancel();
    const { recorded } = await recorder.done();
    const again = (await (await replayCassettes({ directory })).fetch(address, post({}))).body?.getReader();
    const texts: string[] = [];
    for (let count = 0; count < 3; count += 1) texts.push(Buffer.from((await again?.read())?.value ?? []).toString());
    expect(texts).toEqual(['0;', '1;', '2;']);
    await expect(again?.read()).rejects.toMatchObject({
      cause: { message: `${recorded[0]} ends here: its client stopped reading when it was recorded` },
    });
  });

  it('[SG-101] an abort inside a body of a recording reaches the network, and what came is recorded', async () => {
    const lab = await startLab({
      model: scripted([
        { raw: { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks: ['data: {}\n\n'], ending: 'keep-open' } },
      ]),
    });
    const recorder = await recordCassettes({ directory });
    const stopping = new AbortController();
    const body = { model: 'lab-reader', stream: true, messages: [{ role: 'user', content: 'Say: it' }] };
    const response = await recorder.fetch(
      `${lab.baseUrl}/chat/completions`,
      post(body, { headers: { 'content-type': 'application/json' }, signal: stopping.signal }),
    );
    const reader = response.body?.getReader();
    await reader?.read();
    stopping.abort(new Error('enough'));
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow('enough');
    const [name = ''] = (await recorder.done()).recorded;
    const { response: kept } = JSON.parse(await readFile(join(directory, name), 'utf8')) as {
      readonly response: { readonly ending: object };
    };
    expect(kept.ending).toEqual({ kind: 'left' });
    await lab.close();
  });

  it('[SG-101] an abort before the answer, and a body that nobody reads, are not recorded', async () => {
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hanging: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        asked();
      });
    const stopping = new AbortController();
    const recorder = await recordCassettes({ directory, fetch: hanging });
    const pending = recorder.fetch(address, post({}, { signal: stopping.signal }));
    await reached;
    stopping.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    const other = await recordCassettes({ directory, fetch: async () => endless() });
    await other.fetch(address, post({}));
    expect((await recorder.done()).skipped).toEqual([
      { request: 'POST /v1/chat/completions', reason: 'the caller ended it before an answer came' },
    ]);
    expect((await other.done()).skipped).toEqual([
      { request: 'POST /v1/chat/completions', reason: 'it was still open when the recording was ended' },
    ]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('[SG-101] a body over the limit is passed on whole and not recorded', async () => {
    const recorder = await recordCassettes({ directory, fetch: async () => new Response('x'.repeat(11)), maxBodyBytes: 10 });
    expect(await (await recorder.fetch(address)).text()).toHaveLength(11);
    expect(await (await recorder.fetch(address, { method: 'POST', body: 'y'.repeat(11) })).text()).toHaveLength(11);
    const { recorded, skipped } = await recorder.done();
    expect(recorded).toEqual([]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "the response's body is longer than 10 bytes",
      "the request's body is longer than 10 bytes",
    ]);
  });

  it('[SG-101] an abort during a replay ends waits and bodies with its reason, and leaves no timer', async () => {
    let calls = 0;
    const ticking = { ...manualClock(), now: () => (calls += 100) };
    const recorder = await recordCassettes({ directory, clock: ticking, fetch: async () => new Response('late') });
    await (await recorder.fetch(address, post({}))).text();
    await (await recorder.fetch(address, post({}))).text();
    await (await recorder.fetch(address, post({}))).text();
    await recorder.done();
    const clock = manualClock();
    const player = await replayCassettes({ directory, timing: 'recorded', clock });
    const reason = new Error('enough');

    const beforeHead = new AbortController();
    const waiting = player.fetch(address, post({}, { signal: beforeHead.signal }));
    while (clock.pending() === 0) await Promise.resolve();
    beforeHead.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(player.fetch(address, post({}, { signal: beforeHead.signal }))).rejects.toBe(reason);

    const inBody = new AbortController();
    const head = player.fetch(address, post({}, { signal: inBody.signal }));
    while (clock.pending() === 0) await Promise.resolve();
    await clock.advance(10_000);
    const text = (await head).text();
    while (clock.pending() === 0) await Promise.resolve();
    inBody.abort(reason);
    await expect(text).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
    // The second abort came before anything was given, so one answer is left.
    expect(player.unused()).toHaveLength(1);
  });
});
