import {
  type Message,
  type MessagePart,
  type MessagesDialect,
  SignalError,
  sequentialIds,
  systemClock,
  UnsupportedThinkingError,
} from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createHttp } from '../net/http.ts';
import { messagesDialect } from '../registry/dialects.ts';
import type { ProviderRequest } from './adapter.ts';
import { messagesBody } from './anthropic-messages/request.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { drainAdapter } from './test-support/drive.ts';

const caller = { origin: { kind: 'caller' }, trust: 'user' } as const;
const text = (value: string): MessagePart => ({ ...caller, id: 't', type: 'text', text: value });
const user = (...parts: readonly MessagePart[]): Message => ({ role: 'user', parts });
const assistant = (...parts: readonly MessagePart[]): Message => ({ role: 'assistant', parts });
const system = (value: string): Message => ({ role: 'system', parts: [text(value)] });
const call = (callId: string, args = '{"pier":7}'): MessagePart => ({
  ...caller,
  id: callId,
  type: 'tool-call',
  callId,
  name: 'find_berth',
  arguments: args,
});
const result = (callId: string, more: { text?: string; outcome?: 'succeeded' | 'failed' | 'cancelled' } = {}): MessagePart => ({
  ...caller,
  id: `r${callId}`,
  type: 'tool-result',
  callId,
  name: 'find_berth',
  text: '{"free":true}',
  outcome: 'succeeded',
  ...more,
});
const toolMessage = (...parts: readonly MessagePart[]): Message => ({ role: 'tool', parts });
const tool = { name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object', properties: {} } } as const;

const bodyOf = (request: Partial<ProviderRequest>, dialect: Partial<MessagesDialect> = {}) =>
  messagesBody(
    { model: 'm', messages: [user(text('hi'))], delivery: 'parts', ...request },
    { provider: 'p', dialect: { ...messagesDialect, ...dialect } },
  ).body;

const refusal = (request: Partial<ProviderRequest>, dialect: Partial<MessagesDialect> = {}): unknown => {
  try {
    bodyOf(request, dialect);
  } catch (error) {
    return error;
  }
  return undefined;
};

const use = (id: string, input: object = { pier: 7 }): object => ({ type: 'tool_use', id, name: 'find_berth', input });
const answer = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: '{"free":true}' });

