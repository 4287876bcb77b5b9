import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabContent, type LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { fits } from '../draw.ts';
import { applyOf } from '../pathologies/pathology.ts';
import { pathologies, pathologyById } from '../pathologies.ts';
import { seededRandom } from '../random.ts';
import { messagesError } from './anthropic-messages/errors.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import type { Frame, LabTarget } from './wire.ts';

const wire = anthropicMessages(1);
const target: LabTarget = { path: '/v1/messages', query: new URLSearchParams(), headers: { 'anthropic-version': '2023-06-01' } };
const frameOf = (seed: string): Frame => ({
  requestId: 'req_1',
  id: 'chatcmpl-1',
  created: 1_790_000_000,
  model: 'm',
  fingerprint: 'fp',
  random: seededRandom(seed),
});
const copy = <T>(value: T): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
const ask = { role: 'user', content: 'Where?' };
const parameters = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const tool = (change: object = {}): object => ({ name: 'find_berth', input_schema: parameters, ...change });

const read = (body: object, at = target) => wire.read(copy({ model: 'm', max_tokens: 4_096, messages: [ask], ...body }), at);

function requestOf(body: object): LabChatRequest {
  const result = read(body);
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.request;
}

function refusal(body: object, at = target): string | undefined {
  const result = read(body, at);
  if (!('refusal' in result)) return undefined;
  expect(result.refusal.status).toBe(400);
  expect(messagesError(result.refusal)).toEqual({
    type: 'error',
    error: { type: 'invalid_request_error', message: result.refusal.message },
  });
  return result.refusal.message;
}

type Block = JsonObject & { readonly type: string };
type Message = JsonObject & { readonly content: readonly Block[] };

function messageOf(content: LabContent, body: object = {}, seed = '1'): Message {
  const request = requestOf(body);
  const frame = frameOf(seed);
  const [bytes] = wire.whole(completeAnswer(content, request, frame.random), request, frame).chunks;
  return JSON.parse(Buffer.from(bytes ?? '').toString()) as Message;
}

function eventsOf(content: LabContent, body: object = {}, seed = '1'): readonly JsonObject[] {
  const request = requestOf({ ...body, stream: true });
  const frame = frameOf(seed);
  return wire.parts(completeAnswer(content, request, frame.random), request, frame).chunks.map((block) => {
    const [line, data] = String(block).split('\ndata: ');
    const event = JSON.parse(data ?? '') as JsonObject;
    expect(line).toBe(`event: ${String(event.type)}`);
    return event;
  });
}

