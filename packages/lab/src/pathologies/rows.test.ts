import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabAnswer, type LabContent, type LabReply, type RawReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { fits } from '../draw.ts';
import { pathologies, pathologyById } from '../pathologies.ts';
import { seededRandom } from '../random.ts';
import { openaiChat } from '../wires/openai-chat.ts';
import { readChatRequest } from '../wires/openai-chat-request.ts';
import type { Frame } from '../wires/wire.ts';
import { applyOf } from './pathology.ts';

const schema = {
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' }, open: { type: 'boolean' } },
  required: ['pier'],
  additionalProperties: false,
};
const tool = { type: 'function', function: { name: 'find_berth', parameters: schema } };

function requestOf(body: Record<string, unknown>): LabChatRequest {
  const read = readChatRequest(JSON.parse(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where?' }], ...body })));
  if ('refusal' in read) throw new Error(read.refusal.message);
  return read.request;
}

const format = { type: 'json_schema', json_schema: { name: 'berth', schema } };
const streamed = { stream: true, stream_options: { include_usage: true } };
const requests = {
  tools: requestOf({ tools: [tool] }),
  'tools, streamed': requestOf({ tools: [tool], ...streamed }),
  json: requestOf({ response_format: format }),
  'json, streamed': requestOf({ response_format: format, ...streamed }),
};

const call = (values: Record<string, unknown> | string): LabContent => ({
  toolCalls: [{ id: 'call_b7', name: 'find_berth', arguments: typeof values === 'string' ? values : JSON.stringify(values) }],
});
const berth = call({ pier: 7, note: 'low tide' });
const json: LabContent = { text: '{"pier":7,"note":"low é 🚀\\n","open":true}' };

function frameOf(seed: string): Frame {
  return { requestId: 'req_1', id: 'c1', created: 1_790_000_000, model: 'm', fingerprint: 'fp_lab', random: seededRandom(seed) };
}

function apply(id: string, content: LabContent, request: LabChatRequest, seed = '1'): LabReply | undefined {
  const frame = frameOf(seed);
  const pathology = pathologyById(id);
  const answer: LabAnswer = completeAnswer(content, request, frame.random);
  if (pathology === undefined || !fits(pathology, answer, request)) return undefined;
  return applyOf(pathology, request.wire)?.(answer, { request, frame, wire: openaiChat, path: '/v1/chat/completions' });
}

/** The reply as the wire would write it. */
function rawOf(reply: LabReply | undefined, request: LabChatRequest): RawReply {
  if (reply === undefined) throw new Error('it does not show on this request');
  if ('raw' in reply) return reply.raw;
  const frame = frameOf('wire');
  const answer = completeAnswer(reply, request, frame.random);
  return request.stream ? openaiChat.parts(answer, request, frame) : openaiChat.whole(answer, request, frame);
}

function textOf(raw: RawReply): string {
  return Buffer.concat(raw.chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))).toString('utf8');
}

interface Parsed {
  readonly error: { readonly message: string; readonly code: string; readonly failed_generation: string };
  readonly choices: readonly [
    { readonly message: { readonly content: string; readonly tool_calls?: unknown }; readonly finish_reason: string },
  ];
}

const bodyOf = (id: string, content: LabContent, request: LabChatRequest, seed?: string): Parsed =>
  JSON.parse(textOf(rawOf(apply(id, content, request, seed), request)));

/** The deltas of a stream's tool calls. */
function toolDeltas(id: string, content: LabContent, seed?: string): readonly Record<string, unknown>[] {
  const request = requests['tools, streamed'];
  const events = textOf(rawOf(apply(id, content, request, seed), request)).split('\n\n');
  const chunks = events.filter((event) => event.startsWith('data: {')).map((event) => JSON.parse(event.slice(6)));
  return chunks.flatMap((chunk) => chunk.choices[0]?.delta?.tool_calls ?? []);
}

const seeds = ['1', '2', '3', '4', '5', '6', '7', '8'];

