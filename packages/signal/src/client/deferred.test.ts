import { describe, expect, it } from 'vitest';
import { createSignal } from '../client.ts';
import { deferred } from './deferred.ts';

async function* items(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

const drain = async (source: AsyncIterable<unknown>): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  for await (const item of source) seen.push(item);
  return seen;
};

describe('deferred', () => {
  it('[SG-005] is read once: a second iteration throws instead of giving nothing', async () => {
    const source = deferred(items);
    expect(await drain(source)).toEqual([1, 2]);
    await expect(drain(source)).rejects.toMatchObject({ code: 'E_CONFIGURATION', message: expect.stringContaining('read once') });
  });

  it('[SG-005] so are stream() and stepStream(), after a reader that left early too', async () => {
    const fetch: typeof globalThis.fetch = async () =>
      new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } });
    const client = createSignal({ baseUrl: 'https://models.example/v1', model: 'm', fetch });
    for (const source of [client.stream('Hi.'), client.stepStream({ messages: [{ role: 'user', content: 'Hi.' }] })]) {
      await source[Symbol.asyncIterator]().return?.();
      await expect(drain(source)).rejects.toMatchObject({ kind: 'configuration', message: expect.stringContaining('read once') });
    }
  });
});
