import {
  type JsonObject,
  type MessagePart,
  type SignalOptions,
  sequentialIds,
  systemClock,
  UnsupportedThinkingError,
} from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../src/adapters/adapter.ts';
import { messagesBody } from '../src/adapters/anthropic-messages/request.ts';
import { anthropicMessages } from '../src/adapters/anthropic-messages.ts';
import { createSignal } from '../src/index.ts';
import { createHttp } from '../src/net/http.ts';
import { modelRow } from '../src/registry/join.ts';
import { modelRows } from '../src/registry/models.ts';
import { messagesDialect } from '../src/registry.ts';
import { drain } from './support/clients.ts';
import {
  type Block,
  call,
  deliveries,
  findBerth,
  hidden,
  messagesClient,
  messagesServer,
  said,
  storedRun,
  thought,
} from './support/messages-wire.ts';

const thrown = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    await act();
  } catch (error) {
    return error;
  }
  return undefined;
};

const budgetModel = 'claude-haiku-4-5';
const adaptiveModel = 'claude-opus-4-8';
const answer = [said('Pier 7.')];

describe.each(deliveries)('asking for thinking: %s', (way) => {
  it('[fp-H] [TH-006] asked for, the field is sent; not asked for, there is none', async () => {
    const server = messagesServer(answer);
    await storedRun(messagesClient(server, budgetModel, { thinking: { budget: 2_048 } }), way);
    await storedRun(messagesClient(server, adaptiveModel, { thinking: {} }), way);
    await storedRun(messagesClient(server, budgetModel), way);
    await storedRun(messagesClient(server, adaptiveModel), way);
    const [budget, adaptive, ...silent] = server.bodies;
    expect(budget?.thinking).toEqual({ type: 'enabled', budget_tokens: 2_048, display: 'summarized' });
    expect(adaptive?.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(silent).toHaveLength(2);
    for (const body of silent) expect(body).not.toHaveProperty('thinking');
    expect(server.bodies.every(({ stream }) => stream === (way === 'stream'))).toBe(true);
  });

  it('[fp-H] [TH-006] every call of a run of several carries it, and none of a run that did not ask', async () => {
    for (const options of [{ thinking: { budget: 2_048 } }, {}] as const) {
      const server = messagesServer(
        ...['a', 'b', 'c'].map((id) => [...('thinking' in options ? [thought('Hm.', id)] : []), call(id)]),
        answer,
      );
      await storedRun(messagesClient(server, budgetModel, options).tools([findBerth]), way);
      expect(server.bodies).toHaveLength(4);
      const fields = server.bodies.map(({ thinking }) => thinking);
      const asked = { type: 'enabled', budget_tokens: 2_048, display: 'summarized' };
      expect(fields).toEqual(Array(4).fill('thinking' in options ? asked : undefined));
    }
  });

  it('[fp-H] [TH-016] a budget that is no positive number of tokens is refused before anything is sent', async () => {
    const server = messagesServer(answer);
    for (const budget of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = await thrown(() => storedRun(messagesClient(server, budgetModel).options({ thinking: { budget } }), way));
      expect(error, String(budget)).toMatchObject({ code: 'E_CONFIGURATION', message: expect.stringContaining('thinking.budget') });
    }
    expect(server.bodies).toHaveLength(0);
  });

  it('[fp-H] [TH-006] any budget is sent as it is, to the token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1_024, max: 63_999 }), async (budget) => {
        const server = messagesServer(answer);
        await storedRun(messagesClient(server, budgetModel, { thinking: { budget } }), way);
        expect(server.bodies[0]?.thinking).toMatchObject({ type: 'enabled', budget_tokens: budget });
      }),
      { numRuns: 20 },
    );
  });

  it('[fp-H] asking changes nothing else: not the system text, nor the messages, nor the tools', async () => {
    for (const [model, thinking] of [
      [budgetModel, { budget: 2_048 }],
      [adaptiveModel, { budget: 2_048 }],
    ] as const) {
      const server = messagesServer([said('Looking.'), call('a')], answer);
      const client = (options: SignalOptions) => messagesClient(server, model, options).systemPrompt('Be short.').tools([findBerth]);
      await client({}).step({ messages: [{ role: 'user', content: 'Where?' }], tools: [{ ...findBerth, jsonSchema: { type: 'object' } }] });
      await client({ thinking }).step({
        messages: [{ role: 'user', content: 'Where?' }],
        tools: [{ ...findBerth, jsonSchema: { type: 'object' } }],
      });
      await storedRun(client({}), way);
      await storedRun(client({ thinking }), way);
      const [without, withIt, plainRun, thinkingRun] = server.bodies.map(({ thinking: _asked, ...rest }) => rest);
      expect(withIt).toEqual(without);
      expect(thinkingRun).toEqual(plainRun);
      expect(plainRun).toMatchObject({ system: 'Be short.', tools: [{ name: 'find_berth' }] });
    }
  });

  it('[fp-H] [TH-002] asked for, received, and sent back with its signature', async () => {
    const signature = 'EqQBCgIYAhIM+/=é🚀 \n';
    const server = messagesServer([thought('Tide is low.', signature), call('a')], answer);
    await storedRun(messagesClient(server, budgetModel, { thinking: { budget: 2_048 } }).tools([findBerth]), way);
    const [first, second] = server.bodies;
    expect(first?.thinking).toMatchObject({ budget_tokens: 2_048 });
    expect(second?.messages[1]).toEqual({ role: 'assistant', content: [thought('Tide is low.', signature), call('a')] });
  });
});

