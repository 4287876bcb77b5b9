import { type Message, type MessagePart, type ResponsesDialect, SignalError, UnsupportedThinkingError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { responsesDialect } from '../registry/dialects.ts';
import type { ProviderRequest } from './adapter.ts';
import { responsesBody } from './openai-responses/request.ts';

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
const result = (callId: string): MessagePart => ({
  ...caller,
  id: `r${callId}`,
  type: 'tool-result',
  callId,
  name: 'find_berth',
  text: '{"free":true}',
  outcome: 'succeeded',
});
const tool = { name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object', properties: {} } } as const;

const bodyOf = (request: Partial<ProviderRequest>, dialect: Partial<ResponsesDialect> = {}) =>
  responsesBody(
    { model: 'm', messages: [user(text('hi'))], delivery: 'parts', ...request },
    { provider: 'p', dialect: { ...responsesDialect, ...dialect } },
  ).body;

const refusal = (request: Partial<ProviderRequest>, dialect: Partial<ResponsesDialect> = {}): unknown => {
  try {
    bodyOf(request, dialect);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('messages', () => {
  it('[SG-030] leading system text in its own field, later system text in its place', () => {
    expect(
      bodyOf({ messages: [system('Be short.'), system('Be kind.'), user(text('hi')), system('Now long.'), user(text('so'))] }),
    ).toMatchObject({
      instructions: 'Be short.\n\nBe kind.',
      input: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'Now long.' },
        { role: 'user', content: 'so' },
      ],
    });
    const asItems = bodyOf({ messages: [system('Be short.'), user(text('hi'))] }, { systemRole: 'developer' });
    expect(asItems).not.toHaveProperty('instructions');
    expect(asItems.input).toEqual([
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: 'hi' },
    ]);
    expect(bodyOf({ messages: [system('Alone.')] })).toMatchObject({ instructions: 'Alone.', input: [] });
  });

  it('[SG-030] images by address and by data, in order with the text', () => {
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
    ];
    expect(bodyOf({ messages: [user(...parts)] }).input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'auto' },
        ],
      },
    ]);
  });

  it('[SG-030] what the model said and called, in order, and the results of parallel calls, one item each', () => {
    const said: Message = {
      role: 'assistant',
      parts: [text('Looking.'), call('a'), { ...caller, id: 'f', type: 'refusal', text: 'No.' }, call('b', '')],
    };
    const results: Message = { role: 'tool', parts: [result('a'), result('b')] };
    expect(bodyOf({ messages: [said, results] }).input).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.', annotations: [] }] },
      { type: 'function_call', call_id: 'a', name: 'find_berth', arguments: '{"pier":7}' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { type: 'function_call', call_id: 'b', name: 'find_berth', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '{"free":true}' },
      { type: 'function_call_output', call_id: 'b', output: '{"free":true}' },
    ]);
  });

  it('[SG-030] reasoning that has no item of its own is not sent, and no empty message either', () => {
    const parts: MessagePart[] = [{ ...caller, id: 'k', type: 'thinking', block: { type: 'thinking', content: 'Low tide.' } }, text('')];
    expect(bodyOf({ messages: [{ role: 'assistant', parts }, user(text('hi'))] }).input).toEqual([{ role: 'user', content: 'hi' }]);
  });
});

