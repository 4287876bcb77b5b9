import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { systemClock } from '@vouch/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttp, type HttpSettings } from '../net/http.ts';
import { CallTimeoutError, ProviderError } from '../net/provider-error.ts';
import { lastPiece, manualClock, piece, type RawServer, rawServer, streamHead, wholeAnswer } from '../net/test-support/raw-server.ts';
import type { AdapterEndpoint, ProviderRequest } from './adapter.ts';
import { openaiChat } from './openai-chat.ts';
import { drain, endpointOf, summarise } from './test-support/drive.ts';

const servers: RawServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer> {
  const server = await rawServer(answer);
  servers.push(server);
  return server;
}

const forever = Number.POSITIVE_INFINITY;
const httpWith = (more: Partial<HttpSettings> = {}) =>
  createHttp({ fetch: globalThis.fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [], ...more });
const request: ProviderRequest = {
  model: 'm',
  delivery: 'parts',
  messages: [{ role: 'user', parts: [{ id: 'u', type: 'text', text: 'hi', origin: { kind: 'caller' }, trust: 'user' }] }],
};
const event = (delta: object, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const at = (server: RawServer, more: Partial<AdapterEndpoint> = {}): AdapterEndpoint =>
  endpointOf(httpWith(), { baseUrl: `${server.url}/v1`, ...more });
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('[SG-035] [SG-037] the end of a response', () => {
  it('[sse-S8] a connection that stays open after the terminal mark is released and not waited for', async () => {
    const server = await serve(
      (socket) => void socket.write(streamHead() + piece(event({ content: '7' }, 'stop')) + piece('data: [DONE]\n\n')),
    );
    const controller = new AbortController();
    const sent = await drain(at(server), request, controller.signal);
    expect(summarise(sent)).toMatchObject({ text: '7', finish: 'stop', terminated: true, fault: undefined });
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('[path-D21] [sse-S20] a reset after the terminal mark, or after the finish, is a success', async () => {
    for (const mark of ['data: [DONE]\n\n', '']) {
      const server = await serve((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece(event({ content: '7' }, 'stop') + mark)}`);
        setImmediate(() => socket.resetAndDestroy());
      });
      const sent = await drain(at(server), request);
      expect(sent.error).toBeUndefined();
      expect(summarise(sent)).toMatchObject({ text: '7', finish: 'stop', terminated: true });
    }
  });

  it('[path-D19] a reset inside the answer leaves it cut; one before it is a lost connection', async () => {
    const cut = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece(event({ content: 'Pier ' }))}`);
      setImmediate(() => socket.resetAndDestroy());
    });
    expect(summarise(await drain(at(cut), request))).toMatchObject({ text: 'Pier ', finish: null, terminated: false, fault: undefined });
    const early = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece(event({ role: 'assistant', content: '' }))}`);
      setImmediate(() => socket.resetAndDestroy());
    });
    expect(summarise(await drain(at(early), request)).fault).toMatchObject({ cause: 'transport', retryable: true });
  });

  it('[path-D22] [sse-S21] a stall is an idle timeout, and after the finish it is the end', async () => {
    for (const [finish, expected] of [
      [null, 'idle'],
      ['stop', undefined],
    ] as const) {
      const clock = manualClock();
      let reads = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          reads += 1;
          if (reads === 1) controller.enqueue(new TextEncoder().encode(event({ content: '7' }, finish)));
          else setImmediate(() => clock.advance(100));
          return reads === 1 ? undefined : new Promise(() => undefined);
        },
      });
      const http = httpWith({ clock, fetch: async () => new Response(body), timeout: { firstByte: forever, idle: 100 } });
      const sent = await drain(endpointOf(http), request);
      expect(sent.error instanceof CallTimeoutError ? sent.error.which : sent.error).toBe(expected);
      expect(summarise(sent).text).toBe('7');
      expect(clock.pending()).toBe(0);
    }
  });

  it('a whole body that is cut is a lost connection, never an answer', async () => {
    const server = await serve((socket) =>
      socket.end(wholeAnswer('{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Pi')),
    );
    const sent = await drain(at(server), { ...request, delivery: 'whole' });
    expect(summarise(sent)).toMatchObject({ text: '', fault: { cause: 'transport', retryable: true } });
  });

  it.each(['{}', '[]', '"text"', '{"id":"c1"}', '7'])('a whole body without choices is no success: %s', async (body) => {
    const server = await serve((socket) => socket.end(wholeAnswer(body)));
    expect((await drain(at(server), { ...request, delivery: 'whole' })).error).toBeInstanceOf(ProviderError);
  });

  it('[sse-S26] [path-D14] 204 is no success', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
    expect(summarise(await drain(at(server), request)).fault).toMatchObject({ cause: 'transport', retryable: true, status: 204 });
  });

  it('[sse-S19] a compressed stream is read, though identity was asked for', async () => {
    const zipped = gzipSync(`${event({ content: '7' }, 'stop', { usage })}data: [DONE]\n\n`);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\nConnection: close\r\n\r\n`;
    const server = await serve((socket) => socket.end(Buffer.concat([Buffer.from(head), zipped])));
    expect(summarise(await drain(at(server), request))).toMatchObject({
      text: '7',
      finish: 'stop',
      usage: { totalTokens: 3, reported: true },
    });
    expect(server.requests[0]).toMatch(/accept-encoding: identity/i);
  });

  it('[sse-S6] takes an event of 3 MB, and refuses one beyond the limit with kind limit', async () => {
    const server = await serve((socket) => socket.end(streamHead() + piece(event({ content: 'x'.repeat(3_000_000) }, 'stop')) + lastPiece));
    expect(summarise(await drain(at(server), request)).text).toHaveLength(3_000_000);
    const small = endpointOf(httpWith({ maxEventBytes: 1_000_000 }), { baseUrl: server.url });
    expect(await drain(small, request)).toMatchObject({ error: { name: 'SignalError', kind: 'limit' } });
    await server.idle();
  });
});

describe('[SG-037] [path-D23] abort', () => {
  const reason = new Error('stop it');

  it('inside the arguments of a call: the reason is thrown, the connection ends, no listener stays', async () => {
    const controller = new AbortController();
    const server = await serve(
      (socket) =>
        void socket.write(streamHead() + piece(event({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] }))),
    );
    const reading = async (): Promise<void> => {
      for await (const parts of openaiChat(at(server)).send(request, { signal: controller.signal })) {
        if (parts.some(({ type }) => type === 'function-call-delta')) setImmediate(() => controller.abort(reason));
      }
    };
    await expect(reading()).rejects.toBe(reason);
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });

  it('after the first piece: what came in it was given together, and nothing more is', async () => {
    const controller = new AbortController();
    const server = await serve(
      (socket) =>
        void socket.write(streamHead() + piece(event({ content: 'a' }) + event({ content: 'b' })) + piece(event({ content: 'c' }))),
    );
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const parts of openaiChat(at(server)).send(request, { signal: controller.signal })) {
        seen.push(...parts.slice(0, 1));
        controller.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(seen).toEqual([{ type: 'text-delta', text: 'a' }]);
    await server.idle();
  });

  it('before the call, and when the caller stops reading', async () => {
    const server = await serve((socket) => void socket.write(streamHead() + piece(event({ content: 'a' }))));
    expect((await drain(at(server), request, AbortSignal.abort(reason))).error).toBe(reason);
    expect(server.requests).toEqual([]);
    const controller = new AbortController();
    for await (const _parts of openaiChat(at(server)).send(request, { signal: controller.signal })) break;
    await server.idle();
    expect(listeners(controller.signal)).toBe(0);
  });
});

