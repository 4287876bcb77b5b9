import { SignalError, type WireStrategy } from '@vouch/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { compatibleDialect, createSignal, defineTool, modelRow, providerRow, type Signal } from '../src/index.ts';
import { bench, drain } from './support/clients.ts';
import { type StubServer, stubServer } from './support/stub-server.ts';

const tool = defineTool({ name: 'clock', description: 'Tells the time.', input: z.object({}), execute: () => 'noon' });
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

beforeEach(() => {
  vi.stubEnv('GROQ_API_KEY', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('createSignal', () => {
  it('[sig-C1] [sig-C2] [sig-C3] makes a client of a row without a key, of an address, and with options', () => {
    for (const client of [
      createSignal('groq'),
      createSignal({ baseUrl: 'https://models.example/v1', apiKey: 'k', model: 'm' }),
      createSignal('groq', { apiKey: 'k', model: 'm', systemPrompt: 's', retries: 1 }),
    ]) {
      expect(client.complete).toBeTypeOf('function');
      expect(client.stream).toBeTypeOf('function');
      expect(client.model).toBeTypeOf('function');
    }
  });

  it('[sig-C7] [def-B25] an unknown provider fails at construction and names the nearest one', () => {
    const error = thrownBy(() => createSignal('opnai'));
    expect(error).toBeInstanceOf(SignalError);
    expect(error).toMatchObject({ code: 'E_PROVIDER_NOT_FOUND', kind: 'configuration', message: expect.stringContaining('openai') });
  });

  it('[SG-003] an unknown strategy fails at construction, on the provider and in the builder', () => {
    const base = { baseUrl: 'https://models.example/v1', model: 'm' };
    expect(thrownBy(() => createSignal({ ...base, wire: ['no-such'] }))).toMatchObject({ code: 'E_UNKNOWN_STRATEGY' });
    expect(thrownBy(() => createSignal(base).strategies(['no-such']))).toMatchObject({ code: 'E_UNKNOWN_STRATEGY' });
  });

  it('[sig-C8] a missing key fails the first verb, before any request', async () => {
    const server = stubServer({ content: 'x' });
    await expect(createSignal('groq', { fetch: server.fetch }).complete('Hi.')).rejects.toMatchObject({
      code: 'E_MISSING_API_KEY',
      message: expect.stringContaining('GROQ_API_KEY'),
    });
    await expect(createSignal('groq', { fetch: server.fetch }).complete('Hi.')).rejects.toThrow('Missing API key');
    expect(server.requests).toHaveLength(0);
  });

  it('[sig-C9] a missing model fails the first verb, before any request', async () => {
    const server = stubServer({ content: 'x' });
    const client = createSignal({ baseUrl: 'https://models.example/v1', fetch: server.fetch });
    await expect(client.complete('Hi.')).rejects.toThrow('Missing model');
    await expect(client.tryComplete('Hi.')).rejects.toMatchObject({ code: 'E_MISSING_MODEL' });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['retries below 0', { retries: -1 }],
    ['two tools of one name', { tools: [tool, tool] }],
    ['a schema that is none', { schema: 5 as never }],
  ])('%s fails at construction', (_title, options) => {
    expect(thrownBy(() => createSignal('groq', options))).toMatchObject({ kind: 'configuration' });
  });

  it.each([
    [{ temperature: 0 }, 'options.temperature'],
    [{ systemprompt: 's' }, 'systemPrompt'],
    [{ maxTurns: 0 }, 'maxTurns'],
    [{ maxTurns: 1_001 }, 'maxTurns'],
    [{ maxTurns: '3' }, '"3"'],
    [{ tools: {} }, 'tools must be an array'],
    [{ apiKey: 7 }, 'apiKey must be a text'],
    [{ fetch: 'x' }, 'fetch must be a function'],
    [{ forceTool: 1 }, 'forceTool must be true or false'],
    [{ options: { timeout: 3000 } }, 'timeout must be'],
    [null, 'options must be an object'],
  ])('[SG-005] the option %j is refused at construction, by name', (options, named) => {
    expect(thrownBy(() => createSignal('groq', options as never))).toMatchObject({
      code: 'E_CONFIGURATION',
      message: expect.stringContaining(named),
    });
  });

  it("[SG-005] a misspelt field of a custom provider is refused, and a key's value is not shown", () => {
    const error = thrownBy(() => createSignal({ baseUrl: 'https://models.example/v1', apikey: 'sk-canary' } as never));
    expect(error).toMatchObject({ code: 'E_CONFIGURATION', message: expect.stringContaining('Did you mean apiKey?') });
    expect(String(error)).not.toContain('canary');
  });

  it('[SG-005] a time limit that is no object is refused by the builder and by a step', async () => {
    const { client, server } = bench([{ content: 'x' }]);
    expect(thrownBy(() => client.options({ timeout: 3000 as never }))).toMatchObject({ code: 'E_CONFIGURATION' });
    const request = { messages: [{ role: 'user', content: 'Hi.' }], options: { timeout: 3000 as never } } as const;
    await expect(client.step(request)).rejects.toMatchObject({ code: 'E_CONFIGURATION', message: expect.stringContaining('timeout') });
    expect(server.requests).toHaveLength(0);
  });

  it.each([[undefined], [null], [42], [[]], [{}], [{ model: 'm' }], [{ baseUrl: '' }], [{ baseUrl: 7, model: 'm' }]])(
    '[SG-005] %j is no provider, and the error says what one is',
    (provider) => {
      expect(thrownBy(() => createSignal(provider as never))).toMatchObject({
        code: 'E_CONFIGURATION',
        kind: 'configuration',
        message: expect.stringContaining('{ baseUrl, model }'),
      });
    },
  );

  it("[SG-005] a row's address and fetch can be replaced", async () => {
    const server = stubServer({ content: 'x' });
    await createSignal('groq', { apiKey: 'k-1234', baseUrl: 'https://proxy.example/groq', fetch: server.fetch }).complete('Hi.');
    expect(server.requests[0]).toMatchObject({
      url: 'https://proxy.example/groq/chat/completions',
      headers: { authorization: 'Bearer k-1234' },
      body: { model: 'qwen/qwen3.8-27b' },
    });
  });

  it("[SG-005] a custom provider takes a dialect as a record or from a row, with that row's strategies", async () => {
    const rejection = { status: 400, body: { error: { code: 'tool_use_failed', failed_generation: '{"a":1}' } } };
    const server = stubServer(rejection);
    const base = { baseUrl: 'https://models.example/v1', model: 'm', fetch: server.fetch };
    const taken = await createSignal({ ...base, dialect: 'groq' })
      .schema(z.object({ a: z.number() }))
      .tryComplete('Hi.');
    expect(taken).toMatchObject({ ok: true, response: { a: 1 } });
    const dialect = { ...compatibleDialect, auth: 'api-key-header', path: '/chat' } as const;
    await createSignal({ ...base, apiKey: 'k-1234', dialect }).tryComplete('Hi.');
    expect(server.requests.at(-1)).toMatchObject({ url: 'https://models.example/v1/chat', headers: { 'api-key': 'k-1234' } });
    expect(thrownBy(() => createSignal({ ...base, dialect: 'nobody' }))).toMatchObject({ code: 'E_PROVIDER_NOT_FOUND' });
  });
});

describe('what a custom provider states and the client too', () => {
  const custom = (server: ReturnType<typeof stubServer>) =>
    ({ baseUrl: 'https://own.example/v1', apiKey: 'k-own', model: 'm-own', fetch: server.fetch }) as const;
  const sent = async (make: (provider: ReturnType<typeof custom>) => Signal<string>): Promise<StubServer['requests'][number]> => {
    const server = stubServer({ content: 'x' });
    await make(custom(server)).complete('Hi.');
    const [request] = server.requests;
    if (request === undefined) throw new Error('nothing was sent');
    return request;
  };

  it("[SG-005] goes by the client's: key and model, by option and by builder, and by builder over option", async () => {
    const own = await sent((provider) => createSignal(provider));
    expect(own).toMatchObject({
      url: 'https://own.example/v1/chat/completions',
      headers: { authorization: 'Bearer k-own' },
      body: { model: 'm-own' },
    });
    const options = { apiKey: 'k-option', model: 'm-option' };
    expect(await sent((provider) => createSignal(provider, options))).toMatchObject({
      headers: { authorization: 'Bearer k-option' },
      body: { model: 'm-option' },
    });
    expect(await sent((provider) => createSignal(provider, options).apiKey('k-built').model('m-built'))).toMatchObject({
      headers: { authorization: 'Bearer k-built' },
      body: { model: 'm-built' },
    });
  });

  it('[SG-005] and so do address and fetch, in describe() too', async () => {
    const other = stubServer({ content: 'x' });
    const unused = stubServer({ content: 'x' });
    const client = createSignal(custom(unused), { baseUrl: 'https://other.example/v1', fetch: other.fetch });
    await client.complete('Hi.');
    expect(other.requests[0]).toMatchObject({ url: 'https://other.example/v1/chat/completions' });
    expect(unused.requests).toHaveLength(0);
    expect(client.describe().provider).toBe('https://other.example/v1');
  });

  it('[SG-005] an empty key or address of the client is none', async () => {
    expect(await sent((provider) => createSignal(provider, { baseUrl: '' }).apiKey(''))).toMatchObject({
      url: 'https://own.example/v1/chat/completions',
      headers: { authorization: 'Bearer k-own' },
    });
  });
});

describe('the builder', () => {
  const base = createSignal('groq');
  const strategy: WireStrategy = { id: 'own', hook: 'response', candidates: () => [] };
  const forks = {
    model: () => base.model('m'),
    apiKey: () => base.apiKey('k'),
    systemPrompt: () => base.systemPrompt('s'),
    history: () => base.history([]),
    schema: () => base.schema(z.object({})),
    tools: () => base.tools([]),
    retries: () => base.retries(1),
    options: () => base.options({ temperature: 0 }),
    onRetry: () => base.onRetry(() => undefined),
    onToolCall: () => base.onToolCall(() => undefined),
    accept: () => base.accept('exact'),
    strategies: () => base.strategies([strategy]),
  };

  it.each(Object.entries(forks))('[sig-C4] [sig-C6] [SG-005] .%s() gives another client and leaves the first as it was', (_name, fork) => {
    const before = JSON.stringify(base.describe());
    const forked = fork();
    expect(forked).not.toBe(base);
    expect(forked.complete).toBeTypeOf('function');
    expect(forked.stream).toBeTypeOf('function');
    expect(JSON.stringify(base.describe())).toBe(before);
  });

  it('[sig-C5] every link of a chain is a new client', () => {
    const links = [base, base.model('m'), base.model('m').systemPrompt('s'), base.model('m').systemPrompt('s').retries(3)];
    expect(new Set(links).size).toBe(4);
  });

  it('[sig-C11] options reach the wire, merged field by field', async () => {
    const { client, server } = bench([{ content: 'x' }]);
    await drain(
      client
        .options({ temperature: 0.5 })
        .options({ topP: 0.9 })
        .stepStream({ messages: [{ role: 'user', content: 'Hi.' }], options: { temperature: 0.1 } }),
    );
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.1, top_p: 0.9 });
  });

  it('[sig-C10] [sig-C12] an effort reaches the wire, and a row that has a request for reasoning adds it', async () => {
    const server = stubServer({ content: 'x' });
    const asked = { messages: [{ role: 'user', content: 'Hi.' }] } as const;
    await createSignal({ baseUrl: 'https://models.example/v1', model: 'm', fetch: server.fetch })
      .options({ reasoningEffort: 'high' })
      .step(asked);
    await createSignal('groq', { apiKey: 'k', fetch: server.fetch }).options({ reasoningEffort: 'high' }).step(asked);
    expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: 'high' });
    expect(server.requests[1]?.body).toMatchObject({ reasoning_effort: 'high', reasoning_format: 'parsed' });
  });

  it("[sig-R13] an effort that the model's row does not take fails where it can first be seen", async () => {
    expect(thrownBy(() => createSignal('groq', { model: 'openai/gpt-oss-120b', options: { reasoningEffort: 'default' } }))).toMatchObject({
      code: 'E_UNSUPPORTED_EFFORT',
    });
    expect(thrownBy(() => base.options({ reasoningEffort: 'default' }).model('openai/gpt-oss-120b'))).toMatchObject({
      message: expect.stringContaining('"default"'),
    });
    const asked = { messages: [{ role: 'user', content: 'Hi.' }], options: { reasoningEffort: 'max' } } as const;
    await expect(createSignal('groq', { apiKey: 'k' }).step(asked)).rejects.toMatchObject({ code: 'E_UNSUPPORTED_EFFORT' });
  });
});

