import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrict } from './exactness.ts';
import { decodeRelaxed } from './relaxed-json.ts';

const isExact = (text: string): boolean | undefined => parseStrict(text, 64)?.isExact;

describe('a strict parse', () => {
  it.each([
    '{"a":1,"b":[true,null,"x"]}',
    '{"say":"\\"hi\\"","path":"a\\\\"}',
    '{"city":"Köln","crab":"🦀"}',
    '{"zero":0,"minus":-0,"half":0.5}',
    '{"n":9007199254740991}',
    '{"a":{"k":1},"b":{"k":1}}',
    '"\\n: line"',
    ' \n{ }',
    '\t{\r\n "a" : [ ] } ',
  ])('[SG-070] is exact where the slower reading finds nothing: %s', (text) => {
    expect(isExact(text)).toBe(true);
  });

  it.each([
    ['a repeated key', '{"a":1,"a":1}'],
    ['a repeated key deep inside', '{"o":[{"a":{"k":"x","k":"x"}}]}'],
    ['a repeated key beside an escaped quote', '{"a":"\\"","a":"\\""}'],
    ['a repeated key spelt by escapes', '{"a":1,"\\u0061":1}'],
    ['a number beyond 2^53', '{"n":9007199254740993}'],
    ['a negative one', '{"n":-9007199254740993}'],
    ['a fraction that rounds to 2^53', '{"n":9007199254740991.9}'],
    ['a number beyond a double', '{"n":1e999}'],
    ['a number that becomes zero', '{"n":1e-400}'],
    ['one that becomes zero without an exponent', `{"n":0.${'0'.repeat(400)}1}`],
    ['a lone surrogate', '{"s":"\ud83e"}'],
    ['a lone surrogate by escape', '{"s":"\\ud83e"}'],
    ['half a pair by escape', '{"s":"\ud83e\\udd80"}'],
    ['a destroyed escape', '{"s":"\\frac"}'],
    ['a destroyed path', '{"s":"C:\\new"}'],
    ['a key that reaches a prototype', '{"__proto__":{"x":1}}'],
    ['another', '{"constructor":{"prototype":{}}}'],
  ])('[SG-070] leaves %s to the slower reading', (_, text) => {
    expect(isExact(text)).toBe(false);
  });

  it('[SG-070] tells the depth of a value beyond the bound, brackets in strings not counted', () => {
    expect(parseStrict(`${'['.repeat(64)}"[{"${']'.repeat(64)}`, 64)).toMatchObject({ excessDepth: 0, isExact: true });
    expect(parseStrict(`${'['.repeat(65)}"\\"[{"${']'.repeat(65)}`, 64)).toMatchObject({ excessDepth: 65, isExact: false });
    expect(parseStrict(`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 64)?.excessDepth).toBe(200_000);
  });

  it('is nothing for a text that is no strict JSON', () => {
    for (const text of ['', '{', ' ', '{a}', ' { a: 1}', '{"a":1,}', "{'a':1}", '1 2']) expect(parseStrict(text, 64)).toBeUndefined();
  });

  it('[SG-070] is exact only for what the slower reading takes without a finding, as the same value', () => {
    const scalar = fc.oneof(
      fc.constantFrom('0', '-0', '1e-400', '9007199254740992', '9007199254740993', '0.1', '1E5', '1e400', 'true', 'null'),
      fc.constantFrom(
        '"x"',
        '"\\""',
        '"\\\\"',
        '"\\n"',
        '"C:\\n"',
        '"\\b1"',
        '"\\fa"',
        '"\\u0041"',
        '"\\ud800"',
        '"🦀"',
        '"\ud83e"',
        '":"',
      ),
    );
    const key = fc.constantFrom('"a"', '"b"', '"\\""', '"\\u0061"', '"__proto__"', '"constructor"', '"prototype"');
    const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
      json: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
      list: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
      object: fc.array(fc.tuple(key, tie('json')), { maxLength: 4 }).map((all) => `{${all.map(([k, v]) => `${k}: ${v}`).join(',')}}`),
    }));
    fc.assert(
      fc.property(json, (text) => {
        const parsed = parseStrict(text, 64);
        if (parsed?.isExact !== true) return;
        expect(decodeRelaxed(text, 0, text.length)).toMatchObject({ kind: 'value', loss: 'none', findings: [], edits: [] });
        expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 3_000 },
    );
  });
});
