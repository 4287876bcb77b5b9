import { LLMock } from '@copilotkit/aimock';
import { type JsonObject, sequentialIds } from '@vouch/contracts';
import { type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import { createSignal, defineTool, type Signal } from '@vouch/signal';
import { type ChatResponse, type Message, Ollama, type Tool } from 'ollama';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { labFor, order, orderValue, pixel } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const tools: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'find_berth',
      description: 'Finds a berth.',
      parameters: { type: 'object', properties: { pier: { type: 'integer', description: 'The pier.' } }, required: ['pier'] },
    },
  },
];
const where: Message[] = [{ role: 'user', content: 'Where?' }];

async function open(model: LabModel) {
  const lab = await labFor({ model });
  return { lab, client: new Ollama({ host: lab.origin }) };
}

/** Ten turns of one to three calls with thinking before and between them, then an answer. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= 10) return { thinking: [{ text: 'Done.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return { thinking: [{ text: `Turn ${turn}.` }, ...(calls.length > 2 ? [{ text: 'And?', beforeCall: 2 }] : [])], toolCalls: calls };
});

describe('the ollama package reads what the lab says', () => {
  const said: LabContent = {
    text,
    thinking: [{ text: 'Low tide.' }],
    toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }],
    usage: { inputTokens: 20, outputTokens: 9 },
  };

  it('[SG-032] a whole answer with thinking, a call and the counts', async () => {
    const { client } = await open(scripted([said]));
    const response = await client.chat({ model: 'q', messages: where, tools, think: true });
    expect(response).toMatchObject({
      model: 'q',
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 20,
      eval_count: 9,
      message: { content: text, thinking: 'Low tide.', tool_calls: [{ function: { name: 'find_berth', arguments: { pier: 7 } } }] },
    });
  });

  it('[SG-032] a streamed answer, piece by piece to the mark', async () => {
    const { lab, client } = await open(scripted([said]));
    const parts: ChatResponse[] = [];
    for await (const part of await client.chat({ model: 'q', messages: where, tools, think: 'high', stream: true })) parts.push(part);
    expect(parts.map(({ message }) => message.content).join('')).toBe(text);
    expect(parts.map(({ message }) => message.thinking ?? '').join('')).toBe('Low tide.');
    expect(parts.flatMap(({ message }) => message.tool_calls ?? [])).toMatchObject([{ function: { arguments: { pier: 7 } } }]);
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 9 });
    expect(parts.length).toBeGreaterThan(5);
    expect(lab.requests()[0]?.body).toMatchObject({ think: 'high' });
  });

  it.each([false, true])('[SG-032] a structured answer of the reader, streamed: %s', async (stream) => {
    const { client } = await open(reader());
    const request = { model: 'q', messages: [{ role: 'user', content: order }], format: z.toJSONSchema(Order), think: false };
    let content = '';
    if (stream) for await (const part of await client.chat({ ...request, stream: true })) content += part.message.content;
    else content = (await client.chat(request)).message.content;
    expect(JSON.parse(content)).toEqual(orderValue);
  });

  it('[SG-032] a conversation of ten turns, replayed as the package gave it', async () => {
    const { lab, client } = await open(looping);
    const messages: Message[] = [...where];
    for (;;) {
      const { message } = await client.chat({ model: 'q', messages, tools, think: true });
      messages.push(message);
      const calls = message.tool_calls ?? [];
      if (calls.length === 0) break;
      for (const call of calls) messages.push({ role: 'tool', tool_name: call.function.name, content: '{"free":true}' });
    }
    expect(messages.at(-1)?.content).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(11).fill(200));
  });

  it('[SG-032] images, options and a stop in the middle', async () => {
    const { lab, client } = await open(scripted(() => ({ text: 'x'.repeat(4_000) })));
    const images = [pixel.slice(pixel.indexOf(',') + 1)];
    const options = { num_predict: 3, temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'], num_ctx: 4_096 };
    const limited = await client.chat({ model: 'q', messages: [{ role: 'user', content: 'See', images }], options, keep_alive: '5m' });
    expect(limited).toMatchObject({ done_reason: 'length', message: { content: 'x'.repeat(12) } });
    const stream = await client.chat({ model: 'q', messages: where, stream: true });
    await expect(
      (async () => {
        for await (const _part of stream) stream.abort();
      })(),
    ).rejects.toMatchObject({ name: 'AbortError' });
    await lab.idle();
  });

  it('[SG-032] the model, the version, and the errors of the service', async () => {
    const { client } = await open(scripted(() => ({ text })));
    expect((await client.list()).models.map(({ name }) => name)).toEqual(['lab-scripted']);
    expect((await client.version()).version).toMatch(/^\d/);
    await expect(client.chat({ model: '', messages: where })).rejects.toMatchObject({
      name: 'ResponseError',
      status_code: 400,
      error: 'model is required',
    });
    const { client: missing } = await open(
      scripted(() => ({
        raw: { status: 404, headers: { 'content-type': 'application/json' }, chunks: ['{"error":"model \'q\' not found"}'], ending: 'end' },
      })),
    );
    await expect(missing.chat({ model: 'q', messages: where })).rejects.toMatchObject({ status_code: 404, error: "model 'q' not found" });
  });

  it('[SG-032] an error line inside a stream, and an end without the mark', async () => {
    const line = JSON.stringify({ model: 'q', message: { role: 'assistant', content: 'Pier' }, done: false });
    const streaming = async (chunks: readonly string[]) => {
      const { client } = await open(
        scripted(() => ({ raw: { status: 200, headers: { 'content-type': 'application/x-ndjson' }, chunks, ending: 'end' } })),
      );
      let content = '';
      try {
        for await (const part of await client.chat({ model: 'q', messages: where, stream: true })) content += part.message.content;
      } catch (error) {
        return [content, (error as Error).message];
      }
      return [content];
    };
    expect(await streaming([`${line}\n`, '{"error":"CUDA error"}'])).toEqual(['Pier', 'CUDA error']);
    expect(await streaming([`${line}\n`])).toEqual(['Pier', 'Did not receive done or success response in stream.']);
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

describe.each(['whole', 'stream'] as const)('the client over the ollama package: %s', (delivery) => {
  it('[SG-004] [SG-032] [TH-014] a loop of ten turns with its thinking', async () => {
    const { lab, client: sdk } = await open(looping);
    const client = createSignal('ollama', { model: 'q', ids: sequentialIds(), maxTurns: 20, client: sdk });
    expect(await answerOf(client.tools([findBerth]), delivery, 'Where?')).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(11).fill(200));
    const last = lab.requests().at(-1)?.body as { readonly messages: readonly JsonObject[] };
    expect(last.messages.filter(({ thinking }) => thinking !== undefined)).toHaveLength(10);
  });

  it('[SG-035] an error of the service is the fault that it is without the package', async () => {
    // The package tells of it on the console too.
    const silence = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => silence.mockRestore());
    const { lab, client: sdk } = await open(
      scripted(() => ({
        raw: { status: 404, headers: { 'content-type': 'application/json' }, chunks: ['{"error":"model \'q\' not found"}'], ending: 'end' },
      })),
    );
    const fault = async (client: Signal<string>) => {
      const result = await client.tryComplete('Where?');
      return result.ok ? undefined : result.failure.evidence.provider;
    };
    const own = await fault(createSignal('ollama', { model: 'q', baseUrl: lab.origin }));
    expect(await fault(createSignal('ollama', { model: 'q', client: sdk }))).toMatchObject({
      cause: own?.cause,
      status: 404,
      message: own?.message,
    });
    expect(own?.cause).toBe('config');
  });
});

describe.each(['whole', 'stream'] as const)('the client against a server of this wire that nobody here wrote: %s', (delivery) => {
  const mockFor = async (): Promise<{ readonly mock: LLMock; readonly client: Signal<string> }> => {
    const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: 3 });
    await mock.start();
    onTestFinished(() => mock.stop());
    const client = createSignal(
      { baseUrl: mock.url, adapter: 'ollama', model: 'q', capabilities: { nativeTools: 'yes', nativeJsonSchema: 'yes' } },
      { random: () => 0 },
    ).options({ network: { retries: 0 } });
    return { mock, client };
  };

  it('[SG-032] text and a structured answer', async () => {
    const { mock, client } = await mockFor();
    mock.onMessage('Where', { content: text });
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

  // Known differences of that server from the service: thinking under another name, no done_reason, counts that are zero, errors as objects.
  it('[SG-032] its thinking comes under a name that this wire does not have, and is not taken for the answer', async () => {
    const { mock, client } = await mockFor();
    mock.onMessage('Where', { content: text, reasoning: 'The tide is low.' });
    expect(await answerOf(client, delivery, 'Where?')).toBe(text);
  });
});