describe('messages', () => {
  it('[SG-030] leading system text in its field; later text in its place, or in the field where that is the only one', () => {
    const messages = [system('Be short.'), system('Be kind.'), user(text('hi')), system('Now long.'), user(text('so'))];
    const lead = [
      { type: 'text', text: 'Be short.' },
      { type: 'text', text: 'Be kind.' },
    ];
    const later = { type: 'text', text: 'Now long.' };
    expect(bodyOf({ messages })).toMatchObject({
      system: lead,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: [later] },
        { role: 'user', content: 'so' },
      ],
    });
    expect(bodyOf({ messages }, { systemMessages: 'leading' })).toMatchObject({
      system: [...lead, later],
      messages: [{ content: 'hi' }, { content: 'so' }],
    });
    expect(bodyOf({ messages: [system('Alone.'), user(text('hi'))] })).toMatchObject({ system: 'Alone.' });
    expect(bodyOf({})).not.toHaveProperty('system');
  });

  it('[SG-030] images by address, by data and by a data address, in order with the text', () => {
    const image = (source: Extract<MessagePart, { type: 'image' }>['source']): MessagePart => ({
      ...caller,
      id: 'i',
      type: 'image',
      source,
    });
    const parts = [
      text('Look'),
      image({ type: 'url', url: 'https://x.test/a.png' }),
      image({ type: 'base64', mediaType: 'image/png', data: 'QUJD' }),
      image({ type: 'url', url: 'data:image/webp;base64,QUJD' }),
    ];
    expect(bodyOf({ messages: [user(...parts)] }).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'QUJD' } },
        ],
      },
    ]);
    const inline = bodyOf({ messages: [user(...parts.slice(2))] }, { imageUrls: false });
    expect(JSON.stringify(inline)).not.toContain('"url"');
    expect(refusal({ messages: [user(...parts)] }, { imageUrls: false })).toBeInstanceOf(SignalError);
    expect(refusal({ messages: [user(image({ type: 'base64', mediaType: 'image/bmp', data: 'QUJD' }))] })).toMatchObject({
      message: expect.stringContaining('image/bmp'),
    });
  });

  it('[SG-030] the results of parallel calls in one user message, first in it, before what the user adds', () => {
    const said = assistant(text('Looking.'), call('a'), { ...caller, id: 'f', type: 'refusal', text: 'No.' }, call('b', ''));
    const messages = [
      user(text('Where?')),
      said,
      toolMessage(result('a')),
      user(text('Quick!')),
      toolMessage(result('b', { outcome: 'failed', text: '' })),
    ];
    expect(bodyOf({ messages: [...messages, assistant(text('Pier 7.')), user(text('Sure?'))] }).messages).toEqual([
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Looking.' }, use('a'), { type: 'text', text: 'No.' }, use('b', {})],
      },
      {
        role: 'user',
        content: [answer('a'), { type: 'tool_result', tool_use_id: 'b', is_error: true }, { type: 'text', text: 'Quick!' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Pier 7.' }] },
      { role: 'user', content: 'Sure?' },
    ]);
  });

  it('[SG-030] arguments go back as an object, whatever they were', () => {
    const inputs = ['{"pier":7}', '', '[1]', '7', '"x"', '{"pi', 'null'].map(
      (args) =>
        (bodyOf({ messages: [assistant(call('a', args))] }).messages as readonly { content: readonly { input: unknown }[] }[])[0]
          ?.content[0]?.input,
    );
    expect(inputs).toEqual([
      { pier: 7 },
      {},
      { arguments: '[1]' },
      { arguments: '7' },
      { arguments: '"x"' },
      { arguments: '{"pi' },
      { arguments: 'null' },
    ]);
  });

  it('[SG-030] nothing empty: no empty text, no message without content, no reasoning that nobody signed', () => {
    const thinking: MessagePart = { ...caller, id: 'k', type: 'thinking', block: { type: 'thinking', content: 'Low tide.' } };
    expect(bodyOf({ messages: [assistant(thinking, text('')), user(text('')), user(text('hi'), text(''))] }).messages).toEqual([
      { role: 'user', content: 'hi' },
    ]);
  });

  it('[SG-030] an answer that is begun for the model ends in no white space, and stands beside no thinking', () => {
    const begun = (value: string) => ({ messages: [user(text('hi')), assistant(text(value))] });
    expect(bodyOf(begun('Pier')).messages).toHaveLength(2);
    expect(refusal(begun('Pier '))).toBeInstanceOf(SignalError);
    expect(refusal({ ...begun('Pier'), thinking: { mode: 'adaptive' } })).toBeInstanceOf(SignalError);
    expect(refusal({ ...begun('Pier'), thinking: { mode: 'off' } })).toBeUndefined();
  });
});