const author = { origin: { kind: 'model', provider: 'p', model: 'm' }, trust: 'user' } as const;
const bodyOf = (request: Partial<ProviderRequest>) =>
  messagesBody({ model: 'm', messages: [], delivery: 'whole', ...request }, { provider: 'p', dialect: messagesDialect });
/** What an assistant message of these parts becomes. */
const written = (...parts: readonly MessagePart[]) => {
  const { body, withheld } = bodyOf({ messages: [{ role: 'assistant', parts }] });
  const [message] = body.messages as unknown as readonly { readonly content: readonly Block[] }[];
  return { content: message?.content, withheld };
};
const thinkingPart = (block: Extract<MessagePart, { type: 'thinking' }>['block'], id = 'k'): MessagePart => ({
  ...author,
  id,
  type: 'thinking',
  block,
});

describe('what the history holds becomes blocks of the wire', () => {
  it('[fp-I] a block with its signature; a redacted one as its data, without text', () => {
    const signed = thinkingPart({ type: 'thinking', content: 'Low.', signature: 'c2ln' });
    const redacted = thinkingPart({ type: 'redacted_thinking', content: '', signature: 'b3Bh' }, 'r');
    expect(written(signed, redacted)).toEqual({
      content: [thought('Low.', 'c2ln'), { type: 'redacted_thinking', data: 'b3Bh' }],
      withheld: [],
    });
  });

  it('[fp-I] [TH-014] a block that nobody signed gets no signature: it stays out, which the service would refuse', () => {
    const unsigned = thinkingPart({ type: 'thinking', content: 'Low.' });
    const text: MessagePart = { ...author, id: 't', type: 'text', text: 'Pier 7.' };
    expect(written(unsigned, text).content).toEqual([said('Pier 7.')]);
  });

  it('[fp-I] [TH-013] thinking, thinking, text, call: in this order, and in any other that the response had', () => {
    const parts = [
      thinkingPart({ type: 'thinking', content: 'One.', signature: 'a' }),
      thinkingPart({ type: 'thinking', content: 'Two.', signature: 'b' }, 'l'),
      { ...author, id: 't', type: 'text', text: 'Looking.' },
      { ...author, id: 'c', type: 'tool-call', callId: 'toolu_1', name: 'find_berth', arguments: '{"pier":7}' },
    ] as const satisfies readonly MessagePart[];
    const blocks = [thought('One.', 'a'), thought('Two.', 'b'), said('Looking.'), call('toolu_1')];
    expect(written(...parts).content).toEqual(blocks);
    expect(written(...parts.toReversed()).content).toEqual(blocks.toReversed());
  });

  it('[fp-I] in bulk: ten times the blocks are ten times the work', () => {
    const readsOf = (count: number): number => {
      let reads = 0;
      const parts = Array.from({ length: count }, (_, at): MessagePart => {
        const data = thought('Low.', `s${at}`);
        const carry = [{ owner: { kind: 'item', id: `b${at}` }, shape: 'messages-block', provider: 'p', model: 'm', data }] as const;
        const part = thinkingPart({ type: 'thinking', content: 'Low.' }, `k${at}`);
        return new Proxy(
          { ...part, carry },
          {
            get(target, name, receiver) {
              reads += 1;
              return Reflect.get(target, name, receiver) as unknown;
            },
          },
        );
      });
      expect(written(...parts).content).toHaveLength(count);
      return reads;
    };
    const few = readsOf(300);
    expect(few).toBeGreaterThan(300);
    expect(readsOf(3_000)).toBeLessThanOrEqual(few * 10);
  });
});

