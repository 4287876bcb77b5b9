import type { JsonValue, StreamEvent } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { type PartialSource, partialSource, partials } from './partials.ts';

async function* eventsOf(events: readonly StreamEvent<unknown>[]): AsyncGenerator<StreamEvent<unknown>> {
  yield* events;
}

async function valuesOf(events: readonly StreamEvent<unknown>[], source?: PartialSource): Promise<JsonValue[]> {
  const stream = eventsOf(events);
  const input = source === undefined ? stream : Object.assign(stream, { [partialSource]: () => source });
  const values: JsonValue[] = [];
  for await (const event of partials(input)) if (event.type === 'partial') values.push(event.value);
  return values;
}

const text = (delta: string): StreamEvent<unknown> => ({ type: 'text', text: delta });

describe('partials', () => {
  it('[SG-083] adds a partial after each delta that grew the value and passes every event on', async () => {
    const events = [text('{"title":"A'), text(' b"'), text('}')];
    const seen: string[] = [];
    for await (const event of partials(eventsOf(events))) seen.push(event.type);
    expect(seen).toEqual(['text', 'partial', 'text', 'partial', 'text']);
    expect(await valuesOf(events)).toEqual([{ title: 'A' }, { title: 'A b' }]);
  });

  it('[SG-083] a retry voids what was shown', async () => {
    const retry: StreamEvent<unknown> = { type: 'retry', reason: 'no', attempt: 1 };
    expect(await valuesOf([text('{"a":1,'), retry, text('{"b":2}')])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('[SG-083] reads the arguments of the output tool and of no other call', async () => {
    const events: StreamEvent<unknown>[] = [
      { type: 'tool_call_delta', index: 0, id: 'c1', name: 'search', argsText: '{"q":"x"}' },
      { type: 'tool_call_delta', index: 1, id: 'c2', name: 'finish', argsText: '' },
      { type: 'tool_call_delta', index: 1, argsText: '{"total":' },
      { type: 'tool_call_delta', index: 1, argsText: '3}' },
    ];
    expect(await valuesOf(events, { outputTool: 'finish' })).toEqual([{}, { total: 3 }]);
  });

  it('[SG-083] shows what stands under the root key', async () => {
    expect(await valuesOf([text('{"value":['), text('1,2]'), text('}')], { rootKey: 'value' })).toEqual([[], [1, 2]]);
  });

  it('[SG-083] shows nothing more after a value that turned out to be a tool turn, until a retry', async () => {
    const tool: StreamEvent<unknown> = { type: 'tool_start', callId: 'c', name: 'search', args: {} };
    expect(await valuesOf([text('{"plan":1,'), tool, text('{"a":2}')])).toEqual([{ plan: 1 }]);
    expect(await valuesOf([text('let me look'), tool, text('{"a":2}')])).toEqual([{ a: 2 }]);
  });
});
