import type { StepStreamEvent, StreamEvent } from '@vouch/contracts';
import { type PartialInput, partialSource } from '../partial/partials.ts';

/** A run's events, made at the first read: a client's mistake fails there, not on the call. */
export function deferredRun<Value>(make: () => PartialInput<Value>): PartialInput<Value> {
  let made: PartialInput<Value> | undefined;
  async function* events(): AsyncGenerator<StreamEvent<Value>, void, undefined> {
    made = make();
    yield* made;
  }
  const iterator = events();
  return { [Symbol.asyncIterator]: () => iterator, [partialSource]: () => made?.[partialSource]?.() ?? {} };
}

/** The same for the events of one step. */
export async function* deferredStep(make: () => AsyncIterable<StepStreamEvent>): AsyncGenerator<StepStreamEvent, void, undefined> {
  yield* make();
}