describe.each(deliveries)('a response becomes history: %s', (way) => {
  const historyOf = async (content: readonly Block[]) => {
    const server = messagesServer(content);
    const history = await storedRun(messagesClient(server, adaptiveModel, { thinking: {} }), way);
    const parts = history.at(-1)?.parts ?? [];
    return { parts, carries: parts.flatMap(({ carry = [] }) => carry.map(({ data }) => data)) };
  };

  it('[fp-I] [TH-014] with thinking, the blocks are carried whole; without, nothing is', async () => {
    const thinking = [thought('Low.', 'a'), hidden('b'), thought('', 'c')];
    const { parts, carries } = await historyOf([...thinking, ...answer]);
    expect(carries).toEqual(thinking);
    expect(parts.flatMap((part) => (part.type === 'thinking' ? [part.block] : []))).toEqual([
      { type: 'thinking', content: 'Low.', signature: 'a' },
      { type: 'redacted_thinking', content: '', signature: 'b' },
      { type: 'thinking', content: '', signature: 'c' },
    ]);
    expect(await historyOf(answer)).toMatchObject({ parts: [{ type: 'text', text: 'Pier 7.' }], carries: [] });
  });

  it('[fp-I] [TH-002] as many blocks as came, with any signature, exact', async () => {
    const tricky = ['+/=', ' a ', 'é🚀', '\n\t', '"\\', '\u2028', 'c2ln'.repeat(500)];
    for (const count of [1, 3, 7]) {
      const blocks = tricky.slice(0, count).map((signature, at) => (at % 3 === 2 ? hidden(signature) : thought(`${at}`, signature)));
      expect((await historyOf([...blocks, ...answer])).carries).toEqual(blocks);
    }
  });

  it('[fp-I] [TH-014] out of the history and into the next turn: the same blocks in their places', async () => {
    const turn = [thought('Low.', 'a'), hidden('b'), said('Looking.'), call('toolu_1')];
    const last = [thought('', 'c'), said('Pier 7.')];
    const server = messagesServer(turn, last, answer);
    const client = messagesClient(server, adaptiveModel, { thinking: {} }).tools([findBerth]);
    const history = await storedRun(client, way);
    await storedRun(client.history(history), way, 'Sure?');
    const contents = server.bodies.at(-1)?.messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    expect(contents).toEqual([turn, last]);
  });
});

const messagesRows = modelRows.filter(({ id }) => id.startsWith('anthropic/'));
const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1);
const allModels = messagesRows.map((row) => [nameOf(row.id), row] as const);

