import { type LabContent, type LabModel, reader, scripted } from '@vouch/lab';
import OpenAI, {
  APIConnectionTimeoutError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  ContentFilterFinishReasonError,
  InternalServerError,
  LengthFinishReasonError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorReply, labFor, order, orderValue, pixel, stalled } from './labs.ts';

const Order = z.object({ orderNumber: z.string(), quantity: z.int(), express: z.boolean() });
const user = (content: string) => ({ role: 'user' as const, content });
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';

async function open(model: LabModel, options: { readonly maxRetries?: number; readonly timeout?: number; readonly apiKey?: string } = {}) {
  const lab = await labFor({ model, apiKey: 'right' });
  return { lab, client: new OpenAI({ baseURL: lab.baseUrl, apiKey: 'right', logLevel: 'off', maxRetries: 0, ...options }) };
}

describe('the openai package reads what the lab says', () => {
  it('[SG-032] a whole answer, with usage, fingerprint and request id', async () => {
    const usage = { inputTokens: 20, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 };
    const { lab, client } = await open(scripted([{ text, usage }]));
    const { data, request_id } = await client.chat.completions.create({ model: 'm-1', messages: [user('Where?')] }).withResponse();
    expect(data).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'm-1',
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        total_tokens: 29,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(request_id).toBe(lab.requests()[0]?.id);
    expect(data._request_id).toBe(request_id);
  });

  it('[SG-032] a streamed answer, chunk by chunk, with usage in the last chunk alone', async () => {
    const { client } = await open(scripted([{ text }]));
    const stream = await client.chat.completions.create({
      model: 'm',
      messages: [user('Where?')],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(text);
    expect(chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason: finish }) => finish ?? []))).toEqual(['stop']);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
  });

  it.each(['whole', 'stream'] as const)('[SG-032] a structured answer of the reader, parsed: %s', async (delivery) => {
    const { lab, client } = await open(reader());
    const body = { model: 'm', messages: [user(order)], response_format: zodResponseFormat(Order, 'order') };
    const completion =
      delivery === 'whole' ? await client.chat.completions.parse(body) : await client.chat.completions.stream(body).finalChatCompletion();
    expect(completion.choices[0]?.message.parsed).toEqual(orderValue);
    expect(lab.requests()).toMatchObject([{ status: 200, body: { response_format: { json_schema: { strict: true } } } }]);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] calls of tools, two in one turn: %s', async (delivery) => {
    const parameters = z.object({ pier: z.int(), note: z.string() });
    const args = [
      { pier: 7, note: 'low é 🚀\n' },
      { pier: 8, note: '' },
    ];
    const toolCalls = args.map((values) => ({ name: 'find_berth', arguments: JSON.stringify(values) }));
    const { client } = await open(scripted([{ toolCalls }]));
    const tools = [zodFunction({ name: 'find_berth', description: 'Finds a berth.', parameters })];
    const body = { model: 'm', messages: [user('Where?')], tools, tool_choice: 'required' as const, parallel_tool_calls: true };
    const completion =
      delivery === 'whole' ? await client.chat.completions.parse(body) : await client.chat.completions.stream(body).finalChatCompletion();
    const [choice] = completion.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.tool_calls?.map((call) => call.function.parsed_arguments)).toEqual(args);
    expect(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size).toBe(2);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] runTools to the end of a conversation: %s', async (delivery) => {
    const replies: LabContent[] = [
      { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] },
      { toolCalls: [{ name: 'find_berth', arguments: '{"pier":8}' }] },
      { text: 'Pier 8 is free.' },
    ];
    const { lab, client } = await open(scripted(replies));
    const asked: unknown[] = [];
    const find = zodFunction({
      name: 'find_berth',
      parameters: z.object({ pier: z.int() }),
      function: (input) => {
        asked.push(input);
        return { free: input.pier === 8 };
      },
    });
    const body = { model: 'm', messages: [user('Where?')], tools: [find] };
    const runner =
      delivery === 'whole' ? client.chat.completions.runTools(body) : client.chat.completions.runTools({ ...body, stream: true });
    expect(await runner.finalContent()).toBe('Pier 8 is free.');
    expect(asked).toEqual([{ pier: 7 }, { pier: 8 }]);
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('[SG-032] the likelihood of tokens, whole and streamed', async () => {
    const logprobs = [
      { token: 'Pier', logprob: -0.25, top: [{ token: 'Dock', logprob: -2 }] },
      { token: ' é', logprob: -0.5 },
    ];
    const reply = { text: 'Pier é', logprobs };
    const { client } = await open(scripted([reply, reply]));
    const body = { model: 'm', messages: [user('Where?')], logprobs: true, top_logprobs: 1 };
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    expect(whole.choices[0]?.logprobs?.content).toEqual([
      { token: 'Pier', logprob: -0.25, bytes: [...Buffer.from('Pier')], top_logprobs: [expect.objectContaining({ token: 'Dock' })] },
      { token: ' é', logprob: -0.5, bytes: [...Buffer.from(' é')], top_logprobs: [] },
    ]);
    expect(streamed.choices[0]?.logprobs?.content).toEqual(whole.choices[0]?.logprobs?.content);
  });

  it.each(['whole', 'stream'] as const)('[SG-032] a refusal: %s', async (delivery) => {
    const { client } = await open(scripted([{ refusal: "I can't help with that." }]));
    const body = { model: 'm', messages: [user('Where?')], response_format: zodResponseFormat(Order, 'order') };
    const completion =
      delivery === 'whole' ? await client.chat.completions.parse(body) : await client.chat.completions.stream(body).finalChatCompletion();
    expect(completion.choices[0]?.message).toMatchObject({ refusal: "I can't help with that.", parsed: null });
  });

  it('[SG-032] an answer that was cut at its limit, and one that was filtered', async () => {
    const { client } = await open(scripted([{ text: JSON.stringify(orderValue) }, { text: 'no', finish: 'content_filter' }]));
    const body = { model: 'm', messages: [user(order)], response_format: zodResponseFormat(Order, 'order') };
    await expect(client.chat.completions.parse({ ...body, max_completion_tokens: 3 })).rejects.toThrow(LengthFinishReasonError);
    await expect(client.chat.completions.parse(body)).rejects.toThrow(ContentFilterFinishReasonError);
  });

  it('[SG-032] the list of models, and one of them', async () => {
    const { client } = await open(reader());
    const models = [];
    for await (const model of client.models.list()) models.push(model);
    expect(models).toEqual([{ id: 'lab-reader', object: 'model', created: expect.any(Number), owned_by: 'lab' }]);
    expect(await client.models.retrieve('lab-reader')).toMatchObject({ id: 'lab-reader' });
    await expect(client.models.retrieve('other')).rejects.toThrow(NotFoundError);
  });
});

