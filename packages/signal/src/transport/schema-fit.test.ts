import { type JsonSchema, schemaAt } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toOutputSchema } from './output-schema.ts';
import { fitSchema } from './schema-fit.ts';

const strict = (schema: JsonSchema) => fitSchema(schema, 'openai-strict');
const text = { type: 'string' } as const;
const closed = (properties: JsonSchema, extra: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...extra,
});

/** The documented rules of the strict subset, written without looking at the fitting: every break of one, by place. */
function breaches(root: JsonSchema): readonly string[] {
  const known = new Set(
    'type enum const anyOf $ref $defs properties required additionalProperties items pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems title description'.split(
      ' ',
    ),
  );
  const found: string[] = [];
  const visit = (schema: unknown, place: string): void => {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      found.push(`${place}: no schema`);
      return;
    }
    const node = schema as { readonly [key: string]: unknown };
    for (const keyword of Object.keys(node)) if (!known.has(keyword)) found.push(`${place}: ${keyword}`);
    if (node.$ref !== undefined) {
      if (Object.keys(node).length > 1) found.push(`${place}: keywords beside $ref`);
      if (schemaAt(root, String(node.$ref).slice(1)) === undefined) found.push(`${place}: ${node.$ref} leads nowhere`);
      return;
    }
    if (node.type === undefined && node.anyOf === undefined) found.push(`${place}: no type`);
    if (node.type === 'object') {
      const keys = Object.keys((node.properties ?? {}) as object);
      if (node.additionalProperties !== false) found.push(`${place}: open`);
      if (JSON.stringify(node.required) !== JSON.stringify(keys)) found.push(`${place}: required`);
      for (const key of keys) visit((node.properties as { readonly [key: string]: unknown })[key], `${place}/${key}`);
    }
    if (node.type === 'array') visit(node.items, `${place}/items`);
    if (Array.isArray(node.type) && (node.type.includes('object') || node.type.includes('array'))) found.push(`${place}: mixed type`);
    if (Array.isArray(node.anyOf)) for (const [index, branch] of node.anyOf.entries()) visit(branch, `${place}/anyOf/${index}`);
    for (const [name, definition] of Object.entries((node.$defs ?? {}) as object)) {
      if (place !== '') found.push(`${place}: inner $defs`);
      visit(definition, `$defs/${name}`);
    }
  };
  if (root.type !== 'object' || root.anyOf !== undefined) found.push('root');
  visit(root, '');
  return found;
}

