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

/** Hands out the places of items, each when it may be worked on. */
interface Queue {
  /** The next place to work on; undefined when none may be begun now. */
  take(): number | undefined;
  putBack(index: number): void;
  /** Every item was begun. */
  isSpent(): boolean;
}

/** A queue of `count` places that runs at most `ahead` in front of what was delivered; what was put back comes when nothing new may. */
function createQueue(count: number, ahead: number, delivered: () => number): Queue {
  const back: number[] = [];
  let begun = 0;
  return {
    take() {
      if (begun >= count || begun >= delivered() + ahead) return back.shift();
      begun += 1;
      return begun - 1;
    },
    putBack: (index) => void back.push(index),
    isSpent: () => begun >= count,
  };
}

/** Delivers results one at a time, in the order of their places. */
interface Delivery<Result> {
  /** Resolves when the result, if it is its turn, and those that waited for it were delivered. */
  take(index: number, result: Result): Promise<void>;
  /** What is left, in order, over the gaps. */
  rest(): Promise<void>;
  /** How many were delivered. */
  count(): number;
}

function createDelivery<Result>(deliver: (result: Result, index: number) => Promise<void>): Delivery<Result> {
  const ready = new Map<number, Result>();
  let delivered = 0;
  let delivering = Promise.resolve();
  const deliverReady = async (): Promise<void> => {
    while (ready.has(delivered)) {
      const result = ready.get(delivered) as Result;
      ready.delete(delivered);
      await deliver(result, delivered);
      delivered += 1;
    }
  };
  return {
    take(index, result) {
      ready.set(index, result);
      delivering = delivering.then(deliverReady);
      return delivering;
    },
    async rest() {
      for (const index of [...ready.keys()].sort((a, b) => a - b)) await deliver(ready.get(index) as Result, index);
    },
    count: () => delivered,
  };
}

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
  const delivery = createDelivery(deliver);
  const queue = createQueue(items.length, options.ahead ?? options.concurrency * 16, delivery.count);
  const waiting: (() => void)[] = [];
  let working = 0;
  let stopped = false;

  const wake = (): void => {
    for (const resume of waiting.splice(0)) resume();
  };
  const workOn = async (index: number): Promise<void> => {
    working += 1;
    const result = await work(items[index] as Item, index);
    working -= 1;
    if (result === putBack) queue.putBack(index);
    else await delivery.take(index, result);
    wake();
  };
  const worker = async (): Promise<void> => {
    while (!stopped && !options.signal.aborted) {
      const index = queue.take();
      if (index !== undefined) await workOn(index);
      // Whoever still works may put its item back.
      else if (queue.isSpent() && working === 0) return;
      else await new Promise<void>((resolve) => waiting.push(resolve));
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
    await delivery.rest();
  } finally {
    options.signal.removeEventListener('abort', wake);
  }
}
