import { expect, it } from 'vitest';
import { deriveCase } from '../derive.ts';
import { sameValue } from '../draw/equality.ts';
import { manglers } from '../mangle.ts';
import { readLeniently } from './reader.ts';

const unread = ['syntax:bare-enum-word', 'quotes:bare-inner', 'quotes:bare-apostrophe'];
const respellings = manglers
  .filter((mangler) => mangler.phase === 'tokens' && mangler.loss === 'lossless' && !unread.includes(mangler.id))
  .map((mangler) => mangler.id);

it('[SG-065] the judge reads back what lossless respelling wrote', () => {
  let respelled = 0;
  for (let index = 0; index < 20_000; index += 1) {
    const { state, applied } = deriveCase(7, index, { kind: 'any' }, respellings) ?? {};
    if (state === undefined || applied === undefined || applied.length === 0) continue;
    respelled += 1;
    const read = readLeniently(state.text);
    const where = JSON.stringify({ index, manglers: applied.map((mangler) => mangler.id), text: state.text });
    expect(read !== undefined && sameValue(read.value, state.value), where).toBe(true);
  }
  expect(respelled).toBeGreaterThan(3_000);
});

it.each([
  ['{"a":1,"a":2}', 'two members of one name'],
  ['{"a":"x,"b":1}', 'a quote that never closes'],
  ['[1,2', 'no end'],
  ['{"a":see below}', 'words'],
  ['{"a":1} and more', 'talk'],
])('[SG-065] the judge reads nothing in %j: %s', (text) => {
  expect(readLeniently(text)).toBeUndefined();
});
