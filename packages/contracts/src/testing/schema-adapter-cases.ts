import { isJsonObject } from '../basics/json.ts';
import { isThenable } from '../basics/maybe-promise.ts';
import type { SchemaAdapter } from '../outcome/schema.ts';
import { ensure, ensureSame, type PortCase, thrownBy } from './port-case.ts';

/** An adapter, values that it takes, and values that it refuses; at least one of each. */
export interface SchemaAdapterPort {
  readonly adapter: SchemaAdapter<unknown>;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly unknown[];
}

function isJson(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const here = open.pop();
    if (typeof here === 'object' && here !== null) open.push(...Object.values(here));
    else if (!(here === null || typeof here === 'string' || typeof here === 'boolean' || Number.isFinite(here))) return false;
  }
  return true;
}

/** What every `SchemaAdapter` does (AC-001). */
export const schemaAdapterCases: readonly PortCase<SchemaAdapterPort>[] = [
  {
    title: 'the JSON Schema is an object of JSON values alone',
    run({ adapter }) {
      ensure(isJsonObject(adapter.jsonSchema), 'the JSON Schema is no object');
      ensure(isJson(adapter.jsonSchema), 'the JSON Schema holds what JSON does not have');
    },
  },
  {
    title: 'the JSON Schema is the same at every reading, and parsing does not change it',
    run({ adapter, accepts }) {
      const before = JSON.stringify(adapter.jsonSchema);
      for (const value of accepts) adapter.parse(structuredClone(value));
      ensureSame(JSON.stringify(adapter.jsonSchema), before, 'the JSON Schema');
    },
  },
  {
    title: 'parse gives a value for what conforms, synchronously',
    run({ adapter, accepts }) {
      ensure(accepts.length > 0, 'the port names no value that is accepted');
      for (const value of accepts) ensure(!isThenable(adapter.parse(structuredClone(value))), 'parse gave a promise');
    },
  },
  {
    title: 'parse throws on what does not conform, synchronously',
    async run({ adapter, refuses }) {
      ensure(refuses.length > 0, 'the port names no value that is refused');
      for (const value of refuses) {
        let answered: unknown;
        await thrownBy(
          () => {
            answered = adapter.parse(structuredClone(value));
          },
          `parse of ${JSON.stringify(value)}`,
        );
        ensure(answered === undefined, 'parse gave a value for what does not conform');
      }
    },
  },
  {
    title: 'parse does not change the value that it is given',
    run({ adapter, accepts }) {
      for (const value of accepts) {
        const given = structuredClone(value);
        adapter.parse(given);
        ensureSame(given, value, 'the value after parse');
      }
    },
  },
  {
    title: 'the same value gets the same answer twice',
    run({ adapter, accepts }) {
      for (const value of accepts)
        ensureSame(adapter.parse(structuredClone(value)), adapter.parse(structuredClone(value)), 'the second answer');
    },
  },
];
