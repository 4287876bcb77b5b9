import { type EndpointDialect, type ModelPart, systemClock, type ThinkingHandler } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdapterEndpoint, ChatAdapter } from '../src/adapters/adapter.ts';
import { anthropicMessages } from '../src/adapters/anthropic-messages.ts';
import { gemini } from '../src/adapters/gemini.ts';
import { ollama } from '../src/adapters/ollama.ts';
import { openaiChat } from '../src/adapters/openai-chat.ts';
import { openaiResponses } from '../src/adapters/openai-responses.ts';
import { drainAdapter, endpointOf, openDialect } from '../src/adapters/test-support/drive.ts';
import { type Fixture, readFixturesOf } from '../src/adapters/test-support/fixtures.ts';
import { createSignal } from '../src/index.ts';
import { createHttp } from '../src/net/http.ts';
import * as thinking from '../src/reasoning/thinking.ts';
import { generateContentDialect, messagesDialect, ollamaDialect, providerRows, responsesDialect } from '../src/registry.ts';
import { createTurn, partsOf, takePart, thinkingOf } from '../src/step/assemble.ts';
import { bench, drain } from './support/clients.ts';

const { thinkingHandlerFor, AnthropicThinkingHandler, ReasoningContentThinkingHandler, ReasoningDetailsThinkingHandler } = thinking;

