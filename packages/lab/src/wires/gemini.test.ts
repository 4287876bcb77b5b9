import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabContent, type LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { fits } from '../draw.ts';
import { applyOf } from '../pathologies/pathology.ts';
import { pathologies, pathologyById } from '../pathologies.ts';
import { seededRandom } from '../random.ts';
import { gemini } from './gemini.ts';
import type { Frame, LabTarget } from './wire.ts';

const wire = gemini(1);
const frameOf = (seed: string): Frame => ({
  requestId: 'req_1',
  id: 'chatcmpl-1',
  created: 1_790_000_000,
  model: 'm',
  fingerprint: 'fp',
  random: seededRandom(seed),
});
const targetOf = (model: string, stream: boolean, query = 'alt=sse'): LabTarget => ({
  path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent' : 'generateContent'}`,
  query: new URLSearchParams(stream ? query : ''),
  headers: {},
});
const copy = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
const ask = { role: 'user', parts: [{ text: 'Where?' }] };
const parameters = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'] };
const tools = (change: object = { parametersJsonSchema: parameters }): object => ({
  tools: [{ functionDeclarations: [{ name: 'find_berth', description: 'd', ...change }] }],
});

const read = (body: object, target: LabTarget = targetOf('m', false)) => wire.read(copy({ contents: [ask], ...body }), target);

function requestOf(body: object, target?: LabTarget): LabChatRequest {
  const result = read(body, target);
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.request;
}

function refusal(body: object, model = 'm'): string | undefined {
  const result = read(body, targetOf(model, false));
  if (!('refusal' in result)) return undefined;
  expect(result.refusal.status).toBe(400);
  return result.refusal.message;
}

type Part = JsonObject & { readonly thoughtSignature?: string };
interface Answer {
  readonly candidates: readonly [{ readonly content: { readonly parts?: readonly Part[] } } & JsonObject];
}

function answerOf(content: LabContent, body: object = {}, model = 'm', seed = '1'): Answer {
  const request = requestOf(body, targetOf(model, false));
  const frame = frameOf(seed);
  const [bytes] = wire.whole(completeAnswer(content, request, frame.random), request, frame).chunks;
  return JSON.parse(Buffer.from(bytes ?? '').toString()) as Answer;
}

const partsOf = (answer: Answer): readonly Part[] => answer.candidates[0].content.parts ?? [];

function eventsOf(content: LabContent, body: object = {}, model = 'm'): readonly Answer[] {
  const request = requestOf(body, targetOf(model, true));
  const frame = frameOf('1');
  return wire.parts(completeAnswer(content, request, frame.random), request, frame).chunks.map((block) => {
    const [, data] = /^data: (.*)\r\n\r\n$/.exec(String(block)) ?? [];
    return JSON.parse(data ?? '') as Answer;
  });
}

