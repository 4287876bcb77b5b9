import { LLMock, type MockServerOptions } from '@copilotkit/aimock';
import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { scripted } from '@vouch/lab';
import { createSignal, defineTool, type Signal, type TryResult } from '@vouch/signal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { labFor, order, orderValue, pixel } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });

async function mockFor(options: MockServerOptions = {}): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: 'silent', ...options });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

/** The client as for any endpoint that is like the service which the mock stands for. */
function clientFor(mock: LLMock): Signal<string> {
  return createSignal(
    {
      baseUrl: `${mock.url}/v1`,
      model: 'm',
      dialect: 'openai',
      capabilities: { nativeTools: 'yes', nativeJsonSchema: 'yes' },
    },
    { random: () => 0 },
  ).options({ network: { retries: 0 } });
}

/** A request for a structured answer by its schema. */
const asked = { userMessage: 'Order number', responseFormat: 'json_schema' };

type Delivery = 'whole' | 'stream';
const deliveries: readonly Delivery[] = ['whole', 'stream'];

async function ask<Value>(client: Signal<Value>, prompt: string, delivery: Delivery): Promise<TryResult<Value>> {
  if (delivery === 'whole') return client.tryComplete(prompt);
  for await (const event of client.stream(prompt)) {
    if (event.type === 'done') return { ok: true, response: event.response, history: event.history, meta: event.meta };
    if (event.type === 'error') return { ok: false, failure: event.failure };
  }
  throw new Error('the stream ended without done or error');
}

describe.each(deliveries)('the client against a server that nobody here wrote: %s', (delivery) => {
  it('[SG-032] text in small pieces, reasoning and usage', async () => {
    const mock = await mockFor({ chunkSize: 3 });
    const text = 'Pier 7 "quoted" \\ \n end.';
    mock.onMessage('Where', { content: text, reasoning: 'The tide is low.', usage: { prompt_tokens: 20, completion_tokens: 9 } });
    const result = await ask(clientFor(mock), 'Where?', delivery);
    expect(result).toMatchObject({ ok: true, response: text, meta: { usage: { inputTokens: 20, outputTokens: 9 } } });
    expect(JSON.stringify(result)).toContain('The tide is low.');
  });

  it('[SG-032] a structured answer, which was asked for by its schema', async () => {
    const mock = await mockFor({ chunkSize: 2 });
    mock.on(asked, { content: JSON.stringify(orderValue) });
    const result = await ask(clientFor(mock).schema(Order), order, delivery);
    expect(result).toMatchObject({ ok: true, response: orderValue });
    expect(mock.getLastRequest()?.body?.response_format).toMatchObject({ type: 'json_schema' });
  });

  it('[SG-032] a structured answer in a fence and prose, and one that does not conform', async () => {
    const mock = await mockFor();
    mock.onMessage('Order number', { content: `Sure!\n\`\`\`json\n${JSON.stringify(orderValue)}\n\`\`\`` });
    mock.onMessage('No number', { content: JSON.stringify({ ...orderValue, quantity: 'three' }) });
    const client = clientFor(mock).schema(Order).retries(0);
    expect(await ask(client, order, delivery)).toMatchObject({ ok: true, response: orderValue });
    expect(await ask(client, 'No number', delivery)).toMatchObject({
      ok: false,
      failure: { kind: 'invalid_output', reason: 'schema_mismatch' },
    });
  });

  it('[SG-032] tools over several turns, two calls in one of them', async () => {
    const mock = await mockFor({ chunkSize: 4 });
    const called = (pier: number) => ({ name: 'find_berth', arguments: JSON.stringify({ pier }) });
    mock.on({ hasToolResult: false }, { toolCalls: [called(7), called(8)] });
    mock.on({ turnIndex: 1 }, { content: 'Let me see.', toolCalls: [called(9)] });
    mock.on({ turnIndex: 2 }, { content: 'Pier 9 is free.' });
    const inputs: unknown[] = [];
    const find = defineTool({
      name: 'find_berth',
      description: 'Finds a berth.',
      input: z.object({ pier: z.int() }),
      execute: (input) => {
        inputs.push(input);
        return { free: input.pier === 9 };
      },
    });
    const client = createSignal(
      { baseUrl: `${mock.url}/v1`, model: 'm', dialect: 'openai', capabilities: { nativeTools: 'yes' } },
      { tools: [find] },
    );
    expect(await ask(client, 'Where?', delivery)).toMatchObject({ ok: true, response: 'Pier 9 is free.' });
    expect(inputs).toEqual([{ pier: 7 }, { pier: 8 }, { pier: 9 }]);
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([200, 200, 200]);
  });

  it.each([
    [400, 'invalid_request_error', 'context_length_exceeded', 'context_length'],
    [401, 'invalid_request_error', 'invalid_api_key', 'auth'],
    [404, 'invalid_request_error', 'model_not_found', 'config'],
    [429, 'insufficient_quota', 'insufficient_quota', 'rate_limit'],
    [500, 'server_error', 'oops', 'overloaded'],
    [503, 'server_error', 'overloaded', 'overloaded'],
  ])('[SG-032] an error %s of type %s and code %s', async (status, type, code, cause) => {
    const mock = await mockFor();
    mock.onMessage('Where', { error: { message: 'This is what went wrong.', type, code }, status });
    const result = await ask(clientFor(mock), 'Where?', delivery);
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'provider', cause, evidence: { provider: { status, providerCode: code } } },
    });
    expect(JSON.stringify(result)).toContain('This is what went wrong.');
  });

  it('[SG-032] retries after one error, and gets the answer', async () => {
    const mock = await mockFor();
    mock.onMessage('Where', { content: 'Pier 7' });
    mock.nextRequestError(503, { message: 'overloaded', type: 'server_error' });
    const client = clientFor(mock).options({ network: { retries: 1 } });
    expect(await ask(client, 'Where?', delivery)).toMatchObject({ ok: true, response: 'Pier 7' });
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([503, 200]);
  });

  it.each(['dropRate', 'malformedRate', 'rateLimitRate', 'disconnectRate'] as const)(
    '[SG-032] its chaos %s is a typed failure',
    async (rate) => {
      const mock = await mockFor({ chaos: { [rate]: 1 } });
      mock.onMessage('Where', { content: 'Pier 7' });
      const result = await ask(clientFor(mock), 'Where?', delivery);
      const causes = { dropRate: 'overloaded', malformedRate: 'transport', rateLimitRate: 'rate_limit', disconnectRate: 'transport' };
      expect(result).toMatchObject({ ok: false, failure: { kind: 'provider', cause: causes[rate] } });
    },
  );
});

