import { describe, expect, it } from 'vitest';
import { closed, contractOf, integer, listOf, routeContent, short, text, toolOf } from './support.ts';

const person = closed({ name: text, age: integer });
const json = '{"name": "Bob", "age": 42}';
const bob = { value: { name: 'Bob', age: 42 } };
const fence = '```';

describe('what stands around an answer', () => {
  it.each([
    ['citations and a colon', `Based on the pages [1], [2]:\n${json}`],
    ['a quotation and a colon', `Here is the "record":\n${json}`],
    ['a German quotation and a colon', `Hier ist das Ergebnis „JSON“:\n${json}\nViel Erfolg!`],
    ['a quotation that touches it', `「結果」${json}です。`],
    ['a program before it', `${fence}c\nint main() { printf("x"); return 0; }\n${fence}\n${json}`],
  ])('[SG-062] is no part of it: %s', (_what, content) => {
    expect(short(routeContent(content, person))).toEqual(bob);
  });

  it.each([
    ['a key of a lost object', `"name": "x", "record": ${json}`],
    ['a key of a lost object, on its own line', `"record":\n${json}`],
    ['a quote that opens before it', `He said ”${json}`],
    ['a program that holds a literal too', `${fence}js\nlog { "x"); };\nlet a = {"name": "Al", "age": 7};\n${fence}\n${json}`],
    ['a program with another block in it', `${fence}md\n{ "x"); }\n${fence}json\n${json}\n${fence}`],
  ])('[SG-064] makes it doubtful: %s', (_what, content) => {
    expect(short(routeContent(content, person))).toHaveProperty('fails');
  });

  it.each(['// and so on', '/* etc. */', '# 12 more items', '// remaining entries omitted'])(
    '[SG-071] words that stand for data left out make a list a guess: %s',
    (comment) => {
      expect(short(routeContent(`[1, 2, 3 ${comment}\n]`, listOf(integer)))).toEqual({ fails: 'invalid_json' });
    },
  );
});

describe('texts that read far at every place', () => {
  const respond = toolOf('respond', closed({ a: integer }));

  it.each([
    ['typographic quotes that straight ones may close', '<answer>“"'],
    ['calls with such a quote', '<answer>respond(a=“"'],
  ])('[SG-070] stop at a bound: %s', (_what, unit) => {
    const contract = contractOf(undefined, { declared: [respond], exitTool: 'respond' });
    const { gate: _none, ...more } = contract;
    expect(short(routeContent(unit.repeat(20_000), closed({ a: integer }), {}, more))).toEqual({ fails: 'limit_exceeded' });
  });

  it('[SG-070] stop at a bound: programs whose brackets do not end', () => {
    const program = `${fence}c\n{"x");\n${fence}\n`;
    expect(short(routeContent(program.repeat(16) + json, person))).toEqual(bob);
    expect(short(routeContent(program.repeat(20_000) + json, person))).toEqual({ fails: 'invalid_json' });
  });
});

describe('what only looks like an answer', () => {
  it.each([
    ['boxes to tick', '- [ ] buy milk\n- [x] call Bob', listOf(text)],
    ['a source in a sentence', 'As shown in [1], there are no results.', listOf(integer)],
    ['a string that was wrapped', '["part one "\n "part two"]', listOf(text)],
    ['a division', '{"a": 7 // 2\n}', closed({ a: integer })],
  ])('[SG-064] gives no value: %s', (_what, content, schema) => {
    expect(short(routeContent(content, schema))).toHaveProperty('fails');
  });

  it.each([
    ['at the end of a sentence', 'The answer is [1].', listOf(integer), [1]],
    ['after a colon', 'The answer is: [1]', listOf(integer), [1]],
    ['an empty list', 'Found: []', listOf(text), []],
    ['a comment in words', '{"a": 7 // 2 days\n}', closed({ a: integer }), { a: 7 }],
    ['strings without a comma', '["one"\n "two"]', listOf(text), ['one', 'two']],
  ])('[SG-062] a value stays one: %s', (_what, content, schema, value) => {
    expect(short(routeContent(content, schema))).toEqual({ value });
  });

  it('[SG-062] a label in back-ticks is no key', () => {
    expect(short(routeContent(`The value of \`person\`: ${json}`, person))).toEqual(bob);
  });
});

describe('a value that has only begun', () => {
  it.each([
    ['a fence', `${json}\n\nCorrected:\n${fence}json\n`],
    ['an answer tag', `${json}\n\n<answer>\n`],
    ['a final channel', `${json}<|channel|>final<|message|>`],
  ])('[SG-064] spoils the one before it: %s', (_what, content) => {
    for (const finish of ['stop', 'length'] as const)
      expect(short(routeContent(content, person, { finish }))).toEqual({ fails: 'truncated' });
  });

  it.each([
    ['a fence that closes', `${json}\n${fence}`],
    ['a tag that should close', `<answer>${json}<answer>`],
  ])('[SG-062] is none: %s', (_what, content) => {
    expect(short(routeContent(content, person))).toEqual(bob);
  });
});

describe('two values on one line', () => {
  const quoting = '{"name": "The \\"Big\\" one", "age": 7}';

  it.each([`${json} ${quoting}`, `${quoting} ${json}`])('[SG-064] compete, whatever is escaped in the strings of either: %s', (content) => {
    expect(short(routeContent(content, person))).toEqual({ fails: 'ambiguous' });
  });
});

describe('a call beside other text', () => {
  const more = { declared: [toolOf('find', closed({ city: text }))] };

  it('[SG-068] makes the text doubtful where it stands alone in its line', () => {
    expect(short(routeContent(`find(city="Rome")\n${json}`, person, {}, more))).toHaveProperty('fails');
  });

  it('[SG-068] is talked about in a sentence', () => {
    expect(short(routeContent(`find(city="Rome") gave this: ${json}`, person, {}, more))).toEqual(bob);
  });
});