describe('requests that the wire refuses', () => {
  const content = (role: string, ...blocks: readonly object[]): object => ({ messages: [{ role, content: blocks }] });
  const format = (schema: object, more: object = {}): object => ({ output_config: { format: { type: 'json_schema', schema, ...more } } });
  const property = (schema: object): object =>
    format({ type: 'object', properties: { a: schema }, required: ['a'], additionalProperties: false });
  const thinking = (change: object = {}): object => ({ thinking: { type: 'enabled', budget_tokens: 1_024, ...change } });
  const many = (count: number, schema: object): object => ({
    type: 'object',
    properties: Object.fromEntries([...Array(count).keys()].map((index) => [`p${index}`, schema])),
    additionalProperties: false,
  });
  it.each<[string, object, string]>([
    ['no model', { model: undefined }, 'model: Field required'],
    ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['a limit of nothing', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    ['no messages', { messages: undefined }, 'messages: Field required'],
    ['an empty conversation', { messages: [] }, 'messages: at least one message is required'],
    ['a field of another wire', { max_completion_tokens: 1 }, 'max_completion_tokens: Extra inputs are not permitted'],
    ['a seed', { seed: 1 }, 'seed: Extra inputs are not permitted'],
    [
      'a role of another wire',
      content('tool', { type: 'text', text: 'x' }),
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    ['an empty text', content('user', { type: 'text', text: '' }), 'messages: text content blocks must be non-empty'],
    ['an empty message', content('user'), 'messages.0: all messages must have non-empty content'],
    [
      'a field of no block',
      content('user', { type: 'text', text: 'x', id: 'y' }),
      'messages.0.content.0.text.id: Extra inputs are not permitted',
    ],
    [
      'a mark on thinking',
      content('assistant', { type: 'thinking', thinking: '', signature: 'x', cache_control: {} }),
      'Extra inputs are not permitted',
    ],
    [
      'thinking without a signature',
      content('assistant', { type: 'thinking', thinking: 'x' }),
      'messages.0.content.0.thinking.signature: Field required',
    ],
    ['a call of the user', content('user', { type: 'tool_use', id: 'a', name: 'b', input: {} }), "Input tag 'tool_use' found using 'type'"],
    [
      'an input that is no object',
      content('assistant', { type: 'tool_use', id: 'a', name: 'b', input: '{}' }),
      'tool_use.input: Input should be a valid dictionary',
    ],
    [
      'an image of another type',
      content('user', { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: '' } }),
      "media_type: Input should be 'image/jpeg'",
    ],
    ['a temperature over 1', { temperature: 1.5 }, 'temperature: Input should be less than or equal to 1'],
    ['an effort that is none', { output_config: { effort: 'none' } }, "output_config.effort: Input should be 'low'"],
    ['thinking that is none', { thinking: { type: 'always' } }, "thinking: Input tag 'always' found"],
    ['no budget', { thinking: { type: 'enabled' } }, 'thinking.enabled.budget_tokens: Field required'],
    ['a small budget', thinking({ budget_tokens: 1_023 }), 'Input should be greater than or equal to 1024'],
    ['a budget over the limit', thinking({ budget_tokens: 4_096 }), '`max_tokens` must be greater than `thinking.budget_tokens`.'],
    ['a budget by itself', { thinking: { type: 'adaptive', budget_tokens: 2_000 } }, 'thinking.adaptive.budget_tokens: Extra inputs'],
    ['a temperature beside thinking', { ...thinking(), temperature: 0.5 }, '`temperature` may only be set to 1 when thinking is enabled.'],
    [
      'a forced call within a budget',
      { ...thinking(), tools: [tool()], tool_choice: { type: 'any' } },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    ['a tool of another wire', { tools: [{ type: 'function', function: {} }] }, "Input tag 'function' found using 'type'"],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, 'tools.0.custom.input_schema: Field required'],
    ['a tool without a type', { tools: [tool({ input_schema: {} })] }, 'tools.0.custom.input_schema.type: Field required'],
    ['a tool with a bad name', { tools: [tool({ name: 'a b' })] }, 'tools.0.custom.name: String should match pattern'],
    ['a tool twice', { tools: [tool(), tool()] }, 'tools: Tool names must be unique.'],
    [
      'a strict tool outside the subset',
      { tools: [tool({ strict: true, input_schema: { type: 'object' } })] },
      "'additionalProperties' must be",
    ],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, 'tool_choice may only be specified while providing tools.'],
    ['a choice of no tool', { tools: [tool()], tool_choice: { type: 'tool', name: 'g' } }, "Tool 'g' not found in provided tools"],
    [
      'one call at most, of none',
      { tools: [tool()], tool_choice: { type: 'none', disable_parallel_tool_use: true } },
      'tool_choice.none.disable_parallel_tool_use',
    ],
    ['a format with a name', format(parameters, { name: 'x' }), 'output_config.format.name: Extra inputs are not permitted'],
    [
      'an open object',
      format({ type: 'object', properties: {} }),
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    ['a bound', property({ type: 'integer', minimum: 1 }), "For 'integer' type, property 'minimum' is not supported"],
    ['two items at least', property({ type: 'array', items: { type: 'string' }, minItems: 2 }), "'minItems' values other than 0 or 1"],
    ['another format', property({ type: 'string', format: 'iri' }), "format 'iri' is not supported"],
    ['a look-ahead', property({ type: 'string', pattern: '^(?=a)' }), "pattern '^(?=a)' is not supported"],
    ['any value', property({}), "Schema is missing a 'type' definition"],
    ['alternatives by oneOf', property({ oneOf: [{ type: 'string' }] }), "Schema type 'oneOf' is not supported"],
    [
      'a schema that holds itself',
      format({ ...parameters, properties: { pier: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } }),
      'Circular reference detected',
    ],
    ['25 optional properties', format(many(25, { type: 'string' })), 'Schema is too complex for compilation.'],
    [
      '17 unions',
      format({ ...many(17, { type: ['string', 'null'] }), required: [...Array(17).keys()].map((index) => `p${index}`) }),
      'too complex',
    ],
    [
      'five cache marks',
      content('user', ...Array(5).fill({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })),
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'an answer begun with white space',
      { messages: [ask, { role: 'assistant', content: 'Pier ' }] },
      'cannot end with trailing whitespace',
    ],
    [
      'an answer begun beside thinking',
      { ...thinking(), messages: [ask, { role: 'assistant', content: 'Pier' }] },
      'This model does not support assistant message prefill',
    ],
  ])('[SG-100] %s', (_title, body, said) => {
    expect(refusal(body)).toContain(said);
  });

  it('[SG-100] a request without the version', () => {
    expect(refusal({}, { ...target, headers: {} })).toBe('anthropic-version: header is required');
    expect(refusal({ anthropic_version: 'vertex-2023-10-16' }, { ...target, headers: {} })).toBeUndefined();
  });

  it('[SG-100] takes what the reference says it takes', () => {
    const mark = { type: 'ephemeral', ttl: '1h' };
    for (const body of [
      {
        temperature: 1,
        top_p: 0.5,
        top_k: 5,
        stop_sequences: ['x'],
        metadata: { user_id: 'u' },
        service_tier: 'auto',
        cache_control: mark,
      },
      {
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'xhigh' },
        temperature: 1,
        tools: [tool()],
        tool_choice: { type: 'any' },
      },
      {
        thinking: { type: 'enabled', budget_tokens: 1_024 },
        tools: [tool({ strict: true })],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
      { thinking: { type: 'between_tools' } },
      {
        system: [{ type: 'text', text: 'x', cache_control: mark }],
        messages: [ask, { role: 'system', content: [{ type: 'text', text: 'y' }] }],
      },
      content('user', { type: 'image', source: { type: 'url', url: 'https://x.test' } }, { type: 'document', source: {}, title: 'x' }),
      { messages: [ask, ask, { role: 'assistant', content: 'Pier' }] },
      property({ anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }),
      format({
        ...parameters,
        properties: { pier: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'array', items: { const: 1 }, minItems: 1 } },
      }),
      format(many(24, { type: 'string', pattern: '^a{2}$', title: 'x', description: 'y', default: 'z' })),
    ])
      expect(refusal(body)).toBeUndefined();
  });

  it('[SG-100] reads the conversation in the terms of no wire', () => {
    const request = requestOf({
      system: 'Be short.',
      messages: [
        ask,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'a', name: 'find_berth', input: { pier: 7 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'free' }] },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
      tools: [tool()],
      thinking: { type: 'disabled' },
    });
    expect(request).toMatchObject({ wire: 'anthropic-messages', maxOutputTokens: 4_096, toolChoice: 'auto', thinking: false });
    expect(request.messages).toEqual([
      { role: 'system', text: 'Be short.', toolCalls: [] },
      { role: 'user', text: 'Where?', toolCalls: [] },
      { role: 'assistant', text: 'Looking.', toolCalls: [{ id: 'a', name: 'find_berth', arguments: '{"pier":7}' }] },
      { role: 'tool', text: 'free', toolCalls: [], toolCallId: 'a' },
      { role: 'user', text: 'So?', toolCalls: [] },
    ]);
  });
});

