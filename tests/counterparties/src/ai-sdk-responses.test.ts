import { createOpenAI, type OpenAIResponsesProviderOptions } from '@ai-sdk/openai';
import type { JsonObject } from '@vouch/contracts';
import { type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import { APICallError, generateText, type ModelMessage, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorReply, labFor, order, orderValue } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };

const openai = {
  store: false,
  reasoningSummary: 'auto',
  include: ['reasoning.encrypted_content'],
} satisfies OpenAIResponsesProviderOptions;
const providerOptions = { openai };

async function open(model: LabModel) {
  const lab = await labFor({ model, apiKey: 'right' });
  // A name of the family that reasons: for others the package asks for no reasoning.
  return { lab, model: createOpenAI({ baseURL: lab.baseUrl, apiKey: 'right' }).responses('gpt-5') };
}

/** Ten turns of one to three calls with reasoning before and between them, then an answer. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= 10) return { thinking: [{ text: 'Done.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({ name: 'find_berth', arguments: `{"pier":${turn + index}}` }));
  return { thinking: [{ text: `Turn ${turn}.` }, ...(calls.length > 2 ? [{ text: 'And?', beforeCall: 2 }] : [])], toolCalls: calls };
});

const find = tool({
  description: 'Finds a berth.',
  inputSchema: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ free: pier === 9 }),
});

describe.each(['whole', 'stream'] as const)('the AI SDK over the Responses wire: %s', (delivery) => {
  it('[SG-032] text, reasoning and usage', async () => {
    const { model } = await open(scripted([{ text, usage, thinking: [{ text: '', summary: ['Low', 'tide'] }] }]));
    const settings = { model, prompt: 'Where?', providerOptions };
    const result = delivery === 'whole' ? await generateText(settings) : streamText(settings);
    expect(await result.text).toBe(text);
    expect((await result.reasoning).map((part) => part.text)).toEqual(['Low', 'tide']);
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 20, outputTokens: 9, totalTokens: 29 });
  });

  it('[SG-032] a structured answer of the reader', async () => {
    const { lab, model } = await open(reader());
    const settings = { model, prompt: order, output: Output.object({ schema: Order }), providerOptions };
    expect(delivery === 'whole' ? (await generateText(settings)).output : await streamText(settings).output).toEqual(orderValue);
    expect(lab.requests()[0]?.body).toMatchObject({ text: { format: { type: 'json_schema', strict: true } } });
  });

  it('[SG-032] [TH-014] a loop of ten turns, its reasoning sent back, the judge taking every request', async () => {
    const { lab, model } = await open(looping);
    const messages: ModelMessage[] = [{ role: 'user', content: 'Where?' }];
    const settings = { model, messages, tools: { find_berth: find }, stopWhen: stepCountIs(12), providerOptions };
    expect(delivery === 'whole' ? (await generateText(settings)).text : await streamText(settings).text).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(11).fill(200));
    const last = lab.requests().at(-1)?.body as { readonly input: readonly JsonObject[] };
    expect(last.input.filter(({ type }) => type === 'reasoning')).toHaveLength(13);
  });

  it('[SG-032] a cut, and an error as its own class', async () => {
    const { model } = await open(
      scripted([{ text: 'x'.repeat(400) }, errorReply(400, { message: 'No such berth.', type: 'invalid_request_error' })]),
    );
    const cut = { model, prompt: 'x', maxOutputTokens: 16, providerOptions };
    expect(await (delivery === 'whole' ? (await generateText(cut)).finishReason : streamText(cut).finishReason)).toBe('length');
    const errors: unknown[] = [];
    const failing = { model, prompt: 'y', maxRetries: 0, providerOptions };
    if (delivery === 'whole') await generateText(failing).catch((error: unknown) => errors.push(error));
    else
      for await (const part of streamText({ ...failing, onError: () => undefined }).fullStream)
        if (part.type === 'error') errors.push(part.error);
    expect(errors).toHaveLength(1);
    expect(APICallError.isInstance(errors[0])).toBe(true);
    expect(errors[0]).toMatchObject({ statusCode: 400, message: 'No such berth.' });
  });
});