describe('requests that the wire refuses', () => {
  const user = (...parts: readonly unknown[]): object => ({ contents: [{ role: 'user', parts }] });
  const config = (generationConfig: object): object => ({ generationConfig });
  const call = { functionCall: { name: 'find_berth', args: {} }, thoughtSignature: 'skip_thought_signature_validator' };
  const response = { functionResponse: { name: 'find_berth', response: {} } };
  const turns = (model: readonly unknown[], ...next: readonly unknown[]): object => ({
    contents: [ask, { role: 'model', parts: model }, ...next],
  });
  it.each<[string, object, string]>([
    ['no contents', { contents: undefined }, 'GenerateContentRequest.contents: contents is not specified'],
    ['empty contents', { contents: [] }, 'contents is not specified'],
    ['a content without parts', user(), 'GenerateContentRequest.contents[0].parts: contents.parts must not be empty.'],
    [
      'a part without data',
      user({ thought: true }),
      "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
    ],
    ['an empty text', user({ text: '' }), "required oneof field 'data' must have one initialized field"],
    ['two data fields', user({ text: 'x', fileData: { fileUri: 'x' } }), "oneof field 'data' is already set. Cannot set 'fileData'"],
    ['a role of another wire', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, 'Please use a valid role: user, model.'],
    ['an unknown field', { messages: [] }, 'Unknown name "messages": Cannot find field.'],
    ['an unknown field inside', config({ max_tokens: 3 }), 'Unknown name "max_tokens" at \'generation_config\': Cannot find field.'],
    ['an unknown field of a part', user({ text: 'x', type: 'text' }), 'Unknown name "type" at \'contents[0].parts[0]\''],
    [
      'a response that is no object',
      turns([call], { parts: [{ functionResponse: { name: 'f', response: 'x' } }] }),
      'google.protobuf.Struct',
    ],
    ['arguments that are no object', turns([{ functionCall: { name: 'f', args: '{}' } }]), 'google.protobuf.Struct'],
    ['a call without a name', turns([{ functionCall: { args: {} } }]), 'Name cannot be empty'],
    ['a call without a response', turns([call]), 'the number of function response parts is equal to the number of function call parts'],
    ['a response too few', turns([call, call], { role: 'user', parts: [response] }), 'the number of function response parts'],
    ['text beside a response', turns([call], { role: 'user', parts: [response, { text: 'x' }] }), 'Requests ending with a model turn'],
    ['a response to nothing', { contents: [{ role: 'user', parts: [response] }] }, 'immediately after a function call turn'],
    [
      'two kinds of tool schema',
      tools({ parameters, parametersJsonSchema: parameters }),
      'Only one of parameters and parameters_json_schema',
    ],
    ['an empty object of properties', tools({ parameters: { type: 'object', properties: {} } }), 'should be non-empty for OBJECT type'],
    ['a reference in the OpenAPI form', tools({ parameters: { $ref: '#/$defs/x' } }), 'Unknown name "$ref"'],
    ['a name that begins with a digit', tools({ name: '7up' }), 'Invalid function name. Must start with a letter or an underscore.'],
    ['a choice of no tool', { ...tools(), toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } }, '"g"'],
    [
      'names without the mode',
      { ...tools(), toolConfig: { functionCallingConfig: { allowedFunctionNames: ['find_berth'] } } },
      'mode is ANY',
    ],
    ['a mode that is none', { ...tools(), toolConfig: { functionCallingConfig: { mode: 'required' } } }, 'function_calling_config.mode'],
    ['six stop sequences', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), 'at most 5 stop sequences'],
    ['a hot temperature', config({ temperature: 3 }), 'must be in the range [0.0, 2.0]'],
    ['a limit of nothing', config({ maxOutputTokens: 0 }), 'max_output_tokens must be positive'],
    ['a budget beside a level', config({ thinkingConfig: { thinkingBudget: 5, thinkingLevel: 'LOW' } }), 'only set one of thinking budget'],
    ['a level that is none', config({ thinkingConfig: { thinkingLevel: 'XHIGH' } }), 'thinking_level'],
    ['a schema without its type', config({ responseJsonSchema: parameters }), 'Unsupported response mime type'],
    [
      'two schemas',
      config({ responseMimeType: 'application/json', responseSchema: {}, responseJsonSchema: {} }),
      'Only one of response_schema',
    ],
    [
      'a keyword beside anyOf',
      config({ responseMimeType: 'application/json', responseSchema: { type: 'string', anyOf: [{ type: 'string' }] } }),
      'it must be the only field set',
    ],
    [
      'a type of two in the OpenAPI form',
      config({ responseMimeType: 'application/json', responseSchema: { type: ['string', 'null'] } }),
      'generation_config.response_schema.type',
    ],
    ['a signature that is no base64', turns([{ text: 'x', thoughtSignature: 'ä' }]), 'Base64 decoding failed'],
  ])('[SG-100] %s', (_title, body, said) => {
    expect(refusal(body)).toContain(said);
  });

  it('[SG-100] a model of the line before 3 takes no level, and no JSON mode beside tools', () => {
    const json = config({ responseMimeType: 'application/json' });
    const levelled = config({ thinkingConfig: { thinkingLevel: 'LOW' } });
    expect(refusal({ ...tools(), ...json }, 'gemini-2.5-pro')).toBe(
      "Function calling with a response mime type: 'application/json' is unsupported",
    );
    expect(refusal(levelled, 'gemini-2.5-pro')).toBe('Thinking level is not supported for this model.');
    expect(refusal({ ...tools(), ...json }, 'gemini-3-pro')).toBeUndefined();
    expect(refusal(levelled, 'gemini-3-pro')).toBeUndefined();
  });

  it('[SG-100] takes what the reference says it takes, in either spelling of the names', () => {
    for (const body of [
      { systemInstruction: { parts: [{ text: 'Be short.' }] }, safetySettings: [], cachedContent: 'cachedContents/1' },
      { system_instruction: { parts: [{ text: 'x' }] }, generation_config: { max_output_tokens: 9, stop_sequences: ['x'], top_k: 4 } },
      user({ text: ' ' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }, { file_data: { file_uri: 'https://x.test/a' } }),
      turns([{ text: 'Hm.' }, { text: '', thoughtSignature: 'skip_thought_signature_validator' }], ask),
      turns([call, { functionCall: { name: 'find_berth' } }], { role: 'function', parts: [response, response] }, ask),
      { ...tools({ parametersJsonSchema: undefined }), toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
      config({ responseMimeType: 'application/json', responseSchema: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' } }),
      config({ thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } }),
    ])
      expect(refusal(body)).toBeUndefined();
  });

  it('[SG-100] reads the tool choice, the form and the model out of where they stand', () => {
    const choice = (functionCallingConfig: object): unknown => requestOf({ ...tools(), toolConfig: { functionCallingConfig } }).toolChoice;
    expect(
      [{ mode: 'AUTO' }, { mode: 'NONE' }, { mode: 'ANY' }, { mode: 'ANY', allowedFunctionNames: ['find_berth'] }].map(choice),
    ).toEqual(['auto', 'none', 'required', { name: 'find_berth' }]);
    const schema = { type: 'OBJECT', properties: { a: { type: 'STRING', enum: ['x'], nullable: true, maxLength: '3' } } };
    const json = { responseMimeType: 'application/json' };
    expect(requestOf(config({ ...json, responseSchema: schema })).format).toEqual({
      type: 'json_schema',
      name: 'response',
      schema: { type: 'object', properties: { a: { type: ['string', 'null'], enum: ['x', null], maxLength: 3 } } },
    });
    expect(requestOf(config(json)).format).toEqual({ type: 'json_object' });
    expect(requestOf({}, targetOf('a%2Fb', true))).toMatchObject({ model: 'a/b', stream: true });
    expect(wire.takes('/v1beta/models/%E0%A4%A:generateContent')).toBe(false);
  });
});

