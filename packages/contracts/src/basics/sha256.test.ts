import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

const reference = (text: string): string => createHash('sha256').update(new TextEncoder().encode(text)).digest('hex');

describe('sha256', () => {
  it('gives the published digests', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
    expect(sha256('a'.repeat(1_000_000))).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  });

  it('agrees with another implementation at every length around a block', () => {
    for (let length = 0; length <= 200; length += 1) expect(sha256('x'.repeat(length))).toBe(reference('x'.repeat(length)));
  });

  it('agrees with another implementation on any text, lone surrogates included', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256(text) === reference(text)));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd700, max: 0xe000 }), { maxLength: 40 }), (units) => {
        const text = String.fromCharCode(...units);
        return sha256(text) === reference(text);
      }),
    );
  });
});
