import { configurationError } from '@vouch/contracts';
import { type PartialInput, partialSource } from '../partial/partials.ts';

/** A run's events, made at the first read: a client's mistake fails there, not on the call. */
export function deferredRun<Value>(make: () => PartialInput<Value>): PartialInput<Value> {
  let made: PartialInput<Value> | undefined;
  const events = deferred(() => {
    made = make();
    return made;
  });
  return { [Symbol.asyncIterator]: events[Symbol.asyncIterator], [partialSource]: () => made?.[partialSource]?.() ?? {} };
}

/** `make`'s items, made at the first read; read once, a second iteration throws `E_CONFIGURATION`. Hands calls on, and adds no turn of the queue to an item as a generator would. */
export function deferred<Item>(make: () => AsyncIterable<Item>): AsyncIterable<Item> {
  let inner: AsyncIterator<Item> | undefined;
  let ended = false;
  const iterator: AsyncIterator<Item> = {
    next() {
      if (ended) return Promise.resolve({ done: true, value: undefined });
      try {
        inner ??= make()[Symbol.asyncIterator]();
      } catch (error) {
        ended = true;
        return Promise.reject(error);
      }
      return inner.next();
    },
    return() {
      ended = true;
      return inner?.return?.() ?? Promise.resolve({ done: true, value: undefined });
    },
  };
  let read = false;
  return {
    [Symbol.asyncIterator]() {
      if (read)
        throw configurationError('E_CONFIGURATION', 'A stream is read once, and this one was. Call the verb again, or keep what was read.');
      read = true;
      return iterator;
    },
  };
}
