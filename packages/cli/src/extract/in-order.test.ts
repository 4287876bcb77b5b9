import { describe, expect, it } from 'vitest';
import { putBack, runInOrder } from './in-order.ts';

const never = new AbortController().signal;

/** Work that ends when the test says so. */
function gates(count: number): { readonly opened: Promise<void>[]; readonly open: (index: number) => void } {
  const resolvers: (() => void)[] = [];
  const opened = Array.from({ length: count }, () => new Promise<void>((resolve) => resolvers.push(resolve)));
  return { opened, open: (index) => resolvers[index]?.() };
}

describe('runInOrder', () => {
  it('delivers in the order of the items when they finish backwards', async () => {
    const gate = gates(4);
    const delivered: number[] = [];
    const done = runInOrder(
      [0, 1, 2, 3],
      { concurrency: 4, signal: never },
      async (item) => {
        await gate.opened[item];
        return item;
      },
      async (result) => {
        delivered.push(result);
      },
    );
    for (const index of [3, 2, 1, 0]) gate.open(index);
    await done;
    expect(delivered).toEqual([0, 1, 2, 3]);
  });

  it('never has more at work than the concurrency, nor runs further ahead than it may', async () => {
    let working = 0;
    let most = 0;
    let started = 0;
    let delivered = 0;
    let furthest = 0;
    await runInOrder(
      Array.from({ length: 50 }, (_, index) => index),
      { concurrency: 3, ahead: 5, signal: never },
      async (item) => {
        started += 1;
        working += 1;
        most = Math.max(most, working);
        furthest = Math.max(furthest, started - delivered);
        for (let turn = 0; turn < (item % 7) + 1; turn += 1) await Promise.resolve();
        working -= 1;
        return item;
      },
      async () => {
        delivered += 1;
      },
    );
    expect(delivered).toBe(50);
    expect(most).toBe(3);
    expect(furthest).toBeLessThanOrEqual(5);
  });

  it('after an abort starts nothing, and delivers what is there over the gaps', async () => {
    const abort = new AbortController();
    const gate = gates(3);
    const delivered: string[] = [];
    const started: string[] = [];
    const done = runInOrder(
      ['slow', 'quick', 'never started'],
      { concurrency: 2, signal: abort.signal },
      async (item, index) => {
        started.push(item);
        await gate.opened[index];
        if (item === 'quick') abort.abort();
        return item;
      },
      async (result) => {
        delivered.push(result);
      },
    );
    gate.open(1);
    await Promise.resolve();
    gate.open(0);
    await done;
    expect(started).toEqual(['slow', 'quick']);
    expect([...delivered].sort()).toEqual(['quick', 'slow']);
  });

  it('throws what the work throws, after the rest has come to rest', async () => {
    let resting = false;
    const run = runInOrder(
      [0, 1],
      { concurrency: 2, signal: never },
      async (item) => {
        if (item === 0) throw new Error('broken');
        await Promise.resolve();
        resting = true;
        return item;
      },
      async () => undefined,
    );
    await expect(run).rejects.toThrow('broken');
    expect(resting).toBe(true);
  });

  it('what is put back is worked on after what was not begun yet, and delivered in its place', async () => {
    const worked: number[] = [];
    const delivered: number[] = [];
    await runInOrder(
      [0, 1, 2, 3],
      { concurrency: 1, signal: never },
      async (item) => {
        worked.push(item);
        return item === 0 && worked.length < 6 ? putBack : item;
      },
      async (result) => {
        delivered.push(result);
      },
    );
    expect(worked).toEqual([0, 1, 2, 3, 0, 0]);
    expect(delivered).toEqual([0, 1, 2, 3]);
  });

  it('no worker leaves while another may put its item back, and an abort lets all go', async () => {
    const gate = gates(2);
    const tried: number[] = [];
    const abort = new AbortController();
    const done = runInOrder(
      [0, 1],
      { concurrency: 4, signal: abort.signal },
      async (item) => {
        tried.push(item);
        if (item === 0) return item;
        await gate.opened[1];
        if (tried.length >= 4) abort.abort();
        return putBack;
      },
      async () => undefined,
    );
    gate.open(1);
    await done;
    expect(tried).toEqual([0, 1, 1, 1]);
  });
});
