import { type Message, type MessagePart, type OllamaDialect, SignalError, UnsupportedThinkingError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { ollamaDialect } from '../registry/dialects.ts';
import type { ProviderRequest } from './adapter.ts';
import { ollamaBody } from './ollama/request.ts';
import { ollama } from './ollama.ts';
import { drainAdapter, endpointOf } from './test-support/drive.ts';

const caller = { origin: { kind: 'caller' }, trust: 'user' } as const;
const text = (value: string): MessagePart => ({ ...caller, id: 't', type: 'text', text: value });
const user = (...parts: readonly MessagePart[]): Message => ({ role: 'user', parts });
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
const image = (source: Extract<MessagePart, { type: 'image' }>['source']): MessagePart => ({ ...caller, id: 'i', type: 'image', source });
const tool = { name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object', properties: {} } } as const;
const schema = { type: 'object', properties: { pier: { type: 'integer' } } } as const;
const jsonSchema = { type: 'json_schema', name: 'berth', schema, strict: false } as const;

const bodyOf = (request: Partial<ProviderRequest>, dialect: Partial<OllamaDialect> = {}) =>
  ollamaBody(
    { model: 'q', messages: [user(text('hi'))], delivery: 'parts', ...request },
    { provider: 'p', dialect: { ...ollamaDialect, ...dialect } },
  ).body;

const refusal = (request: Partial<ProviderRequest>, dialect: Partial<OllamaDialect> = {}): unknown => {
  try {
    bodyOf(request, dialect);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('messages', () => {
  it('[SG-030] system text in its place, what the model said and called, a message for each result', () => {
    const said: Message = {
      role: 'assistant',
      parts: [text('Looking.'), call('a'), { ...caller, id: 'f', type: 'refusal', text: ' No.' }, call('b', '')],
    };
    const messages: readonly Message[] = [
      { role: 'system', parts: [text('Be short.')] },
      user(text('hi')),
      said,
      { role: 'tool', parts: [result('a'), result('b')] },
      user(result('c'), text('and?')),
    ];
    const answered = (id: string) => ({ role: 'tool', tool_name: 'find_berth', tool_call_id: id, content: '{"free":true}' });
    expect(bodyOf({ messages }).messages).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: 'Looking. No.',
        tool_calls: [
          { id: 'a', function: { index: 0, name: 'find_berth', arguments: { pier: 7 } } },
          { id: 'b', function: { index: 1, name: 'find_berth', arguments: {} } },
        ],
      },
      answered('a'),
      answered('b'),
      answered('c'),
      { role: 'user', content: 'and?' },
    ]);
  });

  it('[SG-030] [SG-080] arguments are an object always: encoded twice they are decoded, and what is no object goes back in one', () => {
    const said = (args: string): Partial<ProviderRequest> => ({ messages: [{ role: 'assistant', parts: [call('a', args)] }] });
    expect(bodyOf(said('"{\\"pier\\":7}"')).messages).toMatchObject([{ tool_calls: [{ function: { arguments: { pier: 7 } } }] }]);
    // The model wrote them, so that they are no mistake of the caller's: the run goes on with the tool's refusal.
    for (const args of ['{"pier":', '7', '[]', 'null', '"pier"'])
      expect(bodyOf(said(args)).messages).toMatchObject([{ tool_calls: [{ function: { arguments: { arguments: args } } }] }]);
  });

  it('[SG-030] images by their bytes, without a prefix; by address they are refused', () => {
    const data = { type: 'base64', mediaType: 'image/png', data: 'QUJD' } as const;
    const messages = [user(text('Look'), image(data), image({ type: 'url', url: 'data:image/png;base64,REVG' }))];
    expect(bodyOf({ messages }).messages).toEqual([{ role: 'user', content: 'Look', images: ['QUJD', 'REVG'] }]);
    expect(bodyOf({ messages: [user(image(data))] }).messages).toEqual([{ role: 'user', content: '', images: ['QUJD'] }]);
    expect(refusal({ messages: [user(image({ type: 'url', url: 'https://x.test/a.png' }))] })).toMatchObject({ code: 'E_CONFIGURATION' });
  });
});

describe('fields', () => {
  it('[SG-030] the smallest request says whether it streams, because the default is that it does', () => {
    expect(bodyOf({})).toEqual({ model: 'q', messages: [{ role: 'user', content: 'hi' }], stream: true });
    expect(bodyOf({ delivery: 'whole' }).stream).toBe(false);
  });

  it('[SG-030] tools in the nested form; none offered is how no call is asked for', () => {
    expect(bodyOf({ tools: [tool], toolChoice: 'auto', options: { parallelToolCalls: true } })).toEqual({
      model: 'q',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      tools: [{ type: 'function', function: { name: 'find_berth', description: 'Finds a berth.', parameters: tool.jsonSchema } }],
    });
    expect(bodyOf({ tools: [tool], toolChoice: 'none' })).not.toHaveProperty('tools');
    expect(bodyOf({ toolChoice: 'required' })).not.toHaveProperty('tools');
  });

  it('[SG-030] the format is the schema itself, or the word; beside it thinking is off unless it is asked for', () => {
    expect(bodyOf({ responseFormat: jsonSchema })).toMatchObject({ format: schema, think: false });
    expect(bodyOf({ responseFormat: { type: 'json_object' } })).toMatchObject({ format: 'json', think: false });
    expect(bodyOf({ responseFormat: jsonSchema }, { schemaFormat: 'unsupported' })).not.toHaveProperty('format');
    expect(bodyOf({ responseFormat: { type: 'json_object' } }, { jsonObjectFormat: false })).not.toHaveProperty('format');
    expect(bodyOf({ responseFormat: jsonSchema, thinking: { mode: 'adaptive' } }).think).toBe(true);
    expect(bodyOf({ responseFormat: jsonSchema, options: { reasoningEffort: 'low' } }).think).toBe('low');
    for (const unasked of [{ thinking: 'none' }, { alwaysThinks: true }] as const)
      expect(bodyOf({ responseFormat: jsonSchema, facts: unasked })).not.toHaveProperty('think');
    expect(bodyOf({ responseFormat: jsonSchema }, { effortField: 'none' })).not.toHaveProperty('think');
  });

  it('[SG-030] sampling, limits, a seed and stop sequences share one object', () => {
    const options = { maxOutputTokens: 40, temperature: 0.5, topP: 0.9, seed: 7, stopSequences: ['x', 'y'] };
    expect(bodyOf({ options }).options).toEqual({ num_predict: 40, temperature: 0.5, top_p: 0.9, seed: 7, stop: ['x', 'y'] });
    expect(bodyOf({ options: { stopSequences: [] } })).not.toHaveProperty('options');
  });

  it('[SG-030] [TH-006] thinking in each of its modes, and the efforts that have a word', () => {
    expect(bodyOf({ thinking: { mode: 'adaptive' } }).think).toBe(true);
    expect(bodyOf({ thinking: { mode: 'adaptive', effort: 'high' } }).think).toBe('high');
    expect(bodyOf({ thinking: { mode: 'off' } }).think).toBe(false);
    expect(bodyOf({ options: { reasoningEffort: 'none' } }).think).toBe(false);
    expect(bodyOf({ options: { reasoningEffort: 'max' } }).think).toBe('max');
    expect(bodyOf({})).not.toHaveProperty('think');
    const budget = refusal({ thinking: { mode: 'budget', budget: 1000 } });
    expect(budget).toBeInstanceOf(UnsupportedThinkingError);
    expect(budget).toMatchObject({ reason: 'budget', provider: 'p', model: 'q' });
  });

  it('[SG-030] refuses before sending what the wire or the model does not have, and names it', () => {
    const cases: readonly (readonly [string, Partial<ProviderRequest>])[] = [
      ['toolChoice', { tools: [tool], toolChoice: 'required' }],
      ['toolChoice', { tools: [tool], toolChoice: { name: 'find_berth' } }],
      ['parallelToolCalls', { tools: [tool], options: { parallelToolCalls: false } }],
      ['temperature', { options: { temperature: 1 }, facts: { samplingParameters: 'no' } }],
      ['topP', { options: { topP: 1 }, facts: { samplingParameters: 'no' } }],
      ['"xhigh"', { options: { reasoningEffort: 'xhigh' } }],
      ['"minimal"', { thinking: { mode: 'adaptive', effort: 'minimal' } }],
      ['"max"', { options: { reasoningEffort: 'max' }, facts: { reasoningEfforts: ['low', 'high'] } }],
      ['no effort', { options: { reasoningEffort: 'low' }, facts: { reasoningEfforts: [] } }],
      ['thinking: false', { thinking: { mode: 'off' }, facts: { alwaysThinks: true } }],
      ['differ', { thinking: { mode: 'adaptive', effort: 'low' }, options: { reasoningEffort: 'high' } }],
    ];
    for (const [said, request] of cases) {
      const error = refusal(request);
      expect([said, error]).toEqual([said, expect.any(SignalError)]);
      expect((error as SignalError).message).toContain(said);
    }
    expect(refusal({ options: { reasoningEffort: 'low' } }, { effortField: 'none' })).toBeInstanceOf(SignalError);
    expect(refusal({ toolChoice: 'required', options: { parallelToolCalls: false } })).toBeUndefined();
  });

  it('[SG-030] fields of the dialect under the own ones, of the caller beside them; a clash is refused, inside the options too', () => {
    const body = { model: 'other', keep_alive: '5m', options: { num_ctx: 8_192, seed: 1 } };
    expect(bodyOf({ options: { seed: 2 } }, { body })).toMatchObject({
      model: 'q',
      keep_alive: '5m',
      options: { num_ctx: 8_192, seed: 2 },
    });
    const extraBody = { keep_alive: -1, options: { num_ctx: 4_096, min_p: 0.1 } };
    expect(bodyOf({ options: { seed: 2, extraBody } })).toMatchObject({ keep_alive: -1, options: { num_ctx: 4_096, min_p: 0.1, seed: 2 } });
    for (const clash of [{ model: 'x' }, { options: { seed: 3 } }, { stream: false }, { messages: [] }])
      expect(refusal({ options: { seed: 2, extraBody: clash } })).toMatchObject({ code: 'E_CONFIGURATION' });
  });
});

describe('an injected client', () => {
  const request: ProviderRequest = { model: 'q', messages: [user(text('hi'))], delivery: 'parts' };
  const line = (content: string, more: object = { done: false }) => ({ model: 'q', message: { role: 'assistant', content }, ...more });
  const adapterWith = (client: unknown) =>
    ollama(
      endpointOf(
        {
          settings: {
            fetch: globalThis.fetch,
            clock: { now: () => 0, after: () => () => undefined, sleep: async () => undefined },
            timeout: { firstByte: 1, idle: 1 },
            secrets: [],
          },
          post: async () => {
            throw new Error('the network was used');
          },
        },
        { dialect: ollamaDialect, client },
      ),
    );

  it("[SG-004] the official package's method is used, and its stream read to the mark", async () => {
    const bodies: unknown[] = [];
    let aborted = 0;
    const chat = async (body: unknown) => {
      bodies.push(body);
      return {
        abort: () => {
          aborted += 1;
        },
        async *[Symbol.asyncIterator]() {
          yield line('Pier ');
          yield line('7', { done: true, done_reason: 'stop' });
        },
      };
    };
    const { parts, error } = await drainAdapter(adapterWith({ chat }), request);
    expect(error).toBeUndefined();
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : []))).toEqual(['Pier ', '7']);
    expect(bodies).toMatchObject([{ model: 'q', stream: true }]);
    expect(aborted).toBe(1);
  });

  it('[SG-035] [SG-037] its errors are faults like those of an answer, and an abort ends its stream', async () => {
    const failed = Object.assign(new Error("model 'q' not found"), {
      name: 'ResponseError',
      error: "model 'q' not found",
      status_code: 404,
    });
    const missing = await drainAdapter(adapterWith({ chat: async () => Promise.reject(failed) }), request);
    expect(missing.error).toMatchObject({ fault: { cause: 'config', status: 404, message: "model 'q' not found" } });
    let stopped = false;
    const controller = new AbortController();
    const reason = new Error('enough');
    const chat = async () => ({
      abort: () => {
        stopped = true;
      },
      async *[Symbol.asyncIterator]() {
        yield line('Pier');
        controller.abort(reason);
        await new Promise(() => undefined);
      },
    });
    const cut = await drainAdapter(adapterWith({ chat }), request, controller.signal);
    expect([cut.error, stopped]).toEqual([reason, true]);
    expect(() => adapterWith({})).toThrow(SignalError);
  });

  it("[SG-035] an error in its stream is the server's, and its end without a mark a cut answer", async () => {
    const ending = (error: Error) => async () => ({
      abort: () => undefined,
      async *[Symbol.asyncIterator]() {
        yield line('Pier');
        throw error;
      },
    });
    const crashed = await drainAdapter(
      adapterWith({ chat: ending(new Error('an error was encountered while running the model: CUDA error')) }),
      request,
    );
    expect(crashed.error).toMatchObject({ fault: { cause: 'overloaded', retryable: true } });
    const cut = await drainAdapter(
      adapterWith({ chat: ending(new Error('Did not receive done or success response in stream.')) }),
      request,
    );
    expect(cut.error).toBeUndefined();
    expect(cut.parts.at(-1)).toEqual({ type: 'call-metadata', model: 'q' });
  });
});