describe('thinkingHandlerFor', () => {
  it('[TH-012] gives the handler of the shape that the row declares, and undefined where it declares none', () => {
    const idOf = (provider: string): string | undefined =>
      thinkingHandlerFor(createSignal(provider, { model: 'm', apiKey: 'k' }).describe())?.id;
    expect(
      Object.fromEntries(
        ['anthropic', 'openai-responses', 'google', 'ollama', 'deepseek', 'groq', 'openrouter'].map((id) => [id, idOf(id)]),
      ),
    ).toEqual({
      anthropic: 'anthropic',
      'openai-responses': 'openai',
      google: 'gemini',
      ollama: 'ollama',
      deepseek: 'reasoning-content',
      groq: 'reasoning-content',
      openrouter: 'reasoning-details',
    });
    // Its chat wire shows no reasoning, and decisions have none.
    expect(idOf('openai')).toBeUndefined();
    expect(idOf('typesafe')).toBeUndefined();
  });

  it('[TH-012] every shape that a row declares has its handler, under the same id', () => {
    const shapes = new Set(providerRows.flatMap((row) => (row.kind === 'chat' ? [row.dialect.thinkingShape] : [])));
    expect(shapes.size).toBeGreaterThan(5);
    for (const thinkingShape of shapes)
      if (thinkingShape !== undefined) expect(thinkingHandlerFor({ thinkingShape })?.id).toBe(thinkingShape);
  });

  it('[TH-008] the name is not asked: a provider that is renamed or spread has its handler, and one that only has the name has none', () => {
    const described = createSignal('anthropic', { model: 'm', apiKey: 'k' }).describe();
    expect(thinkingHandlerFor({ ...described, provider: 'anthropic+retry', name: 'another' } as typeof described)).toBe(
      AnthropicThinkingHandler,
    );
    expect(thinkingHandlerFor({ provider: 'anthropic', name: 'anthropic', id: 'anthropic' } as object)).toBeUndefined();
  });

  it('[TH-008] a custom provider declares by its dialect, by its adapter, or with a handler of its own, through every builder', () => {
    const at = { baseUrl: 'https://models.example', model: 'm' } as const;
    expect(thinkingHandlerFor(createSignal(at).describe())).toBe(ReasoningContentThinkingHandler);
    expect(thinkingHandlerFor(createSignal({ ...at, adapter: 'anthropic-messages' }).describe())).toBe(AnthropicThinkingHandler);
    const dialect = { ...openDialect, thinkingShape: 'reasoning-details' } as const;
    expect(thinkingHandlerFor(createSignal({ ...at, dialect }).describe())).toBe(ReasoningDetailsThinkingHandler);
    expect(thinkingHandlerFor(createSignal({ ...at, dialect: openDialect }).describe())).toBeUndefined();
    const own: ThinkingHandler = { id: 'harbour-thoughts', normalize: () => [] };
    const client = createSignal({ ...at, dialect, thinkingHandler: own });
    expect(thinkingHandlerFor(client.model('n').options({ temperature: 1 }).describe())).toBe(own);
    const renamed = { ...client.describe(), provider: 'other' };
    expect(thinkingHandlerFor(renamed)).toBe(own);
  });

  it('refuses a declaration that is none, and says what is wrong with it', () => {
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ thinkingHandler: null }, /no object/],
      [{ thinkingHandler: { id: 'Harbour', normalize: () => [] } }, /lowercase/],
      [{ thinkingHandler: { id: '', normalize: () => [] } }, /lowercase/],
      [{ thinkingHandler: { id: 'x' } }, /normalize must be a function/],
      [{ thinkingHandler: { id: 'x', normalize: () => [], parseChunk: 7 } }, /parseChunk/],
      [{ thinkingShape: 'harbour' }, /no thinking shape "harbour". Known: .*reasoning-details/],
      [{ thinkingShape: 'constructor' }, /no thinking shape/],
    ];
    for (const [provider, message] of refused) expect(() => thinkingHandlerFor(provider)).toThrow(message);
  });

  it('[TH-022] describe() says how the model thinks, from its row; undefined for a model without one', () => {
    const modeOf = (model: string) => createSignal('anthropic', { model, apiKey: 'k' }).describe().thinking;
    expect(['claude-opus-5-5', 'claude-haiku-4-5', 'claude-opus-5-5-preview'].map(modeOf)).toEqual(['adaptive', 'budget', undefined]);
  });

  it('[TH-007] every handler: of anything at all a list and a delta, at once, and the input stays as it is', () => {
    const handlers = Object.entries(thinking).flatMap(([name, value]) =>
      name.endsWith('ThinkingHandler') ? [value as ThinkingHandler] : [],
    );
    expect(handlers).toHaveLength(7);
    const raws = fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withMap: true, withTypedArray: true });
    fc.assert(
      fc.property(raws, (raw) => {
        const given = [raw, [raw], { content: raw, output: raw, message: raw, choices: raw, parts: raw, delta: raw, candidates: raw }];
        const before = given.map((one) => fc.stringify(one));
        for (const { normalize, parseChunk } of handlers)
          for (const one of given) {
            expect(Array.isArray(normalize(one))).toBe(true);
            expect(['undefined', 'string']).toContain(typeof parseChunk?.(one)?.thinkingDelta);
          }
        expect(given.map((one) => fc.stringify(one))).toEqual(before);
      }),
    );
  });

  it('[TH-012] the entry exports every handler, with the ids of the requirement', () => {
    const ids = Object.entries(thinking).flatMap(([name, value]) =>
      name.endsWith('ThinkingHandler') ? [(value as ThinkingHandler).id] : [],
    );
    expect(ids.sort()).toEqual(['anthropic', 'gemini', 'mock', 'ollama', 'openai', 'reasoning-content', 'reasoning-details']);
  });
});

interface Wire {
  readonly wire: EndpointDialect['wire'];
  readonly dialect: EndpointDialect;
  readonly create: (endpoint: AdapterEndpoint) => ChatAdapter;
  readonly handler: ThinkingHandler;
}

const wires: readonly Wire[] = [
  { wire: 'anthropic-messages', dialect: messagesDialect, create: anthropicMessages, handler: AnthropicThinkingHandler },
  { wire: 'openai-responses', dialect: responsesDialect, create: openaiResponses, handler: thinking.OpenAIThinkingHandler },
  { wire: 'gemini', dialect: generateContentDialect, create: gemini, handler: thinking.GeminiThinkingHandler },
  { wire: 'ollama', dialect: ollamaDialect, create: ollama, handler: thinking.OllamaThinkingHandler },
  { wire: 'openai-chat', dialect: openDialect, create: openaiChat, handler: ReasoningContentThinkingHandler },
  { wire: 'openai-chat', dialect: openDialect, create: openaiChat, handler: ReasoningDetailsThinkingHandler },
];

