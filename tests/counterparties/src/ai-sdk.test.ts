import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Lab, type LabModel, reader, scripted } from '@vouch/lab';
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  NoObjectGeneratedError,
  Output,
  RetryError,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorReply, labFor, order, orderValue, pixel, stalled } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';

async function open(model: LabModel): Promise<{ readonly lab: Lab; readonly model: LanguageModel }> {
  const lab = await labFor({ model, apiKey: 'right' });
  const provider = createOpenAICompatible({
    name: 'lab',
    baseURL: lab.baseUrl,
    apiKey: 'right',
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  return { lab, model: provider('m-1') };
}

describe('the AI SDK reads what the lab says', () => {
  it('[SG-032] text, reasoning and usage of a whole answer', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { model } = await open(scripted([{ text, reasoning: 'Low tide.', usage }]));
    const result = await generateText({ model, prompt: 'Where?' });
    expect(result).toMatchObject({ text, reasoningText: 'Low tide.', finishReason: 'stop' });
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 9, totalTokens: 29 });
    expect(result.usage.inputTokenDetails.cacheReadTokens).toBe(4);
    expect(result.usage.outputTokenDetails.reasoningTokens).toBe(2);
    expect(result.response.modelId).toBe('m-1');
  });

  it('[SG-032] text, reasoning and usage of a stream', async () => {
    const { model } = await open(scripted([{ text, reasoning: 'Low tide.' }]));
    const result = streamText({ model, prompt: 'Where?' });
    const types = new Set<string>();
    for await (const part of result.fullStream) types.add(part.type);
    expect(await result.text).toBe(text);
    expect(await result.reasoningText).toBe('Low tide.');
    expect(await result.finishReason).toBe('stop');
    expect((await result.usage).outputTokens).toBeGreaterThan(0);
    expect(types).not.toContain('error');
  });

  it('[SG-032] a structured answer of the reader, by each of its four ways', async () => {
    const { lab, model } = await open(reader());
    const output = Output.object({ schema: Order });
    expect((await generateText({ model, prompt: order, output })).output).toEqual(orderValue);
    const streamed = streamText({ model, prompt: order, output });
    const partials: unknown[] = [];
    for await (const partial of streamed.partialOutputStream) partials.push(partial);
    expect(partials.at(-1)).toEqual(orderValue);
    expect(await streamed.output).toEqual(orderValue);
    expect((await generateObject({ model, prompt: order, schema: Order })).object).toEqual(orderValue);
    const object = streamObject({ model, prompt: order, schema: Order });
    // Its partial values show a string as far as it came.
    for await (const { orderNumber = '', ...rest } of object.partialObjectStream) {
      expect(orderValue.orderNumber.startsWith(orderNumber)).toBe(true);
      expect(orderValue).toMatchObject(rest);
    }
    expect(await object.object).toEqual(orderValue);
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(lab.requests()[0]?.body).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  it.each(['whole', 'stream'] as const)('[SG-032] tools in several steps: %s', async (delivery) => {
    const { lab, model } = await open(
      scripted([
        {
          text: 'One moment.',
          toolCalls: [
            { name: 'find_berth', arguments: '{"pier":7}' },
            { name: 'find_berth', arguments: '{"pier":8}' },
          ],
        },
        { toolCalls: [{ name: 'find_berth', arguments: '{"pier":9}' }] },
        { text: 'Pier 9 is free.' },
      ]),
    );
    const asked: unknown[] = [];
    const find = tool({
      description: 'Finds a berth.',
      inputSchema: z.object({ pier: z.int() }),
      execute: (input) => {
        asked.push(input);
        return { free: input.pier === 9 };
      },
    });
    const settings = { model, prompt: 'Where?', tools: { find_berth: find }, stopWhen: stepCountIs(5) };
    const said = delivery === 'whole' ? (await generateText(settings)).text : await streamText(settings).text;
    expect(said).toBe('Pier 9 is free.');
    expect(asked).toEqual([{ pier: 7 }, { pier: 8 }, { pier: 9 }]);
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each(['auto', 'none', 'required', { type: 'tool', toolName: 'find_berth' }] as const)(
    '[SG-032] the lab takes its choice of tools: %s',
    async (toolChoice) => {
      const calls = toolChoice !== 'none';
      const { lab, model } = await open(
        scripted([calls ? { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] } : { text: 'ok' }]),
      );
      const tools = { find_berth: tool({ inputSchema: z.object({ pier: z.int() }) }) };
      const { toolCalls } = await generateText({ model, prompt: 'Where?', tools, toolChoice });
      expect(toolCalls.map(({ input }) => input)).toEqual(calls ? [{ pier: 7 }] : []);
      expect(lab.requests()).toMatchObject([{ status: 200 }]);
    },
  );

  it('[SG-032] the lab takes its pictures, system texts and settings', async () => {
    const { lab, model } = await open(scripted([{ text: 'ok' }]));
    await generateText({
      model,
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', image: pixel },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'text', text: 'A dot.' },
          ],
        },
        { role: 'user', content: 'Sure?' },
      ],
      maxOutputTokens: 100,
      temperature: 0,
      topP: 1,
      stopSequences: ['\n'],
      seed: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    });
    expect(lab.requests()).toMatchObject([{ status: 200 }]);
  });
});

describe('errors of the lab are the errors of the AI SDK', () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [429, true],
    [500, true],
  ])('[SG-032] %s, which may be retried: %s', async (status, isRetryable) => {
    const { model } = await open(scripted([errorReply(status, { message: 'No berth', type: 't', param: null, code: 'c' })]));
    const failed = await generateText({ model, prompt: 'Where?', maxRetries: 0 }).catch((error: unknown) => error);
    expect(APICallError.isInstance(failed)).toBe(true);
    expect(failed).toMatchObject({ statusCode: status, isRetryable, message: 'No berth', data: { error: { code: 'c' } } });
  });

  it('[SG-032] retries after a 429 as the header asks, and gives up with all its errors', async () => {
    const limited = errorReply(429, { message: 'Slow down' }, { 'retry-after-ms': '1' });
    const { lab, model } = await open(scripted([limited, { text: 'ok' }, limited, limited]));
    expect((await generateText({ model, prompt: 'Where?', maxRetries: 1 })).text).toBe('ok');
    await expect(generateText({ model, prompt: 'Where?', maxRetries: 1 })).rejects.toSatisfy(RetryError.isInstance);
    expect(lab.requests().map(({ status }) => status)).toEqual([429, 200, 429, 429]);
  });

  it('[SG-032] a value that does not conform is no object', async () => {
    const { model } = await open(scripted([{ text: '{"orderNumber":"A-17"}' }]));
    const asked = generateText({ model, prompt: order, output: Output.object({ schema: Order }) });
    await expect(asked.then((result) => result.output)).rejects.toSatisfy(NoObjectGeneratedError.isInstance);
  });

  it('[SG-032] an abort inside a stream closes the connection', async () => {
    const { lab, model } = await open(scripted([stalled]));
    const caller = new AbortController();
    const types: string[] = [];
    for await (const part of streamText({ model, prompt: 'Where?', abortSignal: caller.signal }).fullStream) {
      types.push(part.type);
      if (part.type === 'text-delta') caller.abort();
    }
    expect(types.at(-1)).toBe('abort');
    await expect.poll(() => lab.requests()[0]?.clientClosedEarly).toBe(true);
  });
});