describe('the catalogue', () => {
  it('[SG-100] lists 160 rows and 27 framing cases, each once', () => {
    const counts: Record<string, number> = {};
    for (const { group } of pathologies) counts[group] = (counts[group] ?? 0) + 1;
    expect(counts).toEqual({ A: 22, B: 36, C: 32, D: 27, E: 19, F: 14, G: 10, S: 27 });
    expect(new Set(pathologies.map((row) => row.id)).size).toBe(187);
  });

  it('[SG-100] has bytes for every row that names the chat wire, and for no other', () => {
    for (const row of pathologies) expect([row.id, row.apply !== undefined]).toEqual([row.id, row.wires.includes('openai-chat')]);
    expect(pathologies.filter((row) => row.apply !== undefined).length).toBe(134);
  });

  it('finds a row by its id', () => {
    expect(pathologyById('B19')?.title).toBe('args-cumulative');
    expect(pathologyById('Z1')).toBeUndefined();
  });
});

describe('refused generations', () => {
  const generation = (id: string, seed?: string): string => bodyOf(id, call({ pier: 7 }), requests.tools, seed).error.failed_generation;

  it('lab pathology A1 writes the call in a function tag', () => {
    expect(generation('A1')).toBe('<function=find_berth>{"pier":7}</function>');
  });
  it('lab pathology A2 leaves the bracket out, or puts the arguments into the tag', () => {
    const both = new Set(seeds.map((seed) => generation('A2', seed)));
    expect(both).toEqual(new Set(['<function=find_berth{"pier":7}</function>', '<function=find_berth {"pier":7}>']));
  });
  it('lab pathology A3 writes the bare name', () => {
    expect(generation('A3')).toBe('find_berth{"pier":7}</function>');
  });
  it('lab pathology A4 cuts the arguments before their last value', () => {
    expect(generation('A4')).toBe('<function=find_berth>{"pier":');
  });
  it('lab pathology A5 fences a list of calls under one of three keys', () => {
    const calls = seeds.map((seed) => JSON.parse(generation('A5', seed).replace(/^```json\n|\n```$/g, '')).tool_calls[0]);
    expect(new Set(calls.flatMap((one) => Object.keys(one)))).toEqual(
      new Set(['id', 'type', 'function', 'parameters', 'arguments', 'args']),
    );
    expect(calls.every((one) => one.function.name === 'find_berth')).toBe(true);
  });
  it('lab pathology A6 puts the list into a tag', () => {
    expect(generation('A6')).toBe(
      '<tool-use>\n{"tool_calls":[{"id":"pending","type":"function","function":{"name":"find_berth"},"parameters":{"pier":7}}]}\n</tool-use>',
    );
  });
  it('lab pathology A8 writes one number as a string and says where', () => {
    const { error } = bodyOf('A8', call({ pier: 7 }), requests.tools);
    expect(error.failed_generation).toBe('<function=find_berth>{"pier":"7"}</function>');
    expect(error.message).toContain('errors: [`/pier`: expected integer, but got string]');
    expect(apply('A8', call({ note: 'low' }), requests.tools)).toBeUndefined();
  });
  it('lab pathology A10 to A12 refuse JSON with the generation cut, empty, or in a fence', () => {
    const written = (id: string): string => bodyOf(id, { text: '{"pier":7}' }, requests.json).error.failed_generation;
    expect(written('A10')).toBe('{"pier":');
    expect(written('A11')).toBe('');
    expect(written('A12')).toBe('Here is the JSON:\n```json\n{"pier":7}\n```');
    expect(bodyOf('A12', json, requests.json).error.code).toBe('json_validate_failed');
  });
  it('lab pathology A13 shows only when a schema was asked for', () => {
    expect(bodyOf('A13', json, requests.json).error.message).toMatch(/^This model does not support response format `json_schema`/);
    expect(apply('A13', json, requestOf({}))).toBeUndefined();
  });
});

