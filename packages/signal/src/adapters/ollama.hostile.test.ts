import { SignalError } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../net/provider-error.ts';
import { ollamaDialect } from '../registry/dialects.ts';
import type { ProviderRequest } from './adapter.ts';
import { ollama } from './ollama.ts';
import { drainAdapter, endpointOf, httpOf, type Sent, summarise } from './test-support/drive.ts';

const request: ProviderRequest = { model: 'q', messages: [], delivery: 'parts' };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const send = (chunks: readonly Uint8Array[], delivery: ProviderRequest['delivery'] = 'parts'): Promise<Sent> =>
  drainAdapter(ollama(endpointOf(httpOf(chunks), { dialect: ollamaDialect })), { ...request, delivery });
const line = (message: object, rest: object = { done: false }): string => `${JSON.stringify({ model: 'q', message, ...rest })}\n`;
const end = line({ content: '' }, { done: true, done_reason: 'stop' });

const answer = [
  line({ thinking: 'low tide' }),
  line({ content: 'Pier 7 é 🚀' }),
  line({ content: '', tool_calls: [{ id: 'a', function: { index: 0, name: 'find_berth', arguments: { pier: 7 } } }] }),
  end,
].join('');

describe('hostile bytes', () => {
  it('[SG-035] any change of any bytes gives parts in order and at most a typed error', async () => {
    const whole = bytes(answer);
    const edit = fc.record({ at: fc.nat(whole.length - 1), byte: fc.integer({ min: 0, max: 255 }), cut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.constantFrom('whole', 'parts'), async (edits, delivery) => {
        const changed = whole.slice();
        for (const { at, byte } of edits) changed[at] = byte;
        const body = edits.some(({ cut }) => cut) ? changed.subarray(0, edits[0]?.at) : changed;
        const { parts, error } = await send([body], delivery);
        if (error !== undefined) expect(error instanceof ProviderError || error instanceof SignalError).toBe(true);
        const open: number[] = [];
        for (const part of parts) {
          if (part.type === 'block-start') open.push(part.index);
          if (part.type === 'block-end') expect(open.pop()).toBe(part.index);
        }
        expect(open).toEqual([]);
        expect(parts.filter(({ type }) => type === 'call-metadata').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  it('[SG-034] fifty thousand calls on one line are as many calls, read in one pass', async () => {
    const call = (index: number) => ({ id: 'same', function: { index: 0, name: 'find_berth', arguments: { pier: index } } });
    const calls = Array.from({ length: 50_000 }, (_, index) => call(index));
    const { parts, error } = await send([bytes(line({ content: '', tool_calls: calls }) + end)]);
    expect(error).toBeUndefined();
    const deltas = parts.flatMap((part) => (part.type === 'function-call-delta' ? [part] : []));
    expect(deltas).toHaveLength(calls.length);
    expect(deltas.at(-1)).toMatchObject({ index: 49_999, arguments: '{"pier":49999}', whole: true });
  });

  it('[SG-035] arguments as deep as a body can be are one text, and no depth exhausts the stack', async () => {
    for (const depth of [1_000, 200_000]) {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const raw = `{"model":"q","message":{"content":"","tool_calls":[{"id":"a","function":{"name":"find_berth","arguments":{"pier":${deep}}}}]},"done":false}\n${end}`;
      const sent = await send([bytes(raw)]);
      if (sent.error !== undefined) expect(sent.error).toBeInstanceOf(ProviderError);
      else expect(summarise(sent).calls[0]?.args).toBe(`{"pier":${deep}}`);
    }
  });

  it('[TH-002] a megabyte of thinking in one line, and in pieces of seven bytes, is the same', async () => {
    const thinking = 'é🚀'.repeat(150_000);
    const body = bytes(line({ content: '', thinking }) + end);
    const whole = await send([body]);
    expect(summarise(whole).carries).toEqual([{ shape: 'ollama-thinking', data: thinking }]);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < body.length; at += 7) pieces.push(body.subarray(at, at + 7));
    expect(summarise(await send(pieces)).thinking).toBe(thinking);
  });

  it('[sse-S6] a line over the limit is told, and what came before it kept', async () => {
    const http = httpOf([bytes(line({ content: 'Pier' })), bytes(`{"model":"${'q'.repeat(2_000)}`)]);
    const limited = { ...http, settings: { ...http.settings, maxEventBytes: 1_000 } };
    const sent = await drainAdapter(ollama(endpointOf(limited, { dialect: ollamaDialect })), request);
    expect(summarise(sent).text).toBe('Pier');
    expect(sent.error).toMatchObject({ name: 'SignalError', failure: { kind: 'limit' } });
  });
});