describe('fields', () => {
  it('[SG-030] the smallest request has the limit that the wire requires: the caller’s, the model’s, the dialect’s', () => {
    expect(bodyOf({})).toEqual({ model: 'm', max_tokens: 8_192, messages: [{ role: 'user', content: 'hi' }], stream: true });
    expect(bodyOf({ delivery: 'whole' }).stream).toBe(false);
    expect(bodyOf({ facts: { maxOutputTokens: 64_000 } }).max_tokens).toBe(64_000);
    expect(bodyOf({ facts: { maxOutputTokens: 64_000 }, options: { maxOutputTokens: 99 } }).max_tokens).toBe(99);
    expect(bodyOf({ thinking: { mode: 'budget', budget: 9_000 } }).max_tokens).toBe(17_192);
  });

  it('[SG-030] sampling and stop sequences', () => {
    expect(bodyOf({ options: { temperature: 0.5, topP: 0.9, stopSequences: ['END'] } })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
    });
    expect(bodyOf({ options: { stopSequences: [] } })).not.toHaveProperty('stop_sequences');
  });

  it('[SG-030] tools with an object at the root, and every choice in the wire’s word', () => {
    expect(bodyOf({ tools: [tool, { ...tool, jsonSchema: { properties: {} } }] }).tools).toEqual(
      Array(2).fill({ name: 'find_berth', description: 'Finds a berth.', input_schema: { type: 'object', properties: {} } }),
    );
    const choice = (toolChoice: ProviderRequest['toolChoice'], parallelToolCalls?: boolean) =>
      bodyOf({
        tools: [tool],
        ...(toolChoice === undefined ? {} : { toolChoice }),
        ...(parallelToolCalls === undefined ? {} : { options: { parallelToolCalls } }),
      }).tool_choice;
    expect([choice(undefined), choice('auto'), choice('none'), choice('required'), choice({ name: 'find_berth' })]).toEqual([
      undefined,
      { type: 'auto' },
      { type: 'none' },
      { type: 'any' },
      { type: 'tool', name: 'find_berth' },
    ]);
    expect([choice(undefined, false), choice('required', false), choice('none', false), choice(undefined, true)]).toEqual([
      { type: 'auto', disable_parallel_tool_use: true },
      { type: 'any', disable_parallel_tool_use: true },
      { type: 'none' },
      undefined,
    ]);
    expect(bodyOf({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
  });

  it('[SG-030] a schema as the response format; any object cannot be asked for', () => {
    const schema = { type: 'object' } as const;
    const responseFormat = { type: 'json_schema', name: 'berth', schema, strict: true } as const;
    const format = { type: 'json_schema', schema };
    expect(bodyOf({ responseFormat }).output_config).toEqual({ format });
    expect(bodyOf({ responseFormat, options: { reasoningEffort: 'high' } }).output_config).toEqual({ effort: 'high', format });
    expect(bodyOf({ responseFormat }, { schemaFormat: 'unsupported' })).not.toHaveProperty('output_config');
    expect(bodyOf({ responseFormat: { type: 'json_object' } })).not.toHaveProperty('output_config');
  });

  it('[SG-030] prompt caching marks the last tool, system block and block of the conversation, and no thinking', () => {
    const signed: MessagePart = {
      id: 'k',
      trust: 'user',
      origin: { kind: 'model', provider: 'p', model: 'm' },
      type: 'thinking',
      block: { type: 'thinking', content: 'Low.', signature: 'c2ln' },
    };
    const messages = [system('A'), system('B'), user(text('hi')), assistant(text('Pier'), signed)];
    const request: Partial<ProviderRequest> = { messages, tools: [tool, { ...tool, name: 'other' }], options: { promptCache: '1h' } };
    const mark = { type: 'ephemeral', ttl: '1h' };
    const body = bodyOf(request);
    expect(body.tools).toMatchObject([{ name: 'find_berth' }, { name: 'other', cache_control: mark }]);
    expect(body.system).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache_control: mark },
    ]);
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Pier', cache_control: mark },
          { type: 'thinking', thinking: 'Low.', signature: 'c2ln' },
        ],
      },
    ]);
    expect(JSON.stringify(body).split('cache_control')).toHaveLength(4);
    expect(bodyOf({ options: { promptCache: '5m' } }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
    ]);
    expect(JSON.stringify(bodyOf(request, { cacheControl: false }))).not.toContain('cache_control');
  });

  it('[SG-030] the caller’s own fields stand beside the request’s, inside shared objects too, and never over them', () => {
    const extraBody = { metadata: { user_id: 'u' }, output_config: { effort: 'low' } };
    const responseFormat = { type: 'json_schema', name: 'b', schema: {}, strict: false } as const;
    expect(bodyOf({ responseFormat, options: { extraBody } })).toMatchObject({
      metadata: { user_id: 'u' },
      output_config: { effort: 'low', format: { type: 'json_schema' } },
    });
    expect(refusal({ options: { extraBody: { max_tokens: 1 } } })).toBeInstanceOf(SignalError);
    expect(bodyOf({}, { body: { speed: 'fast' } })).toMatchObject({ speed: 'fast' });
  });
});

