/** How a list is worked through. */
export interface InOrderOptions {
  /** Items worked on at once. */
  readonly concurrency: number;
  /** How far work may run ahead of the oldest undelivered result, in items; bounds what is held back. Default 16 times the concurrency. */
  readonly ahead?: number;
  /** Once aborted, nothing new starts; what is under way is left to notice by itself. */
  readonly signal: AbortSignal;
}

/** What `work` gives for an item that is not done: it goes behind the items that were not begun yet, and is worked on again. */
export const putBack: unique symbol = Symbol('put back');

/**
 * Works on items several at a time and delivers the results one at a time, in the order of the items. After an abort the results that are there are
 * delivered, in order, over the gaps. An error of `work` or `deliver` stops everything and is thrown.
 */
export async function runInOrder<Item, Result>(
  items: readonly Item[],
  options: InOrderOptions,
  work: (item: Item, index: number) => Promise<Result | typeof putBack>,
  deliver: (result: Result, index: number) => Promise<void>,
): Promise<void> {
  const ahead = options.ahead ?? options.concurrency * 16;
  const ready = new Map<number, Result>();
  const waiting: (() => void)[] = [];
  const back: number[] = [];
  let working = 0;
  let started = 0;
  let delivered = 0;
  let stopped = false;
  let delivering = Promise.resolve();

  const wake = (): void => {
    for (const resume of waiting.splice(0)) resume();
  };
  const deliverReady = async (): Promise<void> => {
    while (ready.has(delivered)) {
      const result = ready.get(delivered) as Result;
      ready.delete(delivered);
      await deliver(result, delivered);
      delivered += 1;
    }
    wake();
  };
  const takeNext = (): number | undefined => {
    if (started >= items.length || started >= delivered + ahead) return back.shift();
    started += 1;
    return started - 1;
  };
  const worker = async (): Promise<void> => {
    while (!stopped && !options.signal.aborted) {
      const index = takeNext();
      if (index === undefined) {
        // Whoever still works may put its item back.
        if (started >= items.length && working === 0) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      working += 1;
      const result = await work(items[index] as Item, index);
      working -= 1;
      if (result === putBack) {
        back.push(index);
        wake();
        continue;
      }
      ready.set(index, result);
      delivering = delivering.then(deliverReady);
      await delivering;
    }
  };
  const guarded = async (): Promise<void> => {
    try {
      await worker();
    } catch (error) {
      stopped = true;
      wake();
      throw error;
    }
  };
  options.signal.addEventListener('abort', wake, { once: true });
  try {
    const workers = await Promise.allSettled(Array.from({ length: Math.min(options.concurrency, items.length) }, guarded));
    const failed = workers.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    for (const index of [...ready.keys()].sort((a, b) => a - b)) await deliver(ready.get(index) as Result, index);
  } finally {
    options.signal.removeEventListener('abort', wake);
  }
}
