import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabContent, type LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { fits } from '../draw.ts';
import { startLab } from '../lab.ts';
import { scripted } from '../models/scripted.ts';
import { applyOf } from '../pathologies/pathology.ts';
import { pathologies, pathologyById } from '../pathologies.ts';
import { seededRandom } from '../random.ts';
import { ollama as wire } from './ollama.ts';
import type { Frame, LabTarget } from './wire.ts';

const target: LabTarget = { path: '/api/chat', query: new URLSearchParams(), headers: {} };
const frameOf = (seed: string): Frame => ({
  requestId: 'req_1',
  id: 'chatcmpl-1',
  created: 1_790_000_000,
  model: 'q',
  fingerprint: 'fp',
  random: seededRandom(seed),
});
const copy = <T>(value: T): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
const parameters = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'] };
const tools = [{ type: 'function', function: { name: 'find_berth', description: 'Finds.', parameters } }];
const read = (body: object) => wire.read(copy({ model: 'q', messages: [{ role: 'user', content: 'Where?' }], ...body }), target);

function requestOf(body: object): LabChatRequest {
  const result = read(body);
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.request;
}

function refusal(body: object): readonly [number, unknown] | undefined {
  const result = read(body);
  if (!('refusal' in result)) return undefined;
  const reply = wire.refuse(result.refusal);
  return [reply.status, JSON.parse(reply.chunks.map((chunk) => Buffer.from(chunk).toString()).join(''))];
}

const textOf = (reply: { readonly chunks: readonly (string | Uint8Array)[] }): string =>
  Buffer.concat(reply.chunks.map((chunk) => Buffer.from(chunk))).toString();

const wholeOf = (content: LabContent, body: object = {}, seed = '1'): JsonObject => {
  const request = requestOf({ ...body, stream: false });
  const frame = frameOf(seed);
  return JSON.parse(textOf(wire.whole(completeAnswer(content, request, frame.random), request, frame))) as JsonObject;
};

const linesOf = (content: LabContent, body: object = {}, seed = '1'): readonly JsonObject[] => {
  const request = requestOf(body);
  const frame = frameOf(seed);
  const reply = wire.parts(completeAnswer(content, request, frame.random), request, frame);
  expect(reply.headers['content-type']).toBe('application/x-ndjson');
  return reply.chunks.map((line) => {
    expect(String(line).endsWith('\n')).toBe(true);
    return JSON.parse(String(line)) as JsonObject;
  });
};

