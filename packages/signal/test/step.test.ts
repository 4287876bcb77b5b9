import { type ErrorWireStrategy, SignalError, type StepRequest, type StepStreamEvent } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toOutputSchema } from '../src/index.ts';
import { bench, drain } from './support/clients.ts';
import type { Answer } from './support/stub-server.ts';

const hello: StepRequest = { messages: [{ role: 'user', content: 'Say hello.' }] };
const query = { name: 'query', description: 'Looks something up.', jsonSchema: { type: 'object', properties: { q: { type: 'string' } } } };
const envelope = toOutputSchema(z.strictObject({ response: z.string().optional(), data: z.array(z.number()) }));

const typesOf = (events: readonly StepStreamEvent[]): string[] => events.map(({ type }) => type);
const doneOf = (events: readonly StepStreamEvent[]): Extract<StepStreamEvent, { type: 'done' }>['result'] => {
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error(`the last event is ${last?.type}`);
  return last.result;
};

describe('stepStream', () => {
  it('[sig-S1] gives the text in order and ends in done with content, usage and finish reason', async () => {
    const { client } = bench([{ content: 'Hello, harbour master.', usage: [9, 4] }]);
    const events = await drain(client.stepStream(hello));
    expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe('Hello, harbour master.');
    expect(doneOf(events)).toMatchObject({
      content: 'Hello, harbour master.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13, reported: true },
    });
  });

  it('[sig-S2] a response with a finish alone still ends in done', async () => {
    const events = await drain(bench([{ content: '' }]).client.stepStream(hello));
    expect(typesOf(events)).toEqual(['done']);
  });

  it('[sig-S3] [sig-S4] [sig-S6] assembles a call from its fragments, shows each, and runs nothing', async () => {
    const { client, server } = bench([{ calls: [{ id: 'c1', name: 'query', args: '{"q":"tide at noon"}' }] }]);
    const events = await drain(client.stepStream({ ...hello, tools: [query] }));
    const deltas = events.filter((event) => event.type === 'tool_call_delta');
    expect(deltas[0]).toMatchObject({ index: 0, id: 'c1', name: 'query', argsText: '' });
    expect(deltas.slice(1).every((delta) => delta.id === undefined && delta.name === undefined)).toBe(true);
    expect(deltas.map((delta) => delta.argsText).join('')).toBe('{"q":"tide at noon"}');
    expect(doneOf(events)).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ id: 'c1', name: 'query', args: { q: 'tide at noon' } }],
    });
    expect(server.requests).toHaveLength(1);
  });

  it('[sig-S5] arguments that do not parse stay as their text', async () => {
    const { client } = bench([{ calls: [{ id: 'c1', name: 'query', args: 'tide at noon' }] }]);
    const result = doneOf(await drain(client.stepStream({ ...hello, tools: [query] })));
    expect(result.toolCalls).toMatchObject([{ args: 'tide at noon', argsText: 'tide at noon' }]);
  });

  it('[sig-S7] toolChoice and responseFormat reach the wire', async () => {
    const { client, server } = bench([{ calls: [{ id: 'c1', name: 'query', args: '{}' }] }]);
    await drain(client.stepStream({ ...hello, tools: [query], toolChoice: 'required', responseFormat: { type: 'json_object' } }));
    expect(server.requests[0]?.body).toMatchObject({ tool_choice: 'required', response_format: { type: 'json_object' }, stream: true });
  });

  it('[sig-S8] after an abort the iteration ends without done and without a throw', async () => {
    const { client } = bench([{ content: 'one two three four five', pieceChars: 4 }]);
    const controller = new AbortController();
    const seen: StepStreamEvent[] = [];
    for await (const event of client.stepStream(hello, { signal: controller.signal })) {
      seen.push(event);
      controller.abort(new Error('enough'));
    }
    expect(typesOf(seen)).toEqual(['text']);
  });

  it('[sig-S13] reasoning is passed on and is no content', async () => {
    const { client } = bench([{ reasoning: 'think first', content: 'answer' }]);
    const events = await drain(client.stepStream(hello));
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe('think first');
    expect(doneOf(events)).toMatchObject({ content: 'answer', thinking: [{ type: 'thinking', content: 'think first' }] });
  });

  it('[sig-S14] a provider that is silent until the abort ends the iteration without a throw', async () => {
    const silent: Answer = (_request, init) =>
      new Promise((_resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(new Error('an ordinary error')), { once: true });
      });
    const { client } = bench([silent]);
    const controller = new AbortController();
    const draining = drain(client.stepStream(hello, { signal: controller.signal }));
    controller.abort();
    expect(await draining).toEqual([]);
  });

  it('[sig-S8] step, which has no silent end, throws kind aborted', async () => {
    const { client } = bench([{ content: 'late' }]);
    const error = await client.step(hello, { signal: AbortSignal.abort() }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignalError);
    expect(error).toMatchObject({ kind: 'aborted', code: 'E_ABORTED' });
  });
});