describe('answers', () => {
  const said: LabContent = {
    thinking: [{ text: 'Low tide é.' }, { text: 'x', redacted: true }],
    text: 'Pier 7 🚀',
    usage: { inputTokens: 31, outputTokens: 40, reasoningTokens: 32, cachedTokens: 3 },
  };

  it('[SG-100] a whole message, with its blocks and usage', () => {
    expect(messageOf(said)).toMatchObject({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Low tide é.', signature: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) },
        { type: 'redacted_thinking', data: expect.stringMatching(/./) },
        { type: 'text', text: 'Pier 7 🚀' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 28,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 3,
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 32 },
      },
    });
    expect(messageOf(said, { thinking: { type: 'disabled' } }).content.map(({ type }) => type)).toEqual(['text']);
    const [omitted] = messageOf(said, { thinking: { type: 'adaptive', display: 'omitted' } }).content;
    expect(omitted).toMatchObject({ type: 'thinking', thinking: '', signature: expect.stringMatching(/./) });
  });

  it('[SG-100] stops in the wire’s words', () => {
    const stop = (content: LabContent, body: object = {}): readonly unknown[] => {
      const { stop_reason: reason, stop_details: details } = messageOf(content, body);
      return [reason, details];
    };
    const call: LabContent = { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] };
    expect(stop({ text: 'x'.repeat(99) }, { max_tokens: 2 })).toEqual(['max_tokens', null]);
    expect(stop(call, { tools: [tool()] })).toEqual(['tool_use', null]);
    expect(stop(call, { tools: [tool()], tool_choice: { type: 'tool', name: 'find_berth' } })).toEqual(['tool_use', null]);
    expect(stop({ refusal: 'I cannot.' })).toEqual(['refusal', { type: 'refusal', category: null, explanation: 'I cannot.' }]);
    expect(stop({ text: 'x', finish: 'content_filter' })).toEqual(['refusal', { type: 'refusal', category: null, explanation: null }]);
    expect(stop({ text: 'x', finish: 'pause_turn' })).toEqual(['pause_turn', null]);
  });

  it('[SG-100] a stream in the order of the wire that adds up to the whole message', () => {
    const all: LabContent = { ...said, toolCalls: [{ id: 'toolu_1', name: 'find_berth', arguments: '{"pier":7}' }] };
    const events = eventsOf(all);
    const whole = messageOf(all);
    expect(events.map(({ type }) => type).filter((type) => type !== 'content_block_delta')).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_stop',
      ...Array(3).fill(['content_block_start', 'content_block_stop']).flat(),
      'message_delta',
      'message_stop',
    ]);
    const joined = (index: number, field: string): string =>
      events.map((event) => (event.index === index ? String((event.delta as JsonObject | undefined)?.[field] ?? '') : '')).join('');
    const [thinking] = whole.content;
    expect([joined(0, 'thinking'), joined(0, 'signature')]).toEqual([thinking?.thinking, thinking?.signature]);
    expect(events.find(({ index }) => index === 1)).toMatchObject({ content_block: whole.content[1] });
    expect(joined(2, 'text')).toBe('Pier 7 🚀');
    expect(joined(3, 'partial_json')).toBe('{"pier":7}');
    expect(events[0]).toMatchObject({ message: { content: [], stop_reason: null, usage: { output_tokens: 1 } } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: whole.usage as JsonObject });
  });

  it('[SG-100] errors and models in the wire’s form', () => {
    const types = [401, 402, 403, 404, 413, 429, 500, 503, 529].map(
      (status) => (messagesError({ status, message: 'x' }).error as JsonObject).type,
    );
    expect(types).toEqual([
      'authentication_error',
      'billing_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'api_error',
      'api_error',
      'overloaded_error',
    ]);
    expect(wire.models?.('m', { ...target, path: '/v1/models' })?.status).toBe(200);
    expect(wire.models?.('m', { ...target, path: '/v1/models/other' })).toBeUndefined();
    expect(wire.models?.('m', { ...target, path: '/v1/models', headers: {} })).toBeUndefined();
  });
});

