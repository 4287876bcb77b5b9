import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { LLMock } from '@copilotkit/aimock';
import { ApiError, type Content, FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI, ThinkingLevel } from '@google/genai';
import { sequentialIds } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import { createSignal, defineTool, type Signal } from '@vouch/signal';
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { errorReply, labFor, order, orderValue, pixel } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const parametersJsonSchema = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const tools = [{ functionDeclarations: [{ name: 'find_berth', description: 'Finds a berth.', parametersJsonSchema }] }];
const deliveries = ['whole', 'stream'] as const;
const turns = 10;

interface Opened {
  readonly lab: Lab;
  readonly client: GoogleGenAI;
}

const sdkFor = (lab: Lab, apiKey = 'right'): GoogleGenAI => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: lab.origin } });

async function open(model: LabModel): Promise<Opened> {
  const lab = await labFor({ model, apiKey: 'right' });
  return { lab, client: sdkFor(lab) };
}

/** Ten turns of one to three calls with thoughts before and between them, then an answer. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= turns) return { thinking: [{ text: 'Done.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return { thinking: [{ text: `Turn ${turn}.` }, ...(calls.length > 2 ? [{ text: 'And?', beforeCall: 2 }] : [])], toolCalls: calls };
});

const signaturesOf = (body: unknown): number => JSON.stringify(body).split('"thoughtSignature":').length - 1;

type Parameters = globalThis.Parameters<GoogleGenAI['models']['generateContent']>[0];

/** One answer of the SDK, the parts of a stream joined as its own chats join them. */
async function ask(client: GoogleGenAI, delivery: (typeof deliveries)[number], parameters: Parameters) {
  if (delivery === 'whole') {
    const answer = await client.models.generateContent(parameters);
    return { content: answer.candidates?.[0]?.content as Content, responses: [answer] };
  }
  const responses: GenerateContentResponse[] = [];
  for await (const response of await client.models.generateContentStream(parameters)) responses.push(response);
  const parts = responses.flatMap((response) => response.candidates?.[0]?.content?.parts ?? []);
  return { content: { role: 'model', parts }, responses };
}

