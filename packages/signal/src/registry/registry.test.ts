import { type ChatDialect, type ReasoningEffort, reasoningEfforts, SignalError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { compatibleDialect, defaultDialects, openAiDialect } from './dialects.ts';
import {
  assertEffort,
  describeRow,
  joinCapabilities,
  modelRow,
  providerRow,
  requireProviderRow,
  resolveApiKey,
  resolveBaseUrl,
} from './join.ts';
import { unmeasuredModel } from './model-row.ts';
import { modelRows } from './models.ts';
import { type ChatProviderRow, unmeasuredEndpoint } from './provider-row.ts';
import { providerRows } from './providers.ts';

const chatRow = (id: string): ChatProviderRow => {
  const row = providerRow(id);
  if (row?.kind !== 'chat') throw new Error(`${id} is no chat row`);
  return row;
};

/** The dialect of a row of the Chat Completions wire. */
const chatDialect = (id: string): ChatDialect => {
  const { dialect } = chatRow(id);
  if (dialect.wire !== 'openai-chat') throw new Error(`${id} is no row of that wire`);
  return dialect;
};

const thrown = (call: () => unknown): SignalError => {
  try {
    call();
  } catch (error) {
    if (error instanceof SignalError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const isIsoDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

describe('rows', () => {
  it('[SG-022] has a row for every endpoint that the requirement names, each once', () => {
    const ids = providerRows.map((row) => row.id);
    const named =
      'openai openai-responses anthropic google ollama groq openrouter deepseek mistral xai together fireworks cerebras azure moonshot qwen zhipu ' +
      'perplexity vllm llama.cpp lmstudio typesafe openai-decisions azure-responses azure-deployments google-openai ollama-openai';
    expect(ids).toEqual(expect.arrayContaining(named.split(' ')));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[SG-022] every wire has rows, and every row of a wire a dialect of its own', () => {
    const wires = new Set(providerRows.map((row) => (row.kind === 'chat' ? row.dialect.wire : row.kind)));
    expect(wires).toEqual(new Set([...Object.keys(defaultDialects), 'decisions']));
  });

  it('[SG-022] every model row states its thinking mode, and its efforts unless it thinks within a budget', () => {
    for (const row of modelRows) {
      expect(['adaptive', 'budget', 'none'], row.id).toContain(row.thinking);
      if (row.thinking !== 'budget') expect(Array.isArray(row.reasoningEfforts), row.id).toBe(true);
      if (row.thinking === 'none' && !row.id.startsWith('openrouter/')) expect(row.reasoningEfforts, row.id).toEqual([]);
    }
  });

  it('[SG-022] a model that always thinks is one that thinks', () => {
    for (const row of modelRows) if (row.alwaysThinks === true) expect(row.thinking, row.id).not.toBe('none');
  });

  it('[sig-R4] the default model of every chat provider has a row', () => {
    const defaults = providerRows.flatMap((row) =>
      row.kind === 'chat' && row.defaultModel !== undefined ? [[row.id, row.defaultModel] as const] : [],
    );
    expect(defaults.map(([id]) => id)).toEqual(expect.arrayContaining(['openai', 'groq', 'openrouter', 'anthropic', 'google']));
    for (const [id, model] of defaults) expect(modelRow(id, model), `${id}/${model}`).toBeDefined();
  });

  it('[sig-R7] anthropic, google and ollama speak the wires that they invented', () => {
    expect(chatRow('anthropic')).toMatchObject({
      baseUrl: 'https://api.anthropic.com',
      dialect: { wire: 'anthropic-messages', auth: 'x-api-key' },
    });
    expect(chatRow('google')).toMatchObject({
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      dialect: { wire: 'gemini', auth: 'x-goog-api-key' },
    });
    expect(chatRow('ollama')).toMatchObject({ baseUrl: 'http://localhost:11434', apiKey: 'optional', dialect: { wire: 'ollama' } });
  });

  it('[SG-022] [SG-031] decision endpoints have an adapter and no chat fact', () => {
    expect(providerRow('typesafe')).toMatchObject({ kind: 'decisions', adapter: 'systemone', defaultModel: 'jev-latest' });
    expect(providerRow('openai-decisions')).toMatchObject({ kind: 'decisions', adapter: 'openai-decisions' });
    for (const row of providerRows)
      if (row.kind === 'decisions') for (const field of ['capabilities', 'dialect', 'wire']) expect(row, row.id).not.toHaveProperty(field);
  });

  it('[SG-022] where a row states limits, the output fits into the context', () => {
    const stated = modelRows.filter((row) => row.contextTokens !== undefined);
    expect(stated.map((row) => row.id)).toContain('openai/gpt-4o');
    for (const { id, contextTokens, maxOutputTokens } of stated) {
      expect(maxOutputTokens, id).toBeGreaterThan(0);
      expect(maxOutputTokens, id).toBeLessThanOrEqual(contextTokens ?? 0);
    }
    expect(describeRow(chatRow('openai'), 'gpt-4o')).toMatchObject({ contextTokens: 128_000, maxOutputTokens: 16_384 });
  });

  it('[SG-022] every address is absolute, without a trailing slash, and plain http only on loopback', () => {
    for (const row of providerRows) {
      if (row.baseUrl === undefined) {
        expect(row.baseUrlKey, row.id).toBeDefined();
        continue;
      }
      const url = new URL(row.baseUrl);
      expect(row.baseUrl.endsWith('/'), row.id).toBe(false);
      expect(url.protocol, row.id).toBe(url.hostname === 'localhost' ? 'http:' : 'https:');
    }
  });

  it('[SG-022] a hosted endpoint needs a key and names its variable; a local server does not need one', () => {
    for (const row of providerRows) {
      if (row.baseUrl?.startsWith('http://localhost')) expect(row.apiKey, row.id).toBe('optional');
      else {
        expect(row.apiKey, row.id).toBe('required');
        expect(row.envKeys.length, row.id).toBeGreaterThan(0);
      }
      for (const name of row.envKeys) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
  });

  it('[SG-021] [sig-R2] every row carries a source and a real ISO date', () => {
    for (const row of [...providerRows, ...modelRows]) {
      expect(isIsoDay(row.verified), row.id).toBe(true);
      expect(['measured', 'documented'], row.id).toContain(row.source);
    }
  });

  it('[SG-021] no row claims a measurement, since the probe printed none', () => {
    expect([...providerRows, ...modelRows].filter((row) => row.source === 'measured')).toEqual([]);
  });

  it('[sig-R1] every model row belongs to a chat provider', () => {
    for (const row of modelRows) {
      const provider = row.id.slice(0, row.id.indexOf('/'));
      expect(chatRow(provider).id).toBe(provider);
      expect(modelRow(provider, row.id.slice(provider.length + 1))).toBe(row);
    }
    expect(new Set(modelRows.map((row) => row.id)).size).toBe(modelRows.length);
  });

  it('[sig-R3] every effort of a row is a known one, listed once', () => {
    for (const { id, reasoningEfforts: efforts = [] } of modelRows) {
      for (const effort of efforts) expect(reasoningEfforts, id).toContain(effort);
      expect(new Set(efforts).size, id).toBe(efforts.length);
    }
  });

  it('[sig-R6] groq: its address, the chat completions wire, checks tool arguments itself, defaults to qwen3.8', () => {
    expect(chatRow('groq')).toMatchObject({
      baseUrl: 'https://api.groq.com/openai/v1',
      dialect: { wire: 'openai-chat' },
      defaultModel: 'qwen/qwen3.8-27b',
      wire: ['failed-generation'],
      capabilities: { nativeTools: 'yes', nativeJsonMode: 'yes', validatesToolArgs: 'yes', supportsEmbedding: 'no' },
    });
  });

  it('[sig-S12] groq and openrouter say how reasoning is asked for', () => {
    expect(chatDialect('groq').reasoningRequest).toEqual({ reasoning_format: 'parsed' });
    expect(chatDialect('openrouter').reasoningRequest).toEqual({ reasoning: { enabled: true } });
    expect(chatDialect('openai').reasoningRequest).toBeUndefined();
  });

  it('[SG-002] a dialect that sends reasoning back says in which field, and the other way round', () => {
    for (const row of providerRows) {
      if (row.kind !== 'chat' || row.dialect.wire !== 'openai-chat') continue;
      expect(row.dialect.reasoningReplayField !== undefined, row.id).toBe(row.dialect.reasoningReplay !== 'never');
    }
  });

  it('[SG-002] no row asks for a format that its capabilities deny', () => {
    for (const row of providerRows) {
      if (row.kind !== 'chat') continue;
      expect(row.dialect.jsonObjectFormat, row.id).toBe(row.capabilities.nativeJsonMode === 'yes');
    }
  });

  it('[SG-002] the documented differences of dialects stand on the rows', () => {
    expect(openAiDialect.outputLimitField).toBe('max_completion_tokens');
    expect(compatibleDialect.outputLimitField).toBe('max_tokens');
    expect(chatRow('mistral').dialect).toMatchObject({
      toolCallIds: 'nine-alphanumeric',
      seedField: 'random_seed',
      streamUsageOption: false,
    });
    expect(chatRow('azure').dialect.auth).toBe('api-key-header');
    expect(chatDialect('xai').repeatsReasoningDeltas).toBe(true);
    expect(chatRow('deepseek').dialect).toMatchObject({ schemaFormat: 'unsupported', reasoningReplay: 'after-tool-calls' });
    expect(chatDialect('zhipu').toolChoice).toEqual({ required: 'unsupported', named: false, none: false });
    expect(chatRow('lmstudio').dialect.jsonObjectFormat).toBe(false);
    for (const id of ['deepseek', 'google-openai', 'moonshot', 'zhipu', 'perplexity'])
      expect(chatDialect(id).seedField, id).toBeUndefined();
  });
});

describe('thinking', () => {
  const factsOf = (id: string) => modelRow('anthropic', id);

  it('[TH-006] [TH-022] the mode of a model is that of its row, and of no other by its name', () => {
    expect(factsOf('claude-opus-5-5')?.thinking).toBe('adaptive');
    expect(factsOf('claude-haiku-4-5')?.thinking).toBe('budget');
    expect(factsOf('claude-3-haiku-20240307')?.thinking).toBe('none');
    expect(modelRow('google', 'gemini-2.5-pro')?.thinking).toBe('budget');
    expect(modelRow('google', 'gemini-3-pro-preview')?.thinking).toBe('adaptive');
    expect(modelRow('openai', 'gpt-4o')?.thinking).toBe('none');
    for (const near of ['claude-opus-5-5-preview', 'claude-opus', 'claude-haiku-4', 'CLAUDE-OPUS-5-5', 'opus-5-5'])
      expect(factsOf(near), near).toBeUndefined();
    expect(modelRow('openrouter', 'claude-opus-5-5')).toBeUndefined();
  });

  it('[TH-016] [SG-022] what a model refuses stands on its row', () => {
    const newest = { alwaysThinks: true, samplingParameters: 'no', forcedToolChoice: 'no', maxOutputTokens: 128_000 };
    for (const id of ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-fable-5-1']) expect(factsOf(id), id).toMatchObject(newest);
    expect(factsOf('claude-haiku-5-5')).toMatchObject({ samplingParameters: 'no', forcedToolChoice: 'yes' });
    expect(factsOf('claude-haiku-5-5')).not.toHaveProperty('alwaysThinks');
    expect(factsOf('claude-fable-5')?.forcedToolChoice).toBe('unmeasured');
    expect(factsOf('claude-sonnet-4-6')).toMatchObject({ thinking: 'adaptive', samplingParameters: 'yes' });
    expect(factsOf('claude-opus-4-1')).toMatchObject({
      thinking: 'budget',
      maxOutputTokens: 32_000,
      capabilities: { nativeJsonSchema: 'yes' },
    });
    expect(factsOf('claude-sonnet-4-20250514')?.capabilities.nativeJsonSchema).toBe('no');
    expect(modelRow('google', 'gemini-2.5-flash')?.capabilities.toolsWithStructuredOutput).toBe('no');
    expect(modelRow('openai-responses', 'o3')).toMatchObject({ thinking: 'adaptive', samplingParameters: 'no' });
  });
});

describe('join', () => {
  it('[SG-020] a client has exactly the fields of its two owners', () => {
    const row = chatRow('groq');
    const model = modelRow('groq', 'openai/gpt-oss-20b');
    expect(Object.keys(joinCapabilities(row, model)).sort()).toEqual(
      [...Object.keys(row.capabilities), ...Object.keys(unmeasuredModel)].sort(),
    );
    expect(Object.keys(row.capabilities).sort()).toEqual(Object.keys(unmeasuredEndpoint).sort());
    for (const { capabilities } of modelRows) expect(Object.keys(capabilities).sort()).toEqual(Object.keys(unmeasuredModel).sort());
  });

  it('[sig-R5] [SG-020] a model without a row is unmeasured in everything, which is neither yes nor no', () => {
    expect(unmeasuredModel).toEqual({
      nativeJsonSchema: 'unmeasured',
      toolsWithStructuredOutput: 'unmeasured',
      manglesNestedToolArgs: 'unmeasured',
      multimodal: 'unmeasured',
    });
  });

  it('[sig-R8] [SG-021] a known model: its facts beside those of the endpoint, with source and date of both', () => {
    const row = chatRow('groq');
    const described = describeRow(row, 'qwen/qwen3.8-27b');
    expect(described).toEqual({
      kind: 'chat',
      provider: 'groq',
      model: 'qwen/qwen3.8-27b',
      modelKnown: true,
      capabilities: {
        nativeTools: 'yes',
        nativeJsonMode: 'yes',
        validatesToolArgs: 'yes',
        supportsEmbedding: 'no',
        nativeJsonSchema: 'no',
        toolsWithStructuredOutput: 'no',
        manglesNestedToolArgs: 'yes',
        multimodal: 'yes',
      },
      thinking: 'adaptive',
      thinkingShape: 'reasoning-content',
      reasoningEfforts: ['none', 'default', 'low', 'medium', 'high'],
      provenance: {
        endpoint: { source: 'documented', verified: '2026-11-30' },
        model: { source: 'documented', verified: '2026-09-24' },
      },
    });
  });

  it('[sig-R9] an unknown model: the endpoint, the unmeasured floor, and no guess', () => {
    const row = chatRow('groq');
    for (const model of ['nobody/knows-this', 'qwen/qwen3.8-27b-preview', '', undefined]) {
      const described = describeRow(row, model);
      expect(described).toMatchObject({ modelKnown: false, capabilities: { ...row.capabilities, ...unmeasuredModel } });
      expect(described.provenance).not.toHaveProperty('model');
    }
  });

  it('[sig-R10] two models behind one provider are described differently, each time the same', () => {
    const row = chatRow('groq');
    const first = describeRow(row, 'qwen/qwen3.8-27b');
    const second = describeRow(row, 'openai/gpt-oss-120b');
    expect(second).not.toEqual(first);
    expect(describeRow(row, 'qwen/qwen3.8-27b')).toEqual(first);
  });

  it('[SG-031] a decision row is described without chat facts', () => {
    const described = describeRow(
      {
        kind: 'decisions',
        id: 'judge',
        baseUrl: 'https://judge.example',
        envKeys: [],
        apiKey: 'optional',
        adapter: 'judge-wire',
        source: 'documented',
        verified: '2026-11-30',
      },
      'judge-1',
    );
    expect(Object.keys(described).sort()).toEqual(['kind', 'model', 'provenance', 'provider']);
  });

  it('[SG-020] ids that name members of every object are unknown, not found by accident', () => {
    for (const id of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(providerRow(id)).toBeUndefined();
      expect(modelRow('groq', id)).toBeUndefined();
      expect(thrown(() => requireProviderRow(id)).code).toBe('E_PROVIDER_NOT_FOUND');
    }
    expect(requireProviderRow('groq')).toBe(chatRow('groq'));
  });
});

describe('efforts', () => {
  it('[sig-R11] an effort that the row lists passes', () => {
    for (const effort of ['low', 'medium', 'high'] as const)
      expect(() => assertEffort('groq', 'openai/gpt-oss-120b', effort)).not.toThrow();
  });

  it('[sig-R12] an effort that the row does not list is refused, naming it, the model, what is accepted, and the date', () => {
    const error = thrown(() => assertEffort('groq', 'openai/gpt-oss-120b', 'default'));
    expect(error.code).toBe('E_UNSUPPORTED_EFFORT');
    expect(error.kind).toBe('configuration');
    for (const part of ['"default"', 'groq/openai/gpt-oss-120b', 'low, medium, high', '2026-09-24']) expect(error.message).toContain(part);
  });

  it('[sig-R13] an effort that one model takes is refused for the next that does not', () => {
    expect(() => assertEffort('groq', 'qwen/qwen3.8-27b', 'default')).not.toThrow();
    expect(thrown(() => assertEffort('groq', 'openai/gpt-oss-20b', 'default')).message).toContain('"default"');
    expect(thrown(() => assertEffort('openai', 'gpt-4o', 'low')).message).toContain('no reasoning effort');
  });

  it('[sig-R14] a model that nobody measured takes any effort', () => {
    for (const effort of reasoningEfforts) expect(() => assertEffort('groq', 'nobody/knows-this', effort)).not.toThrow();
    for (const effort of reasoningEfforts) expect(() => assertEffort('a-custom-provider', 'gpt-4o', effort)).not.toThrow();
  });

  it('an endpoint without any field for efforts refuses them for every model, rather than dropping them', () => {
    const efforts: readonly ReasoningEffort[] = ['low', 'high'];
    for (const effort of efforts) expect(thrown(() => assertEffort('zhipu', 'any', effort)).code).toBe('E_UNSUPPORTED_EFFORT');
  });
});

describe('keys and addresses', () => {
  const groq = chatRow('groq');

  it('[sig-R15] the explicit key wins, else the variable, else none', () => {
    expect(resolveApiKey(groq, 'explicit', { GROQ_API_KEY: 'from-env' })).toBe('explicit');
    expect(resolveApiKey(groq, undefined, { GROQ_API_KEY: 'from-env' })).toBe('from-env');
    expect(resolveApiKey(groq, undefined, {})).toBeUndefined();
    expect(resolveApiKey(groq, undefined, undefined)).toBeUndefined();
  });

  it('[sig-R15] of several variables the first that is set counts, and an empty text is not set', () => {
    const zhipu = chatRow('zhipu');
    expect(resolveApiKey(zhipu, undefined, { ZAI_API_KEY: 'first', ZHIPUAI_API_KEY: 'second' })).toBe('first');
    expect(resolveApiKey(zhipu, undefined, { ZAI_API_KEY: '', ZHIPUAI_API_KEY: 'second' })).toBe('second');
    expect(resolveApiKey(zhipu, '', {})).toBeUndefined();
  });

  it('[SG-022] an address of one customer comes from the caller or the variable, else is a configuration failure', () => {
    const azure = chatRow('azure');
    const env = { AZURE_OPENAI_ENDPOINT: 'https://pier.openai.azure.com/' };
    expect(resolveBaseUrl(azure, undefined, env)).toBe('https://pier.openai.azure.com/openai/v1');
    expect(resolveBaseUrl(azure, 'https://other.example/v1', env)).toBe('https://other.example/v1');
    expect(resolveBaseUrl(groq, undefined, undefined)).toBe('https://api.groq.com/openai/v1');
    const error = thrown(() => resolveBaseUrl(azure, undefined, {}));
    expect(error.code).toBe('E_CONFIGURATION');
    expect(error.message).toContain('AZURE_OPENAI_ENDPOINT');
  });

  it('[SG-022] the version that an address must say comes from the address or the variable, else is a configuration failure', () => {
    const row = chatRow('azure-deployments');
    const env = { AZURE_OPENAI_ENDPOINT: 'https://pier.openai.azure.com', OPENAI_API_VERSION: '2024-10-21' };
    expect(resolveBaseUrl(row, undefined, env)).toBe('https://pier.openai.azure.com/openai?api-version=2024-10-21');
    expect(resolveBaseUrl(row, 'https://other.example/openai?api-version=x&a=b', env)).toBe(
      'https://other.example/openai?api-version=x&a=b',
    );
    expect(resolveBaseUrl(row, 'https://other.example/openai', env)).toBe('https://other.example/openai?api-version=2024-10-21');
    const error = thrown(() => resolveBaseUrl(row, 'https://other.example/openai', { OPENAI_API_VERSION: '' }));
    expect(error.code).toBe('E_CONFIGURATION');
    expect(error.message).toContain('OPENAI_API_VERSION');
    expect(resolveBaseUrl(chatRow('azure'), 'https://other.example/v1', env)).toBe('https://other.example/v1');
  });
});