describe('the client against what breaks a stream', () => {
  it.each([{ truncateAfterChunks: 3 }, { disconnectAfterMs: 30, latency: 10 }])(
    '[SG-032] %o is a typed failure, never a part of the answer',
    async (cut) => {
      const mock = await mockFor({ chunkSize: 4 });
      mock.on(asked, { content: JSON.stringify(orderValue) }, cut);
      const result = await ask(clientFor(mock).schema(Order).retries(0), order, 'stream');
      expect(result).toMatchObject({ ok: false });
    },
  );

  it('[SG-032] slow pieces with jitter are only slow', async () => {
    const mock = await mockFor({ chunkSize: 8 });
    mock.on(asked, { content: JSON.stringify(orderValue) }, { streamingProfile: { ttft: 5, tps: 500, jitter: 0.5 } });
    expect(await ask(clientFor(mock).schema(Order), order, 'stream')).toMatchObject({ ok: true, response: orderValue });
  });

  it('[SG-032] comments between events are passed over', async () => {
    const mock = await mockFor();
    mock.onMessage('Where', { content: 'Pier 7' }, { openRouterProcessing: true });
    const client = createSignal({ baseUrl: `${mock.url}/api/v1`, model: 'm', dialect: 'openrouter' });
    expect(await ask(client, 'Where?', 'stream')).toMatchObject({ ok: true, response: 'Pier 7' });
  });
});

it('[SG-032] the client sends a picture as the mock expects it', async () => {
  const mock = await mockFor();
  mock.onMessage('What is this', { content: 'A dot.' });
  const parts = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image' as const, source: { type: 'base64' as const, mediaType: 'image/png', data: pixel.replace(/^.*,/, '') } },
  ];
  expect(await clientFor(mock).tryComplete(parts)).toMatchObject({ ok: true, response: 'A dot.' });
});

/** One request, read as JSON, or as the events of a stream. */
async function said(origin: string, body: JsonObject): Promise<{ readonly status: number; readonly bodies: readonly JsonObject[] }> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where?' }], ...body }),
  });
  const text = await response.text();
  const texts = body.stream === true ? text.split('\n\n').flatMap((event) => /^data: ({.*)$/.exec(event)?.[1] ?? []) : [text];
  return { status: response.status, bodies: texts.map((one) => JSON.parse(one) as JsonValue).filter(isJsonObject) };
}

interface Inaccuracy {
  readonly what: string;
  readonly body: JsonObject;
  /** What the mock does. Each of these would have to be false of the real wire. */
  readonly shown: (status: number, bodies: readonly JsonObject[]) => boolean;
}

const choiceOf = (body: JsonObject | undefined): JsonObject => {
  const [choice] = Array.isArray(body?.choices) ? body.choices : [];
  return isJsonObject(choice) ? choice : {};
};
const tools = [{ type: 'function', function: { name: 'find_berth' } }];
const orphan = [
  { role: 'user', content: 'Where?' },
  { role: 'tool', tool_call_id: 'none', content: 'x' },
  { role: 'user', content: 'Where?' },
];
const schema = { type: 'object', properties: { a: { type: 'string' } } };