describe('answers', () => {
  const content: LabContent = {
    thinking: [{ text: 'Low tide.' }],
    text: 'Pier 7 🚀 é',
    usage: { inputTokens: 31, outputTokens: 40, reasoningTokens: 32, cachedTokens: 3 },
  };
  const shown = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

  it('[SG-100] a whole response: thoughts, text with its signature, usage without zeros', () => {
    expect(answerOf(content, shown)).toEqual({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { thought: true, text: 'Low tide.' },
              { text: 'Pier 7 🚀 é', thoughtSignature: expect.any(String) },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 31,
        candidatesTokenCount: 8,
        totalTokenCount: 71,
        cachedContentTokenCount: 3,
        thoughtsTokenCount: 32,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 31 }],
      },
      modelVersion: 'm',
      responseId: 'req_1',
    });
    expect(partsOf(answerOf(content))).toMatchObject([{ text: 'Pier 7 🚀 é' }]);
    expect(partsOf(answerOf(content, {}, 'gemini-2.5-pro'))).toEqual([{ text: 'Pier 7 🚀 é' }]);
    expect(answerOf({ text: '' }).candidates[0]).toEqual({ content: { role: 'model' }, finishReason: 'STOP', index: 0 });
  });

  it('[SG-100] a stream whose texts are fragments of whole characters, with the signature on an empty text at its end', () => {
    const events = eventsOf(content, shown);
    const parts = events.flatMap(partsOf);
    const said = (thought: boolean): string => parts.flatMap((part) => ((part.thought === true) === thought ? [part.text] : [])).join('');
    expect([said(true), said(false)]).toEqual(['Low tide.', 'Pier 7 🚀 é']);
    expect(parts.at(-1)).toEqual({ text: '', thoughtSignature: expect.any(String) });
    expect(JSON.stringify(events)).not.toMatch(/\\ud8/);
    expect(events.map((event) => event.candidates[0].finishReason)).toEqual([...Array(events.length - 1).fill(undefined), 'STOP']);
    expect(events.at(-1)).toMatchObject({ usageMetadata: { totalTokenCount: 71 } });
  });

  it('[SG-100] calls whole, each in an event of its own; the first one signed, and no finish of their own', () => {
    const toolCalls = [
      { name: 'find_berth', arguments: '{"pier":7}', id: 'a' },
      { name: 'find_berth', arguments: '{}', id: 'b' },
    ];
    for (const parts of [partsOf(answerOf({ toolCalls }, tools())), eventsOf({ toolCalls }, tools()).flatMap(partsOf)])
      expect(parts).toEqual([
        { functionCall: { name: 'find_berth', args: { pier: 7 }, id: 'a' }, thoughtSignature: expect.any(String) },
        { functionCall: { name: 'find_berth', id: 'b' } },
      ]);
    expect(answerOf({ toolCalls }, tools()).candidates[0].finishReason).toBe('STOP');
  });

  it('[SG-100] ends in the words of the wire', () => {
    const ending = (said: LabContent, body: object = {}): unknown => {
      const { content: _content, index: _index, ...rest } = answerOf(said, body).candidates[0];
      return rest;
    };
    expect(ending({ text: 'x'.repeat(99) }, { generationConfig: { maxOutputTokens: 2 } })).toEqual({ finishReason: 'MAX_TOKENS' });
    expect(ending({ text: 'x', finish: 'content_filter' })).toEqual({ finishReason: 'SAFETY' });
    expect(ending({ text: 'x', finish: 'RECITATION' })).toEqual({ finishReason: 'RECITATION' });
    expect(ending({ refusal: 'No.' })).toEqual({ finishReason: 'SAFETY', finishMessage: 'No.' });
    expect(ending({ toolCalls: [{ name: 'f', arguments: '{"a":' }] })).toEqual({
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: 'Malformed function call: f({"a":)',
    });
  });

  it('[SG-100] a stream that was not asked for as events is one JSON list', () => {
    const request = requestOf({}, targetOf('m', true, ''));
    const frame = frameOf('1');
    const reply = wire.parts(completeAnswer(content, request, frame.random), request, frame);
    const list = JSON.parse(reply.chunks.join('')) as readonly Answer[];
    expect(reply.chunks.length).toBe(list.length + 1);
    expect(
      list
        .flatMap(partsOf)
        .map(({ text }) => text)
        .join(''),
    ).toBe('Pier 7 🚀 é');
  });

  it('[SG-100] errors in its own form; a wrong key is a bad request', () => {
    const said = (refused: Parameters<typeof wire.refuse>[0]): unknown => {
      const { status, chunks } = wire.refuse(refused);
      return [status, JSON.parse(String(chunks[0]))];
    };
    expect(said({ status: 429, message: 'Slow.' })).toEqual([
      429,
      { error: { code: 429, message: 'Slow.', status: 'RESOURCE_EXHAUSTED' } },
    ]);
    expect(said({ status: 401, message: 'x', code: 'invalid_api_key' })).toMatchObject([
      400,
      { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } },
    ]);
    expect(said({ status: 401, message: 'x' })).toMatchObject([403, { error: { status: 'PERMISSION_DENIED' } }]);
  });

  it('[SG-100] lists its model', () => {
    const shownAt = (path: string): unknown => {
      const reply = wire.models?.('m-1', { path, query: new URLSearchParams(), headers: {} });
      return reply === undefined ? undefined : JSON.parse(String(reply.chunks[0]));
    };
    expect(shownAt('/v1beta/models')).toMatchObject({ models: [{ name: 'models/m-1', supportedGenerationMethods: expect.any(Array) }] });
    expect(shownAt('/v1beta/models/m-1')).toMatchObject({ name: 'models/m-1' });
    expect([shownAt('/v1beta/models/other'), shownAt('/v1/models')]).toEqual([undefined, undefined]);
  });
});

