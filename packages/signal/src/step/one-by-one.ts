/**
 * The items of lists, one at a time and in order, also for a reader that asks again before it was answered. A list is asked for when the one before is
 * used up, so what is not read is not fetched. `isDropped` is asked before each item is given. No generator: it would cost every item a turn of the queue.
 */
export function oneByOne<Item>(lists: AsyncIterator<readonly Item[]>, isDropped: (item: Item) => boolean): AsyncIterator<Item> {
  let list: readonly Item[] = [];
  let at = 0;
  /** Reads that are not answered yet. */
  let pulls = 0;
  let last: Promise<IteratorResult<Item>> = Promise.resolve({ done: true, value: undefined });

  const nextOfList = (): IteratorResult<Item> | undefined => {
    while (at < list.length) {
      const value = list[at] as Item;
      at += 1;
      if (!isDropped(value)) return { done: false, value };
    }
    return undefined;
  };
  const pull = async (): Promise<IteratorResult<Item>> => {
    pulls += 1;
    try {
      for (;;) {
        const result = await lists.next();
        if (result.done === true) return { done: true, value: undefined };
        list = result.value;
        at = 0;
        const item = nextOfList();
        if (item !== undefined) return item;
      }
    } finally {
      pulls -= 1;
    }
  };
  const pullAfter = async (before: Promise<unknown>): Promise<IteratorResult<Item>> => {
    pulls += 1;
    try {
      await before.catch(ignore);
      return nextOfList() ?? (await pull());
    } finally {
      pulls -= 1;
    }
  };
  return {
    next() {
      const item = pulls === 0 ? nextOfList() : undefined;
      if (item !== undefined) return Promise.resolve(item);
      last = pulls === 0 ? pull() : pullAfter(last);
      return last;
    },
    async return() {
      list = [];
      await lists.return?.();
      return { done: true, value: undefined };
    },
  };
}

const ignore = (): void => undefined;
