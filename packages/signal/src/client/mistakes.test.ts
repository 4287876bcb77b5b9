import { describe, expect, it } from 'vitest';
import { createSignal, defineTool, SignalError, UnsupportedThinkingError } from '../index.ts';
import { partials } from '../partial.ts';

const at = { baseUrl: 'http://localhost:1234/v1', model: 'm' };
const said = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    const { kind, code, message } = error as { readonly kind?: string; readonly code?: string; readonly message: string };
    return kind === 'configuration' ? `${code}: ${message}` : error;
  }
};
const loose = (value: unknown): never => value as never;

describe('a mistake that would be ignored', () => {
  it('[SG-005] an adapter beside the dialect of another wire is refused', () => {
    expect(said(() => createSignal({ ...at, adapter: 'anthropic-messages', dialect: 'vllm' }))).toBe(
      'E_CONFIGURATION: adapter is "anthropic-messages", but the dialect of "vllm" is of openai-chat. Give one of them.',
    );
    expect(said(() => createSignal({ ...at, adapter: loose('gopher'), dialect: 'vllm' }))).toMatch('There is no adapter "gopher"');
    expect(createSignal({ ...at, adapter: 'openai-chat', dialect: 'vllm' }).describe().model).toBe('m');
  });

  it.each([
    [{ abortSignal: new AbortController().signal }, 'Did you mean signal?'],
    [{ singal: new AbortController().signal }, 'Did you mean signal?'],
    [new AbortController().signal, 'give { signal }, not the signal itself'],
    [{ signal: 1 }, 'must be an AbortSignal'],
  ])('[SG-005] no call goes out under options that are none: %o', async (call, words) => {
    const client = createSignal({ ...at, fetch: () => Promise.reject(new Error('sent')) });
    for (const verb of [client.complete, client.tryComplete]) await expect(verb('x', loose(call))).rejects.toThrow(words);
    await expect(client.stream('x', loose(call))[Symbol.asyncIterator]().next()).rejects.toThrow(words);
  });

  it('[SG-005] capabilities are checked by name and value', () => {
    expect(said(() => createSignal({ ...at, capabilities: loose({ nativeTool: 'yes' }) }))).toMatch('Did you mean nativeTools?');
    expect(said(() => createSignal({ ...at, capabilities: loose({ nativeTools: true }) }))).toMatch(
      'must be yes, no or unmeasured, not true',
    );
  });

  it('[SG-005] an address without its scheme is refused', () => {
    expect(said(() => createSignal({ ...at, baseUrl: 'localhost:1234/v1' }))).toMatch('such as http://localhost:1234/v1');
    expect(said(() => createSignal('groq', { baseUrl: 'localhost:1234/v1' }))).toMatch('such as http://localhost:1234/v1');
  });

  it('[SG-005] the nearest name of a client option is named', () => {
    expect(said(() => createSignal(at, loose({ modle: 'm' })))).toMatch('Did you mean model?');
  });

  it('[SG-005] tools of another shape are refused with what to do', () => {
    const bare = { name: 'clock', description: 'd', parameters: {}, execute: () => 1 };
    expect(said(() => createSignal(at).tools(loose([bare])))).toMatch(/^E_UNSUPPORTED_TOOLS: The tool "clock" .* Give defineTool/);
    expect(said(() => createSignal(at).tools(loose([null])))).toMatch('Give defineTool');
    expect(said(() => defineTool(loose(bare)))).toMatch('Did you mean input?');
    const input = { jsonSchema: {}, validate: () => ({ ok: true }) };
    expect(said(() => defineTool(loose({ name: 'clock', desc: 'd', input, execute: () => 1 })))).toMatch('Did you mean description?');
    expect(said(() => defineTool(loose({ name: 'clock', description: 'd', input })))).toMatch('A tool needs execute');
  });

  it.each([
    ['gorq', 'Did you mean groq? '],
    ['openai/gpt-4o', "Did you mean createSignal('openai', { model: 'gpt-4o' })? "],
    ['zzzzzzzzz', ''],
  ])('[SG-005] an unknown provider is answered in a line: %s', (id, meant) => {
    expect(said(() => createSignal(id))).toBe(
      `E_PROVIDER_NOT_FOUND: No provider "${id}". ${meant}All: npx vouch providers. Your own server: { baseUrl, model }.`,
    );
  });

  it('[SG-083] partials of what is no stream says what it takes', async () => {
    const read = partials(loose(Promise.resolve()));
    await expect(read.next()).rejects.toThrow('partials() takes client.stream(…)');
  });

  it.each([
    [{ type: 'object', properties: {} }, 'Wrap it: { jsonSchema, validate }.'],
    [{ jsonSchema: { type: 'object' } }, 'has no validator beside it'],
    [{ '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } }, 'This old schema gives no JSON Schema. Upgrade'],
  ])('[SG-054] a schema that lacks something is told what: %o', (schema, words) => {
    expect(said(() => createSignal(at).schema(loose(schema)))).toMatch(words);
  });

  it.each([
    [
      { thinking: {} },
      "thinking: nothing is known of \"m\" at this endpoint. Say how it thinks: { mode: 'budget', budget: 2000 } or { mode: 'adaptive' }.",
    ],
    [{ thinking: { mode: 'budget' } }, "needs a budget, in tokens: { mode: 'budget', budget: 2000 }"],
    [{ thinking: { mode: 'budget', budget: 10 }, maxOutputTokens: 10 }, 'its budget (10) must be below maxOutputTokens (10)'],
    [{ thinking: { mode: 'adaptive' }, temperature: 0 }, 'thinks only at temperature 1'],
  ])('[TH-016] thinking that cannot be is refused in its own words: %o', async (options, words) => {
    const client = createSignal(at, { options: loose(options), fetch: () => Promise.reject(new Error('sent')) });
    const error: unknown = await client.complete('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnsupportedThinkingError);
    expect(error).toBeInstanceOf(SignalError);
    expect((error as Error).message).toContain(words);
    await expect(client.tryComplete('x')).rejects.toThrow(words);
  });
});
