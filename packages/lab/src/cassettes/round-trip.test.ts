import { getEventListeners } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@vouch/contracts/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordCassettes } from './record.ts';
import { replayCassettes } from './replay.ts';

const address = 'https://provider.example/v1/chat/completions';
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vouch-cassettes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A body in the given chunks, after which it ends or breaks off. */
function bodyOf(chunks: readonly Uint8Array[], broken?: Error): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const chunk = chunks[at];
        at += 1;
        if (chunk !== undefined) controller.enqueue(chunk.slice());
        else if (broken === undefined) controller.close();
        else controller.error(broken);
      },
    },
    { highWaterMark: 0 },
  );
}

interface Read {
  readonly status: number;
  readonly type: string | null;
  readonly chunks: readonly string[];
  readonly broken: boolean;
}

/** A response as its reader meets it, chunk by chunk. */
async function read(response: Response): Promise<Read> {
  const chunks: string[] = [];
  let broken = false;
  try {
    for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString('hex'));
  } catch {
    broken = true;
  }
  return { status: response.status, type: response.headers.get('content-type'), chunks, broken };
}

interface Exchange {
  readonly body: string;
  readonly status: number;
  readonly chunks: readonly Uint8Array[];
  readonly broken: boolean;
}

/** A fetch that gives the exchanges of a request's body in their order. */
function serving(exchanges: readonly Exchange[]): typeof fetch {
  const left = [...exchanges];
  return async (_input, init) => {
    const at = left.findIndex(({ body }) => body === init?.body);
    const [exchange] = left.splice(at, 1);
    if (exchange === undefined) throw new Error('nothing to serve');
    const { status, chunks, broken } = exchange;
    return new Response(bodyOf(chunks, broken ? new Error('reset') : undefined), {
      status,
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

const post = (body: string): RequestInit => ({ method: 'POST', body });

const exchange = fc.record({
  body: fc.constantFrom('{"a":1}', '{"a":2}', 'text', '{"n":12345678901234567890}', '{"n":12345678901234567891}'),
  status: fc.constantFrom(200, 200, 400, 429, 500),
  chunks: fc.array(
    fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(bytes)),
    { maxLength: 8 },
  ),
  broken: fc.boolean(),
});

describe('recording and replaying', () => {
  it('[SG-101] gives back every body in its very chunks, with its end, in any order of requests and all at once', async () => {
    const property = fc.asyncProperty(
      fc.array(exchange, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (exchanges, draws) => {
        const folder = await mkdtemp(join(directory, 'run-'));
        const recorder = await recordCassettes({ directory: folder, fetch: serving(exchanges) });
        const original = await Promise.all(exchanges.map(async ({ body }) => read(await recorder.fetch(address, post(body)))));
        const report = await recorder.done();
        expect(report).toMatchObject({ skipped: [], recorded: { length: exchanges.length } });

        const player = await replayCassettes({ directory: folder });
        // Requests of one kind keep their order; kinds come in any.
        const kinds = new Map<string, number[]>();
        for (const [index, { body }] of exchanges.entries()) kinds.set(body, [...(kinds.get(body) ?? []), index]);
        const order: number[] = [];
        while (order.length < exchanges.length) {
          const open = [...kinds.values()].filter((list) => list.length > 0);
          const list = open[(draws.next().value ?? 0) % open.length];
          order.push(list?.shift() ?? 0);
        }
        const replayed = await Promise.all(
          order.map(async (index) => ({ index, read: await read(await player.fetch(address, post(exchanges[index]?.body ?? ''))) })),
        );
        for (const { index, read: again } of replayed) expect(again).toEqual(original[index]);
        for (const [index, { chunks }] of exchanges.entries())
          expect(original[index]?.chunks).toEqual(chunks.map((chunk) => Buffer.from(chunk).toString('hex')));
        expect(player.unused()).toEqual([]);
        expect(player.misses()).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('[SG-101] matches JSON bodies whatever the order of their members, and no others', async () => {
    const recorder = await recordCassettes({ directory, fetch: async () => new Response('yes') });
    await (await recorder.fetch(`${address}?b=2&a=1`, post('{"a":{"x":1,"y":[1,2]},"b":"ü"}'))).text();
    await recorder.done();
    const statusFor = async (url: string, init: RequestInit): Promise<number> =>
      (await (await replayCassettes({ directory })).fetch(url, init)).status;
    const same = post(' {"b" : "\\u00fc", "a": {"y":[1,2], "x":1.0}}');
    expect(await statusFor(`${address}?a=1&b=2`, same)).toBe(200);
    expect(await statusFor('http://127.0.0.1:9/v1/chat/completions?a=1&b=2', { ...same, headers: { 'x-any': 'thing' } })).toBe(200);
    expect(await statusFor(`${address}?a=1&b=2`, post('{"a":{"x":1,"y":[2,1]},"b":"ü"}'))).toBe(404);
    expect(await statusFor(`${address}?a=1`, same)).toBe(404);
    expect(await statusFor(`${address}?a=1&b=2`, { ...same, method: 'PUT' })).toBe(404);
    expect(await statusFor(`${address}/more?a=1&b=2`, same)).toBe(404);
    expect(await statusFor(`${address}?a=1&b=2`, { method: 'POST' })).toBe(404);
  });

  it('[SG-101] keeps milliseconds, and waits for them on the clock it is given', async () => {
    const clock = manualClock();
    const recorder = await recordCassettes({
      directory,
      clock,
      fetch: async () => {
        await clock.sleep(70);
        let sent = 0;
        const slow = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              sent += 1;
              await clock.sleep(sent * 10);
              if (sent === 3) controller.error(new Error('reset'));
              else controller.enqueue(bytes(`${sent}`));
            },
          },
          { highWaterMark: 0 },
        );
        return new Response(slow);
      },
    });
    const recording = recorder.fetch(address, post('{}')).then(read);
    await clock.advance(1_000);
    await recording;
    const [name = ''] = (await recorder.done()).recorded;
    const { response } = JSON.parse(await readFile(join(directory, name), 'utf8')) as { readonly response: unknown };
    expect(response).toMatchObject({
      afterMs: 70,
      chunks: [
        { afterMs: 10, text: '1' },
        { afterMs: 20, text: '2' },
      ],
      ending: { kind: 'broken', afterMs: 30, error: { message: 'reset' } },
    });

    const later = manualClock();
    const player = await replayCassettes({ directory, timing: 'recorded', clock: later });
    const seen: string[] = [];
    const replaying = (async () => {
      const played = await player.fetch(address, post('{}'));
      seen.push(`head ${later.now()}`);
      try {
        for await (const chunk of played.body ?? []) seen.push(`${Buffer.from(chunk).toString()} ${later.now()}`);
      } catch {
        seen.push(`broken ${later.now()}`);
      }
    })();
    while (seen.at(-1) !== 'broken 130') {
      await new Promise((resolve) => setImmediate(resolve));
      await later.advance(10);
      if (later.now() > 10_000) break;
    }
    await replaying;
    expect(seen).toEqual(['head 70', '1 80', '2 100', 'broken 130']);
    expect(later.pending()).toBe(0);
  });

  it('[SG-101] a piece that was nothing but the end of a secret gives its time to the next', async () => {
    const clock = manualClock();
    const pieces = ['a sec', 'ret', ' end'];
    const fetch = async (): Promise<Response> => {
      let at = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const piece = pieces[at];
            at += 1;
            if (piece === undefined) return controller.close();
            await clock.sleep(10);
            controller.enqueue(bytes(piece));
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body);
    };
    const recorder = await recordCassettes({ directory, clock, fetch, secrets: ['secret'] });
    const reading = recorder.fetch(address, post('{}')).then(read);
    await clock.advance(1_000);
    await reading;
    const [name = ''] = (await recorder.done()).recorded;
    const { response } = JSON.parse(await readFile(join(directory, name), 'utf8')) as { readonly response: { readonly chunks: unknown } };
    expect(response.chunks).toEqual([
      { afterMs: 10, text: 'a [redacted]' },
      { afterMs: 20, text: ' end' },
    ]);
  });

  it('[SG-101] keeps what came, whatever its reader does with the bytes', async () => {
    const recorder = await recordCassettes({ directory, fetch: async () => new Response(bodyOf([bytes('mine')])) });
    for await (const chunk of (await recorder.fetch(address, post('{}'))).body ?? []) chunk.fill(0);
    await recorder.done();
    expect(await (await (await replayCassettes({ directory })).fetch(address, post('{}'))).text()).toBe('mine');
  });

  it('[SG-101] leaves no listener on the signal of a replay that ended, broke off or was left', async () => {
    const exchanges = [
      { body: '1', status: 200, chunks: [bytes('a'), bytes('b')], broken: false },
      { body: '2', status: 200, chunks: [bytes('a')], broken: true },
      { body: '3', status: 200, chunks: [bytes('a'), bytes('b')], broken: false },
    ];
    const recorder = await recordCassettes({ directory, fetch: serving(exchanges) });
    for (const { body } of exchanges) await read(await recorder.fetch(address, post(body)));
    await recorder.done();
    const player = await replayCassettes({ directory });
    const { signal } = new AbortController();
    await read(await player.fetch(address, { ...post('1'), signal }));
    await read(await player.fetch(address, { ...post('2'), signal }));
    const left = await player.fetch(address, { ...post('3'), signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await left.body?.cancel();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('[SG-101] gives a network error again, with its code', async () => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
    const recorder = await recordCassettes({
      directory,
      fetch: async () => {
        throw new TypeError('fetch failed', { cause });
      },
    });
    await expect(recorder.fetch(address, post('{}'))).rejects.toThrow('fetch failed');
    await recorder.done();
    const player = await replayCassettes({ directory });
    await expect(player.fetch(address, post('{}'))).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: 'connect refused', code: 'ECONNREFUSED' },
    });
  });

  it('[SG-101] two recorders, and a later one, share a directory without losing anything', async () => {
    const recorders = await Promise.all([1, 2].map(() => recordCassettes({ directory, fetch: async () => new Response('x') })));
    await Promise.all([0, 1, 2, 3, 4, 5].map(async (index) => (await recorders[index % 2]?.fetch(address, post('{}')))?.text()));
    await Promise.all(recorders.map((recorder) => recorder.done()));
    const later = await recordCassettes({ directory, fetch: async () => new Response('last') });
    await (await later.fetch(address, post('{}'))).text();
    await later.done();
    expect(await readdir(directory)).toHaveLength(7);
    const player = await replayCassettes({ directory });
    const answers: string[] = [];
    for (let count = 0; count < 7; count += 1) answers.push(await (await player.fetch(address, post('{}'))).text());
    expect(answers).toEqual(['x', 'x', 'x', 'x', 'x', 'x', 'last']);
    expect((await player.fetch(address, post('{}'))).status).toBe(404);
  });

  it('[SG-101] takes a Request, a stream and bytes as well', async () => {
    const recorder = await recordCassettes({
      directory,
      fetch: async (input, init) => new Response(await new Request(input, init).text()),
    });
    const request = (): Request => new Request(address, { ...post('{"a":1}') });
    expect(await (await recorder.fetch(request())).text()).toBe('{"a":1}');
    expect(await (await recorder.fetch(address, { method: 'POST', body: Buffer.from('{"a":2}') })).text()).toBe('{"a":2}');
    const streamed = { method: 'POST', body: bodyOf([bytes('{"a"'), bytes(':3}')]), duplex: 'half' } as RequestInit;
    expect(await (await recorder.fetch(address, streamed)).text()).toBe('{"a":3}');
    await recorder.done();
    const player = await replayCassettes({ directory });
    expect(await (await player.fetch(request())).text()).toBe('{"a":1}');
    expect(await (await player.fetch(address, post('{"a":2}'))).text()).toBe('{"a":2}');
    expect(await (await player.fetch(address, post('{"a":3}'))).text()).toBe('{"a":3}');
  });

  it('[SG-101] takes bodies as long as its bound, of one text or of nothing but brackets, quotes and backslashes', async () => {
    const long = 2 * 1024 * 1024;
    const recorder = await recordCassettes({ directory, fetch: async () => new Response('x'.repeat(long)), secrets: ['some-secret'] });
    const bodies = [JSON.stringify({ image: 'A'.repeat(long) }), '{'.repeat(long), '"\\'.repeat(long / 2), '"\\"'.repeat(long / 4)];
    for (const body of bodies) expect(await (await recorder.fetch(address, post(body))).text()).toHaveLength(long);
    expect(await recorder.done()).toMatchObject({ recorded: { length: bodies.length }, skipped: [] });
    const player = await replayCassettes({ directory });
    for (const body of bodies) expect((await player.fetch(address, post(body))).status).toBe(200);
  });
});