async function sendFixture({ wire, dialect, create }: Wire, { request, body, meta }: Fixture<EndpointDialect>) {
  const fetch = async (): Promise<Response> =>
    new Response(new Blob([Uint8Array.from(body)]), { status: meta.status, headers: meta.headers });
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: 60_000, idle: 60_000 }, secrets: [] });
  const endpoint = endpointOf(http, { dialect: { ...dialect, ...meta.dialect, wire } as EndpointDialect });
  const { parts, error } = await drainAdapter(create(endpoint), { ...request, providerChunks: true });
  const ofType = <Type extends ModelPart['type']>(type: Type) =>
    parts.filter((part): part is Extract<ModelPart, { readonly type: Type }> => part.type === type);
  const turn = createTurn(() => 'c', []);
  for (const part of parts) takePart(turn, part, []);
  return {
    chunks: ofType('provider-chunk').map(({ chunk }) => chunk),
    responses: ofType('provider-response').map(({ response }) => response),
    read: thinkingOf(partsOf(turn))
      .map(({ content }) => content)
      .join(''),
    text: turn.content,
    error,
  };
}

/** The adapter reads these otherwise than they came: reasoning between tags of the answer, and deltas that a dialect says come twice. */
const otherwise = new Set(['c04-think-tags', 'c06-reasoning-twice']);
/** Their chunks do not say what the whole says: none was sent, one was another block's, or only the whole answer shows where a tag ends. */
const withoutDeltas = new Set(['openai only-completed', 'anthropic foreign-delta', 'ollama c04-think-tags']);

describe('the data of the provider, of every recorded answer', () => {
  const rows = wires.flatMap((wire) => readFixturesOf(wire.wire).map((fixture) => [wire.handler.id, fixture.name, wire, fixture] as const));

  it('[TH-012] many of them hold reasoning, of every handler', async () => {
    const seen = new Map<string, number>();
    for (const [id, , wire, fixture] of rows) {
      const { responses } = await sendFixture(wire, fixture);
      if (responses.some((response) => wire.handler.normalize(response).length > 0)) seen.set(id, (seen.get(id) ?? 0) + 1);
    }
    expect([...seen.keys()].sort()).toEqual(['anthropic', 'gemini', 'ollama', 'openai', 'reasoning-content', 'reasoning-details']);
    for (const [id, count] of seen) expect([id, count > 1]).toEqual([id, true]);
  });

  it.each(rows)(
    '[TH-021] [TH-010] [TH-012] %s, %s: chunks and whole give the thinking that the adapter read',
    async (id, name, wire, fixture) => {
      const { chunks, responses, read, error } = await sendFixture(wire, fixture);
      // What was never decoded holds nothing.
      if (responses.length === 0) expect([chunks, read]).toEqual([[], '']);
      else expect(responses).toHaveLength(1);
      const whole = wire.handler
        .normalize(responses[0])
        .map(({ content }) => content)
        .join('');
      if (fixture.request.delivery === 'whole') expect(chunks).toEqual([]);
      else if (chunks.length > 1 && !withoutDeltas.has(`${id} ${name}`)) {
        const added = chunks.map((chunk) => wire.handler.parseChunk?.(chunk)?.thinkingDelta ?? '').join('');
        expect({ added }).toEqual({ added: whole });
      }
      if (error === undefined && !otherwise.has(name)) expect({ whole }).toEqual({ whole: read });
    },
  );
});

