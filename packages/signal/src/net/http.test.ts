import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { SignalError, systemClock } from '@vouch/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttp, type HttpSettings } from './http.ts';
import { CallTimeoutError, ProviderError } from './provider-error.ts';
import { lastPiece, manualClock, piece, type RawServer, rawServer, streamHead, wholeAnswer } from './test-support/raw-server.ts';

const servers: RawServer[] = [];
async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer> {
  const server = await rawServer(answer);
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const settings = (more: Partial<HttpSettings> = {}): HttpSettings => ({
  fetch: globalThis.fetch,
  clock: systemClock,
  timeout: { firstByte: Number.POSITIVE_INFINITY, idle: Number.POSITIVE_INFINITY },
  secrets: [],
  ...more,
});
const request = (url: string, signal: AbortSignal = new AbortController().signal) => ({
  url,
  headers: { 'content-type': 'application/json', authorization: 'Bearer sk-canary' },
  body: '{"a":1}',
  signal,
});
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

async function caught(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a call', () => {
  it('[SG-037] reads a body, and leaves no listener, no timer and no socket', async () => {
    const server = await serve((socket) => socket.end(wholeAnswer('{"b":2}')));
    const controller = new AbortController();
    const clock = manualClock();
    const http = createHttp(settings({ clock, timeout: { firstByte: 1_000, idle: 1_000 } }));
    const response = await http.post(request(`${server.url}/v1`, controller.signal));
    expect(await response.text()).toBe('{"b":2}');
    await server.idle();
    expect([listeners(controller.signal), clock.pending(), server.open()]).toEqual([0, 0, 0]);
    expect(server.requests[0]).toMatch(/^POST \/v1 [\s\S]*authorization: Bearer sk-canary[\s\S]*\{"a":1\}$/i);
  });

  it('[SG-037] an iteration that is left early ends the connection', async () => {
    const server = await serve((socket) => void socket.write(streamHead() + piece('data: a\n\n')));
    const controller = new AbortController();
    const response = await createHttp(settings()).post(request(server.url, controller.signal));
    for await (const _bytes of response.chunks()) break;
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('[SG-037] a response that is released unread ends the connection', async () => {
    const server = await serve((socket) => void socket.write(streamHead() + piece('data: a\n\n')));
    const controller = new AbortController();
    const response = await createHttp(settings()).post(request(server.url, controller.signal));
    await response.release();
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it.each([200, 307, 400])('[SG-037] a source that never says that it stopped holds nothing up: status %i', async (status) => {
    const source = {
      start: (to: ReadableStreamDefaultController) => to.enqueue(new Uint8Array([0x61])),
      cancel: () => new Promise<void>(() => undefined),
    };
    const fetch = async (): Promise<Response> =>
      new Response(new ReadableStream(source), { status, headers: { location: 'https://elsewhere.example/v1' } });
    const timeout = { firstByte: 20, idle: 20 };
    const http = createHttp(settings({ fetch, timeout }));
    const posted = await http.post(request('https://models.example/v1')).catch((error: unknown) => error);
    if (status !== 200) {
      expect(posted).toBeInstanceOf(ProviderError);
      return;
    }
    const response = posted as Awaited<ReturnType<typeof http.post>>;
    await response.release();
    const read = await http.post(request('https://models.example/v1'));
    expect(await caught(read.text())).toBeInstanceOf(CallTimeoutError);
  });

  it('[sse-S25] reads a body that only the close ends', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nplain'));
    expect(await (await createHttp(settings()).post(request(server.url))).text()).toBe('plain');
  });
});

describe('[SG-037] [path-D23] abort', () => {
  const reason = new Error('stop it');

  it('before the call: nothing is sent', async () => {
    const server = await serve((socket) => socket.end(wholeAnswer('{}')));
    expect(await caught(createHttp(settings()).post(request(server.url, AbortSignal.abort(reason))))).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it('before the headers', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort(reason));
    expect(await caught(createHttp(settings()).post(request(server.url, controller.signal)))).toBe(reason);
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('inside the body', async () => {
    const controller = new AbortController();
    const server = await serve((socket) => void socket.write(streamHead() + piece('data: a\n\n')));
    const response = await createHttp(settings()).post(request(server.url, controller.signal));
    const reading = async (): Promise<void> => {
      for await (const _bytes of response.chunks()) controller.abort(reason);
    };
    expect(await caught(reading())).toBe(reason);
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('a fetch that ignores its signal is left behind, and its late answer released', async () => {
    const controller = new AbortController();
    let cancelled = false;
    const onCancel = (): void => {
      cancelled = true;
    };
    let answer: (response: Response) => void = () => undefined;
    const fetch = (): Promise<Response> => new Promise((resolve) => (answer = resolve));
    const post = createHttp(settings({ fetch })).post(request('http://x.test', controller.signal));
    controller.abort(reason);
    expect(await caught(post)).toBe(reason);
    answer(new Response(new ReadableStream({ cancel: onCancel })));
    await new Promise((resolve) => setImmediate(resolve));
    expect(cancelled).toBe(true);
  });
});

describe('[SG-037] time limits', () => {
  it('no first byte: the call ends and the connection with it', async () => {
    const clock = manualClock();
    const server = await serve(() => clock.advance(1_000));
    const controller = new AbortController();
    const error = await caught(
      createHttp(settings({ clock, timeout: { firstByte: 1_000, idle: 5 } })).post(request(server.url, controller.signal)),
    );
    expect(error).toBeInstanceOf(CallTimeoutError);
    expect(error).toMatchObject({ which: 'first_byte', afterMs: 1_000 });
    await server.idle();
    expect([listeners(controller.signal), clock.pending()]).toEqual([0, 0]);
  });

  it('[path-D22] [sse-S21] a body that stands still', async () => {
    const clock = manualClock();
    const server = await serve((socket) => void socket.write(streamHead() + piece('data: a\n\n')));
    const controller = new AbortController();
    const response = await createHttp(settings({ clock, timeout: { firstByte: 5, idle: 700 } })).post(
      request(server.url, controller.signal),
    );
    const chunks = response.chunks()[Symbol.asyncIterator]();
    await chunks.next();
    const stalled = caught(chunks.next());
    clock.advance(700);
    expect(await stalled).toMatchObject({ name: 'CallTimeoutError', which: 'idle', afterMs: 700 });
    await server.idle();
    expect([listeners(controller.signal), clock.pending()]).toEqual([0, 0]);
  });

  it('[sse-S10] any byte starts the idle time anew', async () => {
    const clock = manualClock();
    let enqueue: (text: string) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        enqueue = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const http = createHttp(settings({ clock, fetch: async () => new Response(body), timeout: { firstByte: 5, idle: 100 } }));
    const chunks = (await http.post(request('http://x.test'))).chunks()[Symbol.asyncIterator]();
    for (let beat = 0; beat < 5; beat += 1) {
      const next = chunks.next();
      clock.advance(99);
      enqueue(': ping\n\n');
      await next;
    }
    const stalled = caught(chunks.next());
    clock.advance(100);
    expect(await stalled).toMatchObject({ which: 'idle' });
  });
});

describe('[SG-035] [path-D19] [sse-S20] a connection that fails', () => {
  it('refused: a retryable transport fault that names the host and no key', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const error = await caught(createHttp(settings({ secrets: ['sk-canary'] })).post(request(`${server.url}/?key=sk-canary`)));
    expect(error).toBeInstanceOf(ProviderError);
    expect((error as ProviderError).fault).toMatchObject({ cause: 'transport', retryable: true });
    expect((error as ProviderError).message).toContain('ECONNREFUSED');
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
  });

  it('reset before the headers', async () => {
    const server = await serve((socket) => void socket.resetAndDestroy());
    expect(await caught(createHttp(settings()).post(request(server.url)))).toMatchObject({
      fault: { cause: 'transport', retryable: true },
    });
  });

  it.each([
    ['reset inside the body', (): string => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece('data: a\n\n')}`],
    ['fewer bytes than promised', (): string => 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc'],
    ['a broken chunk length', (): string => `${streamHead()}zz\r\n`],
    [
      '[sse-S19] a body that does not decompress',
      (): string => `${streamHead('Content-Encoding: gzip\r\n')}${piece('not gzip')}${lastPiece}`,
    ],
  ])('%s', async (_title, bytes) => {
    const server = await serve((socket) => void socket.write(bytes(), () => setImmediate(() => socket.resetAndDestroy())));
    const controller = new AbortController();
    const work = createHttp(settings())
      .post(request(server.url, controller.signal))
      .then((response) => response.text());
    expect(await caught(work)).toMatchObject({ fault: { cause: 'transport', retryable: true } });
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });
});

describe('an error status', () => {
  it('[SG-035] becomes a ProviderError, and the connection ends', async () => {
    const server = await serve((socket) =>
      socket.end(
        wholeAnswer('{"error":{"message":"slow","code":"rate_limit_exceeded"}}', '429 Too Many', 'Retry-After: 2\r\nX-Request-Id: r1\r\n'),
      ),
    );
    const controller = new AbortController();
    const error = await caught(createHttp(settings()).post(request(server.url, controller.signal)));
    expect(error).toMatchObject({ fault: { cause: 'rate_limit', retryable: true, status: 429, retryAfterMs: 2_000, requestId: 'r1' } });
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('is reported although its body breaks off or stands still', async () => {
    const clock = manualClock();
    const server = await serve((socket) => {
      socket.write(`${streamHead('', '503 Busy')}${piece('{"error":{"mess')}`);
      setImmediate(() => socket.destroy());
    });
    expect(await caught(createHttp(settings({ clock })).post(request(server.url)))).toMatchObject({
      fault: { cause: 'overloaded', status: 503 },
    });
    const stall = (): Promise<void> => {
      setImmediate(() => clock.advance(50));
      return new Promise(() => undefined);
    };
    const stalling = new Response(new ReadableStream({ pull: stall }), { status: 502 });
    const http = createHttp(settings({ clock, fetch: async () => stalling, timeout: { firstByte: 50, idle: 50 } }));
    expect(await caught(http.post(request('http://x.test')))).toMatchObject({ fault: { status: 502 } });
  });
});

describe('[sse-S27] redirects', () => {
  it('follows 307 and 308 inside the origin, with method and body', async () => {
    const server = await serve((socket, text) =>
      socket.end(
        text.startsWith('POST /a ')
          ? wholeAnswer('', '307 T', 'Location: /b\r\n')
          : text.startsWith('POST /b ')
            ? wholeAnswer('', '308 P', 'Location: /c\r\n')
            : wholeAnswer('{"ok":true}'),
      ),
    );
    expect(await (await createHttp(settings()).post(request(`${server.url}/a`))).text()).toBe('{"ok":true}');
    expect(server.requests.at(-1)).toMatch(/^POST \/c [\s\S]*authorization[\s\S]*\{"a":1\}$/i);
  });

  it('carries the key to no other origin', async () => {
    const other = await serve((socket) => socket.end(wholeAnswer('{}')));
    const server = await serve((socket) => socket.end(wholeAnswer('', '307 T', `Location: ${other.url}/x\r\n`)));
    expect(await caught(createHttp(settings()).post(request(server.url)))).toMatchObject({
      fault: { cause: 'config', retryable: false, status: 307 },
    });
    expect(other.requests).toEqual([]);
  });

  it.each(['301 M', '302 F', '303 S', '300 C'])('does not turn the POST into a GET: %s', async (status) => {
    const server = await serve((socket) => socket.end(wholeAnswer('', status, 'Location: /b\r\n')));
    expect(await caught(createHttp(settings()).post(request(server.url)))).toMatchObject({ fault: { cause: 'config', retryable: false } });
    expect(server.requests).toHaveLength(1);
  });

  it('ends in a circle', async () => {
    const server = await serve((socket) => socket.end(wholeAnswer('', '307 T', 'Location: /a\r\n')));
    expect(await caught(createHttp(settings()).post(request(server.url)))).toMatchObject({
      fault: { cause: 'config', message: expect.stringContaining('again and again') },
    });
    expect(server.requests.length).toBeLessThan(8);
  });

  it('says so where the platform hides the redirect', async () => {
    const hidden = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null } as unknown as Response;
    expect(await caught(createHttp(settings({ fetch: async () => hidden })).post(request('http://x.test')))).toMatchObject({
      fault: { cause: 'config' },
    });
  });
});

describe('size', () => {
  it('refuses a body beyond the limit with kind limit, and ends the connection', async () => {
    const server = await serve((socket) => void socket.write(streamHead() + piece('x'.repeat(5_000))));
    const response = await createHttp(settings({ maxBodyBytes: 1_000 })).post(request(server.url));
    const error = await caught(response.text());
    expect(error).toBeInstanceOf(SignalError);
    expect((error as SignalError).kind).toBe('limit');
    await server.idle();
  });

  it('refuses a stream that never ends, at four times as many bytes', async () => {
    const server = await serve((socket) => void socket.write(streamHead() + piece('x'.repeat(4_000)) + piece('x')));
    const response = await createHttp(settings({ maxBodyBytes: 1_000 })).post(request(server.url));
    let size = 0;
    const reading = async (): Promise<void> => {
      for await (const bytes of response.chunks()) size += bytes.length;
    };
    expect(await caught(reading())).toMatchObject({ kind: 'limit' });
    expect(size).toBeLessThanOrEqual(4_000);
    await server.idle();
  });
});