describe('calls in the text', () => {
  const written = (id: string, seed?: string, content: LabContent = call({ pier: 7, note: "lo'w" })): string =>
    bodyOf(id, content, requests.tools, seed).choices[0].message.content;
  const args = '{"pier":7,"note":"lo\'w"}';

  it('lab pathology A15 to A17 write one call as a tag, as JSON and as Python', () => {
    expect(written('A15')).toBe(`<|python_tag|>{"name":"find_berth","parameters":${args}}<|eom_id|>`);
    expect(written('A16')).toBe(`{"name":"find_berth","parameters":${args}}`);
    expect(written('A17')).toBe("[find_berth(pier=7, note='lo\\'w')]");
    expect(written('A17', '1', call('{"note":["a",true,null,{"b":1.5}]}'))).toBe("[find_berth(note=['a', True, None, {'b': 1.5}])]");
  });
  it('lab pathology A18 may leave the last tag open', () => {
    const both = new Set(seeds.map((seed) => written('A18', seed)));
    const open = `<tool_call>\n{"name":"find_berth","arguments":${args}}`;
    expect(both).toEqual(new Set([open, `${open}\n</tool_call>`]));
  });
  it('lab pathology A19 has two forms', () => {
    const both = new Set(seeds.map((seed) => written('A19', seed)));
    expect(both).toEqual(new Set([`[TOOL_CALLS]find_berth[ARGS]${args}`, `[TOOL_CALLS][{"name":"find_berth","arguments":${args}}]`]));
  });
  it('lab pathology A20 and A22 write their markup', () => {
    expect(written('A20')).toBe(
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_berth\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    );
    expect(written('A22')).toBe(
      "<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n<parameter=note>\nlo'w\n</parameter>\n</function>",
    );
    expect(apply('A22', call({ note: 'a<b' }), requests.tools)).toBeUndefined();
  });
  it('lab pathology A21 leaks a channel into the text, or into the name', () => {
    const texts = seeds.map((seed) => bodyOf('A21', call({ pier: 7 }), requests.tools, seed).choices[0].message);
    const leaked = texts.map((message) => JSON.stringify(message.tool_calls ?? message.content));
    expect(leaked.some((text) => text.includes('"name":"find_berth<|channel|>commentary"'))).toBe(true);
    expect(leaked).toContain(
      JSON.stringify('<|channel|>commentary to=functions.find_berth <|constrain|>json<|message|>{"pier":7}<|call|>'),
    );
  });
});