describe('each model as its row has it', () => {
  it('[fp-J] [TH-006] [TH-022] the mode of each id', () => {
    const withMode = (mode: string) =>
      messagesRows
        .filter(({ thinking }) => thinking === mode)
        .map(({ id }) => nameOf(id))
        .sort();
    expect({ adaptive: withMode('adaptive'), budget: withMode('budget'), none: withMode('none') }).toEqual({
      adaptive: [
        'claude-fable-5',
        'claude-fable-5-1',
        'claude-fable-5-2',
        'claude-haiku-5-5',
        'claude-mythos-5',
        'claude-mythos-5-1',
        'claude-mythos-preview',
        'claude-opus-4-6',
        'claude-opus-4-7',
        'claude-opus-4-8',
        'claude-opus-5',
        'claude-opus-5-5',
        'claude-sonnet-4-6',
        'claude-sonnet-5',
        'claude-sonnet-5-5',
      ],
      budget: [
        'claude-3-7-sonnet-20250219',
        'claude-haiku-4-5',
        'claude-haiku-4-5-20251001',
        'claude-opus-4-0',
        'claude-opus-4-1',
        'claude-opus-4-1-20250805',
        'claude-opus-4-20250514',
        'claude-opus-4-5',
        'claude-opus-4-5-20251101',
        'claude-sonnet-4-0',
        'claude-sonnet-4-20250514',
        'claude-sonnet-4-5',
        'claude-sonnet-4-5-20250929',
      ],
      none: ['claude-3-5-haiku-20241022', 'claude-3-5-sonnet-20241022', 'claude-3-haiku-20240307'],
    });
    expect(messagesRows.filter(({ thinking }) => thinking === undefined)).toEqual([]);
  });

  it.each(allModels)('[fp-J] [TH-006] on the wire, whole and streamed: %s', async (model, row) => {
    for (const way of deliveries) {
      const server = messagesServer(answer);
      const error = await thrown(() => storedRun(messagesClient(server, model, { thinking: { budget: 2_048 } }), way));
      if (row.thinking === 'none') {
        expect(error).toMatchObject({
          name: 'UnsupportedThinkingError',
          provider: 'anthropic',
          model,
          reason: 'no-thinking',
          retryable: false,
        });
        expect(server.bodies).toHaveLength(0);
        continue;
      }
      expect(error).toBeUndefined();
      const display = 'summarized';
      const asked = row.thinking === 'budget' ? { type: 'enabled', budget_tokens: 2_048, display } : { type: 'adaptive', display };
      expect(server.bodies.map(({ thinking }) => thinking)).toEqual([asked]);
      expect(JSON.stringify(server.bodies[0]).includes('budget_tokens')).toBe(row.thinking === 'budget');
    }
  });

  it('[fp-J] [TH-006] a model that thinks by itself is not told to unless it was asked for', async () => {
    const server = messagesServer(answer);
    for (const [model] of allModels) await storedRun(messagesClient(server, model), 'whole');
    expect(server.bodies).toHaveLength(allModels.length);
    for (const body of server.bodies) expect(body).not.toHaveProperty('thinking');
  });

  it('[fp-J] [TH-022] an id without a row has no mode, however it is decorated, until it is said', async () => {
    const decorations = (name: string) => [
      `us.anthropic.${name}-v1:0`,
      `${name}@20261001`,
      `${name}[1m]`,
      `${name}-latest`,
      name.toUpperCase(),
      `${name}-9`,
    ];
    const ids = [...['claude-opus-5-5', 'claude-haiku-4-5'].flatMap(decorations), 'claude-opus-4-9', 'claude-next', 'gpt-4o'];
    const server = messagesServer(answer);
    for (const id of ids) {
      expect(modelRow('anthropic', id), id).toBeUndefined();
      const error = await thrown(() => storedRun(messagesClient(server, id, { thinking: { budget: 2_048 } }), 'whole'));
      expect(error, id).toMatchObject({ name: 'UnsupportedThinkingError', model: id, reason: 'no-thinking' });
    }
    expect(server.bodies).toHaveLength(0);
    for (const mode of ['adaptive', 'budget'] as const)
      await storedRun(messagesClient(server, 'claude-next', { thinking: { budget: 2_048, mode } }), 'whole');
    expect(server.bodies.map(({ thinking }) => (thinking as JsonObject).type)).toEqual(['adaptive', 'enabled']);
  });

  it('[fp-J] the model of the row stands in where none was named, before its mode is looked up', async () => {
    const server = messagesServer(answer);
    const client = createSignal('anthropic', { apiKey: 'k', fetch: server.fetch, options: { thinking: { budget: 2_048 } } });
    await storedRun(client, 'whole');
    expect(server.bodies[0]).toMatchObject({ model: 'claude-sonnet-5', thinking: { type: 'adaptive' } });
  });

  it('[fp-J] [TH-006] a gateway with the model in its address has the same rule, and no model in the body', async () => {
    const server = messagesServer(answer);
    const forever = Number.POSITIVE_INFINITY;
    const http = createHttp({ fetch: server.fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [] });
    const dialect = { ...messagesDialect, path: '/models/{model}:rawPredict' };
    const gateway = anthropicMessages({ provider: 'gate', baseUrl: 'https://gate.test', dialect, http, ids: sequentialIds() });
    const request = { model: 'claude-haiku-4-5', messages: [], delivery: 'whole', thinking: { mode: 'budget', budget: 2_048 } } as const;
    await drain(gateway.send(request, { signal: new AbortController().signal }));
    expect(server.urls).toEqual(['https://gate.test/models/claude-haiku-4-5:rawPredict']);
    expect(server.bodies[0]).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2_048 } });
    expect(server.bodies[0]).not.toHaveProperty('model');
    const refused = await thrown(() =>
      drain(gateway.send({ ...request, thinking: { mode: 'budget', budget: 1_023 } }, { signal: new AbortController().signal })),
    );
    expect(refused).toMatchObject({ name: 'UnsupportedThinkingError', provider: 'gate', reason: 'budget' });
    expect(server.bodies).toHaveLength(1);
  });
});