describe('fitSchema, strict subset', () => {
  it('[SG-053] closes objects, requires every key, and makes optional ones nullable, listed where they stand', () => {
    const fit = strict({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        id: text,
        note: text,
        level: { enum: ['low', 'high'] },
        kind: { const: 'a' },
        tags: { type: 'array', items: text },
        owner: { type: 'object', properties: { 'a/b': { type: 'number' } } },
      },
      required: ['id'],
    });
    expect(fit).toEqual({
      schema: closed({
        id: text,
        note: { type: ['string', 'null'] },
        level: { anyOf: [{ type: 'string', enum: ['low', 'high'] }, { type: 'null' }] },
        kind: { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
        tags: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
        owner: { anyOf: [closed({ 'a/b': { type: ['number', 'null'] } }), { type: 'null' }] },
      }),
      undo: {
        madeNullable: [
          '/properties/note',
          '/properties/level',
          '/properties/kind',
          '/properties/tags',
          '/properties/owner/properties/a~1b',
          '/properties/owner',
        ],
      },
      dropped: [],
      strict: true,
      viable: true,
      why: [],
    });
  });

  it('[SG-053] an optional field that takes null itself is only required: its null is an answer', () => {
    const nullable = [
      { type: ['string', 'null'] },
      { anyOf: [text, { type: 'null' }] },
      { enum: ['a', null] },
      { const: null },
      { $ref: '#/$defs/n' },
      { allOf: [{ type: ['string', 'null'] }] },
    ];
    for (const note of nullable) {
      const fit = strict({ type: 'object', properties: { note }, $defs: { n: { type: 'null' } } });
      expect(fit.undo.madeNullable, JSON.stringify(note)).toEqual([]);
      expect(fit.schema.required).toEqual(['note']);
    }
  });

  it('[SG-053] references stay; a pointer names the place in the definition, once', () => {
    const fit = strict({
      type: 'object',
      properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } }, first: { $ref: '#/$defs/row', description: 'words' } },
      required: ['rows'],
      $defs: { row: { type: 'object', properties: { note: text, next: { $ref: '#/$defs/row' } } }, unused: { type: 'string' } },
    });
    expect(fit.schema).toEqual(
      closed(
        { rows: { type: 'array', items: { $ref: '#/$defs/row' } }, first: { anyOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] } },
        { $defs: { row: closed({ note: { type: ['string', 'null'] }, next: { anyOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] } }) } },
      ),
    );
    expect([...fit.undo.madeNullable].sort()).toEqual(['/$defs/row/properties/next', '/$defs/row/properties/note', '/properties/first']);
    expect(fit.strict).toBe(true);
  });

  it('[SG-053] references to anywhere become definitions, also those of draft-07 and to the root', () => {
    const draft7 = strict({
      type: 'object',
      properties: {
        a: { $ref: '#/definitions/x y' },
        b: { $ref: '#/properties/c/items' },
        c: { type: 'array', items: { type: 'number' } },
      },
      required: ['a', 'b', 'c'],
      definitions: { 'x y': text },
    });
    expect(draft7.schema.$defs).toEqual({ x_y: text, items: { type: 'number' } });
    expect(breaches(draft7.schema)).toEqual([]);
    const self = strict({ type: 'object', properties: { child: { $ref: '#' } } });
    expect(self.schema).toEqual(closed({ child: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }));
    const list = strict({ type: 'array', items: { anyOf: [text, { $ref: '#' }] } });
    expect(list.schema).toEqual(
      closed(
        { value: { type: 'array', items: { anyOf: [text, { $ref: '#/$defs/root' }] } } },
        { $defs: { root: { type: 'array', items: { anyOf: [text, { $ref: '#/$defs/root' }] } } } },
      ),
    );
    expect(list.undo).toEqual({ rootKey: 'value', madeNullable: [] });
  });

  it('[SG-053] [def-B13] a root that is no object is wrapped: lists, scalars, unions, enums', () => {
    const union = { oneOf: [closed({ t: { const: 'a' } }), closed({ t: { const: 'b' } })] };
    for (const root of [
      { type: 'array', items: text },
      text,
      union,
      { enum: ['a', 'b'] },
      { type: ['object', 'null'], properties: { a: text } },
      { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ]) {
      for (const subset of ['openai-strict', 'open'] as const) {
        const fit = fitSchema(root, subset);
        expect(fit.undo.rootKey).toBe('value');
        expect(fit.schema).toMatchObject({ type: 'object', required: ['value'], additionalProperties: false });
        expect(fit.viable).toBe(true);
      }
      expect(breaches(strict(root).schema)).toEqual([]);
    }
  });

  it('[SG-053] an exclusive oneOf becomes anyOf without loss; another is reported', () => {
    const tagged = strict({
      type: 'object',
      properties: { u: { oneOf: [closed({ t: { const: 'a' } }), closed({ t: { const: 'b' } })] } },
      required: ['u'],
    });
    expect(tagged.dropped).toEqual([]);
    expect(tagged.schema.properties).toMatchObject({ u: { anyOf: [{ type: 'object' }, { type: 'object' }] } });
    const typed = strict({ type: 'object', properties: { u: { oneOf: [text, { type: 'number' }] } }, required: ['u'] });
    expect(typed.dropped).toEqual([]);
    const overlapping = strict({
      type: 'object',
      properties: { u: { oneOf: [{ type: 'number' }, { type: 'integer' }] } },
      required: ['u'],
    });
    expect(overlapping.dropped).toEqual([{ pointer: '/properties/u', keyword: 'oneOf' }]);
  });

  it('[SG-053] keywords that the subset lacks are dropped and reported, by place in the caller’s schema', () => {
    const fit = strict({
      type: 'object',
      minProperties: 1,
      properties: {
        s: { type: 'string', minLength: 2, format: 'uri', default: 'x', examples: ['y'], $comment: 'c' },
        n: { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
        l: { type: 'array', items: text, minItems: 1, uniqueItems: true },
        d: { type: 'string', format: 'date-time', pattern: '^[0-9].*Z$' },
        p: { type: 'string', pattern: '^(?!x)' },
        q: { type: 'string', pattern: '^[a-z]+$' },
      },
      required: ['s', 'n', 'l', 'd', 'p', 'q'],
    });
    expect(fit.schema).toEqual(
      closed({
        s: text,
        n: { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
        l: { type: 'array', items: text, minItems: 1 },
        d: { type: 'string', format: 'date-time' },
        p: text,
        q: { type: 'string', pattern: '^[a-z]+$' },
      }),
    );
    expect(fit.dropped.map(({ pointer, keyword }) => `${pointer} ${keyword}`).sort()).toEqual([
      ' minProperties',
      '/properties/d pattern',
      '/properties/l uniqueItems',
      '/properties/p pattern',
      '/properties/s format',
      '/properties/s minLength',
    ]);
    expect(fit.why.join(' ')).toContain('the gate still enforces them');
  });

  it('[SG-053] an allOf that is a plain sum is merged, its fields named where they stand; another is not sent strictly', () => {
    const sum = strict({
      type: 'object',
      allOf: [
        { $ref: '#/$defs/base' },
        { properties: { b: text }, required: ['b'] },
        { properties: { c: { type: 'number', minimum: 0 } } },
      ],
      properties: { a: text },
      required: ['a'],
      $defs: { base: { type: 'object', properties: { id: text, more: text }, required: ['id'] } },
    });
    expect(sum.strict).toBe(true);
    expect(sum.schema).toEqual(
      closed({
        a: text,
        id: text,
        more: { type: ['string', 'null'] },
        b: text,
        c: { type: ['number', 'null'], minimum: 0 },
      }),
    );
    expect(sum.undo.madeNullable).toEqual(['/$defs/base/properties/more', '/allOf/2/properties/c']);
    const described = { allOf: [{ $ref: '#/$defs/node' }], description: 'the next one' };
    const node = { type: 'object', properties: { next: described } };
    expect(strict(closed({ node: described }, { $defs: { node } }))).toMatchObject({
      strict: true,
      schema: { $defs: { node: { properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } } } },
      undo: { madeNullable: ['/$defs/node/properties/next'] },
    });
    const clashes = [
      { allOf: [{ properties: { a: text } }, { properties: { a: { type: 'number' } } }] },
      { allOf: [closed({ a: text }), { properties: { b: text } }] },
      { allOf: [{ $ref: '#' }] },
      { allOf: [true] },
    ];
    for (const clash of clashes)
      expect(strict({ type: 'object', ...clash }), JSON.stringify(clash)).toMatchObject({ strict: false, viable: true });
  });

  it('[SG-053] what stands beside a $ref is dropped and reported where it only narrows; where it adds keys the schema is not sent strictly', () => {
    const beside = (extra: JsonSchema): JsonSchema =>
      closed(
        { x: { $ref: '#/$defs/base', ...extra } },
        { $defs: { base: { type: 'object', properties: { id: text }, required: ['id'] } } },
      );
    expect(strict(beside({ minProperties: 1 }))).toMatchObject({
      strict: true,
      schema: { properties: { x: { $ref: '#/$defs/base' } } },
      dropped: [{ pointer: '/properties/x', keyword: 'minProperties' }],
    });
    for (const extra of [{ properties: { extra: text } }, { required: ['extra'] }, { allOf: [{ required: ['extra'] }] }]) {
      expect(strict(beside(extra))).toMatchObject({ strict: false, viable: true, dropped: [] });
    }
  });

  it('[SG-053] a record over listed keys is written out; open and patterned objects are not sent strictly', () => {
    const record = strict(toOutputSchema(z.object({ r: z.record(z.enum(['a', 'b']), z.number()) })).jsonSchema);
    expect(record.schema.properties).toEqual({ r: closed({ a: { type: 'number' }, b: { type: 'number' } }) });
    const open = [
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: true, properties: { a: text } },
      { type: 'object', additionalProperties: {}, properties: { a: text } },
      { type: 'object', patternProperties: { '^x': text }, properties: { a: text } },
      { type: 'object' },
      { type: 'object', properties: { a: text }, required: ['b'] },
      { type: 'object', properties: { a: text }, unevaluatedProperties: text },
      { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: text },
      { type: 'object', properties: { kind: text }, anyOf: [{ properties: { x: text }, required: ['x'] }, { required: ['kind'] }] },
      JSON.parse('{"type":"object","properties":{"kind":{"type":"string"}},"if":{"required":["kind"]},"then":{"required":["x"]}}'),
    ];
    for (const inner of open) {
      const fit = strict(closed({ inner }));
      expect(fit, JSON.stringify(inner)).toMatchObject({ strict: false, viable: true, dropped: [], undo: { madeNullable: [] } });
      expect(fit.schema).toEqual(closed({ inner }));
      expect(fit.why.join(' ')).toMatch(/Not strict: .*\/properties\/inner/);
    }
  });

  it('[SG-053] parts that accept anything, whole-object values and open tuples are not sent strictly', () => {
    const loose = [
      {},
      { description: 'anything' },
      { type: 'array' },
      { type: 'array', items: true },
      { type: 'array', prefixItems: [text], items: text },
      { type: 'array', prefixItems: [text] },
      { const: { a: 1 } },
      { enum: [[1], [2]] },
      { not: text },
    ];
    for (const inner of loose) expect(strict(closed({ inner })), JSON.stringify(inner)).toMatchObject({ strict: false, viable: true });
  });

  it('[SG-053] a closed tuple becomes a list of its members, and the order is left to the gate', () => {
    const fit = strict(
      toOutputSchema(z.object({ t: z.tuple([z.string(), z.number()]), same: z.tuple([z.string(), z.string()]) })).jsonSchema,
    );
    expect(fit.schema.properties).toEqual({
      t: { type: 'array', items: { anyOf: [text, { type: 'number' }] }, minItems: 2, maxItems: 2 },
      same: { type: 'array', items: text, minItems: 2, maxItems: 2 },
    });
    expect(fit.dropped).toEqual([
      { pointer: '/properties/t', keyword: 'prefixItems' },
      { pointer: '/properties/same', keyword: 'prefixItems' },
    ]);
    expect(breaches(fit.schema)).toEqual([]);
  });

  it('[SG-053] types of several kinds are split, scalars stay together, missing types are read from the values', () => {
    const fit = strict(
      closed({
        many: { type: ['object', 'string', 'null'], properties: { a: text }, required: ['a'], minimum: 3 },
        scalar: { type: ['string', 'number'] },
        values: { enum: ['a', 1, null] },
        one: { const: 4 },
        implied: { properties: { x: text }, required: ['x'] },
      }),
    );
    expect(fit.schema.properties).toEqual({
      many: { anyOf: [closed({ a: text }), { type: 'string' }, { type: 'null' }] },
      scalar: { type: ['string', 'number'] },
      values: { type: ['string', 'number', 'null'], enum: ['a', 1, null] },
      one: { type: 'number', const: 4 },
      implied: closed({ x: text }),
    });
    expect(breaches(fit.schema)).toEqual([]);
  });

  it('[SG-053] keeps keys that are names of the language’s own: __proto__, constructor', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
    const fit = strict({ type: 'object', properties, required: ['__proto__', 'constructor'] });
    expect(Object.keys(fit.schema.properties as object)).toEqual(['__proto__', 'constructor']);
  });

  it('[SG-053] words stay, and never change what is enforced', () => {
    const fit = strict(closed({ a: { type: 'string', title: 'A', description: 'the a' } }, { description: 'root words' }));
    expect(fit.schema).toEqual(closed({ a: { type: 'string', title: 'A', description: 'the a' } }, { description: 'root words' }));
  });

  it('[SG-053] beyond the limits of the subset a schema is not viable, and the reason says which', () => {
    const nest = (levels: number): JsonSchema => {
      let schema: JsonSchema = text;
      for (let level = 0; level < levels; level += 1) schema = closed({ a: schema });
      return schema;
    };
    const flat = (count: number, name = (index: number) => `p${index}`): JsonSchema =>
      closed(Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), text])));
    expect(strict(nest(10))).toMatchObject({ strict: true, viable: true });
    expect(strict(flat(5_000))).toMatchObject({ strict: true, viable: true });
    const cases: [JsonSchema, RegExp][] = [
      [nest(11), /more than 10 levels/],
      [flat(5_001), /5001 properties/],
      [flat(2_000, (index) => `p${index}`.padEnd(70, '_')), /140000 characters/],
      [closed({ e: { enum: Array.from({ length: 1_001 }, (_, index) => index) } }), /1001 enum values/],
      [closed({ e: { enum: Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(60, 'x')) } }), /18000 characters/],
    ];
    for (const [schema, reason] of cases) {
      const fit = strict(schema);
      expect(fit).toMatchObject({ viable: false, strict: false });
      expect(fit.why.join(' ')).toMatch(reason);
    }
  });

  it('[SG-053] hostile schemas end: deep ones, ones that contain themselves, dangling and circular references, exploding sums', () => {
    let deep: JsonSchema = text;
    for (let level = 0; level < 50_000; level += 1) deep = { type: 'array', items: deep };
    const circle: { [keyword: string]: unknown } = { type: 'object' };
    circle.properties = { circle };
    let wide: JsonSchema = text;
    for (let level = 0; level < 60; level += 1) wide = { anyOf: [wide, wide] };
    for (const schema of [
      deep,
      circle,
      wide,
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
      closed({ a: { $ref: 'https://x.example/s' } }),
    ]) {
      for (const subset of ['openai-strict', 'open'] as const) {
        expect(fitSchema(schema, subset)).toMatchObject({ viable: false, why: [expect.any(String)] });
      }
    }
    const chain = { allOf: [{ $ref: '#/$defs/chain' }, { description: 'again' }] };
    expect(strict(closed({ chain }, { $defs: { chain } }))).toMatchObject({ strict: false });
  });

  it('is pure, and computed once per schema object', () => {
    const schema = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }) });
    expect(strict(schema)).toBe(strict(schema));
    expect(strict({ ...schema })).toEqual(strict(schema));
  });
});

