import { expect, it } from 'vitest';
import { lazyField } from './lazy-field.ts';

const withDigest = lazyField<'digest', string>('digest');

it('[SG-081] is worked out once, when it is first read', () => {
  let made = 0;
  const target = withDigest({ name: 'a' }, () => `d${++made}`);
  expect(made).toBe(0);
  expect([target.digest, target.digest]).toEqual(['d1', 'd1']);
  expect(made).toBe(1);
});

it('is a field like any other: own, listed, copied, written as JSON', () => {
  const target = withDigest({ name: 'a' }, () => 'd');
  const other = withDigest({ name: 'b' }, () => 'e');
  expect(Object.keys(target)).toEqual(['name', 'digest']);
  expect({ ...target }).toEqual({ name: 'a', digest: 'd' });
  expect(JSON.stringify([target, other])).toBe('[{"name":"a","digest":"d"},{"name":"b","digest":"e"}]');
  expect(structuredClone(target)).toEqual({ name: 'a', digest: 'd' });
});