describe('the judge of histories', () => {
  const callsOf = (seed: string, ...piers: readonly number[]): readonly Part[] =>
    partsOf(
      answerOf(
        { toolCalls: piers.map((pier) => ({ id: `c${pier}`, name: 'find_berth', arguments: `{"pier":${pier}}` })) },
        tools(),
        'm',
        seed,
      ),
    );
  const results = (calls: readonly Part[]): object => ({
    role: 'user',
    parts: calls.map(({ functionCall }) => ({
      functionResponse: { id: (functionCall as JsonObject).id, name: 'find_berth', response: { free: true } },
    })),
  });
  const model = (parts: readonly unknown[]): object => ({ role: 'model', parts });
  const first = callsOf('1', 7, 8);
  const second = callsOf('2', 9);
  const answer = partsOf(answerOf({ text: 'Pier 7.' }));
  const [call7, call8] = first as [Part, Part];
  const [call9] = second as [Part];
  const judged = (...contents: readonly object[]): string | undefined => refusal({ contents });
  const turn = (one: readonly unknown[], two: readonly unknown[] = second): string | undefined =>
    judged(ask, model(one), results(first), model(two), results(second));
  const unsigned = ({ thoughtSignature: _signature, ...part }: Part): JsonObject => part;
  const missing = (place: number): string =>
    `Function call \`find_berth\` in the ${place}. content block is missing a \`thought_signature\`.`;

  it('[SG-100] takes its own signatures back, in another request', () => {
    expect(turn(first)).toBeUndefined();
    expect(judged(ask, model(first), results(first), model(answer), ask)).toBeUndefined();
    expect(
      judged(
        ask,
        model([{ text: 'Hm.' }, { text: '', thoughtSignature: eventsOf({ text: 'Hm.' }).flatMap(partsOf).at(-1)?.thoughtSignature }]),
        ask,
      ),
    ).toBeUndefined();
  });

  it('[SG-100] what a model said in several contents is one turn', () => {
    expect(judged(ask, model([call7]), model([call8]), results(first))).toBeUndefined();
    expect(judged(ask, model([{ text: 'Hm.' }]), model([unsigned(call7)]), model([call8]), results(first))).toBe(missing(3));
    expect(requestOf({ contents: [ask, model([call7]), model([call8]), results(first)] }).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
  });

  it('[SG-100] [path-F9] a first call without a signature, in the current turn alone', () => {
    expect(turn([unsigned(call7), call8])).toBe(missing(2));
    expect(turn(first, [unsigned(call9)])).toBe(missing(4));
    expect(judged(ask, model([unsigned(call7), call8]), results(first), model([{ text: 'Pier 7.' }]), ask)).toBeUndefined();
    const old = { contents: [ask, model([unsigned(call7), call8]), results(first)] };
    expect(refusal(old, 'gemini-2.5-pro')).toBeUndefined();
  });

  it('[SG-100] the stand-in for the calls of others', () => {
    const skip = { thoughtSignature: 'skip_thought_signature_validator' };
    expect(turn([{ ...call7, ...skip }, call8])).toBeUndefined();
    expect(turn([{ functionCall: { name: 'find_berth', args: {} }, ...skip }, unsigned(call8)])).toBe(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  });

  it('[SG-100] altered signatures, whatever was changed of them', () => {
    const signature = call7.thoughtSignature ?? '';
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    for (const altered of [flipped, signature.slice(4), signature.slice(0, -4), signature.replaceAll('=', ''), 'c2ln', `AAAA${signature}`])
      if (altered !== signature) expect(turn([{ ...call7, thoughtSignature: altered }, call8])).toBe('Corrupted thought signature.');
    const request = wire.read(copy({ contents: [ask, model(first), results(first)] }), targetOf('m', false));
    expect('refusal' in request).toBe(false);
    expect(gemini(2).read(copy({ contents: [ask, model(first), results(first)] }), targetOf('m', false))).toMatchObject({
      refusal: { message: 'Corrupted thought signature.' },
    });
  });

  it('[SG-100] signatures on another part, and of another model', () => {
    const { thoughtSignature: of7 } = call7;
    const { thoughtSignature: of9 } = call9;
    const invalid = 'Invalid thought signature.';
    expect(turn([{ ...call7, thoughtSignature: of9 }, call8], [{ ...call9, thoughtSignature: of7 }])).toBe(invalid);
    expect(turn([unsigned(call7), { ...call8, thoughtSignature: of7 }])).toBe(invalid);
    expect(judged(ask, model([{ text: 'Pier 8.', thoughtSignature: answer[0]?.thoughtSignature }]), ask)).toBe(invalid);
    expect(judged(ask, model([{ text: 'Pier 7.', thoughtSignature: of7 }]), ask)).toBe(invalid);
    expect(refusal({ contents: [ask, model(first), results(first)] }, 'other')).toBe(invalid);
  });
});

describe('pathologies on this wire', () => {
  const format = { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: parameters, maxOutputTokens: 40 } };
  const text: LabContent = { text: '{"pier":7}', usage: { inputTokens: 20, outputTokens: 4 } };
  const callsOf = (count: number, args = '{"pier":7}'): LabContent => ({
    toolCalls: [...Array(count).keys()].map((index) => ({ id: `c${index}`, name: 'find_berth', arguments: args })),
  });
  const spoil = (id: string, content: LabContent, body: object, stream: boolean, seed = '1'): LabReply | undefined => {
    const pathology = pathologyById(id);
    const target = targetOf('m', stream);
    const request = requestOf(body, target);
    const frame = frameOf(seed);
    const answer = completeAnswer(content, request, frame.random);
    if (pathology === undefined || !fits(pathology, answer, request)) return undefined;
    return applyOf(pathology, request.wire)?.(answer, { request, frame, wire, path: target.path });
  };
  const textOf = (reply: LabReply | undefined): string => {
    if (reply === undefined || !('raw' in reply)) throw new Error('no bytes');
    return reply.raw.chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
  };
  const wholeOf = (id: string, content: LabContent, body: object, seed?: string): unknown =>
    JSON.parse(textOf(spoil(id, content, body, false, seed)));
  const statusOf = (reply: LabReply | undefined): number | undefined =>
    reply !== undefined && 'raw' in reply ? reply.raw.status : undefined;

  it('[SG-100] none says anything in the words of another wire', () => {
    let shown = 0;
    for (const { id, wires } of pathologies) {
      if (!wires.includes('gemini')) continue;
      for (const stream of [false, true]) {
        for (const [content, body] of [
          [text, format],
          [callsOf(1), tools()],
        ] as const) {
          const reply = spoil(id, content, body, stream);
          if (reply === undefined || !('raw' in reply)) continue;
          shown += 1;
          expect([id, textOf(reply)]).not.toEqual([id, expect.stringMatching(/chat\.completion|"choices"|\[DONE\]|"type":"/)]);
        }
      }
    }
    expect(shown).toBeGreaterThan(40);
  });

  it('[SG-100] [path-F1] [path-F2] calls without an id, and without arguments', () => {
    for (const stream of [false, true]) {
      const without = textOf(spoil('F1', callsOf(2), tools(), stream));
      expect(without.match(/"functionCall":\{"name":"find_berth","args":\{"pier":7\}\}/g)).toHaveLength(2);
      expect(spoil('F2', callsOf(1, '{}'), tools(), stream)).toBeDefined();
      expect(spoil('F2', callsOf(1), tools(), stream)).toBeUndefined();
    }
  });

  it('[SG-100] [path-F3] [path-F5] [path-F6] [path-F7] answers that say nothing', () => {
    expect(wholeOf('F3', text, format)).toEqual({
      promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    });
    expect(wholeOf('F5', text, format)).toMatchObject({ candidates: [{ finishReason: 'UNEXPECTED_TOOL_CALL', index: 0 }] });
    expect(wholeOf('F6', text, format)).toMatchObject({ candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] });
    expect(wholeOf('F7', text, format)).toMatchObject({
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }],
      usageMetadata: { promptTokenCount: 20, thoughtsTokenCount: 256, totalTokenCount: 276 },
    });
    for (const id of ['F3', 'F5', 'F6', 'F7']) expect(textOf(spoil(id, text, format, true))).toMatch(/^data: \{.*\}\r\n\r\n$/);
  });

  it('[SG-100] [path-F4] a call in Python, with an empty content or none', () => {
    const contents = ['1', '2', '3', '4', '5', '6'].map((seed) => {
      const { candidates } = wholeOf('F4', callsOf(1, '{"pier":7,"note":"low","way":null}'), tools(), seed) as Answer;
      const [{ content, ...rest }] = candidates;
      expect(rest).toEqual({
        finishReason: 'MALFORMED_FUNCTION_CALL',
        finishMessage: "Malformed function call: print(default_api.find_berth(pier=7, note='low', way=None))",
        index: 0,
      });
      return JSON.stringify(content);
    });
    expect(new Set(contents)).toEqual(new Set(['{}', undefined]));
    expect(spoil('F4', callsOf(2), tools(), false)).toBeUndefined();
  });

  it('[SG-100] [path-F8] [path-F12] a signature on an empty part, and a recitation', () => {
    const { candidates } = wholeOf('F8', text, format) as Answer;
    expect(candidates[0].content.parts).toEqual([{ text: '{"pier":7}' }, { text: '', thoughtSignature: 'c2ln' }]);
    expect(textOf(spoil('F8', text, format, true))).toMatch(/"parts":\[\{"text":"","thoughtSignature":"c2ln"\}\].*"finishReason":"STOP"/);
    expect(spoil('F12', text, format, false)).toMatchObject({ text: '{"pie', finish: 'RECITATION' });
  });

  it('[SG-100] [path-F9] [path-D8] [path-D12] [path-D15] errors in the form of the wire', () => {
    expect(statusOf(spoil('F9', text, format, false))).toBe(400);
    expect(wholeOf('F9', text, format)).toMatchObject({
      error: { message: 'Function call `find_berth` in the 2. content block is missing a `thought_signature`.' },
    });
    expect(wholeOf('D8', text, format)).toMatchObject([{ error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
    expect(statusOf(spoil('D12', text, format, false))).toBe(429);
    expect(wholeOf('D12', text, format)).toMatchObject({ error: { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '17s' }] } });
    expect(wholeOf('D15', text, format)).toMatchObject({
      error: { message: expect.stringContaining('exceeds the maximum number of tokens') },
    });
  });

  it('[SG-100] [path-F10] [path-F11] [path-F14] [sse-S16] streams: cut line ends, one list, and an error in the middle', () => {
    const cut = spoil('F10', text, format, true);
    if (cut === undefined || !('raw' in cut)) throw new Error('no bytes');
    expect(cut.raw.chunks.slice(0, -1).every((chunk) => String(chunk).endsWith('\r'))).toBe(true);
    for (const id of ['F11', 'S16']) {
      const list = JSON.parse(textOf(spoil(id, text, format, true))) as readonly Answer[];
      expect(
        list
          .flatMap(partsOf)
          .map((part) => part.text)
          .join(''),
      ).toBe('{"pier":7}');
    }
    const broken = textOf(spoil('F14', text, format, true));
    expect(broken).toMatch(/"parts":[\s\S]*data: \{"error":\{"code":503/);
    expect(broken).not.toContain('finishReason');
  });
});
