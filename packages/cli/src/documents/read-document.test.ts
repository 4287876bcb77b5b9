import { describe, expect, it } from 'vitest';
import { largestDocumentBytes, readDocument } from './read-document.ts';

async function* of(...chunks: readonly (string | Uint8Array)[]): AsyncIterable<string | Uint8Array> {
  yield* chunks;
}

const read = (...chunks: readonly (string | Uint8Array)[]) =>
  readDocument('-', { cwd: '/', stdin: of(...chunks), signal: new AbortController().signal });

describe('readDocument', () => {
  it('joins characters that are cut between chunks', async () => {
    const bytes = new TextEncoder().encode('grün');
    expect(await read(bytes.slice(0, 3), bytes.slice(3))).toEqual({ ok: true, text: 'grün' });
  });

  it.each([
    ['NUL bytes', Uint8Array.of(65, 0, 66), 'binary'],
    ['broken UTF-8', Uint8Array.of(0xc3, 0x28), 'not UTF-8'],
    ['white space only', ' \r\n\t', 'empty'],
  ])('refuses %s', async (_title, content, words) => {
    const result = await read(content);
    expect(result).toMatchObject({ ok: false, reason: 'configuration' });
    expect(result.ok ? '' : result.message).toContain(words);
  });

  it('stops reading at the limit', async () => {
    let given = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      const megabyte = new Uint8Array(1024 * 1024).fill(65);
      for (;;) {
        given += megabyte.length;
        yield megabyte;
      }
    }
    expect(await readDocument('-', { cwd: '/', stdin: endless(), signal: new AbortController().signal })).toMatchObject({
      ok: false,
      reason: 'limit_exceeded',
    });
    expect(given).toBeLessThanOrEqual(largestDocumentBytes + 1024 * 1024);
  });

  it('stops waiting for a terminal or a pipe when it is interrupted', async () => {
    const interrupt = new AbortController();
    const never: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
    const reading = readDocument('-', { cwd: '/', stdin: never, signal: interrupt.signal });
    interrupt.abort();
    expect(await reading).toMatchObject({ ok: false, reason: 'aborted' });
  });
});