describe.each(deliveries)('the official package reads what the lab says: %s', (delivery) => {
  it('[SG-032] text, thoughts and usage', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { lab, client } = await open(scripted([{ text, usage, thinking: [{ text: 'Low tide.' }] }]));
    const config = { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW } };
    const { content, responses } = await ask(client, delivery, { model: 'm', contents: 'Where?', config });
    const said = (thought: boolean) =>
      content.parts?.flatMap((part) => ((part.thought ?? false) === thought ? [part.text ?? ''] : [])).join('');
    expect([said(false), said(true)]).toEqual([text, 'Low tide.']);
    expect(content.parts?.at(-1)?.thoughtSignature).toEqual(expect.any(String));
    const last = responses.at(-1);
    expect(last?.usageMetadata).toMatchObject({
      promptTokenCount: 20,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 4,
      totalTokenCount: 29,
    });
    expect(last).toMatchObject({ modelVersion: 'm', responseId: lab.requests()[0]?.id });
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
  });

  it('[SG-032] a structured answer of the reader, by either field', async () => {
    const { lab, client } = await open(reader());
    const { $schema: _dialect, ...responseJsonSchema } = z.toJSONSchema(Order);
    const responseSchema = {
      type: 'OBJECT',
      properties: { orderNumber: { type: 'STRING' }, quantity: { type: 'INTEGER' }, express: { type: 'BOOLEAN' } },
      required: ['orderNumber', 'quantity', 'express'],
    } as never;
    for (const schema of [{ responseJsonSchema }, { responseSchema }]) {
      const config = { responseMimeType: 'application/json', ...schema };
      const { content } = await ask(client, delivery, { model: 'm', contents: order, config });
      expect(JSON.parse(content.parts?.map((part) => part.text ?? '').join('') ?? '')).toEqual(orderValue);
    }
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200]);
  });

  it('[SG-032] [TH-014] a loop of ten turns with its own signatures sent back', async () => {
    const { lab, client } = await open(looping);
    const [, data = ''] = pixel.split(',');
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Where?' }, { inlineData: { mimeType: 'image/png', data } }] }];
    for (let turn = 0; turn <= turns; turn += 1) {
      const { content } = await ask(client, delivery, { model: 'm', contents, config: { tools } });
      contents.push(content);
      const calls = content.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
      if (calls.length === 0) continue;
      const parts = calls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }), response: { free: true } },
      }));
      contents.push({ role: 'user', parts });
    }
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(turns + 1).fill(200));
    expect(signaturesOf(lab.requests().at(-1)?.body)).toBe(turns);
  });

  it('[SG-032] a chat of its own, and every tool choice', async () => {
    const { lab, client } = await open(scripted([{ toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] }, { text: 'Pier 7.' }]));
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['find_berth'] } };
    const chat = client.chats.create({ model: 'm', config: { tools, toolConfig } });
    const send = async (message: Parameters['contents']) => {
      if (delivery === 'whole') return [await chat.sendMessage({ message: message as string })];
      const chunks: GenerateContentResponse[] = [];
      for await (const chunk of await chat.sendMessageStream({ message: message as string })) chunks.push(chunk);
      return chunks;
    };
    const [call] = (await send('Where?')).flatMap((response) => response.functionCalls ?? []);
    expect(call).toMatchObject({ name: 'find_berth', args: { pier: 7 }, id: expect.any(String) });
    const response = { id: call?.id ?? '', name: 'find_berth', response: { free: true } };
    const answer = await send([{ functionResponse: response }] as never);
    expect(answer.map((one) => one.text ?? '').join('')).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200]);
  });

  it('[SG-032] a cut, a filter and a blocked call, in the words of the wire', async () => {
    const { client } = await open(scripted([{ text: 'x'.repeat(400) }, { text: 'x', finish: 'content_filter' }, { text: '' }]));
    const finish = async (config: object = {}) =>
      (await ask(client, delivery, { model: 'm', contents: 'x', config })).responses.at(-1)?.candidates?.[0]?.finishReason;
    expect(await finish({ maxOutputTokens: 16 })).toBe('MAX_TOKENS');
    expect(await finish()).toBe('SAFETY');
    expect(await finish()).toBe('STOP');
  });

  it('[SG-032] errors as its own class, the judge’s refusals among them', async () => {
    const { lab, client } = await open(scripted([{ text }]));
    const call = { role: 'model', parts: [{ functionCall: { name: 'find_berth', args: {} } }] };
    const result = { role: 'user', parts: [{ functionResponse: { name: 'find_berth', response: {} } }] };
    const refused = (contents: Content[], sdk: GoogleGenAI = client): Promise<unknown> =>
      ask(sdk, delivery, { model: 'm', contents }).catch((error: unknown) => error);
    const user = { role: 'user', parts: [{ text: 'x' }] };
    const missing = await refused([user, call, result]);
    expect(missing).toBeInstanceOf(ApiError);
    expect(missing).toMatchObject({ status: 400 });
    expect(String(missing)).toContain('Function call `find_berth` in the 2. content block is missing a `thought_signature`.');
    expect(String(await refused([user, call]))).toContain('number of function response parts');
    expect(await refused([user], sdkFor(lab, 'wrong'))).toBeInstanceOf(ApiError);
  });
});

it('[SG-032] the official package lists the model', async () => {
  const { client } = await open(scripted([{ text }]));
  const names: (string | undefined)[] = [];
  for await (const model of await client.models.list()) names.push(model.name);
  expect(names).toEqual(['models/lab-scripted']);
});

