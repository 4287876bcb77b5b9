import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { type ModelPart, SignalError, systemClock } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createHttp, type Http } from '../net/http.ts';
import { CallTimeoutError, ProviderError } from '../net/provider-error.ts';
import { manualClock } from '../net/test-support/raw-server.ts';
import { generateContentDialect } from '../registry/dialects.ts';
import type { AdapterEndpoint, ProviderRequest } from './adapter.ts';
import { gemini } from './gemini.ts';
import { drainAdapter, endpointOf, httpOf, type Sent, summarise } from './test-support/drive.ts';

const key = 'sk-canary-0123456789';
const forever = Number.POSITIVE_INFINITY;
const http = createHttp({
  fetch: () => Promise.reject(new Error('the client is used instead')),
  clock: systemClock,
  timeout: { firstByte: forever, idle: forever },
  secrets: [key],
});
const user = {
  role: 'user',
  parts: [{ id: 'u1', type: 'text', text: 'Where?', origin: { kind: 'caller' }, trust: 'user' }],
} as const;
const request: ProviderRequest = { model: 'm', delivery: 'parts', messages: [user] };

const said = (parts: readonly object[], finishReason?: string): object => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
});
const event = (value: object): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

const send = (over: Http, more: Partial<AdapterEndpoint> = {}, asked: ProviderRequest = request, signal?: AbortSignal): Promise<Sent> =>
  drainAdapter(gemini(endpointOf(over, { dialect: generateContentDialect, ...more })), asked, signal);
const sendText = (text: string, asked?: ProviderRequest): Promise<Sent> => send(httpOf([new TextEncoder().encode(text)]), {}, asked);

describe('the end of a stream without a mark', () => {
  it('[path-D22] [sse-S21] a stall is an idle timeout, and after the finish it is the end', async () => {
    for (const finish of [undefined, 'STOP']) {
      const clock = manualClock();
      let reads = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          reads += 1;
          if (reads === 1) controller.enqueue(new TextEncoder().encode(event(said([{ text: 'Pier 7.' }], finish))));
          else setImmediate(() => clock.advance(100));
          return reads === 1 ? undefined : new Promise(() => undefined);
        },
      });
      const stalling = createHttp({
        ...http.settings,
        clock,
        fetch: async () => new Response(body),
        timeout: { firstByte: forever, idle: 100 },
      });
      const sent = await send(stalling);
      expect(summarise(sent)).toMatchObject({
        text: 'Pier 7.',
        finish: finish === undefined ? null : 'stop',
        terminated: finish !== undefined,
      });
      if (finish === undefined) expect(sent.error).toBeInstanceOf(CallTimeoutError);
      else expect(sent.error).toBeUndefined();
    }
  });

  it('[SG-035] nothing is waited for behind a blocked prompt', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(event({ promptFeedback: { blockReason: 'SAFETY' } })));
      },
      cancel() {
        cancelled = true;
      },
    });
    const open = createHttp({ ...http.settings, fetch: async () => new Response(body) });
    expect(summarise(await send(open))).toMatchObject({ finish: 'content_filter', providerFinish: 'SAFETY', terminated: true });
    expect(cancelled).toBe(true);
  });

  it('[SG-030] the provider’s own data, where it is asked for', async () => {
    const response = said([{ text: 'Pier 7.' }], 'STOP');
    const ofType = (parts: readonly ModelPart[], type: ModelPart['type']): readonly ModelPart[] =>
      parts.filter((part) => part.type === type);
    const streamed = await sendText(event(response), { ...request, providerChunks: true });
    expect(ofType(streamed.parts, 'provider-chunk')).toEqual([{ type: 'provider-chunk', chunk: response }]);
    const whole = await sendText(JSON.stringify(response), { ...request, delivery: 'whole', providerChunks: true });
    expect(ofType(whole.parts, 'provider-response')).toEqual([{ type: 'provider-response', response }]);
  });
});

describe('hostile answers', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('[SG-033] twenty thousand calls in one event, each with the text of its own arguments', async () => {
    const calls = [...Array(20_000).keys()].map((pier) => `{"functionCall":{"name":"f","args":{"pier":${pier}.0}}}`);
    const sent = await sendText(`data: {"candidates":[{"content":{"parts":[${calls.join(', ')}]},"finishReason":"STOP"}]}\n\n`);
    const texts = sent.parts.flatMap((part) => (part.type === 'function-call-delta' ? [part.arguments] : []));
    expect(texts).toEqual([...Array(20_000).keys()].map((pier) => `{"pier":${pier}.0}`));
  });

  it('[SG-033] arguments of any depth come as their text, and are in no carry', async () => {
    const args = `{"a":${nested(100_000)}}`;
    const sent = await sendText(
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP"}]}`,
    );
    expect(sent.error).toBeUndefined();
    expect(sent.parts.find((part) => part.type === 'function-call-delta')).toMatchObject({ arguments: args });
    expect(sent.parts.filter((part) => part.type === 'carry')).toMatchObject([{ carry: { data: { functionCall: { args: {} } } } }]);
  });

  it('[SG-033] what is too deep to be sent back is no answer', async () => {
    for (const part of [`"executableCode":${nested(100_000)}`, `"text":"a","thoughtSignature":"c2ln","partMetadata":${nested(100_000)}`]) {
      const sent = await sendText(`{"candidates":[{"content":{"parts":[{${part}}]},"finishReason":"STOP"}]}`);
      expect(sent.error).toBeInstanceOf(ProviderError);
      expect(summarise(sent).fault).toMatchObject({ cause: 'parse', retryable: false });
    }
  });

  it('[SG-034] a signature of a megabyte, and names of objects’ own fields, are only data', async () => {
    const signature = 'c2ln'.repeat(250_000);
    const part = `{"functionCall":{"name":"__proto__","args":{"__proto__":{"x":1}},"id":"constructor"},"thoughtSignature":"${signature}"}`;
    const sent = await sendText(`{"candidates":[{"content":{"parts":[${part}]},"finishReason":"STOP"}]}`);
    expect(sent.parts.find((one) => one.type === 'function-call-delta')).toMatchObject({
      id: 'constructor',
      name: '__proto__',
      arguments: '{"__proto__":{"x":1}}',
    });
    const [carry] = sent.parts.flatMap((one) => (one.type === 'carry' ? [one.carry] : []));
    expect(carry?.data).toMatchObject({ thoughtSignature: signature });
  });
});

