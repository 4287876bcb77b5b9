import { LLMock } from '@copilotkit/aimock';
import { type JsonObject, sequentialIds } from '@vouch/contracts';
import { type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import { createSignal, defineTool, type Signal } from '@vouch/signal';
import OpenAI, { AuthenticationError, BadRequestError, InternalServerError, NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { errorReply, labFor, order, orderValue, pixel } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const stateless = { store: false, include: ['reasoning.encrypted_content' as const], reasoning: { summary: 'auto' as const } };
const parameters = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const tools = [{ type: 'function' as const, name: 'find_berth', description: 'Finds a berth.', parameters, strict: true }];

async function open(model: LabModel) {
  const lab = await labFor({ model, apiKey: 'right' });
  return { lab, client: new OpenAI({ baseURL: lab.baseUrl, apiKey: 'right', logLevel: 'off', maxRetries: 0 }) };
}

/** Ten turns of one to three calls with reasoning before and between them, then an answer. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= 10) return { thinking: [{ text: 'Done.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return { thinking: [{ text: `Turn ${turn}.` }, ...(calls.length > 2 ? [{ text: 'And?', beforeCall: 2 }] : [])], toolCalls: calls };
});

describe('the openai package reads what the lab says on the Responses wire', () => {
  it('[SG-032] a whole answer, with usage, reasoning and request id', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { lab, client } = await open(scripted([{ text, usage, thinking: [{ text: '', summary: ['Low', 'tide'] }] }]));
    const { data, request_id } = await client.responses.create({ model: 'm-1', input: 'Where?', ...stateless }).withResponse();
    expect(data).toMatchObject({
      output_text: text,
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ text: 'Low' }, { text: 'tide' }], encrypted_content: expect.any(String) },
        { type: 'message', role: 'assistant' },
      ],
      usage: {
        input_tokens: 20,
        output_tokens: 9,
        total_tokens: 29,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(request_id).toBe(lab.requests()[0]?.id);
  });

  it('[SG-032] a streamed answer, event by event, and the response that the package builds of it', async () => {
    const said: LabContent = { text, thinking: [{ text: 'Low tide.' }], toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] };
    const { client } = await open(scripted([said]));
    const stream = client.responses.stream({ model: 'm', input: 'Where?', tools, ...stateless });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event as ResponseStreamEvent);
    const response = await stream.finalResponse();
    expect(response).toMatchObject({
      output_text: text,
      output: [{ type: 'reasoning' }, { type: 'message' }, { name: 'find_berth', arguments: '{"pier":7}' }],
    });
    const deltas = (type: ResponseStreamEvent['type']) =>
      events.flatMap((event) => (event.type === type && 'delta' in event ? String(event.delta) : [])).join('');
    expect(deltas('response.output_text.delta')).toBe(text);
    expect(deltas('response.reasoning_summary_text.delta')).toBe('Low tide.');
    expect(deltas('response.function_call_arguments.delta')).toBe('{"pier":7}');
  });

  it.each(['whole', 'stream'] as const)('[SG-032] a structured answer of the reader, parsed: %s', async (delivery) => {
    const { client } = await open(reader());
    const body = { model: 'm', input: order, text: { format: zodTextFormat(Order, 'order') } };
    const { output_parsed: parsed } =
      delivery === 'whole' ? await client.responses.parse(body) : await client.responses.stream(body).finalResponse();
    expect(parsed).toEqual(orderValue);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] [TH-014] a loop of ten turns with its own reasoning sent back: %s', async (delivery) => {
    const { lab, client } = await open(looping);
    const input: ResponseInput = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Where?' },
          { type: 'input_image', image_url: pixel, detail: 'auto' },
        ],
      },
    ];
    for (let turn = 0; turn < 11; turn += 1) {
      const body = { model: 'm', input, tools, ...stateless };
      const { output } = delivery === 'whole' ? await client.responses.create(body) : await client.responses.stream(body).finalResponse();
      input.push(...(output as ResponseInputItem[]));
      for (const item of output)
        if (item.type === 'function_call') input.push({ type: 'function_call_output', call_id: item.call_id, output: '{"free":true}' });
    }
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(11).fill(200));
    expect(input.filter(({ type }) => type === 'reasoning')).toHaveLength(14);
  });

  it('[SG-032] a refusal, a cut, and a filter', async () => {
    const { client } = await open(scripted([{ refusal: 'I cannot.' }, { text: 'x'.repeat(400) }, { text: 'x', finish: 'content_filter' }]));
    const ask = (more: object = {}) => client.responses.create({ model: 'm', input: 'x', ...more });
    expect((await ask()).output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I cannot.' }] }]);
    expect(await ask({ max_output_tokens: 16 })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(await ask()).toMatchObject({ incomplete_details: { reason: 'content_filter' } });
  });

  it('[SG-032] errors as its own classes, the judge’s refusals among them', async () => {
    const { lab, client } = await open(scripted([errorReply(500, { message: 'x', type: 'server_error' })]));
    const input: ResponseInput = [{ type: 'function_call_output', call_id: 'call_x', output: '' }];
    await expect(client.responses.create({ model: 'm', input: 'x' })).rejects.toBeInstanceOf(InternalServerError);
    await expect(client.responses.create({ model: 'm', input })).rejects.toMatchObject({
      status: 400,
      param: 'input',
      message: expect.stringContaining('No tool call found'),
    });
    await expect(client.responses.create({ model: 'm', input, max_output_tokens: 1 })).rejects.toBeInstanceOf(BadRequestError);
    const gone = [{ type: 'reasoning' as const, id: 'rs_1', summary: [] }];
    await expect(client.responses.create({ model: 'm', input: gone, store: false })).rejects.toBeInstanceOf(NotFoundError);
    const stranger = new OpenAI({ baseURL: lab.baseUrl, apiKey: 'wrong', logLevel: 'off', maxRetries: 0 });
    await expect(stranger.responses.create({ model: 'm', input: 'x' })).rejects.toBeInstanceOf(AuthenticationError);
  });
});

const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ pier, free: true }),
});

async function answerOf(client: Signal<unknown>, delivery: 'whole' | 'stream', input: string): Promise<unknown> {
  if (delivery === 'whole') return (await client.complete(input)).response;
  for await (const event of client.stream(input)) {
    if (event.type === 'done') return event.response;
    if (event.type === 'error') return event.failure;
  }
  return undefined;
}

describe.each(['whole', 'stream'] as const)('the client over the openai package: %s', (delivery) => {
  it('[SG-030] [SG-032] [TH-014] a loop of ten turns with its reasoning', async () => {
    const { lab, client: sdk } = await open(looping);
    const client = createSignal(
      { baseUrl: lab.baseUrl, adapter: 'openai-responses', dialect: 'openai-responses', model: 'm', capabilities: { nativeTools: 'yes' } },
      { ids: sequentialIds(), maxTurns: 20, client: sdk },
    );
    expect(await answerOf(client.tools([findBerth]), delivery, 'Where?')).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(11).fill(200));
    const last = lab.requests().at(-1)?.body as { readonly input: readonly JsonObject[] };
    expect(last.input.filter(({ type }) => type === 'reasoning')).toHaveLength(13);
  });
});

describe.each(['whole', 'stream'] as const)('the client against a Responses server that nobody here wrote: %s', (delivery) => {
  const mockFor = async (): Promise<{ readonly mock: LLMock; readonly client: Signal<string> }> => {
    const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: 3 });
    await mock.start();
    onTestFinished(() => mock.stop());
    const client = createSignal(
      {
        baseUrl: `${mock.url}/v1`,
        adapter: 'openai-responses',
        model: 'm',
        capabilities: { nativeTools: 'yes', nativeJsonSchema: 'yes' },
      },
      { random: () => 0 },
    ).options({ network: { retries: 0 } });
    return { mock, client };
  };

  it('[SG-032] text, a structured answer, and a call with its result', async () => {
    const { mock, client } = await mockFor();
    mock.onMessage('Where', { content: text, reasoning: 'The tide is low.' });
    mock.onMessage('Order number', { content: JSON.stringify(orderValue) });
    expect(await answerOf(client, delivery, 'Where?')).toBe(text);
    expect(await answerOf(client.schema(Order), delivery, order)).toEqual(orderValue);
  });

  it('[SG-032] a call, and its result sent back', async () => {
    const { mock, client } = await mockFor();
    mock.on({ userMessage: 'Berth', hasToolResult: false }, { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] });
    mock.on({ userMessage: 'Berth', hasToolResult: true }, { content: 'Pier 7 is free.' });
    expect(await answerOf(client.tools([findBerth]), delivery, 'Berth?')).toBe('Pier 7 is free.');
  });

  it('[SG-032] an error of the service', async () => {
    const { mock, client } = await mockFor();
    mock.onMessage('Where', { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429 });
    expect(await client.tryComplete('Where?')).toMatchObject({
      ok: false,
      failure: { evidence: { provider: { cause: 'rate_limit', status: 429 } } },
    });
  });
});