describe('what a model refuses is refused before it is sent', () => {
  const tools = [{ name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object' } }] as const;

  interface Asked {
    readonly model?: string;
    readonly options: SignalOptions;
    readonly toolChoice?: 'required' | { readonly name: string };
    readonly withTools?: boolean;
  }

  /** The reason of the refusal with which nothing was sent, or the body. */
  async function ask({ model = budgetModel, options, toolChoice, withTools = false }: Asked): Promise<unknown> {
    const server = messagesServer(answer);
    const error = await thrown(() =>
      messagesClient(server, model).step({
        messages: [{ role: 'user', content: 'Where?' }],
        options: { network: { retries: 5 }, ...options },
        ...(withTools ? { tools } : {}),
        ...(toolChoice === undefined ? {} : { toolChoice }),
      }),
    );
    if (error === undefined) return server.bodies[0];
    // Not once, whatever retries there were.
    expect(server.bodies).toHaveLength(0);
    return error instanceof UnsupportedThinkingError ? error.reason : (error as { code?: unknown }).code;
  }

  it('[fp-J] [TH-016] the least budget is 1 024 whole tokens; a model that needs none takes any', async () => {
    for (const budget of [500, 1_023]) expect(await ask({ options: { thinking: { budget } } }), String(budget)).toBe('budget');
    // No number of tokens at all: a mistake on every model.
    expect(await ask({ options: { thinking: { budget: 1_500.5 } } })).toBe('E_CONFIGURATION');
    expect(() => bodyOf({ thinking: { mode: 'budget', budget: 1_500.5 } })).toThrow(UnsupportedThinkingError);
    expect(await ask({ options: { thinking: { budget: 1_024 } } })).toMatchObject({ thinking: { budget_tokens: 1_024 } });
    expect(await ask({ model: adaptiveModel, options: { thinking: { budget: 500 } } })).toMatchObject({ thinking: { type: 'adaptive' } });
  });

  it('[fp-J] [TH-016] the output limit has room for the budget: one that has none is refused and not raised, one that has is kept', async () => {
    const thinking = { budget: 8_000 };
    for (const maxOutputTokens of [4_096, 8_000]) expect(await ask({ options: { thinking, maxOutputTokens } })).toBe('budget');
    expect(await ask({ options: { thinking, maxOutputTokens: 20_000 } })).toMatchObject({ max_tokens: 20_000 });
    expect(await ask({ options: { thinking } })).toMatchObject({ max_tokens: 64_000 });
    // Without a limit of the caller's or the model's, the budget is added to the default.
    const unknown = { thinking: { ...thinking, mode: 'budget' } } as const;
    expect(await ask({ model: 'claude-next', options: unknown })).toMatchObject({ max_tokens: 8_000 + 8_192 });
    // A model without a budget has a limit of its own.
    expect(await ask({ model: adaptiveModel, options: { thinking, maxOutputTokens: 4_096 } })).toMatchObject({ max_tokens: 4_096 });
  });

  it('[fp-J] [TH-016] a temperature other than 1 beside thinking, in both modes', async () => {
    const thinking = { budget: 2_048 };
    for (const model of [budgetModel, 'claude-opus-4-6']) {
      expect(await ask({ model, options: { thinking, temperature: 0.2 } }), model).toBe('temperature');
      expect(await ask({ model, options: { thinking, temperature: 1 } }), model).toMatchObject({ temperature: 1 });
    }
  });

  it('[fp-J] [TH-016] a forced call: within a budget refused, beside a model’s own thinking sent, without tools not looked at', async () => {
    const options = { thinking: { budget: 2_048 } };
    for (const toolChoice of ['required', { name: 'find_berth' }] as const) {
      expect(await ask({ options, toolChoice, withTools: true })).toBe('forced-tool-choice');
      const sent = await ask({ model: adaptiveModel, options, toolChoice, withTools: true });
      expect(sent).toMatchObject({ thinking: { type: 'adaptive' }, tool_choice: { type: toolChoice === 'required' ? 'any' : 'tool' } });
    }
    const bare = await ask({ options, toolChoice: 'required' });
    expect(bare).toMatchObject({ thinking: { budget_tokens: 2_048 } });
    expect(bare).not.toHaveProperty('tool_choice');
    // A row may say one thing and the caller another: the older way is still taken.
    const told = { thinking: { budget: 2_048, mode: 'budget' } } as const;
    expect(await ask({ model: 'claude-opus-4-6', options: told, toolChoice: 'required', withTools: true })).toBe('forced-tool-choice');
    expect(await ask({ model: 'claude-opus-4-6', options, toolChoice: 'required', withTools: true })).toMatchObject({
      tool_choice: { type: 'any' },
    });
  });

  it('[fp-L] a forced call is refused by five models, whether they were asked to think or not', async () => {
    const refusing = messagesRows.filter(({ forcedToolChoice }) => forcedToolChoice === 'no').map(({ id }) => nameOf(id));
    expect(refusing.sort()).toEqual(['claude-fable-5-1', 'claude-fable-5-2', 'claude-mythos-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5']);
    for (const model of refusing)
      for (const options of [{}, { thinking: {} }])
        for (const toolChoice of ['required', { name: 'find_berth' }] as const)
          expect(await ask({ model, options, toolChoice, withTools: true }), model).toBe('E_CONFIGURATION');
    const bare = await ask({ model: 'claude-opus-5-5', options: {}, toolChoice: 'required' });
    expect(bare).toMatchObject({ model: 'claude-opus-5-5' });
    expect(bare).not.toHaveProperty('tool_choice');
  });

  it('[fp-J] [TH-016] the refusal names provider and model, and shows no key', async () => {
    const server = messagesServer(answer);
    const error = await thrown(() => messagesClient(server, 'claude-3-haiku-20240307', { thinking: { budget: 2_048 } }).complete('Where?'));
    expect(String(error)).toContain('anthropic/claude-3-haiku-20240307');
    expect(String(error)).not.toContain('canary');
    expect(JSON.stringify(error)).not.toContain('canary');
  });
});

describe.each(deliveries)('what a model gave goes back as it came: %s', (way) => {
  it.each([
    ['an empty signed block, first', thought('', 'c2ln')],
    ['a redacted block, as its data', hidden('b3BhcXVl+/=')],
  ])('[fp-J] [TH-014] %s', async (_title, block) => {
    const turn = [block, said('Looking.'), call('a')];
    const server = messagesServer(turn, answer);
    await storedRun(messagesClient(server, budgetModel, { thinking: { budget: 2_048 } }).tools([findBerth]), way);
    expect(server.bodies[1]?.messages[1]).toEqual({ role: 'assistant', content: turn });
  });
});
