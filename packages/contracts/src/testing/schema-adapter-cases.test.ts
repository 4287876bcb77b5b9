import { describe, expect, it } from 'vitest';
import type { SchemaAdapter } from '../outcome/schema.ts';
import { schemaAdapterCases } from './schema-adapter-cases.ts';

interface Berth {
  readonly pier: number;
}

const adapter: SchemaAdapter<Berth> = {
  jsonSchema: { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'] },
  parse(value) {
    const pier = (value as { readonly pier?: unknown } | null)?.pier;
    if (typeof pier !== 'number' || !Number.isInteger(pier)) throw new Error('pier: expected an integer');
    return { pier };
  },
};
const values = { accepts: [{ pier: 7 }, { pier: -1, extra: true }], refuses: [{}, { pier: '7' }, null, 3, []] };

const failing = async (mutant: SchemaAdapter<unknown>): Promise<readonly string[]> => {
  const titles: string[] = [];
  for (const { title, run } of schemaAdapterCases) {
    try {
      await run({ adapter: mutant, ...values });
    } catch {
      titles.push(title);
    }
  }
  return titles;
};

describe('schemaAdapterCases', () => {
  for (const { title, run } of schemaAdapterCases) it(`schema adapter cases: ${title}`, () => run({ adapter, ...values }));

  it('catch an adapter that lets everything pass, coerces its input, answers later, or has no schema', async () => {
    expect(await failing({ ...adapter, parse: (value) => value })).toEqual(['parse throws on what does not conform, synchronously']);
    expect(
      await failing({
        ...adapter,
        parse(value) {
          adapter.parse(value);
          (value as { pier: number }).pier += 1;
          return value;
        },
      }),
    ).toContain('parse does not change the value that it is given');
    expect(await failing({ ...adapter, parse: async () => 1 })).toContain('parse gives a value for what conforms, synchronously');
    expect(await failing({ ...adapter, jsonSchema: { check: () => true } })).toContain('the JSON Schema is an object of JSON values alone');
    let asked = 0;
    expect(
      await failing({
        parse: adapter.parse,
        get jsonSchema() {
          asked += 1;
          return { title: `${asked}` };
        },
      }),
    ).toContain('the JSON Schema is the same at every reading, and parsing does not change it');
  });
});
