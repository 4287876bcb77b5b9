import type { StepResult, StepStreamEvent, StreamEvent } from '@vouch/contracts';

/** A model call to be read. */
export interface ModelCall {
  readonly steps: AsyncIterator<readonly StepStreamEvent[]>;
}

/** What a model call came to. With neither result nor error it was stopped. */
export interface CallEnd {
  readonly result?: StepResult;
  readonly thrown?: { readonly error: unknown };
  /** The text that came. */
  readonly written: string;
}

/** What a run does: shows events of its own, or calls the model and is answered with what that came to. */
export type Act<Value> = readonly StreamEvent<Value>[] | ModelCall;

/** The acts of a run, one after another. */
export type Acts<Value, Ending> = AsyncGenerator<Act<Value>, Ending, CallEnd>;

/**
 * The events of a run in lists, each as it came: those of its model calls and its own, in order. The calls are read here and not in the generator of the
 * acts, which would cost every delta turns of the queue.
 */
export function eventLists<Value>(acts: Acts<Value, void>): AsyncIterableIterator<readonly StreamEvent<Value>[]> {
  let call: ModelCall | undefined;
  let written = '';
  let over = false;
  const nextAct = async (end: CallEnd): Promise<IteratorResult<readonly StreamEvent<Value>[]>> => {
    call = undefined;
    written = '';
    const act = await acts.next(end);
    if (act.done === true) {
      over = true;
      return { done: true, value: undefined };
    }
    if (isEvents(act.value)) return { done: false, value: act.value };
    call = act.value;
    return readCall(call);
  };
  const readCall = async ({ steps }: ModelCall): Promise<IteratorResult<readonly StreamEvent<Value>[]>> => {
    let end: CallEnd;
    try {
      for (;;) {
        const list = await steps.next();
        if (list.done === true) {
          end = { written };
          break;
        }
        const { shown, result } = split<Value>(list.value);
        for (const event of shown) if (event.type === 'text') written += event.text;
        if (shown.length > 0) return { done: false, value: shown };
        if (result !== undefined) {
          end = { result, written };
          break;
        }
      }
    } catch (error) {
      end = { thrown: { error }, written };
    }
    return nextAct(end);
  };
  const iterator: AsyncIterableIterator<readonly StreamEvent<Value>[]> = {
    next() {
      if (over) return Promise.resolve({ done: true, value: undefined });
      return call === undefined ? nextAct({ written }) : readCall(call);
    },
    async return() {
      over = true;
      await call?.steps.return?.();
      await acts.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

const isEvents = <Value>(act: Act<Value>): act is readonly StreamEvent<Value>[] => Array.isArray(act);

/** The events that a run shows of its call's; the result comes alone, as the last. */
function split<Value>(events: readonly StepStreamEvent[]): { readonly shown: readonly StreamEvent<Value>[]; readonly result?: StepResult } {
  const [last] = events;
  if (last?.type === 'done') return { shown: [], result: last.result };
  // Most lists hold nothing else, and are given as they are.
  if (!events.some(({ type }) => type === 'provider_chunk')) return { shown: events as readonly StreamEvent<Value>[] };
  return { shown: events.filter((event) => event.type !== 'provider_chunk') as readonly StreamEvent<Value>[] };
}
