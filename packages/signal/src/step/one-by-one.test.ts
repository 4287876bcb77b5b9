import { describe, expect, it } from 'vitest';
import { oneByOne } from './one-by-one.ts';

describe('oneByOne', () => {
  it('gives the items in order, and asks for a list when the one before is used up', async () => {
    const asked: number[] = [];
    async function* lists(): AsyncGenerator<readonly number[]> {
      for (const list of [[1, 2], [], [3]]) {
        asked.push(list.length);
        yield list;
      }
    }
    const items = oneByOne(lists(), () => false);
    expect(asked).toEqual([]);
    expect(await items.next()).toEqual({ done: false, value: 1 });
    expect(await items.next()).toEqual({ done: false, value: 2 });
    expect(asked).toEqual([2]);
    expect(await items.next()).toEqual({ done: false, value: 3 });
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it('answers a reader that does not wait in order', async () => {
    async function* lists(): AsyncGenerator<readonly number[]> {
      yield [1, 2];
      yield [3];
    }
    const items = oneByOne(lists(), () => false);
    const results = await Promise.all(Array.from({ length: 5 }, () => items.next()));
    expect(results.map(({ value }) => value)).toEqual([1, 2, 3, undefined, undefined]);
  });

  it('drops what is to be dropped, passes on a failure, and ends the source when it is left', async () => {
    let ended = false;
    async function* lists(): AsyncGenerator<readonly number[]> {
      try {
        yield [1, 2, 3];
        throw new Error('broken');
      } finally {
        ended = true;
      }
    }
    const items = oneByOne(lists(), (item) => item < 3);
    expect((await items.next()).value).toBe(3);
    await expect(items.next()).rejects.toThrow('broken');
    expect(await items.next()).toEqual({ done: true, value: undefined });
    ended = false;
    const left = oneByOne(lists(), () => false);
    await left.next();
    await left.return?.();
    expect(ended).toBe(true);
    expect(await left.next()).toEqual({ done: true, value: undefined });
  });
});
