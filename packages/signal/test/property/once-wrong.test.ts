import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { routeResponse, type WireResponse } from '../../src/wire/router.ts';
import { sameValue } from './draw/equality.ts';

const object = (properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object): object => ({ type: 'array', items });
const text = { type: 'string' };
const number = { type: 'number' };
const node = {
  $ref: '#/$defs/node',
  $defs: { node: object({ id: text, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, ['id']) },
};

/** Minimal texts for which a router of this project once gave another value than was meant. */
const cases: readonly (readonly [string, object, unknown, string])[] = [
  ['stripped channels whose final fails', object({ a: number }), { a: 2 }, 'analysisSo it is {"a":1}assistantfinal{"a":"2"}'],
  ['the same behind an invisible space', object({ a: number }), { a: 2 }, '\u200banalysisSo it is {"a":1}assistantfinal{"a":"2"}'],
  ['a comment right after an opener', list(list(text)), [[]], '[[// see {a}\n]]'],
  ['a list without its first bracket', list(list(text)), [['a', 'a'], [], ['b']], '"a","a"],[],["b"]]'],
  ['a list without its first item', list(number), [4, 2, 10], '4,[2,10]'],
  ['two spans with a comma between', list({ type: 'boolean' }), [true, true], '[true], [true]'],
  ['a span inside a broken one', list(list(object({ a: text }))), [[{ a: "X]y'" }], []], `[[{"a": X]y'}], []]`],
  ['a value cut out of a string', list(text), ["it's late", 'x'], 'e", "["it\'s lat"]'],
  ['a word that touches the end', list(text), ['North', 'NORTH'], '["North"]RTH'],
  ['a member whose object lost its brace', node, { id: 'x', next: { id: 'y' } }, 'id: "x",\nnext: { id: "y" }\n}'],
  ['a member behind a key', node, { id: 'x', next: { id: 'y' } }, '"id": "x", "next": {"id": "y"}}'],
  ['an object whose rest follows its end', object({ a: text, b: text }, ['a']), { a: 'x', b: 'y' }, '{"a":"x",} "b": "y"}'],
  ['a candidate cut right after its brace', object({ a: number }), { a: 2 }, '{"a":1}\n\nCorrection: {  /'],
  ['a candidate cut where a comma was missing', object({ a: number, b: number }), { a: 2, b: 3 }, '{"a":1,"b":1}\nFinal: {"a":2 "b'],
  ['a string of several quoted pieces', text, 'x', '"say "yes", "no" or "x""'],
  ['two numbers in a fence', number, 19353, '``` +193 53 ```'],
  [
    'the schema instead of an answer',
    { anyOf: [{ type: 'object' }, { type: 'null' }] },
    null,
    '{"anyOf":[{"type":"object"},{"type":"null"}]}',
  ],
  ['a missing comma beside a rival', object({ a: text, b: text }), { a: 'x', b: 'y' }, '```json\n{"a":"1","b":"2"}\n```\n{a:"x" b:"y"}'],
  ['an encoded document beside a rival', list(number), [1], '"[1]"\n---\n[2]'],
  ['an encoded document behind a mark', list(number), [1], '[THINK]no[/THINK]"[1]" [2]'],
  ['a string that lost its quotes to an escape', list(text), ['ok', '\n'], '["ok", \\n]'],
  ['an escape beside a document on its line', object({ a: text }), { a: 'x"y' }, '{"a":"x\\"y"} {"a":"z"}'],
  ['a quote that closes instead of opening', object({ a: text }), { a: 'x' }, '{“a”: ”“x”}'],
  ['a comma between values of two kinds', list({}), [{}, {}], '{},\n [\n {}\n]'],
  ['a combining mark that touches the end', list(text), ['a\u103as', 'Mb'], '["ab"]\u103as"，"M;'],
  ['a torn bracket that touches the end', {}, { b: '<![CDATA[' }, 'var out = {"b": "<!A["}[CDAT;<|eom_id|>'],
  ['an address that touches the bracket', list(text), ['ok0077http://x.y/z'], '77http://["ok00x.y/z"]'],
  ['a closer and a comma between values', list(list(list(number))), [[[], []], [[]]], '[]],\n[\t[]]\n]'],
  ['a mark of reasoning that was text', object({ '#': text }, []), { '#': '</think> yes {}' }, '{"#":</think> yes {}}'],
  ['a key in back-ticks whose brace is lost', {}, { ready: [{ a: 1 }] }, '\n`ready`: [\n{"a": 1}\n]\n}'],
];

const respond = (content: string, finish: WireResponse['finish'] = 'stop'): WireResponse => ({
  content,
  calls: [],
  finish,
  terminated: true,
});

it.each(cases)('[SG-065] once wrong, now the value meant or a failure: %s', (_name, schema, meant, content) => {
  const judge = new Ajv2020({ strict: false }).compile(schema);
  const validate = (value: unknown) => (judge(value) ? ({ ok: true } as const) : ({ ok: false, issues: [] } as const));
  const { outcome } = routeResponse(respond(content), {
    gate: { jsonSchema: schema as Record<string, unknown>, validate },
    declared: [],
    newCallId: () => 'call_1',
  });
  expect(outcome.kind === 'failed' || (outcome.kind === 'output' && sameValue(outcome.value, meant)), JSON.stringify(outcome)).toBe(true);
});

it.each(['stop', 'length', 'tool_calls', 'unknown'] as const)(
  '[SG-065] once wrong: an exit call without arguments, finish %s, is no empty object',
  (finish) => {
    const gate = { jsonSchema: {}, validate: () => ({ ok: true }) as const };
    const exit = { name: 'respond', description: 'The answer.', jsonSchema: {}, validate: gate.validate };
    const contract = { gate, declared: [exit], exitTool: 'respond', newCallId: () => 'call_2' };
    const native = routeResponse({ ...respond('', finish), calls: [{ id: 'call_1', name: 'respond', argsText: '' }] }, contract);
    expect(native.outcome.kind).toBe('failed');
    expect(routeResponse(respond('<function/respond></function>', finish), contract).outcome.kind).toBe('failed');
  },
);