describe('the lab takes what the openai package sends', () => {
  it('[SG-032] every role and every kind of content part', async () => {
    const { lab, client } = await open(scripted([{ text: 'ok' }]));
    await client.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], name: 'house' },
        { role: 'developer', content: 'Be exact.' },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: pixel, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'assistant', refusal: 'No.', content: null },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'find_berth', arguments: '{}' } },
            { id: 'b', type: 'function', function: { name: 'find_berth', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'free' }] },
        { role: 'tool', tool_call_id: 'a', content: 'taken' },
      ],
    });
    expect(lab.requests()).toMatchObject([{ status: 200 }]);
  });

  it('[SG-032] every setting that belongs to one choice of text', async () => {
    const { lab, client } = await open(scripted([{ text: 'ok' }]));
    await client.chat.completions.create({
      model: 'm',
      messages: [user('Where?')],
      max_completion_tokens: 100,
      temperature: 0,
      top_p: 1,
      n: 1,
      stop: ['\n'],
      seed: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logit_bias: { '50256': -100 },
      logprobs: false,
      reasoning_effort: 'low',
      verbosity: 'low',
      metadata: { a: 'b' },
      store: false,
      service_tier: 'auto',
      safety_identifier: 'u',
      prompt_cache_key: 'k',
      prediction: { type: 'content', content: 'Pier 7' },
      response_format: { type: 'text' },
      modalities: ['text'],
    });
    expect(lab.requests()).toMatchObject([{ status: 200 }]);
  });

  it('[SG-032] every choice of tools', async () => {
    const { lab, client } = await open(scripted(() => ({ toolCalls: [{ name: 'find_berth', arguments: '{}' }] })));
    const choices: OpenAI.Chat.Completions.ChatCompletionToolChoiceOption[] = [
      'none',
      'auto',
      'required',
      { type: 'function', function: { name: 'find_berth' } },
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'find_berth' } }] } },
    ];
    const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
      { type: 'function', function: { name: 'find_berth', description: 'Finds a berth.' } },
      { type: 'function', function: { name: 'list_berths', strict: false, parameters: { type: 'object', properties: {} } } },
    ];
    for (const choice of choices)
      await client.chat.completions.create({ model: 'm', messages: [user('Where?')], tools, tool_choice: choice });
    expect(lab.requests().map(({ status }) => status)).toEqual(choices.map(() => 200));
  });

  it('[SG-032] the schemas that its helper makes of zod: nested, nullable, alternatives, recursive', async () => {
    interface Node {
      name: string;
      children: Node[];
    }
    const Tree: z.ZodType<Node> = z.object({ name: z.string(), children: z.lazy(() => z.array(Tree)) });
    const shapes = [
      z.object({ a: z.string().nullable(), b: z.array(z.object({ c: z.number() })), d: z.enum(['x', 'y']), e: z.literal('z') }),
      z.object({ either: z.union([z.object({ kind: z.literal('a'), n: z.int() }), z.object({ kind: z.literal('b'), s: z.string() })]) }),
      z.object({ when: z.iso.datetime(), mail: z.email(), count: z.int().min(1).max(9), list: z.array(z.string()).min(1).max(3) }),
      z.object({ tree: Tree }),
    ];
    const { lab, client } = await open(reader());
    for (const [index, shape] of shapes.entries()) {
      const body = { model: 'm', messages: [user(order)], response_format: zodResponseFormat(shape, `shape_${index}`) };
      await client.chat.completions.create(body);
    }
    expect(lab.requests().map(({ status }) => status)).toEqual(shapes.map(() => 200));
  });
});

