import type { JsonSchema } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitSchema } from '../schema-fit.ts';

const fit = (schema: JsonSchema) => fitSchema(schema, 'anthropic');
const object = (properties: object, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});
const closed = (properties: object, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  ...object(properties, required),
  additionalProperties: false,
});
const lost = (schema: JsonSchema): readonly string[] => fit(schema).dropped.map(({ pointer, keyword }) => `${pointer} ${keyword}`);

describe('the subset of the Messages wire', () => {
  it('[SG-053] objects are closed, and optional properties stay optional', () => {
    const schema = object({ pier: { type: 'integer' }, note: { type: 'string' } }, ['pier']);
    expect(fit(schema)).toMatchObject({
      schema: closed({ pier: { type: 'integer' }, note: { type: 'string' } }, ['pier']),
      undo: { madeNullable: [] },
      strict: true,
      viable: true,
      dropped: [],
    });
  });

  it('[SG-053] what the subset lacks is dropped and reported where the caller wrote it', () => {
    const schema = object({
      pier: { type: 'integer', minimum: 1, multipleOf: 2 },
      name: { type: 'string', minLength: 1, pattern: '^(?=a)', description: 'Its name.' },
      when: { type: 'string', format: 'date-time', pattern: '^2' },
      list: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 9, uniqueItems: true },
      some: { type: 'array', items: { type: 'string' }, minItems: 1 },
    });
    expect(fit(schema).schema).toEqual(
      closed({
        pier: { type: 'integer' },
        name: { type: 'string', description: 'Its name.' },
        when: { type: 'string', format: 'date-time' },
        list: { type: 'array', items: { type: 'string' }, minItems: 1 },
        some: { type: 'array', items: { type: 'string' }, minItems: 1 },
      }),
    );
    expect(lost(schema)).toEqual([
      '/properties/pier minimum',
      '/properties/pier multipleOf',
      '/properties/name minLength',
      '/properties/name pattern',
      '/properties/when pattern',
      '/properties/list minItems',
      '/properties/list maxItems',
      '/properties/list uniqueItems',
    ]);
    expect(fit(schema).why.at(-1)).toMatch(/lacks minimum, multipleOf, .*; the gate still enforces them\.$/);
  });

  it('[SG-053] oneOf becomes anyOf, reported where it said more; allOf is merged; references stay local', () => {
    const cat = { type: 'string' } as const;
    expect(fit(object({ a: { oneOf: [cat, { type: 'null' }] } }))).toMatchObject({
      schema: closed({ a: { anyOf: [cat, { type: 'null' }] } }),
      dropped: [],
    });
    expect(lost(object({ a: { oneOf: [cat, { type: 'string', format: 'date' }] } }))).toEqual(['/properties/a oneOf']);
    expect(fit({ allOf: [object({ a: cat }), object({ b: cat })], type: 'object' }).schema).toEqual(closed({ a: cat, b: cat }));
    const referring = { ...object({ a: { $ref: '#/$defs/cat' }, b: { $ref: '#/$defs/cat' } }), $defs: { cat: object({ x: cat }) } };
    expect(fit(referring).schema).toEqual({
      ...closed({ a: { $ref: '#/$defs/cat' }, b: { $ref: '#/$defs/cat' } }),
      $defs: { cat: closed({ x: cat }) },
    });
  });

  it('[SG-053] values, unions, tuples and a root that is no object', () => {
    expect(fit(object({ a: { enum: ['x', 1, null] }, b: { const: true }, c: { type: ['string', 'null'] } })).schema).toEqual(
      closed({ a: { enum: ['x', 1, null] }, b: { type: 'boolean', const: true }, c: { type: ['string', 'null'] } }),
    );
    const tuple = object({ a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } });
    expect(fit(tuple).schema).toEqual(closed({ a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } }));
    expect(lost(tuple)).toEqual(['/properties/a prefixItems']);
    expect(fit({ type: 'array', items: { type: 'string' } })).toMatchObject({
      schema: closed({ value: { type: 'array', items: { type: 'string' } } }),
      undo: { rootKey: 'value' },
    });
  });

  it.each<[string, JsonSchema, RegExp]>([
    ['a record', object({ a: { type: 'object', additionalProperties: { type: 'string' } } }), /open to further keys/],
    ['any value', object({ a: {} }), /accepts any value/],
    ['any items', object({ a: { type: 'array' } }), /accepts any items/],
    ['a list of objects as values', object({ a: { enum: [{}] } }), /lists whole objects/],
    ['a circle', { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: object({ a: { $ref: '#/$defs/a' } }, []) } }, /recursive/],
    [
      'eleven optional properties',
      object(Object.fromEntries([...Array(11).keys()].map((at) => [`p${at}`, { type: 'string' }])), []),
      /11 optional/,
    ],
    [
      'seventeen unions',
      object(Object.fromEntries([...Array(17).keys()].map((at) => [`p${at}`, { type: ['string', 'null'] }]))),
      /17 alternatives/,
    ],
  ])('[SG-053] %s cannot be sent, and says why', (_title, schema, why) => {
    expect(fit(schema)).toMatchObject({ viable: false, strict: false });
    expect(fit(schema).why.at(-1)).toMatch(why);
  });

  it('[SG-053] a value that the caller’s schema takes is never shut out by the fitted one', () => {
    interface Pair {
      readonly schema: JsonSchema;
      readonly value: unknown;
    }
    const leaf = fc.constantFrom<Pair>(
      { schema: { type: 'string', minLength: 1 }, value: 'x' },
      { schema: { type: 'integer', minimum: 0, maximum: 9 }, value: 7 },
      { schema: { type: 'number', exclusiveMinimum: 0 }, value: 0.5 },
      { schema: { type: ['boolean', 'null'] }, value: null },
      { schema: { enum: ['a', 2, null] }, value: 2 },
      { schema: { const: true, description: 'Always.' }, value: true },
      { schema: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, value: 'x' },
      { schema: { type: 'string', format: 'uri', pattern: '^h' }, value: 'https://x.test' },
      { schema: { allOf: [{ type: 'string' }, { pattern: '\\bx' }] }, value: 'x' },
    );
    const { pair } = fc.letrec<{ pair: Pair; list: Pair; record: Pair }>((tie) => ({
      pair: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('record')),
      list: fc.tuple(tie('pair'), fc.nat(3), fc.boolean()).map(([{ schema, value }, size, tuple]) => ({
        schema:
          tuple && size > 0
            ? { type: 'array', prefixItems: Array(size).fill(schema), items: false }
            : { type: 'array', items: schema, minItems: size, maxItems: 3 },
        value: Array(size).fill(value),
      })),
      record: fc
        .dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(tie('pair'), fc.constantFrom('required', 'given', 'absent')), { minKeys: 1 })
        .map((fields) => {
          const entries = Object.entries(fields);
          return {
            schema: {
              type: 'object',
              properties: Object.fromEntries(entries.map(([key, [{ schema }]]) => [key, schema])),
              required: entries.flatMap(([key, [, how]]) => (how === 'required' ? [key] : [])),
              additionalProperties: false,
            },
            value: Object.fromEntries(entries.flatMap(([key, [{ value }, how]]) => (how === 'absent' ? [] : [[key, value]]))),
          };
        }),
    }));
    let fitted = 0;
    fc.assert(
      fc.property(pair, ({ schema, value }) => {
        const whole = closed({ v: schema });
        const ajv = new Ajv2020({ strict: false, validateFormats: false });
        expect(ajv.validate(whole, { v: value })).toBe(true);
        const { viable, schema: sent } = fit(whole);
        if (!viable) return;
        fitted += 1;
        expect(ajv.validate(sent, { v: value })).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(fitted).toBeGreaterThan(50);
  });
});
