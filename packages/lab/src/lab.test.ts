import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, type LabModel, type LabOptions, type LabReply, reader, rules, scripted, startLab } from './index.ts';

let running: Lab[] = [];

async function lab(options: LabOptions = {}): Promise<Lab> {
  const started = await startLab(options);
  running.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.map((one) => one.close()));
  running = [];
});

const question = { model: 'm', messages: [{ role: 'user', content: 'Pier: 7' }] };

function post(to: Lab, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${to.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error: { message: string } };
  return body.error.message;
}

/** Status of a request with headers that fetch would not send. */
function statusWith(to: Lab, headers: Record<string, string>, path = '/v1/models'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${to.origin}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the server', () => {
  it('[SG-100] listens on loopback only and refuses a foreign Host', async () => {
    const here = await lab();
    expect(here.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusWith(here, { host: 'attacker.example' })).toBe(403);
    expect(await statusWith(here, { host: `attacker.example:${new URL(here.origin).port}` })).toBe(403);
    expect(await statusWith(here, { host: `localhost:${new URL(here.origin).port}` })).toBe(200);
  });

  it('[SG-100] refuses a second Host beside its own, whichever comes first', async () => {
    const here = await lab();
    const own = new URL(here.origin).host;
    const first = (hosts: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(new URL(here.origin).port), '127.0.0.1');
        socket.once('data', (bytes) => {
          socket.destroy();
          resolve(bytes.toString('latin1').slice(0, 12));
        });
        socket.once('error', reject);
        socket.write(`GET /v1/models HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`);
      });
    expect(await first([own])).toBe('HTTP/1.1 200');
    expect(await first([own, 'attacker.example'])).toBe('HTTP/1.1 403');
    expect(await first(['attacker.example', own])).toBe('HTTP/1.1 403');
    expect(await first([own, own])).toBe('HTTP/1.1 403');
  });

  it('[SG-100] sends no CORS header, also not to a preflight', async () => {
    const here = await lab();
    const answers = [
      await fetch(`${here.baseUrl}/models`, { headers: { origin: 'https://page.example' } }),
      await fetch(`${here.baseUrl}/chat/completions`, {
        method: 'OPTIONS',
        headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
      }),
    ];
    expect(answers.flatMap((answer) => [...answer.headers.keys()]).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answers[1]?.status).toBe(405);
  });

  it('[SG-100] answers a body over the limit with 413', async () => {
    const here = await lab();
    const long = { ...question, messages: [{ role: 'user', content: 'x'.repeat(8 * 1024 * 1024) }] };
    const response = await post(here, long);
    expect(response.status).toBe(413);
    expect(await messageOf(response)).toContain('8388608');
    expect(here.requests()[0]).toMatchObject({ status: 413, body: undefined });
  });

  it('answers unknown paths, methods and content types in the error form of the wire', async () => {
    const here = await lab();
    const unknown = await fetch(`${here.baseUrl}/nowhere`, { method: 'POST', body: '{}' });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      error: { message: 'Invalid URL (POST /v1/nowhere)', type: 'invalid_request_error', param: null, code: null },
    });
    expect((await fetch(`${here.baseUrl}/chat/completions`, { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await post(here, question, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('lists its model', async () => {
    const here = await lab();
    const list = (await (await fetch(`${here.baseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(list.data.map((one) => one.id)).toEqual(['lab-reader']);
    expect((await fetch(`${here.baseUrl}/models/lab-reader`)).status).toBe(200);
    expect((await fetch(`${here.baseUrl}/models/other`)).status).toBe(404);
  });

  it('[SG-100] asks for its key when it has one, and never keeps a key', async () => {
    const here = await lab({ apiKey: 'sk-canary-1' });
    expect((await post(here, question)).status).toBe(401);
    const wrong = await post(here, question, { authorization: 'Bearer sk-canary-2' });
    expect(wrong.status).toBe(401);
    expect(await wrong.text()).toContain('invalid_api_key');
    expect((await post(here, question, { authorization: 'Bearer sk-canary-1' })).status).toBe(200);
    expect((await post(here, question, { 'api-key': 'sk-canary-1' })).status).toBe(200);
    const log = JSON.stringify(here.requests());
    expect(log).not.toContain('canary');
    expect(here.requests()[2]?.headers.authorization).toBe('Bearer ***');
  });

  it('gives every response a request id, which the log has too', async () => {
    const here = await lab();
    const response = await post(here, question);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[a-z0-9]{32}$/);
    expect(here.requests()[0]?.id).toBe(response.headers.get('x-request-id'));
    expect((await post(here, '{')).headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('refuses an unknown pathology and a rate that is none', async () => {
    await expect(startLab({ pathologies: [{ id: 'Z1', rate: 1 }] })).rejects.toThrow('no pathology has the id Z1');
    await expect(startLab({ pathologies: [{ id: 'A1', rate: 2 }] })).rejects.toThrow('the rate of A1');
  });

  it.each([
    [{ fault: [{ id: 'cut', rate: 1 }] }, 'startLab has no "fault", but port, model'],
    [{ pathologies: [{ id: 'A1', rate: 1, parameter: 2 }] }, 'an entry of `pathologies` has no "parameter", but id, rate'],
    [{ faults: [{ id: 'split', rate: 1, number: 2 }] }, 'an entry of `faults` has no "number", but id, rate, parameter'],
    [{ delays: { firstByte: 5 } }, '`delays` has no "firstByte", but firstByteMs, chunkMs'],
    [{ seed: Number.NaN }, 'the seed must be a whole number'],
    [{ seed: 1.5 }, 'the seed must be a whole number'],
    [{ seed: '1' }, 'the seed must be a whole number'],
    [{ delays: { chunkMs: -1 } }, 'chunkMs must be milliseconds from 0'],
    [{ delays: { firstByteMs: Number.NaN } }, 'firstByteMs must be milliseconds from 0'],
    [{ delays: { firstByteMs: 2 ** 31 } }, 'firstByteMs must be milliseconds from 0'],
  ])('refuses %j, which nothing would read as it is meant', async (options, says) => {
    await expect(startLab(options as LabOptions)).rejects.toThrow(says);
  });

  it('takes every option by its name, and a seed below zero', async () => {
    const options: Required<LabOptions> = {
      port: 0,
      model: scripted([{ text: 'ok' }]),
      pathologies: [],
      faults: [{ id: 'split', rate: 0, parameter: 3 }],
      seed: -3,
      apiKey: 'sk-test',
      delays: { firstByteMs: 0, chunkMs: 0 },
      keepAlive: false,
      now: () => 0,
      onRequest: () => undefined,
    };
    const here = await lab(options);
    expect((await post(here, question, { authorization: 'Bearer sk-test' })).status).toBe(200);
  });

  it('many replies that pause at once make no warning', async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', note);
    const here = await lab({ model: scripted(() => ({ text: 'a b c d' })), delays: { firstByteMs: 600_000 } });
    const pending = Array.from({ length: 30 }, () =>
      post(here, question).then(
        () => 'answered',
        () => 'broken',
      ),
    );
    await expect.poll(() => here.requests().filter(({ wire }) => wire !== undefined).length).toBe(30);
    await here.close();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['broken']));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it.each([true, false])('[SG-100] a close in the middle breaks the body, streamed %s: no client takes it for ended', async (stream) => {
    const here = await lab({ model: scripted(() => ({ text: 'word '.repeat(2_000) })), faults: [{ id: 'slow', rate: 1 }] });
    const ask = (): Promise<Response> => post(here, { ...question, stream });
    const responses = await Promise.all(Array.from({ length: 20 }, ask));
    const ended = responses.map((response) =>
      response
        .text()
        .then((text) => `ended after ${text.length}`)
        .catch(() => 'broken'),
    );
    await here.close();
    expect(new Set(await Promise.all(ended))).toEqual(new Set(['broken']));
    expect(here.openSockets()).toBe(0);
  });

  it('a close after the last byte leaves the body whole', async () => {
    const here = await lab({ keepAlive: true });
    const response = await post(here, question);
    await here.idle();
    await here.close();
    expect(JSON.parse(await response.text())).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('closes with connections open', async () => {
    const here = await lab({ model: scripted([{ raw: { status: 200, headers: {}, chunks: ['x'], ending: 'stall' } }]) });
    const response = await post(here, question);
    expect(here.openSockets()).toBe(1);
    await here.close();
    expect(here.openSockets()).toBe(0);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('what a test of leaks asks', () => {
  it('[SG-100] idle waits for a client that holds its connection, and for nothing else', async () => {
    const here = await lab({ model: scripted([{ raw: { status: 200, headers: {}, chunks: ['x'], ending: 'stall' } }, { text: 'ok' }]) });
    await here.idle();
    const leaving = new AbortController();
    const response = await fetch(`${here.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal: leaving.signal,
    });
    let idle = false;
    const waited = here.idle().then(() => {
      idle = true;
    });
    // Another whole exchange passes meanwhile.
    await (await post(here, question)).text();
    await expect.poll(() => here.requests()[1]?.durationMs).toBeTypeOf('number');
    expect(idle).toBe(false);
    expect(here.requests()[0]?.durationMs).toBeUndefined();
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await waited;
    expect(here.requests()[0]).toMatchObject({ clientClosedEarly: true });
  });

  it('with connections kept open, idle waits for exchanges alone', async () => {
    const here = await lab({ keepAlive: true });
    await (await post(here, question)).text();
    await here.idle();
    expect(here.openSockets()).toBe(1);
  });

  it('tells of each request at its end, and keeps no key of a query', async () => {
    const told: string[] = [];
    const here = await lab({ onRequest: ({ path, status, durationMs }) => told.push(`${path} ${status} ${typeof durationMs}`) });
    await (await fetch(`${here.baseUrl}/nowhere?a=1&key=sk-canary-1`, { method: 'POST', body: '{}' })).text();
    await here.idle();
    expect(told).toEqual(['/v1/nowhere?a=1&key=*** 404 number']);
    expect(JSON.stringify(here.requests())).not.toContain('canary');
  });

  it('a reply that HTTP cannot carry is a 500 that says so', async () => {
    const raw = { status: 200, headers: { own: 'a\nb' }, chunks: [], ending: 'end' } as const;
    const here = await lab({ model: scripted([{ raw }, { text: 'ok' }]) });
    const response = await post(here, question);
    expect([response.status, response.statusText]).toEqual([500, 'Internal Server Error']);
    expect(await messageOf(response)).toContain('could not send its reply');
    expect((await post(here, question)).status).toBe(200);
  });

  it('raw bytes go to the socket as they are, head included', async () => {
    const bytes = ['HTTP/1.1 200 Fine\r\nconnection: close\r\n\r\n', 'as it is'];
    const raw = { status: 200, headers: {}, chunks: bytes, framing: 'bytes', ending: 'end' } as const;
    const response = await post(await lab({ model: scripted([{ raw }]) }), question);
    expect([response.statusText, await response.text(), [...response.headers.keys()]]).toEqual(['Fine', 'as it is', ['connection']]);
  });
});

describe('models', () => {
  it('scripted: gives the replies in order, then a 500 that says so and asks for no retry', async () => {
    const here = await lab({ model: scripted([{ text: 'one' }]) });
    expect(await (await post(here, question)).json()).toMatchObject({
      model: 'm',
      choices: [{ message: { content: 'one' }, finish_reason: 'stop' }],
    });
    const out = await post(here, question);
    expect(out.status).toBe(500);
    expect(out.headers.get('x-should-retry')).toBe('false');
    expect(await messageOf(out)).toBe("The lab's model failed: the script is over: the script holds 1 reply, and this is request 2");
  });

  it('scripted: the log says that the script is over', async () => {
    const here = await lab({ model: scripted([]) });
    await post(here, question);
    await here.idle();
    expect(here.requests()).toMatchObject([
      { status: 500, modelError: 'the script is over: the script holds 0 replies, and this is request 1' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a text', ['hello'], 'reply 0 of the script is no reply: must be an object'],
    ['a member that there is not', [{ text: 'a' }, { txt: 'x' }], 'reply 1 of the script is no reply: it has `txt`, and may have text'],
    ['a member of another kind', [{ toolCalls: [{ name: 'n', arguments: {} }] }], '`toolCalls` at place 0: `arguments` must be a string'],
    ['an ending that there is not', [{ raw: { status: 200, headers: {}, chunks: [], ending: 'fin' } }], '`ending` must be one of end'],
    ['no list', 'hello', 'scripted takes a list of replies'],
  ])('scripted refuses %s at once', (_what, replies, words) => {
    expect(() => scripted(replies as readonly LabReply[])).toThrow(TypeError);
    expect(() => scripted(replies as readonly LabReply[])).toThrow(words);
  });

  it('scripted takes bytes as chunks, and members that are undefined', async () => {
    const raw = { status: 200, headers: {}, chunks: [new TextEncoder().encode('tea')], ending: 'end' } as const;
    const loose = { text: 'one', refusal: undefined } as unknown as LabReply;
    const here = await lab({ model: scripted([{ raw }, loose]) });
    expect(await (await post(here, question)).text()).toBe('tea');
    expect((await post(here, question)).status).toBe(200);
  });

  it('what a function gives and is no reply is told by a 500 and in the log', async () => {
    const here = await lab({ model: (() => ({ txt: 'x' })) as unknown as LabModel });
    const out = await post(here, question);
    expect(out.status).toBe(500);
    expect(await messageOf(out)).toContain('what it gave is no reply: it has `txt`');
    expect(here.requests()[0]?.modelError).toContain('it has `txt`');
  });

  it.each<[unknown, string]>([
    [reader, 'call it, reader()'],
    [rules, 'call it, rules()'],
    [scripted, 'call it, scripted([…])'],
    ['reader', 'must be a model'],
    [null, 'must be a model'],
  ])('what is no model is refused at once: %s', async (model, words) => {
    const started = startLab({ model: model as LabModel });
    await expect(started).rejects.toThrow(TypeError);
    await expect(started).rejects.toThrow(words);
  });

  it('scripted: a function sees the request and its place', async () => {
    const here = await lab({
      seed: 9,
      model: scripted((request, { seed, index }) => ({ text: `${request.messages[0]?.text} ${seed} ${index}` })),
    });
    await post(here, question);
    expect(await (await post(here, question)).json()).toMatchObject({ choices: [{ message: { content: 'Pier: 7 9 1' } }] });
  });

  it('raw replies go out as they are', async () => {
    const raw: LabReply = {
      raw: { status: 418, headers: { 'x-own': 'yes', 'content-type': 'text/plain' }, chunks: ['a', new Uint8Array([98])], ending: 'end' },
    };
    const here = await lab({ model: scripted([raw]) });
    const response = await post(here, question);
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([418, 'yes', 'ab']);
  });

  it('a reply without a head resets the connection', async () => {
    const here = await lab({ model: scripted([{ raw: { status: 0, headers: {}, chunks: [], ending: 'reset' } }]) });
    await expect(post(here, question)).rejects.toThrow();
    expect(here.requests()[0]).toMatchObject({ status: 0, clientClosedEarly: false });
  });

  it('the log tells that a client went early', async () => {
    const here = await lab({ model: scripted([{ raw: { status: 200, headers: {}, chunks: ['x'], ending: 'stall' } }, { text: 'ok' }]) });
    const body = JSON.stringify(question);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(here.origin).port), '127.0.0.1', () => {
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(here.origin).host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      });
      socket.once('data', () => socket.destroy());
      socket.once('close', () => resolve());
    });
    // A later request is answered after the close of the earlier one was seen.
    await expect.poll(() => here.requests()[0]?.clientClosedEarly).toBe(true);
    await (await post(here, question)).text();
    expect(here.requests()[1]?.clientClosedEarly).toBe(false);
  });
});

describe('determinism', () => {
  const bodies = [question, { ...question, stream: true }, { ...question, stream: true, stream_options: { include_usage: true } }];

  async function bytes(seed: number, order: readonly number[], pathologies: LabOptions['pathologies'] = []): Promise<readonly string[]> {
    const here = await lab({ seed, pathologies });
    const found: string[] = [];
    for (const index of order) {
      const response = await post(here, bodies[index]);
      found[index] = `${JSON.stringify([...response.headers])}${await response.text()}`;
    }
    return found;
  }

  it('[SG-100] the same seed gives the same bytes, in whatever order requests come; another seed gives others', async () => {
    const first = await bytes(1, [0, 1, 2]);
    expect(await bytes(1, [2, 0, 1])).toEqual(first);
    expect((await bytes(2, [0, 1, 2]))[1]).not.toBe(first[1]);
  });

  it('[SG-100] the same seed draws the same pathologies', async () => {
    const rates = [
      { id: 'C18', rate: 0.5 },
      { id: 'C10', rate: 0.5 },
      { id: 'S10', rate: 0.5 },
    ];
    const draws = async (seed: number): Promise<readonly (readonly string[])[]> => {
      const here = await lab({ seed, pathologies: rates });
      for (let count = 0; count < 20; count += 1) await (await post(here, { ...question, stream: count % 2 === 0 })).text();
      return here.requests().map((one) => one.applied);
    };
    const first = await draws(3);
    expect(await draws(3)).toEqual(first);
    expect(await draws(4)).not.toEqual(first);
    expect(first.every((applied) => applied.length <= 1)).toBe(true);
    expect(first.some((applied) => applied.length === 0)).toBe(true);
    expect(new Set(first.flat()).size).toBe(2);
  });

  it('shares the requests evenly among pathologies that always apply', async () => {
    const here = await lab({
      pathologies: [
        { id: 'C18', rate: 1 },
        { id: 'C23', rate: 1 },
      ],
    });
    for (let count = 0; count < 60; count += 1) await (await post(here, { ...question, user: String(count) })).text();
    const first = here.requests().filter((one) => one.applied[0] === 'C18').length;
    expect(here.requests().every((one) => one.applied.length === 1)).toBe(true);
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThan(45);
  });

  it('[SG-100] what needs a retry shows on the first try only, and the retry gets the answer of the same model call', async () => {
    const here = await lab({ model: scripted([{ text: 'one' }, { text: 'two' }]), pathologies: [{ id: 'D11', rate: 1 }] });
    expect((await post(here, question)).status).toBe(429);
    expect(await (await post(here, question)).json()).toMatchObject({ choices: [{ message: { content: 'one' } }] });
    expect((await post(here, question)).status).toBe(429);
    expect(await (await post(here, question)).json()).toMatchObject({ choices: [{ message: { content: 'two' } }] });
    expect(here.requests().map((one) => one.applied)).toEqual([['D11'], [], ['D11'], []]);
  });
});
