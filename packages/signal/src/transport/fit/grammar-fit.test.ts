import type { JsonSchema } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitSchema } from '../schema-fit.ts';
import { fitGrammar } from './grammar-fit.ts';

const keywordsOf = (schema: JsonSchema): readonly string[] =>
  fitGrammar(schema).dropped.map(({ pointer, keyword }) => `${pointer} ${keyword}`);

describe('a schema for a grammar', () => {
  it('[SG-053] what the converter takes goes out as it is, the same object', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['ferry', 'tug'] },
        pier: { type: 'integer', minimum: 1, maximum: 40 },
        name: { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$', description: 'Its name.' },
        when: { type: 'string', format: 'date-time' },
        calls: { type: 'array', items: { $ref: '#/$defs/call' }, minItems: 1, maxItems: 3 },
        either: { anyOf: [{ type: 'null' }, { const: { not: 1, multipleOf: 2 } }] },
        not: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['pier'],
      additionalProperties: false,
      $defs: { call: { type: 'object', properties: { if: { type: 'boolean' } } } },
    } satisfies JsonSchema;
    const fitted = fitGrammar(schema);
    expect(fitted.dropped).toEqual([]);
    expect(fitted.schema).toBe(schema);
  });

  it("[SG-053] what it overlooks or stumbles over is dropped, and reported by its place in the caller's schema", () => {
    const schema = {
      type: 'object',
      properties: {
        depth: { type: 'number', minimum: 0, multipleOf: 0.5 },
        code: { type: 'string', pattern: '[a-z]+', format: 'email' },
        'a/b': { type: 'array', uniqueItems: true, items: { type: 'integer', exclusiveMinimum: 0.5 } },
        either: { anyOf: [{ type: ['integer', 'null'], maximum: 3 }] },
      },
      if: { properties: { code: { const: 'x' } } },
      patternProperties: { '^x': { type: 'string' } },
    } satisfies JsonSchema;
    expect([...keywordsOf(schema)].sort()).toEqual(
      [
        '/properties/depth minimum',
        '/properties/depth multipleOf',
        '/properties/code pattern',
        '/properties/code format',
        '/properties/a~1b uniqueItems',
        '/properties/a~1b/items exclusiveMinimum',
        '/properties/either/anyOf/0 maximum',
        ' if',
        ' patternProperties',
      ].sort(),
    );
    expect(fitGrammar(schema).schema).toEqual({
      type: 'object',
      properties: {
        depth: { type: 'number' },
        code: { type: 'string' },
        'a/b': { type: 'array', items: { type: 'integer' } },
        either: { anyOf: [{ type: ['integer', 'null'] }] },
      },
    });
  });

  it.each([
    ['^a$', true],
    ['^(?:a|b)$', true],
    ['a', false],
    ['^a\\$', false],
    ['^a', false],
    ['^(?=a)b$', false],
    ['^(a)\\1$', false],
    ['^\\ba$', false],
    ['^\\p{L}$', false],
  ])('[SG-053] the pattern %s', (pattern, taken) => {
    expect(keywordsOf({ type: 'string', pattern })).toEqual(taken ? [] : [' pattern']);
  });

  it('[SG-053] through fitSchema: the root is wrapped as everywhere, what was dropped is told', () => {
    const fitted = fitSchema({ type: 'array', items: { type: 'integer' }, uniqueItems: true }, 'grammar');
    expect(fitted).toMatchObject({
      schema: { type: 'object', properties: { value: { type: 'array', items: { type: 'integer' } } } },
      undo: { rootKey: 'value' },
      dropped: [{ pointer: '', keyword: 'uniqueItems' }],
      viable: true,
      strict: false,
    });
    const plain = { type: 'object', properties: { pier: { type: 'integer' } } } as const;
    expect(fitSchema(plain, 'grammar')).toEqual(fitSchema({ ...plain }, 'open'));
  });

  it("changes no data and never the caller's schema", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const schema = JSON.parse(
          JSON.stringify({ const: value, default: value, enum: [value], examples: [value], multipleOf: 2 }),
        ) as JsonSchema;
        const before = JSON.stringify(schema);
        const { multipleOf: _dropped, ...rest } = schema;
        expect(fitGrammar(schema).schema).toEqual(rest);
        expect(JSON.stringify(schema)).toBe(before);
      }),
    );
  });
});
