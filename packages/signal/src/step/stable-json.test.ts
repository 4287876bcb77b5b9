import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stableJson } from './stable-json.ts';

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

it('equal values give equal texts whatever the order of their members, and the text is the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = stableJson(value);
      expect(stableJson(shuffled(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('what JSON leaves out is left out, and depth is no concern', () => {
  expect(stableJson({ b: undefined, a: [undefined], c: () => 1 })).toBe('{"a":[null]}');
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(stableJson(deep)).toHaveLength(200_001);
});
