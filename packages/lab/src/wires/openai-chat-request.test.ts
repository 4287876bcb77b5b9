import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { errorBody } from './openai-chat.ts';
import { readChatRequest } from './openai-chat-request.ts';

const user = { role: 'user', content: 'Answer as json.' };
const call = (id: string): object => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const tool = (change: object = {}): object => ({
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} }, ...change },
});
const strict = (schema: object): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'berth', strict: true, schema } },
});
const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

function read(body: object): ReturnType<typeof readChatRequest> {
  return readChatRequest(JSON.parse(JSON.stringify({ model: 'm', messages: [user], ...body })) as JsonObject);
}

function refusal(body: object): readonly [string, string | null, string | null] | undefined {
  const result = read(body);
  if (!('refusal' in result)) return undefined;
  expect(result.refusal.status).toBe(400);
  const { error } = errorBody(result.refusal) as { error: { message: string; param: string | null; code: string | null } };
  return [error.message, error.param, error.code];
}

describe('requests that the wire refuses', () => {
  const cases: readonly (readonly [string, object, string, string | null])[] = [
    ['no model', { model: undefined }, 'you must provide a model parameter', null],
    ['no messages', { messages: undefined }, "Missing required parameter: 'messages'.", 'messages'],
    ['empty messages', { messages: [] }, "Invalid 'messages': empty array. Expected an array with minimum length 1", 'messages'],
    [
      'a role that is none',
      { messages: [{ role: 'bot', content: 'x' }] },
      "Invalid value: 'bot'. Supported values are: 'system'",
      'messages[0].role',
    ],
    [
      'null content',
      { messages: [{ role: 'user', content: null }] },
      "Invalid value for 'content': expected a string, got null.",
      'messages[0].content',
    ],
    [
      'an unknown part',
      { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      "Invalid value: 'video'.",
      'messages[0].content[0].type',
    ],
    [
      'an image for the system',
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
      "Invalid value: 'image_url'.",
      'messages[0].content[0].type',
    ],
    [
      'a result without a call',
      { messages: [user, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      "Invalid parameter: messages with role 'tool' must be a response",
      'messages.[1].role',
    ],
    [
      'a call without a result at the end',
      { messages: [user, { role: 'assistant', tool_calls: [call('a')] }] },
      "An assistant message with 'tool_calls' must be followed by tool messages",
      'messages.[2].role',
    ],
    [
      'one call of two without a result',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [call('a'), call('b')] },
          { role: 'tool', tool_call_id: 'a', content: 'x' },
          user,
        ],
      },
      'did not have response messages: b',
      'messages.[3].role',
    ],
    [
      'a result given twice',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [call('a')] },
          { role: 'tool', tool_call_id: 'a', content: 'x' },
          { role: 'tool', tool_call_id: 'a', content: 'x' },
        ],
      },
      "Invalid parameter: messages with role 'tool'",
      'messages.[3].role',
    ],
    [
      'arguments that are no text',
      { messages: [user, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }] }] },
      'expected a string, but got an object',
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'no word json',
      { messages: [{ role: 'user', content: 'x' }], response_format: { type: 'json_object' } },
      "'messages' must contain the word 'json' in some form",
      'messages',
    ],
    [
      'stream_options without stream',
      { stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    ],
    ['tool_choice without tools', { tool_choice: 'auto' }, "'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice'],
    [
      'parallel_tool_calls without tools',
      { parallel_tool_calls: false },
      "'parallel_tool_calls' is only allowed when 'tools' are specified.",
      'parallel_tool_calls',
    ],
    ['empty tools', { tools: [] }, "Invalid 'tools': empty array.", 'tools'],
    [
      'a bad tool name',
      { tools: [tool({ name: 'a b' })] },
      "Invalid 'tools[0].function.name': string does not match pattern.",
      'tools[0].function.name',
    ],
    [
      'a long tool name',
      { tools: [tool({ name: 'a'.repeat(65) })] },
      'Expected a string with maximum length 64, but got a string with length 65',
      'tools[0].function.name',
    ],
    [
      'parameters that are no object',
      { tools: [tool({ parameters: { type: 'array' } })] },
      `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
      'tools[0].function.parameters',
    ],
    [
      'parameters that are no schema',
      { tools: [tool({ parameters: { type: 'thing' } })] },
      "Invalid schema for function 'f': ",
      'tools[0].function.parameters',
    ],
    [
      'a choice of an undeclared tool',
      { tools: [tool()], tool_choice: { type: 'function', function: { name: 'g' } } },
      "no function named 'g' was specified",
      'tool_choice',
    ],
    ['a temperature above 2', { temperature: 3 }, "Invalid 'temperature': decimal above maximum value.", 'temperature'],
    ['no tokens', { max_completion_tokens: 0 }, "Invalid 'max_completion_tokens': integer below minimum value.", 'max_completion_tokens'],
    [
      'both token limits',
      { max_tokens: 1, max_completion_tokens: 1 },
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time",
      'max_tokens',
    ],
    ['top_logprobs alone', { top_logprobs: 2 }, "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", 'top_logprobs'],
    ['an unknown format', { response_format: { type: 'xml' } }, "Invalid value: 'xml'.", 'response_format.type'],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
      "Missing required parameter: 'response_format.json_schema.name'.",
      'response_format.json_schema.name',
    ],
    [
      'a strict root that is no object',
      strict({ type: 'array', items: { type: 'string' } }),
      `Invalid schema for response_format 'berth': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
      'response_format',
    ],
    ['a strict root of alternatives', strict(object({}, { anyOf: [{ type: 'object' }] })), "'anyOf' is not permitted", 'response_format'],
    [
      'an open strict object',
      strict({ type: 'object', properties: {} }),
      "In context=(), 'additionalProperties' is required to be supplied and to be false.",
      'response_format',
    ],
    [
      'an optional strict property',
      strict(object({ a: { type: 'string' } }, { required: [] })),
      "including every key in properties. Missing 'a'.",
      'response_format',
    ],
    [
      'a strict keyword that is refused',
      strict(object({ a: { oneOf: [{ type: 'string' }] } })),
      "In context=('properties', 'a'), 'oneOf' is not permitted.",
      'response_format',
    ],
    [
      'an open object inside',
      strict(object({ a: { type: 'array', items: { type: 'object', properties: {} } } })),
      "In context=('properties', 'a', 'items'), 'additionalProperties'",
      'response_format',
    ],
  ];

  it.each(cases)('[SG-100] %s', (_name, body, message, parameter) => {
    const found = refusal(body);
    expect(found?.[0]).toContain(message);
    expect(found?.[1]).toBe(parameter);
  });

  it('a schema that is nested too deep, without exhausting the stack', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 40; level += 1) deep = object({ a: deep });
    expect(refusal(strict(deep))?.[0]).toContain('levels of nesting exceeds limit of 10');
    const text = `${'[1,'.repeat(50_000)}1${']'.repeat(50_000)}`;
    const result = readChatRequest({ model: 'm', messages: [user as JsonObject], metadata: JSON.parse(text) });
    expect('refusal' in result && result.refusal.message).toContain('nested deeper');
  });
});