describe('what the lab leaves out of the wire', () => {
  it.each([
    ['tools of type custom', { tools: [{ type: 'custom' as const, custom: { name: 'grep' } }] }],
    ['several choices', { n: 2 }],
    ['the old role function', { messages: [{ role: 'function' as const, name: 'f', content: 'x' }] }],
  ])('%s are refused in words', async (_what, part) => {
    const { client } = await open(reader());
    const asked = client.chat.completions.create({ model: 'm', messages: [user('Where?')], ...part });
    await expect(asked).rejects.toThrow(/Supported values are: 'function'|the lab gives one choice|the lab does not take it/);
  });
});

describe('errors of the lab are the errors of the openai package', () => {
  it('[SG-032] 400 with parameter and code, where the wire refuses', async () => {
    const { client } = await open(reader());
    const messages = [user('Where?')];
    const refused = [
      [
        { model: 'm', messages: [] },
        { param: 'messages', code: 'empty_array' },
      ],
      [
        { model: 'm', messages, temperature: 3 },
        { param: 'temperature', code: 'decimal_above_max_value' },
      ],
      [{ model: 'm', messages, stream_options: {} }, { param: 'stream_options' }],
      [{ model: 'm', messages, response_format: { type: 'json_object' as const } }, { param: 'messages' }],
      [
        {
          model: 'm',
          messages,
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'o', strict: true, schema: { type: 'object', properties: {} } },
          },
        },
        { param: 'response_format', message: expect.stringContaining("'additionalProperties' is required") },
      ],
    ] as const;
    for (const [body, error] of refused) {
      const failed = await client.chat.completions.create({ ...body, messages: [...body.messages] }).catch((caught: unknown) => caught);
      expect(failed).toBeInstanceOf(BadRequestError);
      expect(failed).toMatchObject({ status: 400, type: 'invalid_request_error', ...error });
      expect(failed).toHaveProperty('requestID', expect.stringMatching(/^req_/));
    }
  });

  it('[SG-032] 401 for a wrong key, 404 for a wrong path, 429, and 500 of a model that fails', async () => {
    const { lab, client } = await open(
      scripted([
        errorReply(429, { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' }),
        errorReply(500, { message: 'Oops', type: 'server_error', param: null, code: null }),
      ]),
    );
    const body = { model: 'm', messages: [user('Where?')] };
    const wrongKey = new OpenAI({ baseURL: lab.baseUrl, apiKey: 'wrong', maxRetries: 0, logLevel: 'off' });
    await expect(wrongKey.chat.completions.create(body)).rejects.toThrow(AuthenticationError);
    await expect(client.embeddings.create({ model: 'm', input: 'x' })).rejects.toThrow(NotFoundError);
    await expect(client.chat.completions.create(body)).rejects.toThrow(RateLimitError);
    await expect(client.chat.completions.create(body)).rejects.toThrow(InternalServerError);
    await expect(client.chat.completions.create(body)).rejects.toThrow(/the script holds 2 replies/);
  });

  it('[SG-032] retries after 429 and 500 as the headers ask, and not where they forbid it', async () => {
    const limited = errorReply(429, { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' }, { 'retry-after-ms': '1' });
    const failing = errorReply(500, { message: 'Oops', type: 'server_error' }, { 'retry-after': '0.001' });
    const { lab, client } = await open(scripted([limited, failing, { text: 'ok' }]), { maxRetries: 2 });
    const body = { model: 'm', messages: [user('Where?')] };
    expect((await client.chat.completions.create(body)).choices[0]?.message.content).toBe('ok');
    expect(lab.requests().map(({ status }) => status)).toEqual([429, 500, 200]);
    // The lab's own failures are no passing faults, and say so.
    await expect(client.chat.completions.create(body)).rejects.toThrow(InternalServerError);
    expect(lab.requests()).toHaveLength(4);
  });

  it('[SG-032] an error inside a stream', async () => {
    const lab = await labFor({ model: scripted(() => ({ text })), pathologies: [{ id: 'D3', rate: 1 }] });
    const client = new OpenAI({ baseURL: lab.baseUrl, apiKey: 'none', maxRetries: 0, logLevel: 'off' });
    const read = async (): Promise<void> => {
      const stream = await client.chat.completions.create({ model: 'm', messages: [user('Where?')], stream: true });
      for await (const chunk of stream) expect(chunk.choices).toHaveLength(1);
    };
    await expect(read()).rejects.toThrow('The server had an error');
  });

  it('a stream that is cut ends without an error of create, and with one of stream', async () => {
    const lab = await labFor({ model: scripted(() => ({ text })), pathologies: [{ id: 'D20', rate: 1 }] });
    const client = new OpenAI({ baseURL: lab.baseUrl, apiKey: 'none', maxRetries: 0, logLevel: 'off' });
    const body = { model: 'm', messages: [user('Where?')] };
    let said = '';
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true }))
      said += chunk.choices[0]?.delta.content ?? '';
    expect(text.startsWith(said) && said.length > 0 && said.length < text.length).toBe(true);
    await expect(client.chat.completions.stream(body).finalChatCompletion()).rejects.toThrow('missing finish_reason');
  });

  it('[SG-032] an abort inside a stream closes the connection', async () => {
    const { lab, client } = await open(scripted([stalled]));
    const stream = client.chat.completions.stream({ model: 'm', messages: [user('Where?')] });
    stream.on('content', () => stream.abort());
    await expect(stream.finalChatCompletion()).rejects.toThrow(APIUserAbortError);
    await expect.poll(() => lab.requests()[0]?.clientClosedEarly).toBe(true);
  });

  it('[SG-032] a lab that answers too late is a timeout', async () => {
    const lab = await labFor({ model: scripted([{ text }]), delays: { firstByteMs: 60_000 } });
    const client = new OpenAI({ baseURL: lab.baseUrl, apiKey: 'none', maxRetries: 0, timeout: 50, logLevel: 'off' });
    const body = { model: 'm', messages: [user('Where?')] };
    await expect(client.chat.completions.create(body)).rejects.toThrow(APIConnectionTimeoutError);
  });
});