describe('reasoning on the wire', () => {
  const spelled =
    (field: string): Answer =>
    () => {
      const chunk = (delta: object, finish: string | null = null): string =>
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      const text = chunk({ [field]: 'hm', content: 'a' }) + chunk({}, 'stop');
      return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    };

  it.each([
    ['[sig-S9]', 'reasoning'],
    ['[sig-S10]', 'reasoning_content'],
  ])('%s a delta of %s is reasoning, and the text beside it is text', async (_id, field) => {
    const events = await drain(bench([spelled(field)]).client.stepStream(hello));
    expect(typesOf(events)).toEqual(['reasoning', 'text', 'done']);
    expect(doneOf(events).content).toBe('a');
  });

  it('[sig-S11] fields that ask for reasoning are sent with an effort and only then', async () => {
    const { client, server } = bench([{ content: 'a' }], { dialect: 'groq' });
    await drain(client.stepStream(hello));
    await drain(client.options({ reasoningEffort: 'low' }).stepStream(hello));
    expect(server.requests.map(({ body }) => body.reasoning_format)).toEqual([undefined, 'parsed']);
  });

  it('[def-B23] the output limit goes under the name that the endpoint knows', async () => {
    const limited = { ...hello, options: { maxOutputTokens: 9 } };
    for (const [dialect, field] of [
      ['openai', 'max_completion_tokens'],
      ['together', 'max_tokens'],
    ] as const) {
      const { client, server } = bench([{ content: 'a' }], { dialect });
      await client.step(limited);
      expect(server.requests[0]?.body).toHaveProperty(field, 9);
    }
  });

  it("the provider's own chunks come when asked for, whole or streamed", async () => {
    const { client } = bench([{ content: 'a' }]);
    const chunks = (await drain(client.stepStream({ ...hello, providerChunks: true }))).filter(({ type }) => type === 'provider_chunk');
    expect(chunks.length).toBeGreaterThan(1);
    expect((await drain(client.stepStream(hello))).some(({ type }) => type === 'provider_chunk')).toBe(false);
  });
});

