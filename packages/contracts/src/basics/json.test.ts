import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childPointer, isJsonObject, pointerKeys } from './json.ts';

describe('JSON pointers', () => {
  it('escapes as RFC 6901 asks', () => {
    expect(childPointer('', 'a/b')).toBe('/a~1b');
    expect(childPointer('/x', 'm~n')).toBe('/x/m~0n');
    expect(childPointer('/x', 0)).toBe('/x/0');
    expect(pointerKeys('')).toEqual([]);
    expect(pointerKeys('/')).toEqual(['']);
    expect(pointerKeys('/~01')).toEqual(['~1']);
  });

  it('any keys come back from the pointer that they made', () => {
    const key = fc.oneof(fc.string(), fc.stringMatching(/^[~/01]*$/));
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        expect(pointerKeys(keys.reduce<string>(childPointer, ''))).toEqual(keys);
      }),
    );
  });

  it('an object is neither null nor a list', () => {
    expect([{}, Object.create(null), [], null, 'a', undefined].map(isJsonObject)).toEqual([true, true, false, false, false, false]);
  });
});