describe('fitSchema, open subset', () => {
  it('[SG-053] changes nothing of an object root but its $schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', minLength: 2 } }, additionalProperties: text };
    const fit = fitSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }, 'open');
    expect(fit).toEqual({ schema, undo: { madeNullable: [] }, dropped: [], strict: false, viable: true, why: [] });
  });

  it('[SG-053] moves references along when the root is wrapped', () => {
    const fit = fitSchema(
      { type: 'array', items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: '#/items' }] }, $defs: { a: text } },
      'open',
    );
    expect(fit.schema).toEqual(
      closed(
        {
          value: {
            type: 'array',
            items: { anyOf: [{ $ref: '#/properties/value' }, { $ref: '#/$defs/a' }, { $ref: '#/properties/value/items' }] },
          },
        },
        { $defs: { a: text } },
      ),
    );
  });

  it('[SG-053] puts the definition that a root refers to in its place', () => {
    const fit = fitSchema({ $ref: '#/$defs/a', $defs: { a: closed({ next: { $ref: '#/$defs/a' } }) } }, 'open');
    expect(fit.schema).toMatchObject({ type: 'object', properties: { next: { $ref: '#/$defs/a' } } });
    expect(fit.schema).not.toHaveProperty('$ref');
    expect(fit.undo).toEqual({ madeNullable: [] });
  });
});