describe('[SG-038] the key', () => {
  const key = 'sk-canary-0123456789';
  const echo = (status: string, more = ''): string =>
    wholeAnswer(JSON.stringify({ error: { message: `bad key ${key}`, code: key, param: key } }), status, `X-Request-Id: ${key}\r\n${more}`);

  it.each<[string, (server: RawServer) => Parameters<typeof rawServer>[0]]>([
    ['an error status', () => (socket) => socket.end(echo('401 No'))],
    ['an error inside a 200', () => (socket) => socket.end(echo('200 OK'))],
    ['an error event', () => (socket) => socket.end(`${streamHead()}${piece(`event: error\ndata: ${key}\n\n`)}${lastPiece}`)],
    ['an event that is not JSON', () => (socket) => socket.end(`${streamHead()}${piece(`data: {${key}\n\n`)}${lastPiece}`)],
    ['a web page', () => (socket) => socket.end(wholeAnswer(`<html><title>${key}</title>`))],
    ['plain text', () => (socket) => socket.end(wholeAnswer(`no such key ${key}`))],
    ['a reset', () => (socket) => void socket.resetAndDestroy()],
    ['a redirect', () => (socket) => socket.end(wholeAnswer('', '302 F', `Location: http://x.test/${key}\r\n`))],
  ])('is in no error: %s', async (_title, answer) => {
    const server = await serve((socket, text) => answer(server)(socket, text));
    const endpoint = endpointOf(httpWith({ secrets: [key] }), { baseUrl: `${server.url}/v1?key=${key}`, apiKey: key });
    const { error } = await drain(endpoint, request);
    expect(server.requests[0]).toContain(key);
    expect(error).toBeInstanceOf(ProviderError);
    for (const shown of [
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
      String(error),
      JSON.stringify((error as ProviderError).payload ?? null),
    ]) {
      expect(shown).not.toContain('canary');
    }
  });
});

describe('[SG-080] whole and streamed answers give the same', () => {
  const message = {
    role: 'assistant',
    reasoning_content: 'low tide',
    content: '<think>hm</think>\nPier 7',
    refusal: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":"é"}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
    ],
  };
  const whole = { id: 'c1', model: 'm-2', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage };
  const pieces = [
    event({ role: 'assistant', content: null }),
    ...'low tide'.split('').map((letter) => event({ reasoning_content: letter })),
    ...message.content.split('').map((letter) => event({ content: letter })),
    event({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }),
    ...'{"x":"é"}'.split('').map((letter) => event({ tool_calls: [{ index: 0, function: { arguments: letter } }] })),
    event({ tool_calls: [{ index: 1, id: 'b', function: { name: 'g' } }] }),
    event({}, 'tool_calls'),
    `data: ${JSON.stringify({ id: 'c1', model: 'm-2', choices: [], usage })}\n\ndata: [DONE]\n\n`,
  ].join('');

  it('text, reasoning, calls, finish, usage, carries and model', async () => {
    const streamed = await drain(endpointOf(httpWith({ fetch: async () => new Response(pieces) })), request);
    const once = await drain(endpointOf(httpWith({ fetch: async () => Response.json(whole) })), { ...request, delivery: 'whole' });
    expect(summarise(once)).toEqual(summarise(streamed));
    expect(once.parts.at(-1)).toEqual(streamed.parts.at(-1));
    expect(summarise(once)).toMatchObject({
      text: 'Pier 7',
      thinking: 'low tidehm',
      finish: 'tool_calls',
      carries: [{ shape: 'reasoning-content', data: 'low tide' }],
    });
  });

  it('[AC-009] provider chunks come only when they are asked for', async () => {
    const fetch = async (): Promise<Response> => new Response(event({ content: '7' }, 'stop'));
    const kinds = async (providerChunks?: true) =>
      (await drain(endpointOf(httpWith({ fetch })), { ...request, ...(providerChunks === undefined ? {} : { providerChunks }) })).parts.map(
        (part) => part.type,
      );
    expect(await kinds()).toEqual(['text-delta', 'call-metadata']);
    expect(await kinds(true)).toEqual(['provider-chunk', 'text-delta', 'call-metadata', 'provider-response']);
  });
});

