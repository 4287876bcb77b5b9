import { describe, expect, it } from 'vitest';
import { createSignal } from '../client.ts';
import { resolveStrategies } from '../wire/resolve-strategies.ts';
import { providerRows } from './providers.ts';

describe('rows as a client meets them', () => {
  it('[sig-R10] a fork with another model is described by that model, and the first stays as it was', () => {
    const first = createSignal('groq', { model: 'qwen/qwen3.8-27b' });
    const before = first.describe();
    const second = first.model('openai/gpt-oss-120b');
    expect(second.describe()).not.toEqual(before);
    expect(second.describe()).toMatchObject({ model: 'openai/gpt-oss-120b', modelKnown: true });
    expect(first.describe()).toEqual(before);
  });

  it('[sig-R11] an effort in the row is taken', () => {
    expect(() => createSignal('groq', { model: 'openai/gpt-oss-120b' }).options({ reasoningEffort: 'high' })).not.toThrow();
  });

  it('[sig-R12] an effort that is not in the row is refused, naming what is accepted', () => {
    expect(() => createSignal('groq', { model: 'openai/gpt-oss-120b' }).options({ reasoningEffort: 'default' })).toThrow(
      'low, medium, high',
    );
  });

  it('[sig-R13] an effort is refused when the model is changed to one that does not take it', () => {
    const client = createSignal('groq', { model: 'qwen/qwen3.8-27b' }).options({ reasoningEffort: 'default' });
    expect(() => client.model('openai/gpt-oss-20b')).toThrow('"default"');
  });

  it('[sig-R14] any effort is taken for a model without a row', () => {
    expect(() => createSignal('groq', { model: 'nobody/knows-this' }).options({ reasoningEffort: 'xhigh' })).not.toThrow();
  });

  it("[SG-022] the cloud that sells another vendor's models: its path, its version and its own header, on each of its rows", async () => {
    const seen: { readonly url: string; readonly headers: Headers }[] = [];
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      seen.push({ url: String(input), headers: new Headers(init?.headers) });
      return new Response('{"error":{"message":"no"}}', { status: 400 });
    };
    const origin = 'https://pier.openai.azure.com/openai';
    const ask = (id: string, baseUrl: string) =>
      createSignal(id, { model: 'my deployment', apiKey: 'az-key', baseUrl, fetch }).tryComplete('Where?');
    await ask('azure', `${origin}/v1`);
    await ask('azure-responses', `${origin}/v1`);
    await ask('azure-deployments', `${origin}?api-version=2024-10-21`);
    expect(seen.map(({ url }) => url)).toEqual([
      `${origin}/v1/chat/completions`,
      `${origin}/v1/responses`,
      `${origin}/deployments/my%20deployment/chat/completions?api-version=2024-10-21`,
    ]);
    for (const { headers } of seen) expect([headers.get('api-key'), headers.get('authorization')]).toEqual(['az-key', null]);
  });

  it('[SG-022] every chat row sends to its own address, by its own path, with its key where its wire has it', async () => {
    for (const row of providerRows) {
      if (row.kind !== 'chat') continue;
      const seen: { readonly url: string; readonly headers: Headers }[] = [];
      const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
        seen.push({ url: String(input), headers: new Headers(init?.headers) });
        return new Response('{"error":"no"}', { status: 400 });
      };
      const own = row.baseUrl === undefined ? { baseUrl: 'https://pier.example/openai?api-version=1' } : {};
      await createSignal(row.id, { model: 'm', apiKey: 'row-key', fetch, ...own }).tryComplete('Where?');
      const base = new URL(row.baseUrl ?? 'https://pier.example/openai');
      const path = row.dialect.path.replace('{model}', 'm');
      const { url, headers } = seen[0] ?? { url: '', headers: new Headers() };
      expect([row.id, seen.length, new URL(url).origin, new URL(url).pathname]).toEqual([
        row.id,
        1,
        base.origin,
        `${base.pathname.replace(/\/$/, '')}${path}`,
      ]);
      expect(
        [...headers].filter(([, value]) => value.includes('row-key')),
        row.id,
      ).toHaveLength(1);
      expect(url, row.id).not.toContain('row-key');
    }
  });

  it('[SG-022] [SG-031] a decision row answers no chat verb', async () => {
    const client = createSignal('typesafe', { apiKey: 'k' });
    expect(client.describe()).toMatchObject({ kind: 'decisions', provider: 'typesafe' });
    await expect(client.complete('Where?')).rejects.toMatchObject({ code: 'E_VERB_NOT_SUPPORTED' });
  });

  it('[TH-006] [TH-016] thinking is asked of a row as its model does it, and refused before sending where it does not', async () => {
    const bodies: Record<string, unknown>[] = [];
    const fetch = async (_input: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response('{"error":{"type":"invalid_request_error","message":"no"}}', { status: 400 });
    };
    const ask = (model: string, options: object) =>
      createSignal('anthropic', { model, apiKey: 'k', fetch, options })
        .tryComplete('Where?')
        .catch((error: unknown) => error);
    await ask('claude-opus-5-5', { thinking: { effort: 'low' } });
    await ask('claude-haiku-4-5', { thinking: { budget: 2_048 } });
    expect(bodies).toMatchObject([{ thinking: { type: 'adaptive' } }, { thinking: { type: 'enabled', budget_tokens: 2_048 } }]);
    expect(JSON.stringify(bodies[0])).not.toContain('budget_tokens');
    const refused = (reason: string) => expect.objectContaining({ name: 'UnsupportedThinkingError', reason, retryable: false });
    expect(await ask('claude-3-haiku-20240307', { thinking: { budget: 2_048 } })).toEqual(refused('no-thinking'));
    expect(await ask('claude-opus-5-5', { thinking: false })).toEqual(refused('no-thinking'));
    expect(await ask('claude-haiku-4-5', { thinking: {} })).toEqual(refused('budget'));
    expect(await ask('claude-haiku-4-5', { thinking: { budget: 2_048 }, temperature: 0.2 })).toEqual(refused('temperature'));
    expect(await ask('claude-unknown', { thinking: { effort: 'low' } })).toEqual(refused('no-thinking'));
    expect(bodies).toHaveLength(2);
  });

  it('[SG-003] every strategy that a row lists exists', () => {
    for (const row of providerRows) {
      if (row.kind !== 'chat') continue;
      expect(() => resolveStrategies(row.wire), row.id).not.toThrow();
    }
  });
});
