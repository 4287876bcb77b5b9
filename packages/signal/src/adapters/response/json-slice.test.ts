import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceItems, sliceJson, splitJsonValues } from './json-slice.ts';

describe('sliceJson', () => {
  it('[path-B14] keeps the digits that parsing loses', () => {
    const text = ' {"a" : [1, {"b":{"n": 12345678901234567890 , "t":"}]\\"" }}] }';
    expect(sliceJson(text, ['a', 1, 'b'])).toBe('{"n": 12345678901234567890 , "t":"}]\\"" }');
    expect(sliceJson(text, ['a', 1, 'b', 'n'])).toBe('12345678901234567890');
  });

  it('takes the last of a repeated key, as JSON.parse does, and knows escaped keys', () => {
    expect(sliceJson('{"a":1,"\\u0061":2}', ['a'])).toBe('2');
    expect(sliceJson('{"__proto__":3}', ['__proto__'])).toBe('3');
  });

  it('says when there is nothing', () => {
    for (const path of [['x'], ['a', 5], ['a', 'b'], [0]]) expect(sliceJson('{"a":[1]}', path)).toBeUndefined();
  });

  it('agrees with JSON.parse everywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const stack: { readonly path: readonly (string | number)[]; readonly value: unknown }[] = [{ path: [], value: JSON.parse(text) }];
        for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
          expect(JSON.parse(sliceJson(text, here.path) ?? '')).toEqual(here.value);
          if (typeof here.value !== 'object' || here.value === null) continue;
          const isList = Array.isArray(here.value);
          for (const [key, child] of Object.entries(here.value))
            stack.push({ path: [...here.path, isList ? Number(key) : key], value: child });
        }
      }),
    );
  });

  it('does not nest its own calls, however deep the text', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(sliceJson(deep, ['a'])?.length).toBe(400_000);
  });
});

describe('sliceItems', () => {
  it('gives every item as it stands, as JSON.parse reads them', () => {
    expect(sliceItems(' [ {"n": 12345678901234567890 }, "],[" ,[1,[2]] , -1e3 ] ')).toEqual([
      '{"n": 12345678901234567890 }',
      '"],["',
      '[1,[2]]',
      '-1e3',
    ]);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
        const text = JSON.stringify(list, null, indent);
        expect(sliceItems(text).map((item) => JSON.parse(item))).toEqual(JSON.parse(text));
      }),
    );
    expect(sliceItems('{"a":[1]}')).toEqual([]);
  });
});

describe('splitJsonValues', () => {
  it('[sse-S13] parts values that stand one after another', () => {
    expect(splitJsonValues('{"a":1}{"b":"}{"}\n[2]\r\n 3 "x"')).toEqual(['{"a":1}', '{"b":"}{"}', '[2]', '3', '"x"']);
  });

  it('ends on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ' ', 'a') }), (text) =>
        Array.isArray(splitJsonValues(text)),
      ),
    );
  });
});