describe('requests that the wire takes', () => {
  it('[SG-100] reads messages, tools, choice and format into one form', () => {
    const result = read({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
      tools: [tool({ description: 'finds' })],
      tool_choice: { type: 'function', function: { name: 'f' } },
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
    });
    if ('refusal' in result) throw new Error(result.refusal.message);
    const { body: _body, ...request } = result.request;
    expect(request).toEqual({
      wire: 'openai-chat',
      model: 'm',
      messages: [
        { role: 'developer', text: 'Be brief.', toolCalls: [] },
        { role: 'user', text: 'Where?', toolCalls: [] },
        {
          role: 'assistant',
          text: '',
          toolCalls: [
            { id: 'a', name: 'f', arguments: '{}' },
            { id: 'b', name: 'f', arguments: '{}' },
          ],
        },
        { role: 'tool', text: '2', toolCalls: [], toolCallId: 'b' },
        { role: 'tool', text: '1', toolCalls: [], toolCallId: 'a' },
      ],
      tools: [{ name: 'f', description: 'finds', parameters: { type: 'object', properties: {} } }],
      toolChoice: { name: 'f' },
      format: { type: 'text' },
      stream: true,
      includeUsage: true,
      maxOutputTokens: 9,
      logprobs: false,
    });
  });

  it('takes strict schemas with references, nullable members and unknown fields beside them', () => {
    const schema = object(
      { a: { $ref: '#/$defs/row' }, b: { type: ['string', 'null'] }, c: { anyOf: [{ type: 'null' }, object({})] } },
      { $defs: { row: object({ next: { anyOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] } }) } },
    );
    expect(
      refusal({ ...strict({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }), service_tier: 'auto', user: 'u' }),
    ).toBeUndefined();
  });

  it('defaults the choice to none without tools and to auto with them', () => {
    const choice = (body: object): unknown => {
      const result = read(body);
      return 'request' in result ? result.request.toolChoice : undefined;
    };
    expect(choice({})).toBe('none');
    expect(choice({ tools: [tool()] })).toBe('auto');
    expect(choice({ tools: [tool()], tool_choice: 'required' })).toBe('required');
  });
});
