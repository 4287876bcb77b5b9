import { describe, expect, it } from 'vitest';
import { type JsonSchema, namedTypes, resolveReference, schemaAt } from './json-schema.ts';

const root: JsonSchema = {
  properties: { berth: { $ref: '#/$defs/berth' }, 'a/b': { type: 'string' }, '': { type: 'null' } },
  prefixItems: [{ type: 'number' }, { type: 'boolean' }],
  $defs: {
    berth: { $ref: '#/$defs/place' },
    place: { type: ['object', 'null'] },
    'with space': { type: 'integer' },
    loop: { $ref: '#/$defs/back' },
    back: { $ref: '#/$defs/loop' },
  },
};
const resolve = ($ref: string): unknown => resolveReference(root, { $ref }, '/here');

describe('schemaAt', () => {
  it('walks objects and lists, and unescapes keys', () => {
    expect(schemaAt(root, '')).toBe(root);
    expect(schemaAt(root, '/properties/a~1b')).toEqual({ type: 'string' });
    expect(schemaAt(root, '/properties/')).toEqual({ type: 'null' });
    expect(schemaAt(root, '/prefixItems/1')).toEqual({ type: 'boolean' });
  });

  it('gives nothing for what is not there, is no schema, or is no index of a list', () => {
    for (const pointer of [
      '/properties/none',
      '/prefixItems/2',
      '/prefixItems/',
      '/prefixItems/01',
      '/prefixItems/1e0',
      '/prefixItems/length',
    ])
      expect(schemaAt(root, pointer), pointer).toBeUndefined();
    for (const pointer of ['/properties/constructor', '/__proto__', '/toString', '/prefixItems', '/$defs/place/type'])
      expect(schemaAt(root, pointer), pointer).toBeUndefined();
  });
});

describe('resolveReference', () => {
  it('gives a schema without a reference back, with its place', () => {
    const schema = { type: 'string' };
    expect(resolveReference(root, schema, '/here')).toEqual({ schema, pointer: '/here' });
  });

  it('follows a chain of references to the last, and says where that stands', () => {
    expect(resolve('#/properties/berth')).toEqual({ schema: { type: ['object', 'null'] }, pointer: '/$defs/place' });
    expect(resolve('#/$defs/with%20space')).toEqual({ schema: { type: 'integer' }, pointer: '/$defs/with space' });
    expect(resolve('#')).toEqual({ schema: root, pointer: '' });
  });

  it('gives nothing for a circle, another document, an anchor, a broken escape, and a place that is not there', () => {
    for (const reference of ['#/$defs/loop', 'other.json', 'other.json#/$defs/place', '#place', '#$defs/place', '#/%', '#/$defs/none', ''])
      expect(resolve(reference), reference).toBeUndefined();
  });
});

describe('namedTypes', () => {
  it('lists the types that the keyword names, and nothing else', () => {
    expect(namedTypes({ type: 'string' })).toEqual(['string']);
    expect(namedTypes({ type: ['string', 'null', 3] })).toEqual(['string', 'null']);
    expect(namedTypes({ const: 1 })).toEqual([]);
  });
});
