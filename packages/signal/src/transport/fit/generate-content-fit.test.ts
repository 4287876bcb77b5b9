import type { JsonSchema } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { fitGenerateContent } from './generate-content-fit.ts';

const fit = (schema: JsonSchema, wrapUnder?: string): readonly [JsonSchema, readonly string[]] => {
  const { schema: fitted, dropped } = fitGenerateContent(schema, wrapUnder);
  return [fitted, dropped.map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
};
const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more });

describe('the subset of the generateContent wire', () => {
  it('[SG-053] leaves alone what it has', () => {
    const schema = object(
      {
        pier: { type: 'integer', minimum: 1, maximum: 9, description: 'Which.' },
        way: { type: 'string', enum: ['in', 'out'] },
        when: { type: ['string', 'null'], format: 'date-time' },
        path: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
        rest: { type: 'object', additionalProperties: { type: 'string' } },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        any: {},
      },
      { required: ['pier'], additionalProperties: false, title: 'Berth' },
    );
    expect(fit(schema)).toEqual([schema, []]);
  });

  it('[SG-053] drops what it lacks, and reports it where it stood', () => {
    const schema = object({
      name: { type: 'string', minLength: 1, pattern: '^a', format: 'email', default: 'x', examples: ['y'] },
      list: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      half: { type: 'number', multipleOf: 0.5, exclusiveMinimum: 0 },
      whole: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      not: { type: 'string', not: { const: 'x' } },
    });
    expect(fit(schema)).toEqual([
      object({
        name: { type: 'string' },
        list: { type: 'array', items: { type: 'string' } },
        half: { type: 'number', minimum: 0 },
        whole: { type: 'integer', minimum: 1, maximum: 9 },
        not: { type: 'string' },
      }),
      [
        '/properties/name minLength',
        '/properties/name pattern',
        '/properties/name format',
        '/properties/list uniqueItems',
        '/properties/half multipleOf',
        '/properties/half exclusiveMinimum',
        '/properties/not not',
      ],
    ]);
  });

  it('[SG-053] says constants as enums of texts and numbers, and null as a type', () => {
    const schema = object({
      kind: { const: 'berth' },
      count: { const: 7 },
      none: { const: null },
      flag: { const: true },
      mixed: { enum: ['a', 1, 1.5, null] },
      odd: { enum: ['a', { b: 1 }] },
    });
    expect(fit(schema)).toEqual([
      object({
        kind: { type: 'string', enum: ['berth'] },
        count: { type: 'integer', enum: [7] },
        none: { type: 'null' },
        flag: { type: 'boolean' },
        mixed: {
          anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer', enum: [1] }, { type: 'number', enum: [1.5] }, { type: 'null' }],
        },
        odd: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      }),
      ['/properties/flag const', '/properties/odd enum'],
    ]);
  });

  it('[SG-053] says oneOf as anyOf with nothing beside it, and merges allOf', () => {
    const schema = object({
      one: { oneOf: [{ type: 'string' }, { type: 'number' }], type: ['string', 'number'], minLength: 2, description: 'd' },
      all: { allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })] },
      torn: { allOf: [{ type: 'string' }, { type: 'number' }], description: 'd' },
    });
    expect(fit(schema)).toEqual([
      object({
        one: { description: 'd', anyOf: [{ type: 'string' }, { type: 'number' }] },
        all: object({ a: { type: 'string' }, b: { type: 'number' } }, { required: ['a'] }),
        torn: { description: 'd' },
      }),
      ['/properties/one minLength', '/properties/torn allOf'],
    ]);
  });

  it('[SG-053] keeps references and a recursion that may end, beside nothing else', () => {
    const schema = object(
      { head: { $ref: '#/definitions/node', description: 'd', minProperties: 1 }, root: { $ref: '#' } },
      { definitions: { node: object({ value: { type: 'string' }, next: { $ref: '#/definitions/node' } }, { required: ['value'] }) } },
    );
    const node = object({ value: { type: 'string' }, next: { $ref: '#/$defs/node' } }, { required: ['value'] });
    const rest = { head: { $ref: '#/$defs/node' }, root: { $ref: '#/$defs/root' } };
    expect(fit(schema)).toEqual([{ ...object(rest), $defs: { node, root: object(rest) } }, ['/properties/head minProperties']]);
  });

  it('[SG-053] opens a recursion through required properties alone', () => {
    const tree = object({ children: { type: 'array', items: { $ref: '#/$defs/tree' } } }, { required: ['children'] });
    const schema = object({ tree: { $ref: '#/$defs/tree' } }, { required: ['tree'], $defs: { tree } });
    expect(fit(schema)).toEqual([
      {
        ...object({ tree: { $ref: '#/$defs/tree' } }, { required: ['tree'] }),
        $defs: { tree: object({ children: { type: 'array', items: { type: 'object' } } }, { required: ['children'] }) },
      },
      ['/$defs/tree/properties/children/items $ref'],
    ]);
    const two = object(
      { a: { $ref: '#/$defs/a' } },
      {
        $defs: {
          a: object({ b: { $ref: '#/$defs/b' } }, { required: ['b'] }),
          b: object({ a: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/a' } }, { required: ['a'] }),
        },
      },
    );
    const [fitted, dropped] = fit(two);
    expect(dropped).toHaveLength(1);
    expect(JSON.stringify(fitted).match(/\$ref/g)).toHaveLength(3);
  });

  it('[SG-053] wraps another root, and asks for no name that is not described', () => {
    expect(fit({ type: 'array', items: { type: 'string' } }, 'value')).toEqual([
      object({ value: { type: 'array', items: { type: 'string' } } }, { required: ['value'], additionalProperties: false }),
      [],
    ]);
    expect(fit(object({ a: true, b: false }, { required: ['a', 'z'] }))).toEqual([
      object({ a: {} }, { required: ['a'] }),
      [' properties', ' required'],
    ]);
    expect(fit({ type: 'object', required: ['z'] })).toEqual([{ type: 'object' }, [' required']]);
  });

  it('[SG-053] takes a schema of sixty levels, and two definitions of one name', () => {
    let deep: JsonSchema = { type: 'string', minLength: 1 };
    for (let level = 0; level < 60; level += 1) deep = object({ a: deep });
    expect(fit(deep)[1]).toHaveLength(1);
    const twice = object(
      { a: { $ref: '#/$defs/x' }, b: { $ref: '#/definitions/x' } },
      { $defs: { x: { type: 'string' } }, definitions: { x: { type: 'number' } } },
    );
    expect(fit(twice)[0]).toEqual({
      ...object({ a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/x_2' } }),
      $defs: { x: { type: 'string' }, x_2: { type: 'number' } },
    });
  });
});
