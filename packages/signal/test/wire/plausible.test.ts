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
});