describe('reasoning deltas', () => {
  it.each(['reasoning', 'reasoning_content'])('[sig-S9] [sig-S10] %s is reasoning, and never text', async (field) => {
    const fetch = async (): Promise<Response> => new Response(event({ [field]: 'hm' }) + event({ content: '7' }, 'stop'));
    const { parts } = await drain(endpointOf(httpWith({ fetch })), request);
    expect(parts.slice(0, 2)).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'text-delta', text: '7' },
    ]);
  });
});

describe('[SG-036] usage', () => {
  it('the later replaces the earlier; what nobody said is absent', async () => {
    const last = {
      prompt_tokens: 5,
      completion_tokens: 6,
      total_tokens: 11,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    const stream = `${event({ content: '7' }, 'stop', { usage })}data: ${JSON.stringify({ choices: [], usage: last })}\n\n`;
    const got = summarise(await drain(endpointOf(httpWith({ fetch: async () => new Response(stream) })), request));
    expect(got.usage).toEqual({ inputTokens: 5, outputTokens: 6, totalTokens: 11, reported: true, cached: 2, reasoning: 3 });
    const none = await drain(endpointOf(httpWith({ fetch: async () => new Response(event({ content: '7' }, 'stop')) })), request);
    expect(none.parts.at(-1)).not.toHaveProperty('usage');
  });
});