// Random schemas of the kind that applications write, with a value for each, to hold the fitting against a validator it does not know.
interface Sample {
  readonly schema: JsonSchema;
  /** Conforms to the schema, all optional keys present. */
  readonly value: unknown;
}

const scalar: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ maxLength: 5 }).map((value) => ({ schema: { type: 'string' }, value })),
  fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constant({ schema: { type: ['string', 'null'] }, value: null }),
  fc
    .uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 4 })
    .map((values) => ({ schema: { enum: values }, value: values[0] })),
  fc.integer().map((value) => ({ schema: { const: value }, value })),
);

const sample: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    scalar,
    fc
      .dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.record({ inner: tie('any'), required: fc.boolean() }), {
        minKeys: 1,
        maxKeys: 4,
      })
      .map((entries) => ({
        schema: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(entries).map(([key, { inner }]) => [key, inner.schema])),
          required: Object.entries(entries).flatMap(([key, { required }]) => (required ? [key] : [])),
          additionalProperties: false,
        },
        value: Object.fromEntries(Object.entries(entries).map(([key, { inner }]) => [key, inner.value])),
      })),
    tie('any').map(({ schema, value }) => ({ schema: { type: 'array', items: schema }, value: [value, value] })),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => ({ schema: { anyOf: [a.schema, b.schema] }, value: b.value })),
  ),
})).any;