describe('the judge of histories', () => {
  const first = messageOf(
    {
      thinking: [{ text: 'First.' }, { text: 'Hidden.', redacted: true }, { text: 'Then.', beforeCall: 1 }],
      text: 'Looking.',
      toolCalls: ['a', 'b', 'c'].map((id, pier) => ({ name: `find_${id}`, arguments: `{"pier":${pier}}` })),
    },
    {},
  ).content as readonly [Block, Block, Block, Block, Block, Block, Block];
  const [thought, hidden, said, callA, second, callB, callC] = first;
  const next = messageOf({ thinking: [{ text: 'Again.' }], toolCalls: [{ name: 'find_d', arguments: '{}' }] }, {}, '2').content;
  const [again, callD] = next as readonly [Block, Block];
  const last = messageOf({ thinking: [{ text: 'Done.' }], text: 'Pier 7.' }, {}, '3').content as readonly [Block, Block];
  const result = (call: Block): object => ({ type: 'tool_result', tool_use_id: call.id, content: '{}' });
  const assistant = (...content: readonly object[]): object => ({ role: 'assistant', content });
  const user = (...content: readonly object[]): object => ({ role: 'user', content });
  const results = user(result(callA), result(callB), result(callC));
  const loop = (content: readonly object[], more: object = {}): string | undefined =>
    refusal({
      messages: [
        ask,
        assistant(...content),
        user(...content.filter((one) => (one as Block).type === 'tool_use').map((one) => result(one as Block))),
      ],
      ...more,
    });
  const without = (...blocks: readonly Block[]): readonly Block[] => first.filter((block) => !blocks.includes(block));
  const replaced = (block: Block, change: object): readonly object[] => first.map((one) => (one === block ? { ...one, ...change } : one));
  const expected = (place: string, type: string): string =>
    `messages.${place}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\``;
  const modified = (place: string): string =>
    `messages.${place}: thinking or redacted_thinking blocks in the latest assistant message cannot be modified`;

  it('[SG-100] [TH-003] takes its own blocks back, in the loop and after it', () => {
    expect(loop(first)).toBeUndefined();
    expect(refusal({ messages: [ask, assistant(...first), results, assistant(again, callD), user(result(callD))] })).toBeUndefined();
    expect(refusal({ messages: [ask, assistant(...first), results, assistant(...last), ask] })).toBeUndefined();
  });

  it('[SG-100] [TH-003] thinking that is missing in the loop: all of it, the first, one between, a redacted one', () => {
    expect(loop(without(thought, hidden, second))).toBe(expected('1.content.0', 'text'));
    expect(loop(without(thought, hidden, second, said))).toBe(expected('1.content.0', 'tool_use'));
    expect(loop(without(thought))).toBe(modified('1.content.0'));
    expect(loop(without(hidden))).toBe(modified('1.content.3'));
    expect(loop(without(second))).toBe(modified('1.content.1'));
    // Also in an earlier message of the same loop.
    const later = [ask, assistant(...without(second)), results, assistant(again, callD), user(result(callD))];
    expect(refusal({ messages: later })).toBe(modified('1.content.1'));
  });

  it('[SG-100] [TH-003] thinking that was moved, doubled, or parted from what stood around it', () => {
    expect(loop([hidden, thought, said, callA, second, callB, callC])).toBe(modified('1.content.0'));
    expect(loop([thought, hidden, said, second, callA, callB, callC])).toBe(modified('1.content.3'));
    expect(loop([thought, hidden, said, callA, callB, second, callC])).toBe(modified('1.content.1'));
    expect(loop([thought, thought, hidden, said, callA, second, callB, callC])).toBe(modified('1.content.1'));
    expect(loop([thought, hidden, callA, second, callB, callC])).toBe(modified('1.content.1'));
    expect(loop([thought, hidden, said, said, callA, second, callB, callC])).toBe(modified('1.content.1'));
    expect(loop([thought, hidden, said, callA, second, callC, callB])).toBe(modified('1.content.4'));
  });

  it('[SG-100] a call that is left out is not missed', () => {
    expect(loop(without(callC))).toBeUndefined();
    expect(loop(without(callA, callC))).toBeUndefined();
  });

  it('[SG-100] [TH-003] a signature that was altered in any character, is of another text, model or lab', () => {
    const invalid = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    const signature = String(thought.signature);
    for (let at = 0; at < signature.length; at += 1) {
      const changed = signature.slice(0, at) + (signature[at] === 'A' ? 'B' : 'A') + signature.slice(at + 1);
      expect(loop(replaced(thought, { signature: changed }))).toBe(invalid);
    }
    for (const changed of [`${signature}A`, `${signature}=`, signature.slice(0, -1), '', 'c2ln', String(second.signature), ` ${signature}`])
      expect(loop(replaced(thought, { signature: changed }))).toBe(invalid);
    expect(loop(replaced(thought, { thinking: 'First' }))).toBe(invalid);
    expect(loop(replaced(thought, { thinking: '' }))).toBe(invalid);
    expect(loop(replaced(hidden, { data: signature }))).toBe('messages.1.content.1: Invalid `data` in `redacted_thinking` block');
    expect(loop(first, { model: 'other' })).toBe(invalid);
    const stranger = anthropicMessages(2).read(copy({ model: 'm', max_tokens: 9, messages: [ask, assistant(...last), ask] }), target);
    expect(stranger).toMatchObject({ refusal: { message: invalid } });
  });

  it('[SG-100] [TH-003] before the user’s last message thinking may be left out, but not altered', () => {
    const older = (content: readonly object[]): string | undefined =>
      refusal({ messages: [ask, assistant(...content), results, assistant(...last), ask] });
    expect(older(without(thought, hidden, second))).toBeUndefined();
    expect(older(without(hidden))).toBeUndefined();
    expect(older(replaced(second, { thinking: 'x' }))).toBe('messages.1.content.4: Invalid `signature` in `thinking` block');
  });

  it('[SG-100] with thinking off none is missed; within a budget calls of anyone’s must open with it', () => {
    expect(loop(without(thought, hidden, second), { thinking: { type: 'disabled' } })).toBeUndefined();
    const foreign = [{ type: 'tool_use', id: 'toolu_x', name: 'f', input: {} }];
    expect(loop(foreign)).toBeUndefined();
    expect(loop(foreign, { thinking: { type: 'adaptive' } })).toBeUndefined();
    expect(loop(foreign, { thinking: { type: 'enabled', budget_tokens: 1_024 } })).toBe(expected('1.content.0', 'tool_use'));
  });

  it('[SG-100] calls that the next message does not answer first, and results of no call', () => {
    const found = (...ids: readonly unknown[]): string =>
      `tool_use ids were found without tool_result blocks immediately after: ${ids.join(', ')}.`;
    expect(refusal({ messages: [ask, assistant(...first)] })).toContain(found(callA.id, callB.id, callC.id));
    expect(refusal({ messages: [ask, assistant(...first), user(result(callA), result(callC))] })).toContain(found(callB.id));
    const late = user({ type: 'text', text: 'x' }, result(callD));
    expect(refusal({ messages: [ask, assistant(again, callD), late] })).toContain(found(callD.id));
    expect(refusal({ messages: [user(result(callA))] })).toContain(
      `unexpected tool_use_id found in tool_result blocks: ${String(callA.id)}.`,
    );
    // Results in two messages of the user are one message to the service.
    expect(refusal({ messages: [ask, assistant(...first), user(result(callA)), user(result(callB), result(callC))] })).toBeUndefined();
    expect(refusal({ messages: [ask, assistant(again, callD, callD), user(result(callD))] })).toContain('tool_use ids must be unique');
  });
});