describe('fields', () => {
  it('[SG-030] the smallest request keeps nothing on the server and asks for what it must send back', () => {
    expect(bodyOf({})).toEqual({
      model: 'm',
      input: [{ role: 'user', content: 'hi' }],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    expect(bodyOf({ delivery: 'whole' }).stream).toBe(false);
    expect(bodyOf({}, { store: true })).not.toHaveProperty('store');
    expect(bodyOf({}, { store: true })).not.toHaveProperty('include');
    expect(bodyOf({}, { encryptedReasoning: false })).not.toHaveProperty('include');
    expect(bodyOf({ facts: { thinking: 'none' } })).not.toHaveProperty('include');
  });

  it('[SG-030] tools are flat and say that they are not strict; choices as the dialect takes them', () => {
    expect(bodyOf({ tools: [tool], toolChoice: { name: 'find_berth' }, options: { parallelToolCalls: false } })).toMatchObject({
      tools: [{ type: 'function', name: 'find_berth', description: 'Finds a berth.', parameters: tool.jsonSchema, strict: false }],
      tool_choice: { type: 'function', name: 'find_berth' },
      parallel_tool_calls: false,
    });
    const choice = (toolChoice: ProviderRequest['toolChoice'], named = true) =>
      bodyOf(
        { tools: [tool], ...(toolChoice === undefined ? {} : { toolChoice }) },
        { toolChoice: { required: 'required', named, none: false } },
      ).tool_choice;
    expect([choice(undefined), choice('auto'), choice('none'), choice('required'), choice({ name: 'find_berth' }, false)]).toEqual([
      undefined,
      'auto',
      undefined,
      'required',
      'required',
    ]);
    expect(bodyOf({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
    expect(bodyOf({ options: { parallelToolCalls: true } })).not.toHaveProperty('parallel_tool_calls');
  });

  it('[SG-030] the response format is flat, in each way that a dialect spells it', () => {
    const schema = { type: 'object' } as const;
    const responseFormat = { type: 'json_schema', name: 'berth', schema, strict: true } as const;
    expect(bodyOf({ responseFormat }).text).toEqual({ format: { type: 'json_schema', name: 'berth', schema, strict: true } });
    expect(bodyOf({ responseFormat }, { schemaFormat: 'json_object_with_schema' }).text).toEqual({
      format: { type: 'json_object', schema },
    });
    expect(bodyOf({ responseFormat }, { schemaFormat: 'unsupported' })).not.toHaveProperty('text');
    expect(bodyOf({ responseFormat: { type: 'json_object' } }).text).toEqual({ format: { type: 'json_object' } });
    expect(bodyOf({ responseFormat: { type: 'json_object' } }, { jsonObjectFormat: false })).not.toHaveProperty('text');
  });

  it('[SG-030] sampling, and reasoning in each of its modes', () => {
    expect(bodyOf({ options: { temperature: 0.5, topP: 0.9, maxOutputTokens: 400 } })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 400,
    });
    expect(bodyOf({ thinking: { mode: 'adaptive', effort: 'low' } }).reasoning).toEqual({ effort: 'low', summary: 'auto' });
    expect(bodyOf({ thinking: { mode: 'adaptive' } }).reasoning).toEqual({ summary: 'auto' });
    expect(bodyOf({ thinking: { mode: 'off' } }).reasoning).toEqual({ effort: 'none' });
    expect(bodyOf({ options: { reasoningEffort: 'high' } }).reasoning).toEqual({ effort: 'high' });
    const { reasoningSummary: _none, ...plain } = responsesDialect;
    expect(
      responsesBody({ model: 'm', messages: [], delivery: 'parts', thinking: { mode: 'adaptive' } }, { provider: 'p', dialect: plain })
        .body,
    ).not.toHaveProperty('reasoning');
  });

  it('[SG-030] refuses before sending what the wire or the model does not have, and names it', () => {
    const cases: readonly (readonly [string, Partial<ProviderRequest>])[] = [
      ['stopSequences', { options: { stopSequences: ['x'] } }],
      ['seed', { options: { seed: 1 } }],
      ['temperature', { options: { temperature: 1 }, facts: { samplingParameters: 'no' } }],
      ['topP', { options: { topP: 1 }, facts: { samplingParameters: 'no' } }],
      ['toolChoice', { tools: [tool], toolChoice: 'required', facts: { forcedToolChoice: 'no' } }],
      ['"max"', { options: { reasoningEffort: 'max' }, facts: { reasoningEfforts: ['low', 'high'] } }],
      ['thinking: false', { thinking: { mode: 'off' }, facts: { reasoningEfforts: ['low'] } }],
      ['differ', { thinking: { mode: 'adaptive', effort: 'low' }, options: { reasoningEffort: 'high' } }],
    ];
    for (const [said, request] of cases) {
      const error = refusal(request);
      expect([said, error]).toEqual([said, expect.any(SignalError)]);
      expect((error as SignalError).message).toContain(said);
    }
    expect(refusal({ options: { reasoningEffort: 'low' } }, { effortField: 'none' })).toBeInstanceOf(SignalError);
    expect(refusal({ options: { stopSequences: [] } })).toBeUndefined();
    const budget = refusal({ thinking: { mode: 'budget', budget: 1000 } });
    expect(budget).toBeInstanceOf(UnsupportedThinkingError);
    expect(budget).toMatchObject({ reason: 'budget', provider: 'p', model: 'm' });
  });

  it('[SG-030] fields of the dialect under the own ones, of the caller beside them; a clash is refused, inside an object too', () => {
    const responseFormat = { type: 'json_object' } as const;
    expect(bodyOf({}, { body: { model: 'other', metadata: { a: '1' }, reasoning: { context: 'auto' } } })).toMatchObject({
      model: 'm',
      metadata: { a: '1' },
      reasoning: { context: 'auto' },
    });
    const extraBody = { text: { verbosity: 'low' }, include: ['file_search_call.results'], user: 'u' };
    expect(bodyOf({ responseFormat, options: { extraBody } })).toMatchObject({
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      include: ['reasoning.encrypted_content', 'file_search_call.results'],
      user: 'u',
    });
    for (const clash of [{ model: 'x' }, { text: { format: { type: 'text' } } }, { store: true }, { input: [] }])
      expect(refusal({ responseFormat, options: { extraBody: clash } })).toMatchObject({ code: 'E_CONFIGURATION' });
  });
});