describe('describe', () => {
  it('[SG-006] needs no key and no network, and shows source and date', () => {
    const row = providerRow('groq');
    const known = modelRow('groq', 'qwen/qwen3.8-27b');
    const refusing = (): never => {
      throw new Error('the network was asked');
    };
    const described = createSignal('groq', { fetch: refusing }).describe();
    expect(described).toMatchObject({
      provider: 'groq',
      model: 'qwen/qwen3.8-27b',
      kind: 'chat',
      modelKnown: true,
      capabilities: { ...(row?.kind === 'chat' ? row.capabilities : {}), ...known?.capabilities },
      provenance: { endpoint: { verified: row?.verified }, model: { source: known?.source, verified: known?.verified } },
    });
  });

  it('[SG-006] an unknown model and a custom endpoint are not known', () => {
    expect(createSignal('groq').model('nobody/nothing').describe()).toMatchObject({ modelKnown: false });
    expect(createSignal({ baseUrl: 'https://models.example/v1' }).describe()).toMatchObject({
      provider: 'https://models.example/v1',
      model: undefined,
      kind: 'chat',
      modelKnown: false,
      capabilities: { nativeTools: 'unmeasured', nativeJsonSchema: 'unmeasured' },
    });
  });
});

describe('the adapter', () => {
  it('[def-B24] is made once for calls at the same time and for forks that change nothing of the endpoint', async () => {
    let read = 0;
    const server = stubServer({ content: 'x' });
    // An adapter reads its injected client once, when it is made.
    const sdk = {
      get fetch() {
        read += 1;
        return server.fetch;
      },
    };
    const client = createSignal({ baseUrl: 'https://models.example/v1', model: 'm' }, { client: sdk });
    await Promise.all([client.complete('A.'), client.complete('B.')]);
    const once = read;
    await client.systemPrompt('s').retries(0).model('other').complete('C.');
    expect(read).toBe(once);
    await client.apiKey('another').complete('D.');
    expect(read).toBeGreaterThan(once);
  });

  it('[def-B24] a fork made before the first call shares it too', async () => {
    let read = 0;
    const server = stubServer({ content: 'x' });
    const sdk = {
      get fetch() {
        read += 1;
        return server.fetch;
      },
    };
    const client = createSignal({ baseUrl: 'https://models.example/v1', model: 'm' }, { client: sdk });
    const fork = client.systemPrompt('s');
    await client.complete('A.');
    const once = read;
    await fork.complete('B.');
    expect(read).toBe(once);
  });
});
