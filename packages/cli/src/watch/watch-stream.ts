import type { TryResult } from '@vouch/contracts';
import { type PartialInput, partials } from '@vouch/signal/partial';
import type { Watch } from './watch.ts';

/** Drains a run's stream before the eyes of `watch`, and gives what `tryComplete` gives. The watch forgets the document in any case. */
export async function watchStream<Value>(stream: PartialInput<Value>, watch: Watch, path: string): Promise<TryResult<Value>> {
  let result: TryResult<Value> | undefined;
  watch.begin(path);
  try {
    for await (const event of partials(stream)) {
      if (event.type === 'partial') watch.partial(path, event.value);
      else if (event.type === 'retry') watch.retract(path, event.reason);
      else if (event.type === 'error') result = { ok: false, failure: event.failure };
      else if (event.type === 'done') {
        const { type: _done, ...rest } = event;
        result = { ok: true, ...rest };
      }
    }
  } finally {
    watch.end(path);
  }
  if (result === undefined) throw new Error('the stream of a run ended without `done` or `error`');
  return result;
}