describe('fragments of calls', () => {
  const joined = (deltas: readonly Record<string, unknown>[]): string =>
    deltas.map((delta) => (delta.function as { arguments?: string | null } | undefined)?.arguments ?? '').join('');
  const args = '{"pier":7,"note":"low tide"}';

  it.each(['B1', 'B2', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'B11', 'B12', 'B13'])('lab pathology %s keeps the arguments whole', (id) => {
    expect(joined(toolDeltas(id, berth))).toBe(args);
  });
  it('lab pathology B1 and B2 give no index', () => {
    expect(toolDeltas('B1', berth)[0]).toEqual({ id: 'call_b7', type: 'function', function: { name: 'find_berth', arguments: args } });
    expect(toolDeltas('B2', berth)[0]).toMatchObject({ index: null, id: 'call_b7' });
  });
  it('lab pathology B3 and B10 need two calls, which then share an index or an id', () => {
    const one = { name: 'find_berth', arguments: '{"pier":7}' };
    const two: LabContent = {
      toolCalls: [
        { ...one, id: 'a' },
        { ...one, id: 'b' },
      ],
    };
    expect(toolDeltas('B3', two).map((delta) => [delta.index, delta.id])).toEqual([
      [0, 'a'],
      [0, 'b'],
    ]);
    expect(
      toolDeltas('B10', two)
        .filter((delta) => delta.id !== undefined)
        .map((delta) => [delta.index, delta.id]),
    ).toEqual([
      [0, 'a'],
      [1, 'a'],
    ]);
    expect(apply('B3', berth, requests['tools, streamed'])).toBeUndefined();
    expect(apply('B10', berth, requests['tools, streamed'])).toBeUndefined();
  });
  it('lab pathology B7 changes the id with every fragment', () => {
    const ids = toolDeltas('B7', berth).map((delta) => delta.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('lab pathology B8 sends empty ids and names, and nulls', () => {
    const deltas = toolDeltas('B8', berth);
    expect(deltas[0]).toEqual({ index: 0, id: 'call_b7', type: 'function', function: { name: 'find_berth' } });
    expect(deltas[1]).toMatchObject({ id: '', function: { name: '' } });
    expect(deltas.at(-1)).toEqual({ index: 0, id: '', function: { name: null, arguments: null } });
  });
  it('lab pathology B11 cuts the name, B12 repeats it, B13 says it last', () => {
    const names = (id: string): readonly unknown[] =>
      toolDeltas(id, berth)
        .map((delta) => (delta.function as { name?: string }).name)
        .filter((name) => name !== undefined);
    expect(names('B11')).toEqual(['find_', 'berth']);
    expect(new Set(names('B12'))).toEqual(new Set(['find_berth']));
    expect(names('B12').length).toBeGreaterThan(2);
    expect(toolDeltas('B13', berth).at(-1)).toMatchObject({ function: { name: 'find_berth' } });
  });
  it('lab pathology B19 makes each fragment a superset, at least three', () => {
    const texts = toolDeltas('B19', berth)
      .slice(1)
      .map((delta) => (delta.function as { arguments: string }).arguments);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((text, index) => text.startsWith(texts[index - 1] ?? ''))).toBe(true);
    expect(texts.at(-1)).toBe(args);
  });
  it('lab pathology B25 repeats the whole call on two final chunks', () => {
    const texts = toolDeltas('B25', berth).map((delta) => (delta.function as { arguments: string }).arguments);
    expect(texts.slice(-2)).toEqual([args, args]);
  });
});

describe('odd arguments and endings, not streamed', () => {
  const callOf = (id: string, content: LabContent = berth): unknown => bodyOf(id, content, requests.tools).choices[0].message.tool_calls;
  const withArguments = (value: unknown): unknown => [
    { id: 'call_b7', type: 'function', function: { name: 'find_berth', arguments: value } },
  ];

  it('lab pathology B14 to B17 and B20 change the form of the arguments', () => {
    expect(callOf('B14')).toEqual(withArguments({ pier: 7, note: 'low tide' }));
    expect(callOf('B15', call({}))).toEqual(withArguments(''));
    expect(callOf('B16', call({}))).toEqual(withArguments(null));
    expect(callOf('B17')).toEqual(withArguments('"{\\"pier\\":7,\\"note\\":\\"low tide\\"}"'));
    expect(callOf('B20')).toEqual(withArguments('```json\n{"pier":7,"note":"low tide"}\n```'));
    expect(apply('B15', berth, requests.tools)).toBeUndefined();
  });
  it('lab pathology B27 and B35 cut the call with finish length', () => {
    expect(callOf('B27')).toEqual(withArguments('{"pier":7,"note":'));
    expect(callOf('B35')).toEqual(withArguments('{'));
    expect(bodyOf('B27', berth, requests.tools).choices[0].finish_reason).toBe('length');
  });
  it('lab pathology B34 is the same JSON with runs of white space', () => {
    const [one] = callOf('B34') as [{ function: { arguments: string } }];
    expect(JSON.parse(one.function.arguments)).toEqual({ pier: 7, note: 'low tide' });
    expect(one.function.arguments).toContain('\n\n\t\t   "pier"');
  });
  it('lab pathology B36 refuses ids in the history that are not nine letters', () => {
    const history = (id: string): LabChatRequest =>
      requestOf({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'find_berth', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: id, content: '{}' },
        ],
      });
    expect(textOf(rawOf(apply('B36', json, history('call_b7x')), requests.json))).toBe(
      '{"object":"error","message":"Tool call id was call_b7x but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280"}',
    );
    expect(apply('B36', json, history('abcdefgh1'))).toBeUndefined();
  });
});