type Generate = (parameters: { readonly config: { readonly abortSignal?: AbortSignal } & Record<string, unknown> }) => unknown;
const sdk = (whole: Generate, parts: Generate = whole) => ({ models: { generateContent: whole, generateContentStream: parts } });

async function* stream(...items: readonly unknown[]): AsyncGenerator<unknown> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    yield item;
  }
}

/** As the official SDK throws: the status, and the body as the message. */
const apiError = (status: number, error: object): Error =>
  Object.assign(new Error(JSON.stringify({ error: { ...error, canary: key } })), { name: 'ApiError', status });

describe('[SG-030] an SDK instance as the client', () => {
  it('gets the request in its own spelling, the signal and no retries of its own, and its stream is read', async () => {
    let seen: unknown;
    const client = sdk(
      () => undefined,
      (parameters) => {
        seen = parameters;
        return Promise.resolve(stream(said([{ text: 'Pier ' }]), said([{ text: '7' }], 'STOP')));
      },
    );
    const options = { temperature: 0.5, extraBody: { labels: { a: 'b' }, cachedContent: 'c' } };
    const sent = await send(http, { client }, { ...request, options });
    expect(summarise(sent)).toMatchObject({ text: 'Pier 7', finish: 'stop', terminated: true });
    expect(seen).toEqual({
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'Where?' }] }],
      config: {
        temperature: 0.5,
        cachedContent: 'c',
        httpOptions: { retryOptions: { attempts: 1 }, extraBody: { labels: { a: 'b' } } },
        abortSignal: expect.any(AbortSignal),
      },
    });
  });

  it('reads one response, without what the SDK hangs onto it', async () => {
    const response = said([{ functionCall: { name: 'f', args: { x: 1 }, id: 'a' } }], 'STOP');
    const client = sdk(async () => ({ ...response, sdkHttpResponse: { headers: { canary: key } } }));
    const sent = await send(http, { client }, { ...request, delivery: 'whole', providerChunks: true });
    expect(summarise(sent)).toMatchObject({ finish: 'tool_calls', terminated: true, calls: [{ id: 'a', name: 'f', args: '{"x":1}' }] });
    expect(JSON.stringify(sent.parts)).not.toContain('canary');
  });

  it('[sse-S20] a stream that just ends is a cut answer: the SDK does not notice', async () => {
    const cut = sdk(async () => stream(said([{ text: 'Pier ' }])));
    expect(summarise(await send(http, { client: cut }))).toMatchObject({
      text: 'Pier ',
      finish: null,
      terminated: false,
      fault: undefined,
    });
    const empty = sdk(async () => stream());
    expect(summarise(await send(http, { client: empty })).fault).toMatchObject({ cause: 'transport', retryable: true });
  });

  it.each<[string, Error, object]>([
    [
      'a status',
      apiError(429, { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' }),
      { cause: 'rate_limit', status: 429, message: 'slow' },
    ],
    ['a bad key', apiError(400, { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' }), { cause: 'auth', status: 400 }],
    ['a lost connection', new TypeError('fetch failed'), { cause: 'transport', retryable: true }],
  ])('[SG-038] its errors are read like answers, and show no key: %s', async (_title, error, fault) => {
    for (const client of [sdk(() => Promise.reject(error)), sdk(async () => stream(error))]) {
      const sent = await send(http, { client, apiKey: key });
      expect(sent.error).toBeInstanceOf(ProviderError);
      expect((sent.error as ProviderError).fault).toMatchObject(fault);
      expect(inspect(sent.error, { depth: 9, showHidden: true })).not.toContain(key);
    }
  });

  it('[SG-037] an abort reaches it, and leaves no listener', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    let inner: AbortSignal | undefined;
    const hanging = sdk(({ config }) => {
      inner = config.abortSignal;
      queueMicrotask(() => controller.abort(reason));
      return new Promise(() => undefined);
    });
    expect((await send(http, { client: hanging }, request, controller.signal)).error).toBe(reason);
    expect(inner?.aborted).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('[SG-033] arguments too deep to be written down are no answer', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const client = sdk(async () => said([{ functionCall: { name: 'f', args: { deep } } }], 'STOP'));
    expect(summarise(await send(http, { client }, { ...request, delivery: 'whole' })).fault).toMatchObject({ cause: 'parse' });
  });

  it('a fetch alone replaces the platform’s', async () => {
    const client = { fetch: async () => Response.json(said([{ text: '7' }], 'STOP')) };
    expect(summarise(await send(http, { client }, { ...request, delivery: 'whole' })).text).toBe('7');
  });

  it.each([[{}], [null], ['client'], [{ models: {} }], [{ models: { generateContent: 1 } }]])(
    'anything else is a mistake of the caller: %j',
    (client) => {
      expect(() => gemini(endpointOf(http, { dialect: generateContentDialect, client }))).toThrow(SignalError);
    },
  );
});
