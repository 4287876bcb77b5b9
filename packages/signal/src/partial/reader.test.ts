import type { JsonValue } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPartialReader } from './reader.ts';

/** `later` contains all of `earlier`: the rule of prefix consistency. */
function extendsValue(earlier: JsonValue | undefined, later: JsonValue | undefined): boolean {
  if (earlier === undefined) return true;
  if (typeof earlier === 'string') return typeof later === 'string' && later.startsWith(earlier);
  if (Array.isArray(earlier)) {
    return Array.isArray(later) && earlier.length <= later.length && earlier.every((item, index) => extendsValue(item, later[index]));
  }
  if (typeof earlier === 'object' && earlier !== null) {
    if (typeof later !== 'object' || later === null || Array.isArray(later)) return false;
    const members = later as { readonly [key: string]: JsonValue };
    return Object.entries(earlier).every(([key, value]) => Object.hasOwn(members, key) && extendsValue(value, members[key]));
  }
  return Object.is(earlier, later);
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const hasProto = (text: string): boolean => text.includes('"__proto__"');

describe('partial values', () => {
  it('[SG-083] every snapshot extends the one before, for any value and any cut, and the last is the value', () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat(500), { maxLength: 12 }), fc.constantFrom(0, 1, 2), (value, cuts, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!hasProto(text));
        const reader = createPartialReader();
        const seen: { snapshot: JsonValue | undefined; copy: string }[] = [];
        for (const piece of pieces(text, cuts)) {
          const snapshot = reader.push(piece);
          expect(extendsValue(seen.at(-1)?.snapshot, snapshot)).toBe(true);
          seen.push({ snapshot, copy: JSON.stringify(snapshot) });
        }
        expect(reader.finish()).toEqual(value);
        for (const { snapshot, copy } of seen) expect(JSON.stringify(snapshot)).toBe(copy);
      }),
      { numRuns: 500 },
    );
  });

  it('[SG-083] on any text at all no snapshot retracts an earlier one', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u00',
      '1',
      '-',
      '.5',
      'e9',
      'true',
      'nul',
      'a',
      ' ',
      '\n',
      '"a":',
      '```json\n',
      '\ud83d',
      '\ude00',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
        const reader = createPartialReader();
        let before: JsonValue | undefined;
        for (const piece of fragments) {
          const snapshot = reader.push(piece);
          expect(extendsValue(before, snapshot)).toBe(true);
          before = snapshot;
        }
        expect(extendsValue(before, reader.finish())).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[SG-083] a number, literal or escape that is not complete does not show', () => {
    const reader = createPartialReader();
    expect(reader.push('{"n":12')).toEqual({});
    expect(reader.push('3,"ok":tru')).toEqual({ n: 123 });
    expect(reader.push('e,"s":"a\\u00')).toEqual({ n: 123, ok: true, s: 'a' });
    expect(reader.push('e9b')).toEqual({ n: 123, ok: true, s: 'aéb' });
    expect(reader.push('\ud83d')).toEqual({ n: 123, ok: true, s: 'aéb' });
    expect(reader.push('\ude00"}')).toEqual({ n: 123, ok: true, s: 'aéb\u{1f600}' });
    expect(reader.state).toBe('complete');
  });

  it('[SG-083] what is closed keeps its identity in later snapshots', () => {
    const reader = createPartialReader();
    const first = reader.push('{"a":{"x":[1,2]},"b":"t') as { readonly a: JsonValue };
    const second = reader.push('ail"') as { readonly a: JsonValue };
    expect(second).not.toBe(first);
    expect(second.a).toBe(first.a);
    expect(reader.push('  ')).toBe(second);
  });

  it.each([
    ['a repeated key', '{"a":1,"a":2}', { a: 1 }],
    ['a prototype key', '{"a":1,"__proto__":{"x":1}}', { a: 1 }],
    ['prose', 'Use {name}: {"a":1}', undefined],
    ['a single-quoted string', "{'a':1}", {}],
    ['an overflowing number', '{"a":1,"b":1e999}', { a: 1 }],
    ['a leading zero', '{"a":1,"b":007}', { a: 1 }],
  ])('[SG-083] %s freezes the value', (_name, text, frozen) => {
    const reader = createPartialReader();
    reader.push(text);
    expect(reader.state).toBe('broken');
    expect(reader.push(',"c":3}')).toEqual(frozen);
    expect(Object.getPrototypeOf(reader.finish() ?? {})).toBe(Object.prototype);
  });

  it('[SG-083] depth is bounded and read without recursion', () => {
    const reader = createPartialReader();
    reader.push('['.repeat(100_000));
    expect(reader.state).toBe('broken');
    expect(createPartialReader({ maxDepth: 3 }).push('[[[1,2')).toEqual([[[1]]]);
  });

  it('[SG-083] copying is paid for by text: the slots copied stay within a constant times the characters', () => {
    let copied = 0;
    const reader = createPartialReader();
    let before: readonly JsonValue[] | undefined;
    let chars = 0;
    for (const piece of ['[', ...Array.from({ length: 20_000 }, (_, index) => `${index},`)]) {
      chars += piece.length;
      const snapshot = reader.push(piece) as readonly JsonValue[];
      if (snapshot !== before) copied += snapshot.length;
      before = snapshot;
    }
    expect(copied).toBeLessThanOrEqual(64 * chars);
    expect(copied).toBeGreaterThan(0);
    expect(reader.finish()).toHaveLength(20_000);
  });

  it('[SG-083] a fence before the value is skipped', () => {
    const reader = createPartialReader();
    expect(reader.push('\n``')).toBeUndefined();
    expect(reader.push('`json\n{"a":1}\n```\nDone.')).toEqual({ a: 1 });
  });

  it('[SG-083] a null that means absent is withheld', () => {
    const reader = createPartialReader({ absentAsNull: ['note'] });
    expect(reader.push('{"note":null,"list":[null],"other":null}')).toEqual({ list: [null], other: null });
  });
});