describe('requests that the wire refuses, in its own words', () => {
  const go = (kind: string, path: string, type: string): string =>
    `json: cannot unmarshal ${kind} into Go struct field ChatRequest.${path} of type ${type}`;
  const assistant = (change: object): object => ({ messages: [{ role: 'assistant', content: '', ...change }] });
  const called = (args: unknown): object => assistant({ tool_calls: [{ function: { name: 'find_berth', arguments: args } }] });
  it.each<[string, object, string]>([
    ['no model', { model: undefined }, 'model is required'],
    ['a model that is no text', { model: 7 }, go('number', 'model', 'string')],
    [
      'arguments that are a text',
      called('{"pier":7}'),
      go('string', 'messages.tool_calls.function.arguments', 'api.ToolCallFunctionArguments'),
    ],
    [
      'content in parts',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      go('array', 'messages.content', 'string'),
    ],
    ['messages that are no list', { messages: {} }, go('object', 'messages', '[]api.Message')],
    [
      'a role of another wire',
      { messages: [{ role: 'developer', content: 'x' }] },
      'invalid role: developer, role must be one of [system, user, assistant, tool]',
    ],
    [
      'an image with its prefix',
      { messages: [{ role: 'user', content: '', images: ['data:image/png;base64,QUJD'] }] },
      'illegal base64 data at input byte 4',
    ],
    ['a cut image', { messages: [{ role: 'user', content: '', images: ['QUJDQ'] }] }, 'illegal base64 data at input byte 4'],
    ['a stream that is no switch', { stream: 'yes' }, go('string', 'stream', 'bool')],
    ['a format that is none', { format: 'xml' }, 'invalid format: "\\"xml\\""; expected "json" or a valid JSON Schema object'],
    ['a level that is none', { think: 'huge' }, 'invalid think value: "huge" (must be "high", "medium", "low", "max", true, or false)'],
    ['thinking that is a number', { think: 7 }, 'think must be a boolean or string ("high", "medium", "low", "max", true, or false)'],
    ['options that are no object', { options: [] }, go('array', 'options', 'map[string]interface {}')],
    ['an option of another type', { options: { num_predict: '40' } }, 'option "num_predict" must be of type integer'],
    ['stop that is a text', { options: { stop: 'x' } }, 'option "stop" must be of type string slice'],
    ['a tool that is a text', { tools: ['find_berth'] }, go('string', 'tools', 'api.Tool')],
    [
      'parameters that are a text',
      { tools: [{ type: 'function', function: { name: 'f', parameters: '{}' } }] },
      go('string', 'tools.function.parameters', 'api.ToolFunctionParameters'),
    ],
  ])('[SG-100] %s', (_title, body, message) => {
    expect(refusal(body)).toEqual([400, { error: message }]);
  });

  it('[SG-100] overlooks fields and options that it does not know, and takes any history of the right form', () => {
    expect(refusal({ tool_choice: 'required', seed: 1, options: { warp: 9 }, keep_alive: '5m' })).toBeUndefined();
    expect(refusal({ messages: [{ role: 'tool', tool_name: 'x', content: 'y' }] })).toBeUndefined();
    expect(refusal({ messages: [] })).toBeUndefined();
  });
});

describe('what the wire reads', () => {
  it('[SG-100] streams unless told not to; limits below zero are none', () => {
    expect(requestOf({})).toMatchObject({ stream: true, format: { type: 'text' }, toolChoice: 'auto' });
    expect(requestOf({ stream: false, format: 'json', options: { num_predict: 40 }, think: 'low' })).toMatchObject({
      stream: false,
      format: { type: 'json_object' },
      maxOutputTokens: 40,
      thinking: true,
    });
    expect(requestOf({ options: { num_predict: -1 }, think: false })).not.toHaveProperty('maxOutputTokens');
    expect(requestOf({ think: false }).thinking).toBe(false);
    expect(requestOf({ format: parameters }).format).toMatchObject({ type: 'json_schema', schema: parameters });
  });

  it('[SG-100] finds the call of each result: by its id, else the first of its name that has none', () => {
    const call = (more: object) => ({ function: { name: 'find_berth', arguments: { pier: 7 } }, ...more });
    const { messages } = requestOf({
      messages: [
        { role: 'assistant', content: '', tool_calls: [call({ id: 'a' }), call({}), call({ id: 'c' })] },
        { role: 'tool', tool_name: 'find_berth', tool_call_id: 'c', content: '3' },
        { role: 'tool', tool_name: 'find_berth', content: '1' },
        { role: 'tool', tool_name: 'find_berth', content: '2' },
        { role: 'tool', tool_name: 'other', content: '4' },
      ],
    });
    expect(messages[0]?.toolCalls[0]).toEqual({ id: 'a', name: 'find_berth', arguments: '{"pier":7}' });
    expect(messages.slice(1).map(({ toolCallId }) => toolCallId)).toEqual(['c', 'a', 'call_0_1', undefined]);
  });
});

