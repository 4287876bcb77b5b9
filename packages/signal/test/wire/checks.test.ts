import { describe, expect, it } from 'vitest';
import {
  closed,
  contractOf,
  failureOf,
  findBerth,
  integer,
  listOf,
  open,
  routeCalls,
  routeContent,
  short,
  text,
  toolOf,
} from './support.ts';

const anything = {};
const number = { type: 'number' };

describe('the four checks on valid text', () => {
  it.each([
    ['an integer that rounds', '{"v":9007199254740993}'],
    ['a long integer', '{"v":123456789012345678901234567890}'],
    ['overflow', '{"v":1e999}'],
    ['underflow to zero', '{"v":1e-999}'],
    ['a lone high surrogate', '{"v":"\\ud83d"}'],
    ['a lone low surrogate', '{"v":"x\\ude80"}'],
    ['a lone surrogate in a key', '{"\\ud83d":1}'],
    ['an integer deep inside', '{"v":[{"w":[9007199254740993]}]}'],
  ])('[SG-070] lossy_value: %s', (_title, content) => {
    for (const around of [content, `Here: ${content}`, `\`\`\`json\n${content}\n\`\`\``]) {
      expect(short(routeContent(around, anything))).toEqual({ fails: 'lossy_value' });
    }
  });

  it.each([
    '{"v":9007199254740991}',
    '{"v":9007199254740992}',
    '{"v":0.1}',
    '{"v":1e21}',
    '{"v":0e5}',
    '{"v":-0}',
    '{"v":"\\ud83d\\ude80"}',
    '{"v":100000000000000000000}',
  ])('[SG-070] no false alarm on %s', (content) => {
    expect(short(routeContent(content, anything))).toEqual({ value: JSON.parse(content) });
  });

  it('[SG-070] under lossy a lossy value is released and noted; under repaired it is not', () => {
    const lossy = routeContent('{"v":9007199254740993}', closed({ v: number }), {}, { accept: 'lossy' });
    expect(short(lossy)).toEqual({ value: { v: 9007199254740992 } });
    expect(lossy.wire.notes.join()).toMatch(/lossy_value.*\/v/);
    expect(short(routeContent('{"v":9007199254740993}', closed({ v: number })))).toEqual({ fails: 'lossy_value' });
  });

  it.each([
    '{"__proto__":1}',
    '{"\\u005f_proto__":{"x":1}}',
    '{"a":[{"__proto__":{"admin":true}}]}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"a":{"constructor":{"prototype":1}}}',
  ])('[SG-070] unsafe_key: %s', (content) => {
    for (const accept of ['exact', 'repaired', 'lossy'] as const) {
      expect(short(routeContent(content, anything, {}, { accept }))).toEqual({ fails: 'unsafe_key' });
    }
    expect(short(routeContent(`\`\`\`\n${content.slice(0, -1)},}\n\`\`\``, anything))).toEqual({ fails: 'unsafe_key' });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('[SG-070] a key that is only named constructor or prototype is data', () => {
    for (const content of ['{"constructor":"Ford"}', '{"prototype":{"constructor":1}}', '{"v":"__proto__"}']) {
      expect(short(routeContent(content, anything))).toEqual({ value: JSON.parse(content) });
    }
  });

  it('[SG-070] ambiguous: a key twice with different values; twice with equal ones is noted', () => {
    for (const content of ['{"v":1,"v":2}', '{"a":[{"v":1,"w":0,"v":"1"}]}', '{"v":1,"\\u0076":2}']) {
      expect(short(routeContent(content, anything))).toEqual({ fails: 'ambiguous' });
    }
    const equal = routeContent('{"v":[1,2],"v":[1,2]}', anything);
    expect(short(equal)).toEqual({ value: { v: [1, 2] } });
    expect(equal.wire.notes.join()).toMatch(/v/);
  });

  it.each(['{"v":"\\frac{1}{2}"}', '{"v":"\\beta"}', '{"v":"C:\\new"}'])('[SG-070] suspect_escape: %s', (content) => {
    const schema = open({ v: text });
    expect(short(routeContent(content, schema))).toEqual({ fails: 'suspect_escape' });
    const off = routeContent(content, schema, {}, { checkSuspectEscapes: false });
    expect(short(off)).toEqual({ value: JSON.parse(content) });
    expect(off.wire.notes.join()).toContain('suspect_escape');
  });

  it('[SG-070] escapes that say what they mean are no suspects', () => {
    for (const content of ['{"v":"a\\nb\\tc"}', '{"v":"C:\\\\new"}', '{"v":"\\\\frac"}', '{"v":"\\f"}', '{"v":"time: 3:\\n"}']) {
      expect(short(routeContent(content, anything))).toEqual({ value: JSON.parse(content) });
    }
  });

  it('[SG-070] the failure names the place', () => {
    expect(failureOf(routeContent('{"a":[0,{"b":1e999}]}', anything)).message).toContain('/a/1/b');
    expect(failureOf(routeContent('{"a":[0,{"b":1,"b":2}]}', anything)).message).toContain('/a/1/b');
  });

  it('[SG-070] text that the gate refuses fails by the gate, whatever else it holds', () => {
    expect(short(routeContent('{"v":"x","v":"y"}', closed({ v: integer })))).toEqual({ fails: 'schema_mismatch' });
  });

  it.each([
    ['lossy_value', '{"pier":9007199254740993}'],
    ['ambiguous', '{"pier":1,"pier":2}'],
  ])('[SG-070] %s in a call reaches no tool', (reason, argsText) => {
    const contract = () => contractOf(anything, { declared: [findBerth] });
    expect(short(routeCalls([['find_berth', argsText]], contract()))).toEqual({ fails: reason });
    const content = `<tool_call>{"name":"find_berth","arguments":${argsText}}</tool_call>`;
    expect(short(routeContent(content, anything, {}, { declared: [findBerth] }))).toEqual({ fails: reason });
  });

  it('[SG-070] unsafe keys in a call reach no tool', () => {
    const wide = toolOf('wide', { type: 'object' });
    expect(short(routeCalls([['wide', '{"o":{"__proto__":{"x":1}}}']], contractOf(anything, { declared: [wide] })))).toEqual({
      fails: 'unsafe_key',
    });
  });
});

// Sizes at which anything quadratic, or recursive on depth, does not end within the time that a test has.
const mega = 10 * 1_024 * 1_024;
const fill = (piece: string, length = mega): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

describe('hostile sizes', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"a":', '}]'],
  ])('[SG-070] %s nested 100,000 deep, closed or not, end in a typed failure', (_title, opener, closer) => {
    const deep = opener.repeat(100_000);
    for (const content of [`${deep}1${closer.repeat(100_000)}`, deep, `Here: ${deep}`, `\`\`\`json\n${deep}`, `{"a":"x","b":${deep}`]) {
      const routed = routeContent(content, anything, { finish: 'stop' });
      expect(routed.outcome.kind).toBe('failed');
      expect(['limit_exceeded', 'truncated']).toContain(failureOf(routed).reason);
    }
    expect(short(routeContent(`${deep}1${closer.repeat(100_000)}`, anything))).toEqual({ fails: 'limit_exceeded' });
  });

  it.each([
    ['open brackets', '['],
    ['open braces', '{'],
    ['closers', '}]'],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['escaped quotes', '\\"'],
    ['fences', '```'],
    ['fences with a language', '```json\n'],
    ['openers of reasoning', '<think>'],
    ['closers of reasoning', '</think>'],
    ['half marks', '<|channel|'],
    ['call tags', '<tool_call>'],
    ['function tags', '<function=x>'],
    ['comments', '/*'],
    ['keys without values', '{"a":'],
    ['commas', ','],
    ['colons', '"a":'],
    ['minus signs', '-'],
    ['digits', '9'],
    ['white space', ' \n'],
    ['entities', '&quot;'],
    ['smart quotes', '“'],
    ['broken objects', '{"a" 1}'],
    ['prose', 'pier '],
  ])('[SG-070] 10 MB of %s end in a typed failure', (_title, piece) => {
    const routed = routeContent(fill(piece), listOf(closed({ a: integer })));
    expect(failureOf(routed).reason).toBeTypeOf('string');
    expect(JSON.stringify(routed).length).toBeLessThan(100_000);
  });

  it('[SG-070] a text beyond the limit is not looked at', () => {
    const routed = routeContent(fill('1', 17 * 1_024 * 1_024), {});
    expect(failureOf(routed)).toMatchObject({ kind: 'limit', reason: 'limit_exceeded' });
  });

  it('[SG-070] many candidates are a typed failure', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `{"b":${index}}`).join('\n');
    expect(short(routeContent(many, closed({ a: integer })))).toEqual({ fails: 'limit_exceeded' });
  });

  it('[SG-070] 10 MB of clean JSON is a value', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => ({ pier: index, note: 'low tide until four' }));
    const routed = routeContent(JSON.stringify(rows), listOf(closed({ pier: integer, note: text })));
    expect(routed.wire.rung).toBe('parse');
    expect(short(routed)).toEqual({ value: rows });
  });
});
