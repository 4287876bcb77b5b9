import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock } from '@vouch/contracts/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSignal, defineTool } from '../src/index.ts';
import { bench, drain } from './support/clients.ts';
import { type Answer, streamEvents } from './support/stub-server.ts';

/** A signal that counts the listeners on it. */
function countingSignal(): { readonly controller: AbortController; readonly listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const live = new Set<unknown>();
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    if (!live.has(args[1])) count += 1;
    live.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    if (live.delete(args[1])) count -= 1;
    remove(...args);
  };
  return { controller, listeners: () => count };
}

const silent: Answer = (_request, init) =>
  new Promise((_resolve, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
  });

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

async function leaveEarly(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) break;
}

const schema = z.object({ a: z.number() });
const clock = defineTool({ name: 'clock', description: 'Tells the time.', input: z.object({}), execute: () => 'noon' });

describe('listeners, timers and bodies', () => {
  const scenarios: readonly (readonly [string, readonly Answer[]])[] = [
    ['a text', [{ content: '{"a":1}' }]],
    ['a correction', [{ content: 'no' }, { content: '{"a":1}' }]],
    ['a tool turn', [{ calls: [{ id: 'c', name: 'clock', args: '{}' }] }, { content: '{"a":1}' }]],
    ['a failure', [{ content: 'no' }]],
    ['an error status', [{ status: 400, body: {} }]],
    ['a cut stream', [{ content: '{"a":', end: 'cut' }]],
    ['a stream left open', [{ content: '{"a":1}', end: 'open' }]],
    ['no connection', [() => Promise.reject(new TypeError('fetch failed'))]],
  ];

  it.each(scenarios)('[SG-037] none is left after %s', async (_title, answers) => {
    const time = manualClock();
    const { controller, listeners } = countingSignal();
    const { client, server } = bench(answers, {}, { clock: time, tools: [clock], schema });
    const run = client.options({ signal: controller.signal, timeout: { total: 5_000 }, network: { retries: 0 } });
    await run.tryComplete('Go.');
    await drain(run.stream('Go.'));
    await run.step({ messages: [{ role: 'user', content: 'Go.' }] }).catch(() => undefined);
    await drain(run.stepStream({ messages: [{ role: 'user', content: 'Go.' }] })).catch(() => undefined);
    await leaveEarly(run.stream('Go.'));
    await leaveEarly(run.stepStream({ messages: [{ role: 'user', content: 'Go.' }] })).catch(() => undefined);
    await settle();
    expect(listeners()).toBe(0);
    expect(time.pending()).toBe(0);
    expect(server.openBodies()).toBe(0);
  });

  it('[SG-037] no socket is left open on a real server, however a verb ends', async () => {
    const sockets = new Set<object>();
    const events = streamEvents({ content: '{"a":1}' });
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${events[0]}\n\n`);
      request.on('data', () => undefined);
      if (request.headers['x-case'] !== 'stall')
        response.end(
          events
            .slice(1)
            .map((event) => `data: ${event}\n\n`)
            .join(''),
        );
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.keepAliveTimeout = 1;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const stalling: typeof fetch = (input, init) =>
        fetch(input, { ...init, headers: { ...(init?.headers as object), 'x-case': 'stall' } });
      const client = createSignal({ baseUrl, model: 'm' });
      await drain(client.stream('Go.'));
      await leaveEarly(client.stream('Go.'));
      const controller = new AbortController();
      const stalled = createSignal({ baseUrl, model: 'm', fetch: stalling });
      const running = drain(stalled.stepStream({ messages: [{ role: 'user', content: 'Go.' }] }, { signal: controller.signal }));
      await new Promise<void>((resolve) => server.once('request', () => resolve()));
      controller.abort();
      expect(await running).toEqual([]);
      await new Promise<void>((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error))));
      // The server counts a socket as closed before the socket says so, in the last phase of a turn.
      for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
      expect(sockets.size).toBe(0);
    } finally {
      server.closeAllConnections();
    }
  });
});

describe('an abort', () => {
  it('[def-B10] [SG-081] is kind aborted for complete and stream, by options and by the call', async () => {
    const { client } = bench([silent]);
    const controller = new AbortController();
    const tried = client.options({ signal: controller.signal }).tryComplete('Go.');
    const streamed = drain(client.stream('Go.', { signal: controller.signal }));
    const thrown = client.complete('Go.', { signal: controller.signal }).catch((error: unknown) => error);
    await settle();
    controller.abort(new Error('enough'));
    const expected = { kind: 'aborted', reason: 'aborted', code: 'E_ABORTED' };
    expect(await tried).toMatchObject({ ok: false, failure: { ...expected, history: [{ role: 'user' }] } });
    expect((await streamed).at(-1)).toMatchObject({ type: 'error', failure: expected });
    expect(await thrown).toMatchObject({ name: 'SignalError', code: 'E_ABORTED' });
  });

  it('[SG-055] [SG-037] reaches the tools, does not wait for one that ignores it, and closes the history', async () => {
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const deaf = defineTool({
      name: 'deaf',
      description: 'Never ends.',
      input: z.object({}),
      execute: (_input, { signal }) => {
        seen = signal;
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const { client, server } = bench([{ calls: ['c1', 'c2'].map((id) => ({ id, name: 'deaf', args: '{}' })) }]);
    const result = await client.tools([deaf]).tryComplete('Go.', { signal: controller.signal });
    expect(seen?.aborted).toBe(true);
    expect(server.requests).toHaveLength(1);
    if (result.ok) throw new Error('not aborted');
    expect(result.failure.kind).toBe('aborted');
    const parts = (result.failure.history ?? []).flatMap((message) => message.parts);
    expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(2);
    expect(parts.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { callId: 'c1', outcome: 'cancelled' },
      { callId: 'c2', outcome: 'cancelled' },
    ]);
  });

  it('[SG-081] keeps what had come as evidence', async () => {
    const controller = new AbortController();
    const { client } = bench([{ content: 'one two three four', pieceChars: 4 }]);
    let failure: unknown;
    for await (const event of client.stream('Go.', { signal: controller.signal })) {
      if (event.type === 'text') controller.abort();
      if (event.type === 'error') failure = event.failure;
    }
    expect(failure).toMatchObject({ kind: 'aborted', evidence: { attempt: { source: 'content', text: { text: 'one ' } } } });
  });
});

describe('time', () => {
  it('[SG-037] [SG-081] between deltas that came in one piece: nothing more of them is given', async () => {
    const data = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
    const onePiece: Answer = () => new Response(data('a') + data('b') + data('c'), { headers: { 'content-type': 'text/event-stream' } });
    const ofRun = new AbortController();
    const seen: unknown[] = [];
    for await (const event of bench([onePiece]).client.stream('x', { signal: ofRun.signal })) {
      seen.push(event.type === 'text' ? event.text : event.type === 'error' ? event.failure.kind : event);
      ofRun.abort();
    }
    expect(seen).toEqual(['a', 'aborted']);
    const ofStep = new AbortController();
    const events: unknown[] = [];
    const request = { messages: [{ role: 'user', content: 'x' } as const] };
    for await (const event of bench([onePiece]).client.stepStream(request, { signal: ofStep.signal })) {
      events.push(event);
      ofStep.abort();
    }
    expect(events).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('[SG-037] the total time bounds the whole run, tools included, and is kind timeout', async () => {
    const time = manualClock();
    const slow = defineTool({ name: 'slow', description: 'Never ends.', input: z.object({}), execute: () => new Promise(() => undefined) });
    const { client } = bench([{ calls: [{ id: 'c', name: 'slow', args: '{}' }] }], {}, { clock: time });
    const running = client
      .tools([slow])
      .options({ timeout: { total: 1_000 } })
      .tryComplete('Go.');
    await time.advance(999);
    await settle();
    await time.advance(1);
    expect(await running).toMatchObject({ ok: false, failure: { kind: 'timeout', code: 'E_TIMEOUT', history: [{}, {}, {}] } });
  });

  it('[SG-037] the time to the first byte is a timeout of its own', async () => {
    const time = manualClock();
    const { client } = bench([silent], {}, { clock: time });
    const running = client.options({ timeout: { firstByte: 300 } }).tryComplete('Go.');
    await settle();
    await time.advance(300);
    expect(await running).toMatchObject({
      ok: false,
      failure: { kind: 'timeout', retryable: true, message: expect.stringContaining('300 ms') },
    });
  });

  it('[SG-037] the total time of a single step is kind timeout too', async () => {
    const time = manualClock();
    const { client } = bench([silent], {}, { clock: time });
    const request = { messages: [{ role: 'user', content: 'Go.' }], options: { timeout: { total: 700 } } } as const;
    const running = client.step(request).catch((error: unknown) => error);
    await settle();
    await time.advance(700);
    expect(await running).toMatchObject({ name: 'SignalError', kind: 'timeout', message: expect.stringContaining('700 ms') });
    expect(time.pending()).toBe(0);
  });

  it('[SG-037] an overloaded provider is asked again, as often as options say, and corrections are not counted', async () => {
    const busy: Answer = { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '2' } };
    const time = manualClock();
    const { client, server } = bench([busy, busy, { content: 'Noon.' }], {}, { clock: time });
    const running = client.complete('When?');
    await settle();
    await time.advance(2_000);
    await settle();
    expect(server.requests).toHaveLength(2);
    await time.advance(2_000);
    expect((await running).meta.retries).toBe(0);
    const once = bench([busy], {}, { clock: time });
    expect(await once.client.options({ network: { retries: 0 } }).tryComplete('When?')).toMatchObject({
      ok: false,
      failure: { cause: 'rate_limit', retryable: true },
    });
    expect(once.server.requests).toHaveLength(1);
  });
});
