import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { SignalError } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scope, type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type PlainSchema, toOutputSchema } from './output-schema.ts';

const unsupported = expect.objectContaining({ code: 'E_UNSUPPORTED_SCHEMA', kind: 'configuration' });

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function issuesOf(schema: Parameters<typeof toOutputSchema>[0], value: unknown) {
  const verdict = toOutputSchema(schema).validate(value);
  if (verdict.ok) throw new Error('the value conforms');
  return verdict.issues;
}

function ajvSchema(jsonSchema: { readonly [keyword: string]: unknown }): PlainSchema {
  const check = new Ajv2020({ allErrors: true, strict: false }).compile(jsonSchema);
  return {
    jsonSchema,
    validate(value) {
      if (check(value)) return { ok: true };
      const issues = (check.errors ?? []).map((error) => ({
        path: error.instancePath,
        code: error.keyword,
        expected: error.message ?? '',
        received: '',
      }));
      return { ok: false, issues };
    },
  };
}

describe('zod', () => {
  it('[SG-053] [def-B7] a transform, a default and a stringbool are described by what the model must write, and applied once by parse', () => {
    const schema = toOutputSchema(
      z.object({ a: z.string().transform((text) => text.length), b: z.string().default('x'), c: z.stringbool() }),
    );
    expect(schema.jsonSchema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } },
      required: ['a', 'c'],
    });
    const written = { a: 'four', c: 'yes' };
    expect(schema.validate(written)).toEqual({ ok: true });
    expect(written).toEqual({ a: 'four', c: 'yes' });
    expect(schema.parse(written)).toEqual({ a: 4, b: 'x', c: true });
  });

  it('[SG-053] [def-B7] a codec to a date asks for a date-time string and gives a date', () => {
    const codec = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
    const schema = toOutputSchema(z.object({ at: codec }));
    expect(schema.jsonSchema).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' } } });
    expect(schema.validate({ at: '2026-01-02T03:04:05Z' })).toEqual({ ok: true });
    expect(schema.parse({ at: '2026-01-02T03:04:05Z' })).toEqual({ at: new Date('2026-01-02T03:04:05Z') });
    expect(schema.validate({ at: 'soon' })).toMatchObject({ ok: false });
  });

  it('[SG-053] [def-B8] coerced dates and big integers are described by what their coercion reads', () => {
    const schema = toOutputSchema(z.object({ at: z.coerce.date(), big: z.coerce.bigint() }));
    expect(schema.jsonSchema).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' }, big: { type: 'integer' } } });
    expect(schema.parse({ at: '2026-01-02T03:04:05Z', big: 12 })).toEqual({ at: new Date('2026-01-02T03:04:05Z'), big: 12n });
  });

  it('[SG-053] [def-B8] fields without a JSON form become any value, with a note each, and the gate still refuses them', () => {
    const schema = toOutputSchema(z.object({ when: z.date(), list: z.array(z.bigint()), name: z.string(), any: z.unknown() }));
    expect(schema.jsonSchema).toMatchObject({
      properties: { when: {}, list: { type: 'array', items: {} }, name: { type: 'string' }, any: {} },
    });
    expect(schema.notes).toEqual([
      '/properties/list/items (bigint) cannot be expressed in JSON Schema and is sent as any value.',
      '/properties/when (date) cannot be expressed in JSON Schema and is sent as any value.',
    ]);
    expect(schema.validate({ when: '2026-01-02', list: [1], name: 'n', any: 1 })).toMatchObject({
      ok: false,
      issues: [{ path: '/when' }, { path: '/list/0' }],
    });
  });

  it('[SG-053] [def-B8] a schema of which nothing can be said is a typed configuration error, never the library’s own', () => {
    for (const schema of [z.date(), z.bigint(), z.custom<string>(() => true), z.symbol()]) {
      const error = caught(() => toOutputSchema(schema));
      expect(error).toBeInstanceOf(SignalError);
      expect(error).toEqual(unsupported);
    }
  });

  it('keeps the facts that fitting rests on: open objects, self-reference, inlined sub-schemas, both-sided records', () => {
    expect(toOutputSchema(z.object({ a: z.string() })).jsonSchema).not.toHaveProperty('additionalProperties');
    const node = z.object({
      get children() {
        return z.array(node);
      },
    });
    expect(toOutputSchema(node).jsonSchema).toMatchObject({ properties: { children: { items: { $ref: '#' } } } });
    const point = z.object({ x: z.number() });
    expect(JSON.stringify(toOutputSchema(z.object({ from: point, to: point })).jsonSchema)).not.toContain('$ref');
    const record = toOutputSchema(z.record(z.enum(['a', 'b']), z.number()));
    expect(record.validate({ a: 1 })).toMatchObject({ ok: false });
    expect(record.validate({ a: 1, b: 2, c: 3 })).toMatchObject({ ok: false });
    expect(record.validate({ a: 1, b: 2 })).toEqual({ ok: true });
  });

  it('[SG-054] [def-B20] an asynchronous refinement is a typed configuration error when the schema is given, before any model call', () => {
    const schemas = [
      z.string().refine(async () => true),
      z.object({ a: z.string(), b: z.array(z.object({ c: z.number().refine(async () => true) })) }),
      z.union([z.number(), z.string().refine(async () => true)]),
      z.object({
        a: z
          .string()
          .optional()
          .refine(async () => true),
      }),
      z.object({ a: z.string() }).transform(async (value) => value),
    ];
    for (const schema of schemas) {
      const error = caught(() => toOutputSchema(schema));
      expect(error).toEqual(unsupported);
      expect((error as Error).message).toMatch(/asynchronous/);
    }
  });

  it('[SG-054] [def-B20] an async refinement that would reject is found without running it', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const rejects = z.object({
      a: z.string().refine(async () => {
        throw new Error('no database');
      }),
    });
    expect(caught(() => toOutputSchema(rejects))).toEqual(unsupported);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('[SG-054] [def-B20] a promise from a function that is not marked async is found on a sample value', () => {
    const schemas = [
      z.object({ b: z.array(z.object({ c: z.number().refine(() => Promise.resolve(true)) })) }),
      z.union([z.number(), z.string().refine(() => Promise.resolve(true))]),
    ];
    for (const schema of schemas) expect(caught(() => toOutputSchema(schema))).toEqual(unsupported);
  });

  it('a synchronous rule that throws on the sample values is no asynchronous part', () => {
    const schema = toOutputSchema(
      z.object({ json: z.string().transform((text) => JSON.parse(text)), url: z.string().refine((text) => new URL(text)) }),
    );
    expect(schema.parse({ json: '[1]', url: 'https://a.example' })).toEqual({ json: [1], url: 'https://a.example' });
    expect(schema.validate({ json: '[', url: 'https://a.example' })).toMatchObject({ ok: false, issues: [{ code: 'invalid' }] });
  });

  it('[SG-054] [def-B20] an asynchronous part that shows only on a real value is the same error then', () => {
    const schema = toOutputSchema(
      z.object({
        a: z
          .string()
          .regex(/^[0-9]{7}x$/, { abort: true })
          .refine(() => Promise.resolve(true)),
      }),
    );
    expect(schema.validate({ a: 'no' })).toMatchObject({ ok: false });
    expect(caught(() => schema.validate({ a: '1234567x' }))).toEqual(unsupported);
    expect(caught(() => schema.parse({ a: '1234567x' }))).toEqual(unsupported);
  });

  it('[SG-055] [def-B21] a discriminated union is reported by the branch that the discriminator names', () => {
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), x: z.number() }),
      z.object({ kind: z.literal('b'), y: z.string() }),
    ]);
    expect(issuesOf(union, { kind: 'a', x: 'one' })).toEqual([{ path: '/x', code: 'invalid_type', expected: 'number', received: '"one"' }]);
    expect(issuesOf(z.object({ u: union }), { u: { kind: 'z' } })).toEqual([
      { path: '/u/kind', code: 'invalid_union', expected: 'one of "a", "b"', received: '"z"' },
    ]);
  });

  it('[SG-055] [def-B21] a plain union is discriminated by its literals, and otherwise lists each branch’s issues', () => {
    const tagged = z.union([z.object({ t: z.literal('a'), x: z.number() }), z.object({ t: z.literal('b'), y: z.string() })]);
    expect(issuesOf(tagged, { t: 'a', x: '1' })).toEqual([{ path: '/x', code: 'invalid_type', expected: 'number', received: '"1"' }]);
    expect(issuesOf(tagged, { t: 'c' })).toEqual([
      { path: '/t', code: 'invalid_union_discriminator', expected: 'one of "a", "b"', received: '"c"' },
    ]);
    const mixed = z.union([z.string().min(9), z.union([z.number(), z.object({ n: z.number() })])]);
    expect(issuesOf(z.object({ m: mixed }), { m: { n: 'x' } })).toEqual([
      { path: '/m', code: 'invalid_type', expected: 'option 1 of 2: string', received: '{"n":"x"}' },
      { path: '/m', code: 'invalid_type', expected: 'option 2 of 2: option 1 of 2: number', received: '{"n":"x"}' },
      { path: '/m/n', code: 'invalid_type', expected: 'option 2 of 2: option 2 of 2: number', received: '"x"' },
    ]);
  });

  it('[SG-081] issues have a pointer, the rule, the expectation and the received value', () => {
    const schema = z
      .object({
        'a/b': z.array(z.object({ '~': z.string() })),
        n: z.number().min(3),
        kind: z.literal('q'),
        level: z.enum(['low', 'high']),
        custom: z.string().refine(() => false, 'must rhyme'),
      })
      .strict();
    const issues = issuesOf(schema, { 'a/b': [{ '~': 1 }], n: 2, kind: 'z', level: 'mid', custom: 'x', extra: { deep: true } });
    expect(issues).toEqual([
      { path: '/a~1b/0/~0', code: 'invalid_type', expected: 'string', received: '1' },
      { path: '/n', code: 'too_small', expected: 'Too small: expected number to be >=3', received: '2' },
      { path: '/kind', code: 'invalid_value', expected: '"q"', received: '"z"' },
      { path: '/level', code: 'invalid_value', expected: 'one of "low", "high"', received: '"mid"' },
      { path: '/custom', code: 'custom', expected: 'must rhyme', received: '"x"' },
      { path: '/extra', code: 'unrecognized_keys', expected: 'no such key', received: '{"deep":true}' },
    ]);
    expect(issuesOf(z.object({ a: z.string() }), {})).toEqual([{ path: '/a', code: 'required', expected: 'string', received: 'nothing' }]);
  });

  it('[SG-086] the list of issues, each text and each path are bounded', () => {
    const many = issuesOf(
      z.array(z.number()),
      Array.from({ length: 5_000 }, () => 'x'),
    );
    expect(many).toHaveLength(33);
    expect(many.at(-1)).toEqual({ path: '', code: 'more_issues', expected: 'no further issues', received: '4968 more issues' });
    const [long] = issuesOf(z.object({ a: z.number() }), { a: 'y'.repeat(100_000) });
    expect(long?.received.length).toBeLessThan(400);
    const [key] = issuesOf(z.record(z.string(), z.number()), { ['k'.repeat(100_000)]: 'x' });
    expect(key?.path.length).toBeLessThan(700);
    const [option] = issuesOf(z.object({ e: z.enum(Array.from({ length: 4_000 }, (_, index) => `option-${index}`)) }), { e: 'none' });
    expect(option?.expected.length).toBeLessThan(400);
    const [message] = issuesOf(
      z.string().refine(() => false, 'm'.repeat(9_999)),
      'x',
    );
    expect(message?.expected.length).toBeLessThan(400);
  });

  it('a refinement that throws is a refusal of the value, not a crash', () => {
    const schema = toOutputSchema(
      z.object({
        a: z.string().refine(() => {
          throw new Error('broken rule');
        }),
      }),
    );
    expect(schema.validate({ a: 'x' })).toEqual({
      ok: false,
      issues: [{ path: '', code: 'invalid', expected: 'broken rule', received: '{"a":"x"}' }],
    });
  });

  it('converts a schema object once', () => {
    const schema = z.object({ a: z.string() });
    const convert = vi.spyOn(schema['~standard'].jsonSchema, 'input');
    expect(toOutputSchema(schema)).toBe(toOutputSchema(schema));
    expect(convert.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('parse says of what is not there that it is missing', () => {
    const { message } = caught(() => toOutputSchema(z.object({ total: z.number() })).parse({})) as Error;
    expect(message).toBe('The value does not conform: /total is missing (expected: number).');
  });

  it('parse of what does not conform throws a typed failure with the issues', () => {
    const error = caught(() => toOutputSchema(z.object({ a: z.string() })).parse({ a: 1 }));
    expect(error).toMatchObject({ code: 'E_INVALID_OUTPUT', evidence: { issues: [{ path: '/a' }] } });
  });
});

describe('other libraries', () => {
  it('[SG-054] [def-B7] valibot through its Standard JSON Schema form', () => {
    const schema = toOutputSchema(
      toStandardJsonSchema(
        v.object({
          a: v.optional(v.string(), 'x'),
          b: v.pipe(
            v.string(),
            v.transform((text) => text.length),
          ),
          c: v.pipe(
            v.string(),
            v.check((text) => text.length > 1, 'too short'),
          ),
        }),
      ),
    );
    expect(schema.jsonSchema).toMatchObject({ properties: { b: { type: 'string' }, c: { type: 'string' } }, required: ['b', 'c'] });
    expect(schema.parse({ b: 'abc', c: 'de' })).toEqual({ a: 'x', b: 3, c: 'de' });
    expect(schema.validate({ b: 1, c: 'd' })).toEqual({
      ok: false,
      issues: [
        { path: '/b', code: 'string', expected: 'string', received: '1' },
        { path: '/c', code: 'check', expected: 'too short', received: '"d"' },
      ],
    });
    expect(schema.validate({ b: 'x' })).toMatchObject({ issues: [{ path: '/c', code: 'required', received: 'nothing' }] });
  });

  it('[SG-054] [def-B8] [def-B20] [def-B21] valibot: dates, asynchronous schemas and unions', () => {
    expect(toOutputSchema(toStandardJsonSchema(v.object({ d: v.date(), s: v.string() })))).toMatchObject({
      jsonSchema: { properties: { d: {}, s: { type: 'string' } } },
      notes: [expect.stringContaining('(date) cannot be expressed')],
    });
    const jsonSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const asynchronous = v.objectAsync({
      a: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => true),
      ),
    });
    expect(caught(() => toOutputSchema({ standard: asynchronous, jsonSchema }))).toEqual(unsupported);
    const union = v.object({ u: v.union([v.object({ n: v.number() }), v.boolean()]) });
    expect(issuesOf({ standard: union, jsonSchema }, { u: { n: 'x' } })).toEqual([
      { path: '/u/n', code: 'number', expected: 'one option: number', received: '"x"' },
      { path: '/u', code: 'boolean', expected: 'one option: boolean', received: '{"n":"x"}' },
    ]);
    const variant = v.variant('t', [v.object({ t: v.literal('a'), x: v.number() }), v.object({ t: v.literal('b'), y: v.string() })]);
    expect(issuesOf({ standard: variant, jsonSchema }, { t: 'a', x: '1' })).toEqual([
      { path: '/x', code: 'number', expected: 'number', received: '"1"' },
    ]);
    expect(issuesOf({ standard: v.strictObject({ a: v.string() }), jsonSchema }, { a: 'x', b: 1 })).toEqual([
      { path: '/b', code: 'strict_object', expected: 'no such key', received: '1' },
    ]);
  });

  it('[SG-054] a Standard Schema without JSON Schema is refused with the remedy, and taken with one beside it', () => {
    const schema = v.object({ a: v.string() });
    expect((caught(() => toOutputSchema(schema)) as Error).message).toContain('{ standard, jsonSchema }');
    expect(toOutputSchema({ standard: schema, jsonSchema: { type: 'object' } }).parse({ a: 'x' })).toEqual({ a: 'x' });
  });

  it('[SG-054] [def-B7] [def-B21] arktype: morphs, dates, unions, paths', () => {
    const schema = toOutputSchema(type({ a: 'string', 'b?': 'number', d: 'string.date.parse', e: "'x'|'y'" }));
    expect(schema.jsonSchema).toMatchObject({ properties: { a: { type: 'string' }, d: { type: 'string' } }, required: ['a', 'd', 'e'] });
    expect(schema.parse({ a: '1', d: '2020-01-01', e: 'x' })).toEqual({ a: '1', d: new Date('2020-01-01'), e: 'x' });
    expect(issuesOf(type({ a: 'string', n: 'number>3' }), { n: 1 })).toEqual([
      { path: '/a', code: 'required', expected: 'a string', received: 'nothing' },
      { path: '/n', code: 'min', expected: 'more than 3', received: '1' },
    ]);
    expect(issuesOf(type({ w: type({ a: 'string' }).or({ b: 'number' }) }), { w: { a: 1, b: 'x' } })).toEqual([
      { path: '/w/a', code: 'domain', expected: 'one option: a string', received: '1' },
      { path: '/w/b', code: 'domain', expected: 'one option: a number', received: '"x"' },
    ]);
    expect(toOutputSchema(type({ d: 'Date', x: 'string' })).jsonSchema).toMatchObject({ properties: { d: {} } });
    expect(toOutputSchema(scope({ node: { v: 'string', kids: 'node[]' } }).export().node).validate({ v: 'x', kids: [] })).toEqual({
      ok: true,
    });
  });

  it('[SG-054] plain JSON Schema with a validator, here Ajv', () => {
    const schema = toOutputSchema(
      ajvSchema({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a', 'b'], additionalProperties: false }),
    );
    expect(schema.validate({ a: 1.5, c: 1 })).toMatchObject({
      ok: false,
      issues: [{ code: 'required' }, { code: 'additionalProperties' }, { path: '/a', code: 'type' }],
    });
    expect(caught(() => schema.parse({ a: 1 }))).toMatchObject({ code: 'E_INVALID_OUTPUT' });
    const given = toOutputSchema({
      jsonSchema: { type: 'string' },
      validate: () => ({ ok: true }),
      parse: (value) => String(value).length,
    });
    expect(given.parse('four')).toBe(4);
  });

  it('[SG-054] a validator that answers in another form, or later, is a configuration error', () => {
    const jsonSchema = { type: 'string' };
    const boolean = toOutputSchema({ jsonSchema, validate: (() => true) as never });
    expect(caught(() => boolean.validate('x'))).toEqual(unsupported);
    const late = toOutputSchema({ jsonSchema, validate: (async () => ({ ok: true })) as never });
    expect(caught(() => late.validate('x'))).toEqual(unsupported);
  });

  it('[SG-054] [def-B20] a SchemaAdapter: what parse throws is the refusal, and a promise is a configuration error', () => {
    const inner = z.object({ a: z.string() });
    const schema = toOutputSchema({ jsonSchema: { type: 'object' }, parse: (value) => inner.parse(value) });
    expect(schema.validate({ a: 'x' })).toEqual({ ok: true });
    expect(schema.validate({ a: 1 })).toEqual({
      ok: false,
      issues: [{ path: '/a', code: 'invalid_type', expected: 'string', received: '1' }],
    });
    const words = toOutputSchema({
      jsonSchema: {},
      parse() {
        throw new Error('not a haiku');
      },
    });
    expect(words.validate('x')).toEqual({ ok: false, issues: [{ path: '', code: 'invalid', expected: 'not a haiku', received: '"x"' }] });
    const asynchronous = toOutputSchema({
      jsonSchema: {},
      parse: (value) =>
        z
          .string()
          .refine(async () => true)
          .parse(value),
    });
    expect(caught(() => asynchronous.validate('x'))).toEqual(unsupported);
    expect(caught(() => toOutputSchema({ jsonSchema: {}, parse: async () => 1 }).validate('x'))).toEqual(unsupported);
  });

  it('[SG-054] a rejected promise of a validator raises no unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const schema = toOutputSchema({ jsonSchema: {}, validate: (() => Promise.reject(new Error('late'))) as never });
    expect(caught(() => schema.validate('x'))).toEqual(unsupported);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('[SG-054] refuses what is no schema', () => {
    const circle: { [keyword: string]: unknown } = { type: 'object' };
    circle.self = circle;
    const bad = [
      undefined,
      null,
      1,
      'x',
      {},
      { type: 'object' },
      { jsonSchema: { type: 'object' } },
      { jsonSchema: true, validate: () => ({ ok: true }) },
      { jsonSchema: circle, validate: () => ({ ok: true }) },
      { '~standard': {} },
    ];
    for (const schema of bad) expect(caught(() => toOutputSchema(schema as never))).toEqual(unsupported);
  });
});