describe('a custom handler on a custom provider', () => {
  /** Chunks of a shape that nobody here knows. */
  const thoughts = (value: unknown): readonly { readonly t: string; readonly seal?: string }[] => {
    const { choices } = (value ?? {}) as { readonly choices?: readonly { readonly delta?: object; readonly message?: object }[] };
    const place = (choices?.[0]?.delta ?? choices?.[0]?.message ?? {}) as {
      readonly harbour_thoughts?: readonly { readonly t: string; readonly seal?: string }[];
    };
    return place.harbour_thoughts ?? [];
  };
  const handler: ThinkingHandler = {
    id: 'harbour-thoughts',
    normalize: (raw) =>
      thoughts(raw).map(({ t, seal }) => ({ type: 'thinking', content: t, ...(seal === undefined ? {} : { signature: seal }) })),
    // One that gives nothing, as it may.
    parseChunk: (chunk) =>
      thoughts(chunk).length === 0
        ? undefined
        : {
            thinkingDelta: thoughts(chunk)
              .map(({ t }) => t)
              .join(''),
          },
  };
  const said = [{ t: 'Low tide.' }, { t: 'Pier 7 is free.', seal: 'c2ln =+/' }];
  const streamed = (): Response => {
    const deltas = [
      { role: 'assistant' },
      { harbour_thoughts: [said[0]] },
      { harbour_thoughts: [said[1]] },
      { content: 'Pier' },
      { content: ' 7' },
    ];
    const events = [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ];
    const text = events.map((event) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...event })}\n\n`).join('');
    return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
  };
  const whole = (): Response =>
    Response.json({
      id: 'x',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Pier 7', harbour_thoughts: said } }],
    });
  const blocks = [
    { type: 'thinking', content: 'Low tide.' },
    { type: 'thinking', content: 'Pier 7 is free.', signature: 'c2ln =+/' },
  ];
  const request = { messages: [{ role: 'user', content: 'Where?' }], providerChunks: true } as const;

  it('[TH-021] sees each decoded chunk of a stream, and the whole in the result', async () => {
    const { client } = bench([streamed], { thinkingHandler: handler });
    const declared = thinkingHandlerFor(client.describe());
    const events = await drain(client.stepStream(request));
    const deltas = events.flatMap((event) =>
      event.type === 'provider_chunk' ? [declared?.parseChunk?.(event.chunk)?.thinkingDelta ?? ''] : [],
    );
    expect(deltas).toEqual(['', 'Low tide.', 'Pier 7 is free.', '', '', '']);
    const done = events.at(-1);
    if (done?.type !== 'done') throw new Error('no done');
    expect(declared?.normalize(done.result.providerRef)).toEqual(blocks);
    expect(done.result.providerRef).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Pier 7', harbour_thoughts: said } }],
    });
    // Beside the neutral parts, which know nothing of it.
    expect(done.result).toMatchObject({ content: 'Pier 7', thinking: [] });
  });

  it('[TH-021] of a response that came whole, sees the whole alone', async () => {
    for (const verb of ['step', 'stepStream'] as const) {
      const { client } = bench([whole]);
      const events =
        verb === 'step' ? [{ type: 'done', result: await client.step(request) } as const] : await drain(client.stepStream(request));
      const done = events.at(-1);
      if (done?.type !== 'done') throw new Error('no done');
      expect(handler.normalize(done.result.providerRef)).toEqual(blocks);
      if (verb === 'step') expect(events).toHaveLength(1);
    }
  });

  it('[TH-021] [TH-018] the whole is in the result only when it is asked for, and then in no JSON, copy or part of it', async () => {
    const { client } = bench([streamed, streamed, whole, whole]);
    const { providerChunks: _asked, ...unasked } = request;
    for (const verb of ['stepStream', 'step'] as const) {
      const resultOf = async (given: typeof unasked & { readonly providerChunks?: true }) => {
        if (verb === 'step') return client.step(given);
        const done = (await drain(client.stepStream(given))).at(-1);
        if (done?.type !== 'done') throw new Error('no done');
        return done.result;
      };
      const asked = await resultOf(request);
      expect(JSON.stringify(asked.providerRef)).toContain('Low tide.');
      expect(JSON.stringify(asked)).not.toContain('Low tide.');
      expect({ ...asked }).not.toHaveProperty('providerRef');
      expect('providerRef' in (await resultOf(unasked))).toBe(false);
    }
  });

  it('[TH-018] of a call that fails, no error and no evidence holds it', async () => {
    const broken = (): Response => {
      const event = { choices: [{ index: 0, delta: { harbour_thoughts: said } }] };
      return new Response(`data: ${JSON.stringify(event)}\n\ndata: {"error":{"message":"overloaded","code":"x"}}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      });
    };
    const { client } = bench([broken, broken, broken, broken]);
    const failed = await drain(client.stepStream({ ...request, options: { network: { retries: 0 } } })).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ kind: 'provider' });
    const { failure } = failed as { readonly failure?: unknown };
    expect(JSON.stringify([failed, failure, String(failed), (failed as Error).stack])).not.toContain('Low tide.');
  });
});
