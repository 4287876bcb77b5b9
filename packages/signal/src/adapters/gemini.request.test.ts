import {
  type GenerateContentDialect,
  type JsonObject,
  type Message,
  type MessagePart,
  SignalError,
  UnsupportedThinkingError,
} from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { generateContentDialect } from '../registry/dialects.ts';
import type { ProviderRequest } from './adapter.ts';
import { generateContentBody } from './gemini/request.ts';
import { gemini } from './gemini.ts';
import { drainAdapter, endpointOf, httpOf } from './test-support/drive.ts';

const caller = { origin: { kind: 'caller' }, trust: 'user' } as const;
const text = (value: string): MessagePart => ({ ...caller, id: 't', type: 'text', text: value });
const user = (...parts: readonly MessagePart[]): Message => ({ role: 'user', parts });
const system = (value: string): Message => ({ role: 'system', parts: [text(value)] });
const call = (callId: string, args = '{"pier":7}'): MessagePart => ({
  ...caller,
  id: callId,
  type: 'tool-call',
  callId,
  name: 'find_berth',
  arguments: args,
});
const result = (callId: string, said = '{"free":true}', outcome: 'succeeded' | 'failed' | 'cancelled' = 'succeeded'): MessagePart => ({
  ...caller,
  id: `r${callId}`,
  type: 'tool-result',
  callId,
  name: 'find_berth',
  text: said,
  outcome,
});
const answer = (response: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionResponse: { ...more, name: 'find_berth', response },
});
const skip = 'skip_thought_signature_validator';
const tool = {
  name: 'find_berth',
  description: 'Finds a berth.',
  jsonSchema: { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'] },
} as const;

const bodyOf = (request: Partial<ProviderRequest>, dialect: Partial<GenerateContentDialect> = {}): JsonObject =>
  generateContentBody(
    { model: 'm', messages: [user(text('hi'))], delivery: 'parts', ...request },
    { provider: 'p', dialect: { ...generateContentDialect, ...dialect } },
  ).body;
const configOf = (request: Partial<ProviderRequest>, dialect: Partial<GenerateContentDialect> = {}): unknown =>
  bodyOf(request, dialect).generationConfig;

const refusal = (request: Partial<ProviderRequest>, dialect: Partial<GenerateContentDialect> = {}): unknown => {
  try {
    bodyOf(request, dialect);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the address', () => {
  const urlOf = async (model: string, delivery: 'whole' | 'parts', dialect: Partial<GenerateContentDialect> = {}) => {
    const seen: { url: string; headers: Readonly<Record<string, string>> }[] = [];
    const http = httpOf([new TextEncoder().encode('{"candidates":[{"finishReason":"STOP"}]}')]);
    const post: typeof http.post = (request) => {
      seen.push({ url: request.url, headers: request.headers });
      return http.post(request);
    };
    const endpoint = endpointOf({ ...http, post }, { apiKey: 'k-1', dialect: { ...generateContentDialect, ...dialect } });
    await drainAdapter(gemini(endpoint), { model, messages: [user(text('hi'))], delivery });
    return seen[0];
  };

  it('[SG-030] [SG-038] holds the model and the delivery; the key goes in a header, never in the address', async () => {
    expect(await urlOf('m-1', 'whole')).toMatchObject({ url: 'http://harbour.test/v1/models/m-1:generateContent' });
    const streamed = await urlOf('m-1', 'parts', { query: { 'api-version': '1' } });
    expect(streamed?.url).toBe('http://harbour.test/v1/models/m-1:streamGenerateContent?api-version=1&alt=sse');
    expect(streamed?.headers).toMatchObject({ 'x-goog-api-key': 'k-1', accept: 'text/event-stream' });
    expect(streamed?.headers).not.toHaveProperty('authorization');
  });

  it('[SG-030] a name of a model cannot leave its place', async () => {
    expect((await urlOf('models/m', 'whole'))?.url).toBe('http://harbour.test/v1/models/m:generateContent');
    expect((await urlOf('../../files?x=$&#y', 'whole'))?.url).toBe(
      'http://harbour.test/v1/models/..%2F..%2Ffiles%3Fx%3D%24%26%23y:generateContent',
    );
  });
});

describe('messages', () => {
  it('[SG-030] system text has a field of its own; later, or alone, there is no place for it', () => {
    expect(bodyOf({ messages: [system('Be short.'), system(''), system('Be kind.'), user(text('hi'))] })).toEqual({
      systemInstruction: { parts: [{ text: 'Be short.' }, { text: 'Be kind.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
    for (const messages of [[user(text('hi')), system('Now long.')], [system('Alone.')], [user(text(''))]])
      expect(refusal({ messages })).toMatchObject({ code: 'E_CONFIGURATION' });
  });

  it('[SG-030] images by data and by address, in order with the text', () => {
    const image = (source: Extract<MessagePart, { type: 'image' }>['source']): MessagePart => ({
      ...caller,
      id: 'i',
      type: 'image',
      source,
    });
    const parts = [
      text('Look'),
      image({ type: 'base64', mediaType: 'image/png', data: 'QUJD' }),
      image({ type: 'url', url: 'https://x.test/a.JPG?size=2' }),
      image({ type: 'url', url: 'https://x.test/a' }),
      image({ type: 'url', url: 'data:image/webp;base64,REVG' }),
    ];
    expect(bodyOf({ messages: [user(...parts)] }).contents).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'Look' },
          { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://x.test/a.JPG?size=2' } },
          { fileData: { fileUri: 'https://x.test/a' } },
          { inlineData: { mimeType: 'image/webp', data: 'REVG' } },
        ],
      },
    ]);
  });

  it('[SG-030] [path-F13] [path-F9] the results of parallel calls are one content, in the order of the calls, with nothing beside them', () => {
    const said: Message = { role: 'assistant', parts: [text('Looking.'), call('a'), call('b', '')] };
    const messages = [
      user(text('hi')),
      said,
      { role: 'tool', parts: [result('b', 'none')] } as const,
      { role: 'tool', parts: [result('a')] } as const,
      user(text('And?')),
    ];
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          // Of another's history: the first call cannot go without a signature, and no call has an id that this server gave.
          { functionCall: { name: 'find_berth', args: { pier: 7 } }, thoughtSignature: skip },
          { functionCall: { name: 'find_berth', args: {} } },
        ],
      },
      { role: 'user', parts: [answer({ free: true }), answer({ result: 'none' })] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    expect(bodyOf({ messages }).contents).toEqual(contents);
    const together = user(text('And?'), result('b', 'none'), result('a'));
    expect(bodyOf({ messages: [user(text('hi')), said, together] }).contents).toEqual(contents);
    for (const thinking of ['none', 'budget'] as const)
      expect(JSON.stringify(bodyOf({ messages, facts: { thinking } }))).not.toContain('thoughtSignature');
    const { foreignSignature: _none, ...plain } = generateContentDialect;
    const unsigned = generateContentBody({ model: 'm', messages, delivery: 'whole' }, { provider: 'p', dialect: plain });
    expect(JSON.stringify(unsigned.body)).not.toContain('thoughtSignature');
  });

  it('[SG-030] results and arguments are objects on this wire, and lose nothing by it', () => {
    const responses = (...results: readonly MessagePart[]): unknown =>
      (bodyOf({ messages: [{ role: 'tool', parts: results }] }).contents as readonly { parts: readonly JsonObject[] }[])[0]?.parts.map(
        (part) => (part.functionResponse as JsonObject).response,
      );
    const long = '{"id":12345678901234567890}';
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(
      responses(
        result('a', '{"a":1}'),
        result('b', '[1]'),
        result('c', 'x'),
        result('d', long),
        result('e', 'No.', 'failed'),
        result('f', deep),
      ),
    ).toEqual([{ a: 1 }, { result: '[1]' }, { result: 'x' }, { result: long }, { error: 'No.' }, { result: deep }]);
    const args = (written: string): unknown => {
      const contents = bodyOf({ messages: [{ role: 'assistant', parts: [call('a', written)] }] }).contents;
      return (contents as unknown as readonly { parts: readonly { functionCall: JsonObject }[] }[])[0]?.parts[0]?.functionCall.args;
    };
    expect(['', 'null', '{"a":1}', '[1]', '7', 'oops', deep].map(args)).toEqual([
      {},
      {},
      { a: 1 },
      { value: [1] },
      { value: 7 },
      { value: 'oops' },
      { value: deep },
    ]);
  });

  it('[SG-030] thoughts without a signature are not sent, and no empty content either; a refusal is text', () => {
    const parts: MessagePart[] = [{ ...caller, id: 'k', type: 'thinking', block: { type: 'thinking', content: 'Low tide.' } }, text('')];
    const refused: Message = { role: 'assistant', parts: [{ ...caller, id: 'f', type: 'refusal', text: 'No.' }] };
    expect(bodyOf({ messages: [{ role: 'assistant', parts }, refused, user(text('hi'))] }).contents).toEqual([
      { role: 'model', parts: [{ text: 'No.' }] },
      { role: 'user', parts: [{ text: 'hi' }] },
    ]);
  });
});

describe('fields', () => {
  it('[SG-030] the smallest request is its contents', () => {
    expect(bodyOf({})).toEqual({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
  });

  it('[SG-030] tools in the field of the dialect, none for a tool without arguments; every choice has its word', () => {
    const bare = {
      name: 'list',
      description: 'Lists.',
      jsonSchema: { type: 'object', properties: {}, additionalProperties: false },
    } as const;
    const open = { ...bare, jsonSchema: { type: 'object', additionalProperties: { type: 'string' } } } as const;
    expect(bodyOf({ tools: [tool, bare, open] }).tools).toEqual([
      {
        functionDeclarations: [
          { name: 'find_berth', description: 'Finds a berth.', parametersJsonSchema: tool.jsonSchema },
          { name: 'list', description: 'Lists.' },
          { name: 'list', description: 'Lists.', parametersJsonSchema: open.jsonSchema },
        ],
      },
    ]);
    expect(bodyOf({ tools: [tool, bare] }, { toolSchemaField: 'parameters' }).tools).toMatchObject([
      {
        functionDeclarations: [{ parameters: { ...tool.jsonSchema, propertyOrdering: ['pier'] } }, { name: 'list', description: 'Lists.' }],
      },
    ]);
    const choices = (['auto', 'none', 'required', { name: 'find_berth' }] as const).map(
      (toolChoice) => bodyOf({ tools: [tool], toolChoice }).toolConfig,
    );
    expect(choices).toEqual([
      { functionCallingConfig: { mode: 'AUTO' } },
      { functionCallingConfig: { mode: 'NONE' } },
      { functionCallingConfig: { mode: 'ANY' } },
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find_berth'] } },
    ]);
    expect(bodyOf({ toolChoice: 'required' })).not.toHaveProperty('toolConfig');
    expect(refusal({ options: { parallelToolCalls: false } })).toBeUndefined();
    expect(refusal({ tools: [tool], options: { parallelToolCalls: true } })).toBeUndefined();
  });

  it('[SG-030] the response format, in each way that a dialect spells it', () => {
    const schema = {
      type: 'object',
      properties: {
        pier: { type: ['integer', 'null'] },
        berth: { $ref: '#/$defs/berth' },
        way: { oneOf: [{ const: 'in' }, { type: 'object', properties: { far: { type: 'number' } } }, { type: 'null' }] },
        open: { type: 'object' },
      },
      required: ['pier'],
      additionalProperties: false,
      $defs: { berth: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 3 } },
    };
    const responseFormat = { type: 'json_schema', name: 'berth', schema, strict: true } as const;
    expect(configOf({ responseFormat })).toEqual({ responseMimeType: 'application/json', responseJsonSchema: schema });
    expect(configOf({ responseFormat }, { schemaField: 'responseSchema' })).toEqual({
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'object',
        properties: {
          pier: { type: 'integer', nullable: true },
          berth: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 3 },
          way: {
            anyOf: [
              { type: 'string', enum: ['in'], nullable: true },
              { type: 'object', properties: { far: { type: 'number' } }, propertyOrdering: ['far'], nullable: true },
            ],
          },
          open: { type: 'object' },
        },
        propertyOrdering: ['pier', 'berth', 'way', 'open'],
        required: ['pier'],
      },
    });
    const recursive = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(refusal({ responseFormat: { ...responseFormat, schema: recursive } }, { schemaField: 'responseSchema' })).toMatchObject({
      code: 'E_CONFIGURATION',
    });
    expect(configOf({ responseFormat }, { schemaFormat: 'unsupported' })).toBeUndefined();
    expect(configOf({ responseFormat: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' });
    expect(configOf({ responseFormat: { type: 'json_object' } }, { jsonObjectFormat: false })).toBeUndefined();
  });

  it('[SG-030] sampling, and thinking in each of its modes', () => {
    expect(
      configOf({ options: { temperature: 0.5, topP: 0.9, maxOutputTokens: 400, stopSequences: ['a', 'b'], seed: 7, promptCache: '5m' } }),
    ).toEqual({ temperature: 0.5, topP: 0.9, maxOutputTokens: 400, stopSequences: ['a', 'b'], seed: 7 });
    const thinking = (request: Partial<ProviderRequest>): unknown =>
      (configOf(request) as { readonly thinkingConfig?: unknown } | undefined)?.thinkingConfig;
    expect(thinking({ thinking: { mode: 'adaptive', effort: 'low' } })).toEqual({ includeThoughts: true, thinkingLevel: 'LOW' });
    expect(thinking({ thinking: { mode: 'adaptive' } })).toEqual({ includeThoughts: true });
    expect(thinking({ thinking: { mode: 'budget', budget: 512 } })).toEqual({ includeThoughts: true, thinkingBudget: 512 });
    expect(thinking({ options: { reasoningEffort: 'minimal' } })).toEqual({ thinkingLevel: 'MINIMAL' });
    for (const facts of [undefined, { thinking: 'budget' }, { thinking: 'adaptive', reasoningEfforts: ['none', 'low'] }] as const) {
      const known = facts === undefined ? {} : { facts };
      expect(thinking({ thinking: { mode: 'off' }, ...known })).toEqual({ thinkingBudget: 0 });
      expect(thinking({ options: { reasoningEffort: 'none' }, ...known })).toEqual({ thinkingBudget: 0 });
    }
    expect(thinking({ thinking: { mode: 'off' }, facts: { thinking: 'none' } })).toBeUndefined();
    expect(thinking({})).toBeUndefined();
  });

  it('[SG-030] refuses before sending what the wire or the model does not have, and names it', () => {
    const cases: readonly (readonly [string, Partial<ProviderRequest>])[] = [
      ['stopSequences', { options: { stopSequences: ['1', '2', '3', '4', '5', '6'] } }],
      ['parallelToolCalls', { tools: [tool], options: { parallelToolCalls: false } }],
      ['temperature', { options: { temperature: 1 }, facts: { samplingParameters: 'no' } }],
      ['topP', { options: { topP: 1 }, facts: { samplingParameters: 'no' } }],
      ['toolChoice', { tools: [tool], toolChoice: 'required', facts: { forcedToolChoice: 'no' } }],
      ['"max"', { options: { reasoningEffort: 'max' } }],
      ['"medium"', { options: { reasoningEffort: 'medium' }, facts: { reasoningEfforts: ['low', 'high'] } }],
      ['no effort', { options: { reasoningEffort: 'low' }, facts: { reasoningEfforts: [] } }],
      ['differ', { thinking: { mode: 'adaptive', effort: 'low' }, options: { reasoningEffort: 'high' } }],
      ['exclude each other', { thinking: { mode: 'budget', budget: 9 }, options: { reasoningEffort: 'high' } }],
      ['thinking is off', { thinking: { mode: 'off' }, options: { reasoningEffort: 'high' } }],
    ];
    for (const [said, request] of cases) {
      const error = refusal(request);
      expect([said, error]).toEqual([said, expect.any(SignalError)]);
      expect((error as SignalError).message).toContain(said);
    }
    expect(refusal({ options: { reasoningEffort: 'low' } }, { effortField: 'none' })).toBeInstanceOf(SignalError);
    for (const facts of [{ alwaysThinks: true }, { thinking: 'adaptive' }, { thinking: 'adaptive', reasoningEfforts: ['low'] }] as const) {
      const error = refusal({ thinking: { mode: 'off' }, facts });
      expect(error).toBeInstanceOf(UnsupportedThinkingError);
      expect(error).toMatchObject({ reason: 'no-thinking', provider: 'p', model: 'm' });
    }
  });

  it('[SG-030] fields of the dialect under the own ones, of the caller beside them; a clash is refused, inside an object too', () => {
    const options = { temperature: 0.5 };
    expect(bodyOf({ options }, { body: { generationConfig: { topK: 3, temperature: 1 }, cachedContent: 'c' } })).toMatchObject({
      generationConfig: { topK: 3, temperature: 0.5 },
      cachedContent: 'c',
    });
    const extraBody = { generationConfig: { topK: 3 }, safetySettings: [], tools: [{ codeExecution: {} }] };
    expect(bodyOf({ tools: [tool], options: { ...options, extraBody } })).toMatchObject({
      generationConfig: { temperature: 0.5, topK: 3 },
      safetySettings: [],
      tools: [{ functionDeclarations: [{ name: 'find_berth' }] }, { codeExecution: {} }],
    });
    for (const clash of [{ contents: [] }, { generationConfig: { temperature: 1 } }])
      expect(refusal({ options: { ...options, extraBody: clash } })).toMatchObject({ code: 'E_CONFIGURATION' });
  });
});
