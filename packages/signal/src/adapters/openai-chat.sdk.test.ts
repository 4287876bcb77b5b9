import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { SignalError, systemClock } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createHttp } from '../net/http.ts';
import { CallTimeoutError, ProviderError } from '../net/provider-error.ts';
import { manualClock } from '../net/test-support/raw-server.ts';
import type { ProviderRequest } from './adapter.ts';
import { openaiChat } from './openai-chat.ts';
import { drain, endpointOf, summarise } from './test-support/drive.ts';

const key = 'sk-canary-0123456789';
const http = createHttp({
  fetch: () => Promise.reject(new Error('the client is used instead')),
  clock: systemClock,
  timeout: { firstByte: Number.POSITIVE_INFINITY, idle: Number.POSITIVE_INFINITY },
  secrets: [key],
});
const request: ProviderRequest = { model: 'm', delivery: 'parts', messages: [] };

type Create = (body: Record<string, unknown>, options: { readonly signal: AbortSignal; readonly maxRetries: number }) => unknown;
const sdk = (create: Create) => ({ fetch: () => undefined, chat: { completions: { create } } });
const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

async function* stream(...items: readonly unknown[]): AsyncGenerator<unknown> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    yield item;
  }
}

/** As the official SDKs throw: status, headers, and the body's `error` under `error`. */
class ApiError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly error: unknown;
  constructor(status: number | undefined, error: unknown, headers: Record<string, string> = {}) {
    super(`${status} for ${key}`);
    this.status = status;
    this.headers = new Headers({ authorization: `Bearer ${key}`, ...headers });
    this.error = error;
  }
}

describe('[SG-030] an SDK instance as the client', () => {
  it('gets the body, the signal and no retries of its own, and its stream is read', async () => {
    let seen: Parameters<Create> | undefined;
    const client = sdk((...given) => {
      seen = given;
      return Promise.resolve(stream(chunk({ content: 'Pier ' }), chunk({ content: '7' }), chunk({}, 'stop')));
    });
    const sent = await drain(endpointOf(http, { client }), request);
    expect(summarise(sent)).toMatchObject({ text: 'Pier 7', finish: 'stop', terminated: true });
    expect(seen?.[0]).toMatchObject({ model: 'm', stream: true });
    expect(seen?.[1].signal).toBeInstanceOf(AbortSignal);
    expect(seen?.[1].maxRetries).toBe(0);
  });

  it('reads one object, also with arguments as an object', async () => {
    const message = { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] };
    const client = sdk(() => ({ id: 'c1', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    expect(summarise(await drain(endpointOf(http, { client }), { ...request, delivery: 'whole' }))).toMatchObject({
      finish: 'tool_calls',
      terminated: true,
      calls: [{ id: 'a', name: 'f', args: '{"x":1}' }],
    });
  });

  it('[sse-S20] a stream that just ends is a cut answer: the SDK does not notice', async () => {
    const client = sdk(() => stream(chunk({ content: 'Pier ' })));
    expect(summarise(await drain(endpointOf(http, { client }), request))).toMatchObject({
      text: 'Pier ',
      finish: null,
      terminated: false,
      fault: undefined,
    });
    expect(summarise(await drain(endpointOf(http, { client: sdk(() => stream()) }), request)).fault).toMatchObject({
      cause: 'transport',
      retryable: true,
    });
  });

  it.each<[string, Error, object]>([
    [
      'a status',
      new ApiError(429, { message: 'slow', code: 'rate_limit_exceeded' }, { 'retry-after': '2' }),
      { cause: 'rate_limit', retryable: true, status: 429, retryAfterMs: 2_000, message: 'slow' },
    ],
    [
      'a body one level deeper',
      new ApiError(400, { error: { message: 'no', code: 'tool_use_failed', failed_generation: 'x' } }),
      { cause: 'invalid_request', providerCode: 'tool_use_failed' },
    ],
    [
      'an error event without a status',
      new ApiError(undefined, { message: 'Overloaded', type: 'overloaded_error' }),
      { cause: 'overloaded', retryable: true },
    ],
    [
      'a body that it could not decode',
      Object.assign(new Error(`502 <html><title>Bad Gateway</title>${key}`), { status: 502 }),
      { cause: 'overloaded', retryable: true, message: expect.stringContaining('Bad Gateway') },
    ],
    [
      'a lost connection',
      Object.assign(new Error('Connection error.'), { cause: new Error('reset') }),
      { cause: 'transport', retryable: true },
    ],
  ])('[SG-038] its errors are read like answers, and show no key: %s', async (_title, error, fault) => {
    for (const client of [sdk(() => Promise.reject(error)), sdk(() => stream(error))]) {
      const sent = await drain(endpointOf(http, { client, apiKey: key }), request);
      expect(sent.error).toBeInstanceOf(ProviderError);
      expect((sent.error as ProviderError).fault).toMatchObject(fault);
      expect((sent.error as ProviderError).cause).toBeInstanceOf(Error);
      expect(inspect(sent.error, { depth: 9, showHidden: true })).not.toContain('canary');
    }
  });

  it('[SG-037] abort and time limits reach it, and leave no listener', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    let inner: AbortSignal | undefined;
    const hanging = sdk((_body, options) => {
      inner = options.signal;
      queueMicrotask(() => controller.abort(reason));
      return new Promise(() => undefined);
    });
    expect((await drain(endpointOf(http, { client: hanging }), request, controller.signal)).error).toBe(reason);
    expect(inner?.aborted).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);

    const clock = manualClock();
    const timed = createHttp({ ...http.settings, clock, timeout: { firstByte: 10, idle: 20 } });
    const silent = sdk(() => {
      queueMicrotask(() => clock.advance(10));
      return new Promise(() => undefined);
    });
    expect((await drain(endpointOf(timed, { client: silent }), request)).error).toMatchObject({ which: 'first_byte' });
    const stalling = sdk(() => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          queueMicrotask(() => clock.advance(20));
          return new Promise(() => undefined);
        },
      }),
    }));
    const { error } = await drain(endpointOf(timed, { client: stalling }), request);
    expect(error).toBeInstanceOf(CallTimeoutError);
    expect(clock.pending()).toBe(0);
  });

  it('a fetch alone replaces the platform’s', async () => {
    const client = { fetch: async () => Response.json({ choices: [{ index: 0, message: { content: '7' }, finish_reason: 'stop' }] }) };
    expect(summarise(await drain(endpointOf(http, { client }), { ...request, delivery: 'whole' })).text).toBe('7');
  });

  it.each([[{}], [null], ['client'], [{ chat: {} }]])('anything else is a mistake of the caller: %j', (client) => {
    expect(() => openaiChat(endpointOf(http, { client }))).toThrow(SignalError);
  });
});