describe('pathologies on this wire', () => {
  const json: LabContent = { text: '{"pier":7,"note":"low"}' };
  const calls: LabContent = { toolCalls: [{ id: 'toolu_1', name: 'find_berth', arguments: '{"pier":7}' }] };
  const empty: LabContent = { toolCalls: [{ id: 'toolu_1', name: 'find_berth', arguments: '{}' }] };
  const withTools = { tools: [tool()] };
  const spoil = (id: string, said: LabContent, body: object, seed = '1'): LabReply | undefined => {
    const pathology = pathologyById(id);
    const request = requestOf(body);
    const frame = frameOf(seed);
    const answer = completeAnswer(said, request, frame.random);
    if (pathology === undefined || !fits(pathology, answer, request)) return undefined;
    const reply = applyOf(pathology, request.wire)?.(answer, { request, frame, wire, path: target.path });
    if (reply === undefined || 'raw' in reply) return reply;
    // As the lab says what a row made of the answer.
    const { maxOutputTokens: _kept, ...unlimited } = request;
    const changed = completeAnswer(reply, unlimited, frame.random);
    return { raw: request.stream ? wire.parts(changed, request, frame) : wire.whole(changed, request, frame) };
  };
  const textOf = (reply: LabReply | undefined): string => {
    if (reply === undefined || !('raw' in reply)) throw new Error('no bytes');
    return Buffer.concat(reply.raw.chunks.map((chunk) => Buffer.from(chunk))).toString();
  };
  const spoiled = (id: string, said: LabContent, body: object = {}, seed?: string): readonly JsonObject[] =>
    textOf(spoil(id, said, { ...body, stream: true }, seed))
      .split('\n\n')
      .flatMap((block) => (block.includes('data: {') ? [JSON.parse(block.slice(block.indexOf('{'))) as JsonObject] : []));
  const whole = (id: string, said: LabContent, body: object = {}): JsonObject => JSON.parse(textOf(spoil(id, said, body))) as JsonObject;
  const typesOf = (events: readonly JsonObject[]): readonly unknown[] => events.map(({ type }) => type);
  const deltasOf = (events: readonly JsonObject[]): readonly JsonObject[] =>
    events.flatMap(({ delta, type }) => (type === 'content_block_delta' ? [delta as JsonObject] : []));
  const startsOf = (events: readonly JsonObject[]): readonly JsonObject[] =>
    events.flatMap((event) => (event.type === 'content_block_start' ? [event.content_block as JsonObject] : []));
  const seeds = ['1', '2', '3', '4', '5', '6'];

  it('[SG-100] none says anything in the words of another wire', () => {
    for (const { id, wires } of pathologies) {
      if (!wires.includes('anthropic-messages')) continue;
      for (const body of [{}, { stream: true }, withTools, { ...withTools, stream: true }]) {
        const reply = spoil(id, 'tools' in body ? calls : json, body);
        if (reply === undefined || !('raw' in reply)) continue;
        const said = textOf(reply).replaceAll(/^data: ?"?\[DONE\]"?/gm, '');
        expect([id, said]).not.toEqual([id, expect.stringMatching(/chat\.completion|"choices"|"response\.|insufficient_quota/)]);
      }
    }
  });

  it('[SG-100] [path-E1] [path-E2] [path-E3] signatures in two events, without text, and data alone', () => {
    const split = deltasOf(spoiled('E1', json)).filter(({ type }) => type === 'signature_delta');
    expect(split).toHaveLength(2);
    expect(startsOf(spoiled('E2', json))[0]).toEqual({ type: 'thinking', thinking: '', signature: '' });
    expect(deltasOf(spoiled('E2', json)).map(({ type }) => type)).not.toContain('thinking_delta');
    expect(startsOf(spoiled('E3', json))[0]).toEqual({ type: 'redacted_thinking', data: expect.stringMatching(/./) });
    expect(whole('E3', json).content).toMatchObject([{ type: 'redacted_thinking' }, { type: 'text' }]);
  });

  it('[SG-100] [path-E4] [path-E5] [path-E6] [path-E19] the forms of calls', () => {
    expect(startsOf(spoiled('E4', calls, withTools)).map(({ type }) => type)).toEqual(['thinking', 'thinking', 'tool_use']);
    const deltas = new Set(seeds.map((seed) => JSON.stringify(deltasOf(spoiled('E5', empty, withTools, seed)))));
    expect(deltas).toEqual(new Set(['[]', '[{"type":"input_json_delta","partial_json":""}]']));
    expect(spoil('E5', calls, { ...withTools, stream: true })).toBeUndefined();
    const inStart = spoiled('E6', calls, withTools);
    expect([startsOf(inStart)[0]?.input, deltasOf(inStart)]).toEqual([{ pier: 7 }, []]);
    const bare = spoiled('E19', calls, withTools);
    expect(startsOf(bare)).toEqual([{ type: 'tool_use', id: 'toolu_1', name: 'find_berth' }]);
    expect(
      deltasOf(bare)
        .map(({ partial_json: text }) => text)
        .join(''),
    ).toBe('{"pier":7}');
  });

  it('[SG-100] [path-E7] [path-E8] [path-E9] the ways to stop', () => {
    const cut = spoiled('E7', calls, withTools);
    expect(
      deltasOf(cut)
        .map(({ partial_json: text }) => text)
        .join(''),
    ).toBe('{"pier":');
    expect(cut.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    expect(whole('E7', calls, withTools)).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'tool_use', input: {} }] });
    const refused = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'bio', explanation: null } };
    expect(whole('E8', json)).toMatchObject({ ...refused, content: [] });
    expect(spoiled('E8', json).at(-2)).toMatchObject({ delta: refused });
    const search = { type: 'server_tool_use', name: 'web_search' };
    expect(whole('E9', json)).toMatchObject({ stop_reason: 'pause_turn', content: [{ type: 'text' }, search] });
    expect(startsOf(spoiled('E9', json))).toMatchObject([{ type: 'text' }, search]);
  });

  it('[SG-100] [path-E10] [path-E11] [path-E12] [path-E13] [path-E14] [path-E18] the forms of streams', () => {
    expect(spoiled('E10', json).at(-2)).toMatchObject({ usage: { output_tokens: 9, input_tokens: null } });
    const strange = spoiled('E11', json);
    expect(typesOf(strange)).toContain('vibe');
    expect(startsOf(strange).map(({ type }) => type)).toEqual(['new_thing', 'text']);
    expect(deltasOf(strange).some(({ type }) => type === 'new_delta')).toBe(true);
    expect(whole('E11', json).content).toMatchObject([{ type: 'new_thing' }, { type: 'text' }]);
    expect(textOf(spoil('E12', json, { stream: true }))).not.toContain('event:');
    expect(new Set(spoiled('E13', json).flatMap(({ index }) => index ?? []))).toEqual(new Set([0, 2]));
    expect(typesOf(spoiled('E14', json)).at(-1)).toBe('message_delta');
    expect(typesOf(spoiled('E18', json)).slice(0, 3)).toEqual(['ping', 'message_start', 'ping']);
  });

  it('[SG-100] [path-E15] [path-E16] [path-E17] [path-D4] [path-D5] refusals in the service’s words, where they can come', () => {
    const message = (id: string, body: object, seed?: string): string =>
      (JSON.parse(textOf(spoil(id, json, body, seed))) as { readonly error: { readonly message: string } }).error.message;
    expect(new Set(seeds.map((seed) => message('E15', { ...withTools, tool_choice: { type: 'any' } }, seed)))).toEqual(
      new Set([
        'tool_choice: type "tool" and "any" are not supported for this model.',
        'tool_choice forces tool use is not compatible with this model',
      ]),
    );
    expect(spoil('E15', json, withTools)).toBeUndefined();
    expect(message('E16', { thinking: { type: 'enabled', budget_tokens: 1_024 } })).toMatch(/^"thinking\.type\.enabled" is not supported/);
    expect(spoil('E16', json, { thinking: { type: 'adaptive' } })).toBeUndefined();
    expect(message('E17', { temperature: 1 })).toMatch(/^temperature/);
    expect(spoil('E17', json, {})).toBeUndefined();
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const events = spoiled('D4', json);
    expect(deltasOf(events).length).toBeGreaterThan(0);
    expect(events.at(-1)).toEqual(overloaded);
    expect(spoil('D5', json, {})).toMatchObject({ raw: { status: 529 } });
    expect(whole('D5', json)).toEqual(overloaded);
  });
});
