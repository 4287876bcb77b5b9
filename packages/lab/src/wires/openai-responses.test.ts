import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabContent, type LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { fits } from '../draw.ts';
import { applyOf } from '../pathologies/pathology.ts';
import { pathologies, pathologyById } from '../pathologies.ts';
import { seededRandom } from '../random.ts';
import { errorBody } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Frame, LabTarget } from './wire.ts';

const wire = openaiResponses(1);
const target: LabTarget = { path: '/v1/responses', query: new URLSearchParams(), headers: {} };
const frameOf = (seed: string): Frame => ({
  requestId: 'req_1',
  id: 'chatcmpl-1',
  created: 1_790_000_000,
  model: 'm',
  fingerprint: 'fp',
  random: seededRandom(seed),
});
const copy = <T>(value: T): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
const stateless = { store: false, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } };
const parameters = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const tool = (change: object = {}): object => ({ type: 'function', name: 'find_berth', parameters, strict: true, ...change });

const read = (body: object) => wire.read(copy({ model: 'm', input: 'Where?', ...body }), target);

function requestOf(body: object): LabChatRequest {
  const result = read(body);
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.request;
}

function refusal(body: object): readonly [number, string, string | null, string | null] | undefined {
  const result = read(body);
  if (!('refusal' in result)) return undefined;
  const { error } = errorBody(result.refusal) as { error: { message: string; param: string | null; code: string | null } };
  return [result.refusal.status, error.message, error.param, error.code];
}

type Item = JsonObject & { readonly id: string };

function responseOf(content: LabContent, body: object, seed = '1'): JsonObject & { readonly output: readonly Item[] } {
  const request = requestOf(body);
  const frame = frameOf(seed);
  const [bytes] = wire.whole(completeAnswer(content, request, frame.random), request, frame).chunks;
  return JSON.parse(Buffer.from(bytes ?? '').toString()) as JsonObject & { readonly output: readonly Item[] };
}

function eventsOf(content: LabContent, body: object, seed = '1'): readonly JsonObject[] {
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
  const format = (change: object): object => ({ text: { format: { type: 'json_schema', name: 'berth', schema: parameters, ...change } } });
  const message = (role: string, content: unknown): object => ({ input: [{ role, content }] });
  it.each<[string, object, string, string | null]>([
    ['no model', { model: undefined }, "Missing required parameter: 'model'.", 'model'],
    ['no input', { input: undefined }, "Missing required parameter: 'input'.", 'input'],
    ['a field of the chat wire', { response_format: {} }, "this parameter has moved to 'text.format'", 'response_format'],
    ['stop', { stop: ['x'] }, "Unknown parameter: 'stop'.", 'stop'],
    ['seed', { seed: 1 }, "Unknown parameter: 'seed'.", 'seed'],
    ['a limit below sixteen', { max_output_tokens: 15 }, 'Expected a value >= 16, but got 15 instead.', 'max_output_tokens'],
    ['an effort that is none', { reasoning: { effort: 'huge' } }, "Invalid value: 'huge'.", 'reasoning.effort'],
    ['a summary that is none', { reasoning: { summary: 'long' } }, "Invalid value: 'long'.", 'reasoning.summary'],
    ['an include that is none', { include: ['everything'] }, "Invalid value: 'everything'.", 'include[0]'],
    ['stream options without a stream', { stream_options: {} }, "only allowed when 'stream' is enabled", 'stream_options'],
    [
      'a response that is not kept',
      { previous_response_id: 'resp_1' },
      "Previous response with id 'resp_1' not found.",
      'previous_response_id',
    ],
    [
      'input text of the assistant',
      message('assistant', [{ type: 'input_text', text: 'x' }]),
      "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
      'input[0].content[0]',
    ],
    [
      'output text of the user',
      message('user', [{ type: 'output_text', text: 'x' }]),
      "Invalid value: 'output_text'.",
      'input[0].content[0]',
    ],
    ['a role of the chat wire', message('tool', 'x'), "Invalid value: 'tool'.", 'input[0].role'],
    ['an unknown item', { input: [{ type: 'thought' }] }, "Invalid value: 'thought'.", 'input[0].type'],
    ['a long id', { input: [{ type: 'message', id: 'm'.repeat(65), role: 'user', content: 'x' }] }, 'maximum length 64', 'input[0].id'],
    [
      'arguments that are an object',
      { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }] },
      'expected a string',
      'input[0].arguments',
    ],
    [
      'a nested tool',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      "Missing required parameter: 'tools[0].name'.",
      'tools[0].name',
    ],
    [
      'a tool outside the subset',
      { tools: [tool({ parameters: { type: 'object', properties: {} } })] },
      "'additionalProperties' is required",
      'tools[0].parameters',
    ],
    [
      'a choice of no tool',
      { tools: [tool()], tool_choice: { type: 'function', name: 'g' } },
      "Tool choice 'g' not found in 'tools' parameter.",
      'tool_choice',
    ],
    [
      'a nested format',
      { text: { format: { type: 'json_schema', json_schema: {} } } },
      "Missing required parameter: 'text.format.name'.",
      'text.format.name',
    ],
    [
      'a format outside the subset',
      format({ strict: true, schema: { type: 'array' } }),
      'schema must be a JSON Schema of \'type: "object"\'',
      'text.format.schema',
    ],
    ['json_object without the word', { text: { format: { type: 'json_object' } } }, "must contain the word 'json'", 'input'],
  ])('[SG-100] %s', (_title, body, said, parameter) => {
    const [status, text, at] = refusal(body) ?? [];
    expect(status).toBe(400);
    expect(text).toContain(said);
    expect(at).toBe(parameter);
  });

  it('[SG-100] takes what the reference says it takes', () => {
    for (const body of [
      { instructions: 'Be short.', max_output_tokens: 16, temperature: 1, top_p: 0.5, reasoning: { effort: 'max', summary: 'detailed' } },
      {
        tools: [tool(), tool({ name: 'other', strict: false, parameters: { type: 'object' } })],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
      {
        input: [
          { role: 'developer', content: 'x' },
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'x' },
              { type: 'input_image', image_url: 'data:', detail: 'auto' },
            ],
          },
        ],
      },
      {
        input: [
          { role: 'user', content: 'x' },
          {
            role: 'assistant',
            content: [
              { type: 'output_text', text: 'x', annotations: [] },
              { type: 'refusal', refusal: 'no' },
            ],
          },
        ],
      },
      format({ strict: true }),
    ])
      expect(refusal(body)).toBeUndefined();
  });
});