describe('step', () => {
  it('[SG-080] asks for one whole response, where stepStream asks for parts', async () => {
    const { client, server } = bench([{ content: 'a' }]);
    await client.step(hello);
    await drain(client.stepStream(hello));
    expect(server.requests.map(({ body }) => body.stream)).toEqual([false, true]);
  });

  it('[def-B9] a body without usage gives an estimate that says so', async () => {
    const { client } = bench([{ content: 'about four tokens here', usage: null }]);
    for (const result of [await client.step(hello), doneOf(await drain(client.stepStream(hello)))]) {
      expect(result.usage.reported).toBe(false);
      expect(result.usage.outputTokens).toBeGreaterThan(0);
      expect(result.usage.totalTokens).toBe(result.usage.inputTokens + result.usage.outputTokens);
    }
  });

  it('[def-B19] calls that come without an id get ids of the id source, which no other process makes', async () => {
    const call = { id: '', name: 'query', args: '{"q":"x"}' };
    const one = await bench([{ calls: [call] }]).client.step({ ...hello, tools: [query] });
    expect(one.toolCalls[0]?.id).toMatch(/^call_\d+$/);
    const random = bench([{ calls: [call] }], {}, { ids: (prefix) => `${prefix}_${crypto.randomUUID()}` });
    const first = await random.client.step({ ...hello, tools: [query] });
    const second = await random.client.step({ ...hello, tools: [query] });
    expect(first.toolCalls[0]?.id).not.toBe(second.toolCalls[0]?.id);
  });

  it('the request digest is the same for the same request and differs for another', async () => {
    const { client } = bench([{ content: 'a' }]);
    const [one, two, other] = [
      await client.step(hello),
      doneOf(await drain(client.stepStream(hello))),
      await client.step({ messages: [{ role: 'user', content: 'Say goodbye.' }] }),
    ];
    expect(one.requestDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(two.requestDigest).toBe(one.requestDigest);
    expect(other.requestDigest).not.toBe(one.requestDigest);
  });
});

describe('provider errors', () => {
  const refused = (failed_generation: string): Answer => ({
    status: 400,
    body: { error: { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed', failed_generation } },
  });
  const output = { accept: envelope };
  const book = { name: 'book_room', description: 'Books.', jsonSchema: { type: 'object', properties: { room: { type: 'object' } } } };

  it('[sig-W17] [SG-067] an error that carries the call of a declared tool is that call', async () => {
    const attempt = '{"name": "book_room", "arguments": {"room": {"id": "r-7"}}}';
    const { client } = bench([refused(attempt)], { wire: ['failed-generation'] });
    const result = await client.step({ ...hello, tools: [book], output });
    expect(result).toMatchObject({
      finishReason: 'error',
      outcome: { kind: 'tool_calls', calls: [{ name: 'book_room', args: { room: { id: 'r-7' } } }] },
      toolCalls: [{ name: 'book_room' }],
      wire: { recovered: { strategy: 'failed-generation', name: 'book_room', truncated: false } },
      usage: { reported: false },
    });
  });

  it('[sig-W18] [sig-W19] a pseudo-call that carries a conforming value is output, whole and streamed', async () => {
    const { client } = bench([refused('{"name": "json", "arguments": {"response": "done", "data": [3]}}')], {
      wire: ['failed-generation'],
    });
    const whole = await client.step({ ...hello, tools: [book], output });
    expect(whole.outcome).toMatchObject({ kind: 'output', value: { response: 'done', data: [3] } });
    const events = await drain(client.stepStream({ ...hello, tools: [book], output }));
    expect(typesOf(events)).toEqual(['done']);
    expect(doneOf(events).outcome).toEqual(whole.outcome);
  });

  it('[SG-067] a cut call inside an error body is rejected with reason truncated, and no call', async () => {
    const { client } = bench([refused('{"name":"book_room","arguments":{"room":{"id":"r-7","note":"late arr')], {
      wire: ['failed-generation'],
    });
    const result = await client.step({ ...hello, tools: [book], output });
    expect(result.outcome).toMatchObject({
      kind: 'failed',
      truncated: true,
      failure: { kind: 'rejected', reason: 'truncated', code: 'E_REJECTED' },
    });
    expect(result.outcome?.kind === 'failed' && result.outcome.failure.evidence.provider).toMatchObject({
      status: 400,
      providerCode: 'tool_use_failed',
    });
  });

  it('[sig-W20] a provider error that no strategy claims is thrown with its fault', async () => {
    const { client } = bench([{ status: 400, body: { error: { message: 'no such field', code: 'unknown_field' } } }]);
    const error = await client.step(hello).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'SignalError',
      kind: 'provider',
      message: expect.stringContaining('Provider error'),
      failure: { reason: 'provider_error', cause: 'invalid_request', retryable: false },
      evidence: { provider: { status: 400, message: 'no such field', providerCode: 'unknown_field' } },
    });
  });

  it("[SG-003] a strategy of one's own is asked too", async () => {
    const own: ErrorWireStrategy = {
      id: 'own',
      hook: 'error',
      recover: ({ payload }) => ({ argsText: String((payload as { readonly draft?: unknown }).draft), truncated: false }),
    };
    const { client } = bench([{ status: 422, body: { draft: '{"data":[1]}' } }]);
    const result = await client.strategies([own]).step({ ...hello, output });
    expect(result.outcome).toMatchObject({ kind: 'output', value: { data: [1] } });
    expect(result.wire?.recovered?.strategy).toBe('own');
  });
});