/** Optional keys that the schema knows and the value leaves out, as the strict wire wants them: null. */
function withNulls(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withNulls((schema.items ?? {}) as JsonSchema, entry));
  if (typeof value !== 'object' || value === null || typeof schema.properties !== 'object') return value;
  const properties = schema.properties as { readonly [key: string]: JsonSchema };
  const given = value as { readonly [key: string]: unknown };
  return Object.fromEntries(
    Object.keys(properties).map((key) => [key, Object.hasOwn(given, key) ? withNulls(properties[key] ?? {}, given[key]) : null]),
  );
}

describe('fitted schemas against Ajv', () => {
  const compile = (schema: JsonSchema) => new Ajv2020({ strict: false }).compile(schema);

  it('[SG-053] obey the subset, and take every conforming value that is written with all keys', () => {
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        const fit = strict(schema);
        expect(fit).toMatchObject({ strict: true, viable: true });
        expect(breaches(fit.schema)).toEqual([]);
        const sent = fit.undo.rootKey === undefined ? value : { [fit.undo.rootKey]: value };
        expect(compile(fit.schema)(sent)).toBe(true);
        for (const pointer of fit.undo.madeNullable) {
          const place = schemaAt(schema, pointer);
          expect(place === undefined ? undefined : compile(place)(null)).toBe(false);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('[SG-053] take null for each optional key that is left out, and for no required one that refuses it', () => {
    const schema = {
      type: 'object',
      properties: { a: text, b: { type: 'array', items: { type: 'object', properties: { c: text } } } },
      required: ['b'],
    };
    const check = compile(strict(schema).schema);
    expect(check(withNulls(schema, { b: [{}] }))).toBe(true);
    expect(check({ a: null, b: null })).toBe(false);
    expect(check({ a: null, b: [{}] })).toBe(false);
  });
});