describe('answers', () => {
  const content: LabContent = {
    thinking: [{ text: 'Low tide.', summary: ['Low', 'tide é'] }],
    text: 'Pier 7 🚀',
    usage: { inputTokens: 31, outputTokens: 40, reasoningTokens: 32, cachedTokens: 3 },
  };

  it('[SG-100] a whole response, with its items, usage and echo of the request', () => {
    expect(responseOf(content, stateless)).toMatchObject({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      store: false,
      output: [
        {
          type: 'reasoning',
          id: expect.stringMatching(/^rs_/),
          summary: [{ type: 'summary_text', text: 'Low' }, { text: 'tide é' }],
          encrypted_content: expect.stringMatching(/^gAAA/),
        },
        {
          type: 'message',
          id: expect.stringMatching(/^msg_/),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Pier 7 🚀', annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 31,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 40,
        output_tokens_details: { reasoning_tokens: 32 },
        total_tokens: 71,
      },
    });
    const [plain] = responseOf(content, {}).output;
    expect(plain).toMatchObject({ type: 'reasoning', summary: [] });
    expect(plain).not.toHaveProperty('encrypted_content');
  });

  it('[SG-100] says incomplete where the limit or a filter cut it', () => {
    const cut = responseOf({ text: 'x'.repeat(200) }, { max_output_tokens: 16 });
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    expect(responseOf({ text: 'x', finish: 'content_filter' }, {})).toMatchObject({ incomplete_details: { reason: 'content_filter' } });
    expect(eventsOf({ text: 'x'.repeat(200) }, { max_output_tokens: 16 }).at(-1)).toMatchObject({ type: 'response.incomplete' });
  });

  it('[SG-100] a stream in the order of the wire, numbered from 0, that adds up to the whole response', () => {
    const all: LabContent = { ...content, toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }], refusal: 'No more.' };
    const events = eventsOf(all, stateless);
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    expect(events.map(({ type }) => type).filter((type, at, list) => type !== list[at - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      ...['added', 'delta', 'done'].map((end) =>
        end === 'added' ? 'response.reasoning_summary_part.added' : `response.reasoning_summary_text.${end}`,
      ),
      'response.reasoning_summary_part.done',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.content_part.added',
      'response.refusal.delta',
      'response.refusal.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const deltas = (type: string): string =>
      events
        .filter((event) => event.type === type)
        .map(({ delta }) => delta)
        .join('');
    expect(deltas('response.output_text.delta')).toBe('Pier 7 🚀');
    expect(deltas('response.function_call_arguments.delta')).toBe('{"pier":7}');
    const added = events.filter(({ type }) => type === 'response.output_item.added').map(({ item }) => item as JsonObject);
    expect(added.every((item) => item.encrypted_content === undefined)).toBe(true);
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    expect((events.at(-1) as { readonly response: JsonObject }).response.output).toEqual(done);
    expect(responseOf(all, stateless).output.map(({ type, content: said }) => [type, said])).toEqual(
      (done as JsonObject[]).map(({ type, content: said }) => [type, said]),
    );
  });
});

describe('the judge of histories', () => {
  const first = responseOf(
    {
      thinking: [{ text: 'First.' }, { text: 'Then.', beforeCall: 1 }],
      toolCalls: [
        { id: 'call_a', name: 'find_berth', arguments: '{"pier":7}' },
        { id: 'call_b', name: 'find_berth', arguments: '{"pier":8}' },
        { id: 'call_c', name: 'find_berth', arguments: '{"pier":9}' },
      ],
    },
    stateless,
  ).output;
  const last = responseOf({ thinking: [{ text: 'Done.' }], text: 'Pier 7.' }, stateless, '2').output;
  const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: '{}' });
  const outputs = ['call_a', 'call_b', 'call_c'].map(output);
  const ask = { role: 'user', content: 'Where?' };
  const whole = [ask, ...first, ...outputs, ...last, ask];
  const judged = (input: readonly unknown[], more: object = {}) => refusal({ ...stateless, input, ...more });
  const [thought, callA, second, callB, callC] = first as [Item, Item, Item, Item, Item];
  const [lastThought, answer] = last as [Item, Item];
  const without = (...items: readonly unknown[]): unknown[] => whole.filter((item) => !items.includes(item));
  const replaced = (item: Item, change: object): unknown[] => whole.map((one) => (one === item ? { ...item, ...change } : one));
  const noFollower = (item: Item): readonly unknown[] => [
    400,
    `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
    'input',
    null,
  ];
  const noReasoning = (item: Item, needed: Item): readonly unknown[] => [
    400,
    `Item '${item.id}' of type '${String(item.type)}' was provided without its required 'reasoning' item: '${needed.id}'.`,
    'input',
    null,
  ];
  const unverified = (item: Item): readonly unknown[] => [
    400,
    `The encrypted content for item ${item.id} could not be verified.`,
    'input',
    'invalid_encrypted_content',
  ];

  it('[SG-100] takes its own items back, in another request, and with the reasoning of both left out together with the ids', () => {
    expect(judged(whole)).toBeUndefined();
    expect(judged(replaced(answer, { id: undefined }))).toBeUndefined();
    const bare = without(thought, second, lastThought).map((item) => ({ ...(item as object), id: undefined }));
    expect(judged(bare)).toBeUndefined();
  });

  it('[SG-100] reasoning without the item that it produced: dropped, moved away, or another in its place', () => {
    expect(judged(without(callA, outputs[0]))).toEqual(noFollower(thought));
    expect(judged(without(answer))).toEqual(noFollower(lastThought));
    expect(judged([ask, ...first, ...outputs, lastThought])).toEqual(noFollower(lastThought));
    expect(judged([ask, second, callA, thought, callB, callC, ...outputs])).toEqual(noFollower(second));
    expect(judged(replaced(answer, { id: 'msg_other' }))).toEqual(noFollower(lastThought));
  });

  it('[SG-100] an item without the reasoning that it came with, also where it stands behind another', () => {
    expect(judged(without(thought))).toEqual(noReasoning(callA, thought));
    expect(judged(without(second))).toEqual(noReasoning(callB, second));
    expect(judged(without(second, callB, outputs[1]))).toEqual(noReasoning(callC, second));
    expect(judged(without(lastThought))).toEqual(noReasoning(answer, lastThought));
  });

  it('[SG-100] encrypted content that was altered in any character, is of another item, model or lab', () => {
    const sealed = String(thought.encrypted_content);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(judged(replaced(thought, { encrypted_content: changed }))).toEqual(unverified(thought));
    }
    expect(judged(replaced(thought, { encrypted_content: `${sealed}A` }))).toEqual(unverified(thought));
    expect(judged(replaced(thought, { encrypted_content: second.encrypted_content ?? '' }))).toEqual(unverified(thought));
    expect(judged(whole, { model: 'other' })).toEqual(unverified(thought));
    const other = openaiResponses(2).read(copy({ model: 'm', ...stateless, input: whole }), target);
    expect(other).toMatchObject({ refusal: { code: 'invalid_encrypted_content' } });
  });

  it('[SG-100] reasoning without encrypted content, where nothing is kept; with it kept, its own alone', () => {
    const bare = replaced(thought, { encrypted_content: undefined });
    const missing = `Item with id '${thought.id}' not found. Items are not persisted when store is set to false.`;
    expect(judged(bare)).toEqual([404, missing, 'input', null]);
    expect(judged(bare, { store: true })).toBeUndefined();
    expect(judged([{ type: 'reasoning', id: 'rs_other', summary: [] }], { store: true })).toEqual([
      404,
      "Item with id 'rs_other' not found.",
      'input',
      null,
    ]);
  });

  it('[SG-100] results of no call, a second result, and calls without one', () => {
    expect(judged([ask, output('call_x')])).toEqual([
      400,
      'No tool call found for function call output with call_id call_x.',
      'input',
      null,
    ]);
    expect(judged([...whole, output('call_a')])?.[1]).toBe('No tool call found for function call output with call_id call_a.');
    expect(judged(without(outputs[1]))).toEqual([400, 'No tool output found for function call call_b.', 'input', null]);
  });
});

describe('pathologies on this wire', () => {
  const format = { text: { format: { type: 'json_schema', name: 'berth', schema: parameters } }, max_output_tokens: 40 };
  const content: LabContent = { text: '{"pier":7}' };
  const calls: LabContent = { toolCalls: [{ id: 'call_b7', name: 'find_berth', arguments: '{"pier":7}' }] };
  const spoil = (id: string, said: LabContent, body: object): LabReply | undefined => {
    const pathology = pathologyById(id);
    const request = requestOf(body);
    const frame = frameOf('1');
    const answer = completeAnswer(said, request, frame.random);
    if (pathology === undefined || !fits(pathology, answer, request)) return undefined;
    return applyOf(pathology, request.wire)?.(answer, { request, frame, wire, path: target.path });
  };
  const textOf = (reply: LabReply | undefined): string => {
    if (reply === undefined || !('raw' in reply)) throw new Error('no bytes');
    return reply.raw.chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
  };

  it('[SG-100] none says anything in the words of another wire', () => {
    for (const { id, wires } of pathologies) {
      if (!wires.includes('openai-responses')) continue;
      for (const body of [format, { ...format, stream: true }, { tools: [tool()] }, { tools: [tool()], stream: true }]) {
        const reply = spoil(id, 'tools' in body ? calls : content, body);
        if (reply !== undefined && 'raw' in reply)
          expect([id, textOf(reply)]).not.toEqual([id, expect.stringMatching(/chat\.completion|"choices"|\[DONE\]/)]);
      }
    }
  });

  it('[SG-100] [path-C30] a cut that is called complete uses the whole limit', () => {
    for (const body of [format, { ...format, stream: true }]) {
      const text = textOf(spoil('C30', content, body));
      expect(text).toContain('"status":"completed"');
      expect(text).toContain('"output_tokens":40');
      expect(text).toContain('"incomplete_details":null');
      expect(text).not.toContain('{\\"pier\\":7}');
    }
    expect(spoil('C30', content, {})).toBeUndefined();
  });

  it('[SG-100] [path-D16] a failure comes with a good status', () => {
    const error = { code: 'server_error', message: 'The server had an error while processing your request.' };
    expect(JSON.parse(textOf(spoil('D16', content, format)))).toMatchObject({ status: 'failed', error });
    const streamed = textOf(spoil('D16', content, { ...format, stream: true }));
    expect(streamed).toMatch(
      /event: response\.output_text\.delta\n[\s\S]*event: response\.failed\ndata: .*"error":\{"code":"server_error"/,
    );
    expect(streamed).not.toContain('response.completed');
  });

  it('[SG-100] [path-D18] [path-D27] the events of translated servers', () => {
    const bare = textOf(spoil('D18', content, { ...format, stream: true }));
    expect(bare).not.toMatch(/sequence_number|output_index|content_index/);
    const noDone = textOf(spoil('D27', calls, { tools: [tool()], stream: true }));
    expect(noDone).toContain('response.function_call_arguments.delta');
    expect(noDone).toContain('response.output_item.done');
    expect(noDone).not.toContain('response.function_call_arguments.done');
  });
});
