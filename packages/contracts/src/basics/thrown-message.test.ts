import { describe, expect, it } from 'vitest';
import { thrownMessage } from './thrown-message.ts';

describe('thrownMessage', () => {
  it.each([
    [new Error('broken'), 'broken'],
    ['words', 'words'],
    [undefined, 'undefined'],
    [Symbol('mark'), 'Symbol(mark)'],
    [Object.assign(new Error('x'), { message: 5 }), '5'],
  ])('says what %s says', (thrown, said) => {
    expect(thrownMessage(thrown)).toBe(said);
  });

  it('says something of values that have no text', () => {
    const silent = 'something that cannot be shown was thrown';
    const refusing = {
      toString(): string {
        throw new Error('no');
      },
    };
    const error = new Error('x');
    Object.defineProperty(error, 'message', { get: refusing.toString });
    expect([Object.create(null), refusing, error].map(thrownMessage)).toEqual([silent, silent, silent]);
  });
});