describe('contents', () => {
  const text = '{"pier":7}';
  const written = (id: string, content: LabContent = { text }, seed?: string): string =>
    bodyOf(id, content, requests.json, seed).choices[0].message.content;

  it('lab pathology C4 puts reasoning before the text, with or without its first tag', () => {
    const both = seeds.map((seed) => written('C4', { text }, seed));
    expect(both.some((one) => one.startsWith('<think>'))).toBe(true);
    expect(both.some((one) => !one.startsWith('<think>'))).toBe(true);
    expect(both.every((one) => one.endsWith(`</think>\n\n${text}`))).toBe(true);
  });
  it('lab pathology C7 repeats, C8 adds another value that passes too', () => {
    expect(written('C7')).toBe('{"pier":7}\n{"pier":7}\n{"pier":7}');
    expect(written('C8')).toBe('{"pier":7}{"pier":8}');
  });
  it('lab pathology C9 ends in white space at the limit', () => {
    expect(written('C9')).toBe(`{"pier":${'\n '.repeat(4_000)}`);
    expect(bodyOf('C9', { text }, requests.json).choices[0].finish_reason).toBe('length');
  });
  it('lab pathology C10 to C12 fence, echo the schema, and wrap', () => {
    expect(written('C10')).toBe('Sure!\n```json\n{"pier":7}\n```\nAnything else?');
    expect(JSON.parse(written('C11'))).toEqual(schema);
    expect(new Set(seeds.map((seed) => written('C12', { text }, seed)))).toEqual(new Set(['{"output":{"pier":7}}', '[{"pier":7}]']));
  });
  it('lab pathology C24 cuts inside escapes, and the value stays', () => {
    const request = requests['json, streamed'];
    const events = textOf(rawOf(apply('C24', json, request), request))
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'));
    const pieces: readonly string[] = events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '');
    expect(JSON.parse(pieces.join(''))).toEqual({ pier: 7, note: 'low é 🚀\n', open: true });
    expect(pieces).toContain('3d');
    expect(pieces).toContain('\\ude');
  });
  it('lab pathology C25 puts half a pair into the first string', () => {
    expect(written('C25', json)).toBe('{"pier":7,"note":"\\ud83dlow é 🚀\\n","open":true}');
    expect(apply('C25', { text }, requests.json)).toBeUndefined();
  });
  it('lab pathology C26 writes line ends raw, C29 integers with an exponent', () => {
    expect(written('C26', json)).toBe('{"pier":7,"note":"low é 🚀\n","open":true}');
    expect(written('C29')).toBe('{"pier":7e0\n}');
    expect(apply('C26', { text }, requests.json)).toBeUndefined();
  });
});

/** The envelope that every chunk carries, and usage, left out for the eye; the digest holds them. */
function readable(chunk: string | Uint8Array): string {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
  return text
    .replace(/"id":"c1","object":.*?"system_fingerprint":"fp_lab",/g, '…')
    .replace(/"usage":\{"prompt_tokens":\d.*?\}\}/g, '"usage":{…}')
    .slice(0, 400);
}

function shortened(chunks: readonly string[]): readonly string[] {
  return chunks.length > 6 ? [...chunks.slice(0, 3), `… ${chunks.length} chunks …`, ...chunks.slice(-3)] : chunks;
}

function digestOf(chunks: RawReply['chunks']): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

describe('the bytes of every row', () => {
  const contents: Record<keyof typeof requests, LabContent> = { tools: berth, 'tools, streamed': berth, json, 'json, streamed': json };
  const shown = pathologies.filter((row) => row.apply !== undefined && !['S6', 'S7', 'S19', 'C9'].includes(row.id));

  it.each(shown.map((row) => [row.id, row.title]))('lab pathology %s %s is pinned', (id) => {
    const found = Object.entries(requests).flatMap(([name, request]) => {
      const reply = apply(id, contents[name as keyof typeof requests], request, 'pin');
      if (reply === undefined) return [];
      const { chunks, ...rest } = rawOf(reply, request);
      return [[name, { ...rest, chunks: shortened(chunks.map(readable)), sha256: digestOf(chunks) }]];
    });
    expect(Object.fromEntries(found)).toMatchSnapshot();
  });

  it('lab pathology S5 cuts inside every multibyte character and loses nothing', () => {
    const raw = rawOf(apply('S5', json, requests['json, streamed']), requests['json, streamed']);
    expect(raw.chunks.length).toBeGreaterThan(1);
    expect(textOf(raw)).toContain('é');
    expect(raw.chunks.slice(0, -1).every((chunk) => typeof chunk !== 'string' && (chunk.at(-1) ?? 0) >= 0xc0)).toBe(true);
  });
  it('lab pathology S6 has one event of a megabyte', () => {
    const raw = rawOf(apply('S6', json, requests['json, streamed']), requests['json, streamed']);
    expect(raw.chunks[0]?.length).toBeGreaterThan(1_000_000);
  });
  it('lab pathology S7 sends all at once, or single bytes', () => {
    const lengths = seeds.map((seed) => rawOf(apply('S7', json, requests['json, streamed'], seed), requests['json, streamed']).chunks);
    expect(lengths.some((chunks) => chunks.length === 1)).toBe(true);
    expect(lengths.some((chunks) => chunks.length > 100 && chunks.every((chunk) => chunk.length === 1))).toBe(true);
  });
});