describe('the AI SDK’s own provider reads what the lab says', () => {
  const openGoogle = async (model: LabModel) => {
    const lab = await labFor({ model, apiKey: 'right' });
    const google = createGoogleGenerativeAI({ baseURL: `${lab.origin}/v1beta`, apiKey: 'right' });
    return { lab, model: google('gemini-3-pro-preview') };
  };
  const providerOptions = { google: { thinkingConfig: { includeThoughts: true } } };

  it('[SG-032] text, thoughts and usage, whole and streamed', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { model } = await openGoogle(scripted(() => ({ text, reasoning: 'Low tide.', usage })));
    const whole = await generateText({ model, prompt: 'Where?', providerOptions });
    expect(whole).toMatchObject({ text, reasoningText: 'Low tide.', finishReason: 'stop' });
    expect(whole.usage).toMatchObject({ inputTokens: 20, outputTokens: 9, totalTokens: 29 });
    const streamed = streamText({ model, prompt: 'Where?', providerOptions });
    expect(await streamed.text).toBe(text);
    expect(await streamed.reasoningText).toBe('Low tide.');
    expect(await streamed.usage).toMatchObject({ inputTokens: 20, outputTokens: 9 });
  });

  it('[SG-032] a structured answer of the reader', async () => {
    const { model } = await openGoogle(reader());
    const output = Output.object({ schema: Order });
    expect((await generateText({ model, prompt: order, output })).output).toEqual(orderValue);
    expect(await streamText({ model, prompt: order, output }).output).toEqual(orderValue);
  });

  it.each(deliveries)('[SG-032] [TH-014] ten steps of tools, its signatures taken back by the judge: %s', async (delivery) => {
    const { lab, model } = await openGoogle(looping);
    const findBerth = tool({ description: 'Finds a berth.', inputSchema: z.object({ pier: z.int() }), execute: () => ({ free: true }) });
    const options = { model, prompt: 'Where?', tools: { find_berth: findBerth }, stopWhen: stepCountIs(20), providerOptions };
    const said = delivery === 'whole' ? (await generateText(options)).text : await streamText(options).text;
    expect(said).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(turns + 1).fill(200));
    const last = JSON.stringify(lab.requests().at(-1)?.body);
    expect(signaturesOf(lab.requests().at(-1)?.body)).toBe(turns);
    expect(last).not.toContain('skip_thought');
  });

  it('[SG-032] an error of the service', async () => {
    const lab = await labFor({ model: scripted([{ text }]), apiKey: 'right' });
    const google = createGoogleGenerativeAI({ baseURL: `${lab.origin}/v1beta`, apiKey: 'wrong' });
    await expect(generateText({ model: google('m'), prompt: 'x', maxRetries: 0 })).rejects.toBeInstanceOf(APICallError);
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

const wire = { adapter: 'gemini' } as const;
const capabilities = { nativeTools: 'yes', nativeJsonSchema: 'yes' } as const;

describe.each(deliveries)('the client over the official package: %s', (delivery) => {
  const over = (lab: Lab, client: GoogleGenAI) =>
    createSignal(
      { baseUrl: lab.origin, ...wire, model: 'm', capabilities },
      { ids: sequentialIds(), maxTurns: 20, client, systemPrompt: 'Be short.' },
    );

  it('[SG-030] [SG-032] [TH-014] a loop of ten turns with its signatures', async () => {
    const { lab, client: sdk } = await open(looping);
    const client = over(lab, sdk)
      .tools([findBerth])
      .options({ thinking: { mode: 'adaptive', effort: 'high' } });
    expect(await answerOf(client, delivery, 'Where?')).toBe('Pier 7.');
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(turns + 1).fill(200));
    expect(signaturesOf(lab.requests().at(-1)?.body)).toBe(turns);
    expect(lab.requests()[0]?.body).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
    });
  });

  it('[SG-030] [SG-032] the whole request arrives as it was asked for', async () => {
    const { lab, client: sdk } = await open(scripted(() => ({ text: JSON.stringify(orderValue) })));
    const extraBody = { generationConfig: { topK: 3 }, safetySettings: [], cachedContent: 'cachedContents/1' };
    const client = over(lab, sdk)
      .schema(Order)
      .options({ temperature: 0.5, topP: 0.9, maxOutputTokens: 400, stopSequences: ['a'], seed: 7, extraBody });
    expect(await answerOf(client, delivery, 'Where?')).toEqual(orderValue);
    expect(lab.requests()[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      cachedContent: 'cachedContents/1',
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 400,
        stopSequences: ['a'],
        seed: 7,
        topK: 3,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
      },
    });
  });

  it('[SG-030] one try a request, whatever the package was told of retries', async () => {
    const error = errorReply(503, { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' });
    const lab = await labFor({ model: scripted(() => error) });
    const eager = new GoogleGenAI({
      apiKey: 'k',
      httpOptions: { baseUrl: lab.origin, retryOptions: { attempts: 3, initialDelay: 0.001 } },
    });
    const outcome = await over(lab, eager)
      .options({ network: { retries: 0 } })
      .tryComplete('Where?');
    expect(outcome).toMatchObject({ ok: false, failure: { evidence: { provider: { cause: 'overloaded', status: 503 } } } });
    expect(lab.requests()).toHaveLength(1);
  });

  it('[SG-032] [SG-038] an error of the service, without the key', async () => {
    const { lab } = await open(scripted([{ text }]));
    const outcome = await over(lab, sdkFor(lab, 'wrong')).tryComplete('Where?');
    expect(outcome).toMatchObject({ ok: false, failure: { evidence: { provider: { cause: 'auth', status: 400 } } } });
  });
});

// What that server does otherwise than the service: it ends calls with `FUNCTION_CALL`, signs nothing and asks for no signature, gives calls no ids, takes
// unknown fields, streams events without `alt=sse`, counts no tokens, names no model, and says errors in the words of another wire.
describe.each(deliveries)('the client against a server that nobody here wrote: %s', (delivery) => {
  const mockFor = async (): Promise<{ readonly mock: LLMock; readonly client: Signal<string> }> => {
    const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: 3 });
    await mock.start();
    onTestFinished(() => mock.stop());
    const client = createSignal({ baseUrl: `${mock.url}/v1beta`, ...wire, model: 'm', capabilities }, { random: () => 0 }).options({
      network: { retries: 0 },
    });
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