/** Where the mock is not the wire: tests against it alone would not notice a client that does wrong here. */
const inaccuracies: readonly Inaccuracy[] = [
  { what: 'takes a temperature of 9', body: { temperature: 9 }, shown: (status) => status === 200 },
  { what: 'takes stream_options without stream', body: { stream_options: {} }, shown: (status) => status === 200 },
  {
    what: 'takes json_object without the word JSON',
    body: { response_format: { type: 'json_object' } },
    shown: (status) => status === 200,
  },
  {
    what: 'takes a strict schema without additionalProperties: false, under a name with a space',
    body: { response_format: { type: 'json_schema', json_schema: { name: 'a b', strict: true, schema } } },
    shown: (status) => status === 200,
  },
  { what: 'takes a tool result that answers no call', body: { messages: orphan }, shown: (status) => status === 200 },
  { what: 'takes parallel_tool_calls without tools', body: { parallel_tool_calls: true }, shown: (status) => status === 200 },
  {
    what: 'answers past the limit of tokens, with finish stop',
    body: { max_completion_tokens: 1 },
    shown: (_status, [body]) => choiceOf(body).finish_reason === 'stop',
  },
  {
    what: 'gives one choice where three are asked for',
    body: { n: 3 },
    shown: (_status, [body]) => Array.isArray(body?.choices) && body.choices.length === 1,
  },
  { what: 'gives no likelihoods', body: { logprobs: true }, shown: (_status, [body]) => choiceOf(body).logprobs === null },
  {
    what: 'ends a turn whose tool was forced by name with tool_calls, not stop',
    body: { messages: [{ role: 'user', content: 'Call it' }], tools, tool_choice: { type: 'function', function: { name: 'find_berth' } } },
    shown: (_status, [body]) => choiceOf(body).finish_reason === 'tool_calls',
  },
  {
    what: 'gives usage without its details',
    body: {},
    shown: (_status, [body]) => isJsonObject(body?.usage) && !('prompt_tokens_details' in body.usage),
  },
  { what: 'gives no service_tier', body: {}, shown: (_status, [body]) => body !== undefined && !('service_tier' in body) },
  {
    what: 'sends reasoning before the chunk with the role',
    body: { stream: true },
    shown: (_status, [first]) =>
      'reasoning_content' in (choiceOf(first).delta as JsonObject) && !('role' in (choiceOf(first).delta as JsonObject)),
  },
  {
    what: 'leaves usage: null out of the chunks before the last, though usage was asked for',
    body: { stream: true, stream_options: { include_usage: true } },
    shown: (_status, bodies) => bodies.slice(0, -1).every((body) => !('usage' in body)) && isJsonObject(bodies.at(-1)?.usage),
  },
  {
    what: 'leaves refusal: null out of the chunk with the role',
    body: { stream: true },
    shown: (_status, bodies) => bodies.every((body) => !('refusal' in (choiceOf(body).delta as JsonObject))),
  },
  {
    what: 'names no parameter in a refusal',
    body: { messages: null },
    shown: (status, [body]) => status === 400 && isJsonObject(body?.error) && body.error.param === null,
  },
];

describe('where the mock is not the wire', () => {
  it.each(inaccuracies.map((row) => [row.what, row] as const))('%s', async (_what, { body, shown }) => {
    const mock = await mockFor();
    mock.onMessage('Where', { content: 'Pier 7 is free, as the tide is low.', reasoning: 'Hm.' });
    mock.onMessage('Call it', { toolCalls: [{ name: 'find_berth', arguments: '{}' }] });
    const { status, bodies } = await said(mock.url, body);
    expect({ status, bodies, shown: shown(status, bodies) }).toMatchObject({ shown: true });
  });

  it('has no answer by onJsonOutput to a request with a schema', async () => {
    const mock = await mockFor();
    mock.onJsonOutput('Where', { pier: 7 });
    const withSchema = { type: 'json_schema', json_schema: { name: 'berth', schema } };
    expect(await said(mock.url, { response_format: { type: 'json_object' } })).toMatchObject({ status: 200 });
    expect(await said(mock.url, { response_format: withSchema })).toMatchObject({ status: 404 });
  });

  it('the lab does none of this: the same requests are refused, or answered as the wire does', async () => {
    const replies = scripted((request) =>
      request.messages.some(({ text }) => text === 'Call it')
        ? { toolCalls: [{ name: 'find_berth', arguments: '{}' }] }
        : { text: 'Pier 7 is free, as the tide is low.', reasoning: 'Hm.', logprobs: [{ token: 'Pier', logprob: -1 }] },
    );
    const lab = await labFor({ model: replies });
    for (const { what, body, shown } of inaccuracies) {
      const { status, bodies } = await said(lab.origin, body);
      expect([what, shown(status, bodies)]).toEqual([what, false]);
    }
  });
});