describe('thinking', () => {
  it('[SG-030] [TH-006] off, by itself with an effort, and within a budget that is sent as is', () => {
    expect(bodyOf({ thinking: { mode: 'off' } }).thinking).toEqual({ type: 'disabled' });
    expect(bodyOf({ thinking: { mode: 'adaptive', effort: 'max' } })).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'max' },
    });
    const { thinkingDisplay: _display, ...plain } = messagesDialect;
    const bare = messagesBody(
      { model: 'm', messages: [], delivery: 'whole', thinking: { mode: 'adaptive' } },
      { provider: 'p', dialect: { ...plain, adaptiveThinking: 'enabled' } },
    );
    expect(bare.body.thinking).toEqual({ type: 'enabled' });
    expect(bodyOf({ thinking: { mode: 'budget', budget: 1_024 } }).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 1_024,
      display: 'summarized',
    });
    expect(bodyOf({})).not.toHaveProperty('thinking');
  });

  it('[SG-030] [TH-016] what the wire or the model cannot is refused before anything is sent', () => {
    const budget = (value: number, more: Partial<ProviderRequest> = {}) =>
      refusal({ thinking: { mode: 'budget', budget: value }, ...more });
    for (const error of [
      budget(1_023),
      budget(4_096, { options: { maxOutputTokens: 4_096 } }),
      budget(9_000, { facts: { maxOutputTokens: 8_000 } }),
    ])
      expect(error).toMatchObject({ name: 'UnsupportedThinkingError', reason: 'budget', provider: 'p', model: 'm' });
    expect(budget(1_024)).not.toBeInstanceOf(UnsupportedThinkingError);
    const refused: readonly [Partial<ProviderRequest>, RegExp, Partial<MessagesDialect>?][] = [
      [{ options: { seed: 1 } }, /^seed/],
      [{ options: { temperature: 1.5 } }, /^temperature: the Messages wire takes 0 to 1/],
      [{ options: { temperature: 1 }, facts: { samplingParameters: 'no' } }, /^temperature: m takes no sampling/],
      [{ options: { topP: 1 }, facts: { samplingParameters: 'no' } }, /^topP: m takes no sampling/],
      [{ options: { topP: 0.9 }, thinking: { mode: 'adaptive' } }, /^topP: beside thinking/],
      [{ tools: [tool], toolChoice: 'required', facts: { forcedToolChoice: 'no' } }, /^toolChoice: m cannot be made to call/],
      [{ options: { reasoningEffort: 'none' } }, /"none" cannot be asked for: m takes the efforts low, medium/],
      [{ options: { reasoningEffort: 'max' }, facts: { reasoningEfforts: ['low'] } }, /m takes the efforts low\./],
      [{ options: { reasoningEffort: 'low' } }, /this endpoint has no field/, { effortField: 'none' }],
      [{ options: { reasoningEffort: 'low' }, thinking: { mode: 'adaptive', effort: 'high' } }, /differ/],
    ];
    for (const [request, message, dialect] of refused)
      expect(refusal(request, dialect)).toMatchObject({ name: 'SignalError', message: expect.stringMatching(message) });
    expect(refusal({ options: { topP: 0.95 }, thinking: { mode: 'adaptive' } })).toBeUndefined();
  });

  it('[TH-015] within a budget, calls under way that another model made without thinking are refused; answered ones are not', () => {
    const thinking = { mode: 'budget', budget: 1_024 } as const;
    const loop = [user(text('Where?')), assistant(text('Looking.'), call('a')), toolMessage(result('a'))];
    expect(refusal({ thinking, messages: loop })).toMatchObject({ message: expect.stringContaining('made without thinking of m') });
    expect(refusal({ messages: loop })).toBeUndefined();
    expect(refusal({ thinking, messages: [...loop, assistant(text('Pier 7.')), user(text('Sure?'))] })).toBeUndefined();
  });
});

describe('the address and the headers', () => {
  const sentTo = async (baseUrl: string, dialect: Partial<MessagesDialect> = {}) => {
    const seen: { url: string; headers: unknown; body: string }[] = [];
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      seen.push({ url: String(input), headers: init?.headers, body: String(init?.body) });
      return new Response('{"type":"message","content":[]}');
    };
    const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: 1e9, idle: 1e9 }, secrets: [] });
    const endpoint = { provider: 'p', baseUrl, apiKey: 'k', dialect: { ...messagesDialect, ...dialect }, http, ids: sequentialIds() };
    await drainAdapter(anthropicMessages(endpoint), { model: 'm/1', messages: [user(text('hi'))], delivery: 'whole' });
    return seen[0];
  };

  it('[SG-005] [SG-030] a base that ends in the version or not', async () => {
    for (const base of ['https://a.test', 'https://a.test/', 'https://a.test/v1', 'https://a.test/v1/'])
      expect((await sentTo(base))?.url).toBe('https://a.test/v1/messages');
    expect((await sentTo('https://a.test/v1?key=x'))?.url).toBe('https://a.test/v1/messages?key=x');
    expect((await sentTo('https://a.test/api/anthropic'))?.url).toBe('https://a.test/api/anthropic/v1/messages');
  });

  it('[SG-030] the key and the version in headers; the model in the path where the endpoint has it there', async () => {
    expect((await sentTo('https://a.test'))?.headers).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
    expect((await sentTo('https://a.test', { auth: 'bearer' }))?.headers).toMatchObject({ authorization: 'Bearer k' });
    const inPath = await sentTo('https://a.test', {
      path: '/models/{model}:streamRawPredict',
      body: { anthropic_version: 'vertex-2023-10-16' },
    });
    expect(inPath?.url).toBe('https://a.test/models/m%2F1:streamRawPredict');
    expect(JSON.parse(inPath?.body ?? '')).not.toHaveProperty('model');
    expect(JSON.parse(inPath?.body ?? '')).toHaveProperty('anthropic_version');
  });
});
