import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic, { AuthenticationError, BadRequestError, InternalServerError } from '@anthropic-ai/sdk';
import type { MessageParam, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { LLMock } from '@copilotkit/aimock';
import { type JsonObject, sequentialIds } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import { createSignal, defineTool, type Signal } from '@vouch/signal';
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { labFor, order, orderValue, pixel } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const thinking = { type: 'adaptive' as const };
const parameters = { type: 'object' as const, properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const tools = [{ name: 'find_berth', description: 'Finds a berth.', input_schema: parameters }];
const ask: MessageParam = { role: 'user', content: 'Where?' };
const common = { model: 'm-1', max_tokens: 4_096, messages: [ask] };

const overloaded = {
  status: 529,
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })],
  ending: 'end' as const,
};

async function open(model: LabModel) {
  const lab = await labFor({ model, apiKey: 'right' });
  return { lab, client: new Anthropic({ baseURL: lab.origin, apiKey: 'right', logLevel: 'off', maxRetries: 0 }) };
}

/** Ten turns of one to three calls with thinking before and between them, then an answer. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= 10) return { thinking: [{ text: 'Done.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return {
    thinking: [{ text: `Turn ${turn}.`, redacted: turn % 4 === 2 }, ...(calls.length > 2 ? [{ text: 'And?', beforeCall: 2 }] : [])],
    toolCalls: calls,
  };
});

const statuses = (lab: Lab): readonly (number | undefined)[] => lab.requests().map(({ status }) => status);
const thoughtsOf = (lab: Lab): number => {
  const body = (lab.requests().at(-1)?.body ?? {}) as { readonly messages?: readonly { content: string | readonly JsonObject[] }[] };
  const blocks = (body.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking').length;
};

describe('the @anthropic-ai/sdk package reads what the lab says', () => {
  it('[SG-032] a whole answer, with usage, thinking and request id', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { lab, client } = await open(scripted([{ text, usage, thinking: [{ text: 'Low tide.' }, { text: 'x', redacted: true }] }]));
    const { data, request_id } = await client.messages.create({ ...common, thinking }).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Low tide.', signature: expect.any(String) },
        { type: 'redacted_thinking', data: expect.any(String) },
        { type: 'text', text },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 16, output_tokens: 9, cache_read_input_tokens: 4 },
    });
    expect(request_id).toBe(lab.requests()[0]?.id);
  });

  it('[SG-032] a streamed answer, event by event, and the message that the package builds of it', async () => {
    const said: LabContent = { text, thinking: [{ text: 'Low tide.' }], toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] };
    const { client } = await open(scripted([said]));
    const stream = client.messages.stream({ ...common, tools, thinking });
    const events: RawMessageStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect((await stream.finalMessage()).content).toMatchObject([
      { type: 'thinking', thinking: 'Low tide.', signature: expect.stringMatching(/./) },
      { type: 'text', text },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'find_berth', input: { pier: 7 } },
    ]);
    expect(events.map(({ type }) => type).filter((type, at, list) => type !== list[at - 1])).toEqual([
      'message_start',
      ...Array(3).fill(['content_block_start', 'content_block_delta', 'content_block_stop']).flat(),
      'message_delta',
      'message_stop',
    ]);
  });

  it('[SG-032] a call without arguments, whole and streamed', async () => {
    const { client } = await open(scripted(() => ({ toolCalls: [{ name: 'find_berth', arguments: '{}' }] })));
    expect((await client.messages.create({ ...common, tools })).content).toMatchObject([{ type: 'tool_use', input: {} }]);
    expect((await client.messages.stream({ ...common, tools }).finalMessage()).content).toMatchObject([{ type: 'tool_use', input: {} }]);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] a structured answer of the reader: %s', async (delivery) => {
    const { client } = await open(reader());
    const schema = {
      ...z.toJSONSchema(Order),
      properties: { orderNumber: { type: 'string' }, quantity: { type: 'integer' }, express: { type: 'boolean' } },
    };
    const body = {
      ...common,
      messages: [{ role: 'user' as const, content: order }],
      output_config: { format: { type: 'json_schema' as const, schema } },
    };
    const message = delivery === 'whole' ? await client.messages.create(body) : await client.messages.stream(body).finalMessage();
    expect(JSON.parse(message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''))).toEqual(orderValue);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] [TH-003] a loop of ten turns with its own thinking sent back: %s', async (delivery) => {
    const { lab, client } = await open(looping);
    const [, data = ''] = pixel.split(',');
    const messages: MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        ],
      },
    ];
    for (let turn = 0; turn < 11; turn += 1) {
      const body = { ...common, messages, tools, thinking };
      const { content } = delivery === 'whole' ? await client.messages.create(body) : await client.messages.stream(body).finalMessage();
      messages.push({ role: 'assistant', content });
      const calls = content.filter((block) => block.type === 'tool_use');
      if (calls.length > 0)
        messages.push({
          role: 'user',
          content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '{"free":true}' })),
        });
    }
    expect(statuses(lab)).toEqual(Array(11).fill(200));
    expect(thoughtsOf(lab)).toBe(13);
  });

  it('[SG-032] a refusal, a cut, and a cut inside a call', async () => {
    const call = { toolCalls: [{ name: 'find_berth', arguments: `{"pier":7,"note":"${'x'.repeat(400)}"}` }] };
    const { client } = await open(scripted([{ refusal: 'I cannot.' }, { text: 'x'.repeat(400) }, call]));
    const create = (more: object = {}) => client.messages.create({ ...common, ...more });
    expect(await create()).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', explanation: 'I cannot.' },
      content: [],
    });
    expect(await create({ max_tokens: 16 })).toMatchObject({ stop_reason: 'max_tokens' });
    expect(await create({ max_tokens: 16, tools })).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ type: 'tool_use', input: {} }],
    });
  });

  it('[SG-032] errors as its own classes, the judge’s refusals among them, and the models', async () => {
    const { lab, client } = await open(scripted([{ raw: overloaded }]));
    await expect(client.messages.create(common)).rejects.toBeInstanceOf(InternalServerError);
    const messages: MessageParam[] = [ask, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'c2ln' }] }, ask];
    const refused = client.messages.create({ ...common, messages });
    await expect(refused).rejects.toBeInstanceOf(BadRequestError);
    await expect(refused).rejects.toThrow('messages.1.content.0: Invalid `signature` in `thinking` block');
    const stranger = new Anthropic({ baseURL: lab.origin, apiKey: 'wrong', logLevel: 'off', maxRetries: 0 });
    await expect(stranger.messages.create(common)).rejects.toBeInstanceOf(AuthenticationError);
    expect((await client.models.list()).data).toMatchObject([{ type: 'model', id: 'lab-scripted' }]);
    expect(await client.models.retrieve('lab-scripted')).toMatchObject({ id: 'lab-scripted' });
  });
});

describe('the @ai-sdk/anthropic package over the lab', () => {
  const providerOf = (lab: Lab) => createAnthropic({ baseURL: lab.baseUrl, apiKey: 'k' });
  const labelled = { anthropic: { thinking: { type: 'enabled' as const, budgetTokens: 1_024 } } };

  it.each(['whole', 'stream'] as const)('[SG-032] text, thinking and usage: %s', async (delivery) => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4 };
    const lab = await labFor({ model: scripted([{ text, usage, thinking: [{ text: 'Low tide.' }] }]) });
    const call = { model: providerOf(lab)('m-1'), prompt: 'Where?', providerOptions: labelled, maxOutputTokens: 4_096 };
    const result = delivery === 'whole' ? await generateText(call) : streamText(call);
    expect(await result.text).toBe(text);
    expect(await result.reasoningText).toBe('Low tide.');
    expect(await result.usage).toMatchObject({ inputTokens: 20, outputTokens: 9, cachedInputTokens: 4 });
    expect(await result.finishReason).toBe('stop');
  });

  it.each(['whole', 'stream'] as const)('[SG-032] [TH-003] a loop of ten turns with its thinking sent back: %s', async (delivery) => {
    const lab = await labFor({ model: looping });
    const call = {
      model: providerOf(lab)('m-1'),
      prompt: 'Where?',
      providerOptions: labelled,
      maxOutputTokens: 4_096,
      stopWhen: stepCountIs(20),
      tools: { find_berth: tool({ description: 'x', inputSchema: z.object({ pier: z.int() }), execute: async () => ({ free: true }) }) },
    };
    const result = delivery === 'whole' ? await generateText(call) : streamText(call);
    expect(await result.text).toBe('Pier 7.');
    expect(statuses(lab)).toEqual(Array(11).fill(200));
    expect(thoughtsOf(lab)).toBe(13);
  });

  it('[SG-032] a structured answer, and an error', async () => {
    const lab = await labFor({ model: reader() });
    const { output } = await generateText({ model: providerOf(lab)('m-1'), prompt: order, output: Output.object({ schema: Order }) });
    expect(output).toEqual(orderValue);
    const { lab: failing } = await open(scripted([{ raw: overloaded }]));
    const refused = generateText({
      model: createAnthropic({ baseURL: failing.baseUrl, apiKey: 'right' })('m-1'),
      prompt: 'x',
      maxRetries: 0,
    });
    await expect(refused).rejects.toBeInstanceOf(APICallError);
    await expect(refused).rejects.toThrow('Overloaded');
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

describe.each(['whole', 'stream'] as const)('the client over the @anthropic-ai/sdk package: %s', (delivery) => {
  const over = async (model: LabModel) => {
    const { lab, client: sdk } = await open(model);
    const client = createSignal(
      { baseUrl: lab.baseUrl, adapter: 'anthropic-messages', model: 'm', capabilities: { nativeTools: 'yes' } },
      { ids: sequentialIds(), maxTurns: 20, client: sdk },
    ).options({ network: { retries: 0 } });
    return { lab, client };
  };

  it('[SG-030] [SG-032] [TH-014] a loop of ten turns with its thinking, under a limit for which the package asks for a stream', async () => {
    const { lab, client } = await over(looping);
    expect(await answerOf(client.tools([findBerth]).options({ maxOutputTokens: 64_000 }), delivery, 'Where?')).toBe('Pier 7.');
    expect(statuses(lab)).toEqual(Array(11).fill(200));
    expect(thoughtsOf(lab)).toBe(13);
  });

  it('[SG-032] an error of the service', async () => {
    const { client } = await over(scripted([{ text: 'x' }]));
    const bad = client.options({ extraBody: { unknown_field: 1 } });
    expect(await bad.tryComplete('Where?')).toMatchObject({
      ok: false,
      failure: {
        evidence: { provider: { cause: 'invalid_request', status: 400, message: 'unknown_field: Extra inputs are not permitted' } },
      },
    });
  });
});

// What the mock of 1.43.0 does otherwise than the service, none of which the client minds: no ping; every token count is 0; the signature is a
// placeholder, and is not judged when it comes back; the request id is under x-request-id; a request without the version's header, without max_tokens
// or with a call that nothing answers is taken.
describe.each(['whole', 'stream'] as const)('the client against a Messages server that nobody here wrote: %s', (delivery) => {
  const mockFor = async (): Promise<{ readonly mock: LLMock; readonly client: Signal<string> }> => {
    const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: 3 });
    await mock.start();
    onTestFinished(() => mock.stop());
    const client = createSignal(
      { baseUrl: mock.url, adapter: 'anthropic-messages', model: 'm', capabilities: { nativeTools: 'yes', nativeJsonSchema: 'yes' } },
      { random: () => 0 },
    ).options({ network: { retries: 0 } });
    return { mock, client };
  };

  it('[SG-032] text, and a structured answer', async () => {
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