describe('what the wire answers', () => {
  const said: LabContent = {
    thinking: [{ text: 'The tide is low today. ' }, { text: 'And pier 8?', beforeCall: 1 }],
    text: 'Looking at the piers now.',
    toolCalls: [
      { id: 'call_a', name: 'find_berth', arguments: '{"pier":7}' },
      { id: 'call_b', name: 'find_berth', arguments: '{"pier":8}' },
    ],
    usage: { inputTokens: 21, outputTokens: 9 },
  };

  it('[SG-100] a whole body is the last object with everything in it; calls end with stop', () => {
    expect(wholeOf(said, { tools })).toEqual({
      model: 'q',
      created_at: '2026-09-21T14:13:20.000Z',
      message: {
        role: 'assistant',
        content: 'Looking at the piers now.',
        thinking: 'The tide is low today. And pier 8?',
        tool_calls: [
          { id: 'call_a', function: { index: 0, name: 'find_berth', arguments: { pier: 7 } } },
          { id: 'call_b', function: { index: 1, name: 'find_berth', arguments: { pier: 8 } } },
        ],
      },
      done: true,
      done_reason: 'stop',
      total_duration: 310_000_000,
      load_duration: 10_000_000,
      prompt_eval_count: 21,
      prompt_eval_duration: 210_000_000,
      eval_count: 9,
      eval_duration: 90_000_000,
    });
  });

  it('[SG-100] a stream says the same by pieces, each call whole, the mark on the last line alone', () => {
    const lines = linesOf(said, { tools });
    const messages = lines.map(({ message }) => message as JsonObject);
    const joined = (field: string): string => messages.map((message) => String(message[field] ?? '')).join('');
    expect([joined('content'), joined('thinking')]).toEqual(['Looking at the piers now.', 'The tide is low today. And pier 8?']);
    expect(messages.flatMap(({ tool_calls: calls }) => (calls as readonly JsonObject[]) ?? [])).toMatchObject([
      { id: 'call_a' },
      { id: 'call_b' },
    ]);
    expect(lines.map(({ done }) => done)).toEqual([...Array(lines.length - 1).fill(false), true]);
    expect(lines.at(-1)).toMatchObject({ done_reason: 'stop', prompt_eval_count: 21, eval_count: 9 });
    expect(messages.every(({ content }) => typeof content === 'string')).toBe(true);
  });

  it('[SG-100] a cut answer says length and shows no cut call; a broken call is the error of the service', () => {
    const limited = { tools, options: { num_predict: 2 } };
    expect(wholeOf({ toolCalls: [{ name: 'find_berth', arguments: '{"pier":7,"note":"low"}' }] }, limited)).toMatchObject({
      message: { content: '' },
      done_reason: 'length',
    });
    const broken = { toolCalls: [{ name: 'find_berth', arguments: '{"pier":' }] };
    expect(wholeOf(broken, { tools })).toEqual({ error: expect.stringMatching(/^error parsing tool call: raw='\{"pier":'/) });
  });

  it('[SG-100] lists the one model where this wire does', async () => {
    const lab = await startLab({ model: scripted(() => ({ text: 'x' })) });
    try {
      const tags = (await (await fetch(`${lab.origin}/api/tags`)).json()) as { readonly models: readonly { readonly name: string }[] };
      expect(tags.models.map(({ name }) => name)).toEqual(['lab-scripted']);
      expect(await (await fetch(`${lab.origin}/api/version`)).json()).toEqual({ version: '0.40.0' });
      const missing = await fetch(`${lab.origin}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect([missing.status, await missing.json()]).toEqual([400, { error: 'model is required' }]);
    } finally {
      await lab.close();
    }
  });
});

describe('pathologies on this wire', () => {
  const content: LabContent = { text: '{"pier":7,"note":"é"}' };
  const calls: LabContent = { toolCalls: [{ id: 'call_b7', name: 'find_berth', arguments: '{"pier":7}' }] };
  const spoil = (id: string, said: LabContent, body: object, seed = '1'): string | undefined => {
    const pathology = pathologyById(id);
    const request = requestOf(body);
    const frame = frameOf(seed);
    const answer = completeAnswer(said, request, frame.random);
    if (pathology === undefined || !fits(pathology, answer, request)) return undefined;
    const reply: LabReply | undefined = applyOf(pathology, request.wire)?.(answer, { request, frame, wire, path: target.path });
    if (reply === undefined) return undefined;
    if ('raw' in reply) return `${reply.raw.status} ${textOf(reply.raw)}`;
    const spoken = completeAnswer(reply, request, frame.random);
    return `200 ${textOf(request.stream ? wire.parts(spoken, request, frame) : wire.whole(spoken, request, frame))}`;
  };
  const format = { format: parameters };

  it('[SG-100] every row of this wire has bytes, and none in the words of another wire', () => {
    const rows = pathologies.filter(({ wires }) => wires.includes('ollama'));
    expect(rows.filter((row) => applyOf(row, 'ollama') === undefined)).toEqual([]);
    for (const { id } of rows) {
      for (const body of [format, { ...format, stream: false }, { tools }, { tools, stream: false }]) {
        // S14 sends the lines as events.
        const text = (spoil(id, 'tools' in body ? calls : content, body) ?? '').replaceAll(id === 'S14' ? 'data: ' : '\n', '');
        expect([id, text]).not.toEqual([id, expect.stringMatching(/chat\.completion|"choices"|\[DONE\]|data: /)]);
      }
    }
  });

  it('[SG-100] [path-G1] the error is a line of its own after output, with or without an end', () => {
    const both = new Set(['1', '2', '3', '4', '5', '6'].map((seed) => spoil('G1', content, format, seed)?.endsWith('\n')));
    expect(both).toEqual(new Set([true, false]));
    const lines = (spoil('G1', content, format) ?? '')
      .slice(4)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    expect(lines.at(-1)).toEqual({ error: 'an error was encountered while running the model: CUDA error' });
    expect(lines.slice(0, -1).every(({ done }) => done === false)).toBe(true);
    expect(lines.length).toBeGreaterThan(2);
  });

  it('[SG-100] [path-G2] [path-G4] the last line without an end, and without its mark', () => {
    expect(spoil('G2', content, format)).toMatch(/"done":true.*\}$/);
    expect(spoil('G4', content, format)).not.toContain('"done":true');
    expect(spoil('G4', content, format)).toMatch(/"done":false\}\n$/);
  });

  it('[SG-100] [path-G3] calls end with stop, also on the last line', () => {
    expect(spoil('G3', calls, { tools })).toMatch(/"tool_calls":\[\{"id":"call_b7".*"done":true,"done_reason":"stop"/);
    expect(spoil('G3', calls, { tools, stream: false })).toContain('"done_reason":"stop"');
  });

  it('[SG-100] [path-G5] [path-G6] cut characters, and a prompt that is not counted', () => {
    const lines = (spoil('G5', content, format) ?? '')
      .slice(4)
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { message: { content: string } }).message.content);
    expect(lines.join('')).toBe('{"pier":7,"note":"é"}');
    for (const stream of [true, false]) {
      expect(spoil('G6', content, { ...format, stream })).not.toContain('prompt_eval_count');
      expect(spoil('G6', content, { ...format, stream })).toContain('"eval_count"');
    }
  });

  it('[SG-100] [path-G7] [path-G8] [path-G9] [path-G10] no answer, and the errors of the service', () => {
    expect(spoil('G7', content, { ...format, stream: false })).toMatch(/"content":"","thinking":"\{\\"pier\\":7/);
    expect(spoil('G8', calls, { tools })).toBe(
      '500 {"error":"error parsing tool call: raw=\'{\\"pier\\":\' , err=unexpected end of JSON input"}',
    );
    expect(spoil('G9', content, { ...format, stream: false })).toMatch(/"content":""\},"done":true,"done_reason":"load"/);
    expect(spoil('G10', content, format)).toBe('404 {"error":"model \\"q\\" not found, try pulling it first"}');
  });
});
