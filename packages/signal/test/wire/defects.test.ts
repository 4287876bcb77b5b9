import { describe, expect, it } from 'vitest';
import {
  closed,
  contractOf,
  failureOf,
  findBerth,
  integer,
  listOf,
  open,
  rejectionBody,
  routeBody,
  routeCalls,
  routeContent,
  short,
  text,
  toolOf,
} from './support.ts';

const one = closed({ a: integer });

describe('readings that lose data', () => {
  it('[SG-064] [def-X1] prose and a list never give an element of the list', () => {
    const content = 'Rows: [{"a":1},{"a":2}]';
    expect(short(routeContent(content, listOf(one)))).toEqual({ value: [{ a: 1 }, { a: 2 }] });
    for (const schema of [one, open({ 'a?': integer }), {}]) {
      expect(short(routeContent(content, schema))).not.toEqual({ value: { a: 1 } });
    }
  });

  it.each(['stop', 'length'] as const)('[SG-064] [def-X2] the whole list inside a cut object is never the answer (finish %s)', (finish) => {
    const content = '{"tags":["a","b"],"body":"xy';
    for (const schema of [{ type: ['object', 'array'] }, listOf(text), {}]) {
      for (const around of [content, `Here: ${content}`, `\`\`\`json\n${content}`]) {
        expect(short(routeContent(around, schema, { finish }))).toEqual({ fails: 'truncated' });
      }
    }
  });

  it.each([
    ['behind braces of prose', 'Use {name}: {"a":1}'],
    ['behind a draft that fails', '{"plan":1}\n\n{"a":1}'],
    ['before a note that fails', '{"a":1}\n\n{"note":"checked"}'],
    ['between twenty other objects', `${'{"b":0} '.repeat(10)}{"a":1}${' {"b":0}'.repeat(10)}`],
  ])('[def-X3] the value is found %s', (_title, content) => {
    expect(short(routeContent(content, one))).toEqual({ value: { a: 1 } });
  });

  it('[SG-063] [def-X4] a caller sees what was lost, and can refuse it', () => {
    const rows = open({ rows: listOf(one), 'total?': integer });
    const content = '{"rows":[{"a":1},{"a":2}],"tot';
    expect(short(routeContent(content, rows, { finish: 'length' }))).toEqual({ fails: 'truncated' });
    expect(short(routeContent(content, rows, { finish: 'stop' }))).toEqual({ fails: 'truncated' });
    const lossy = routeContent(content, rows, { finish: 'length' }, { accept: 'lossy' });
    expect(lossy).toMatchObject({ outcome: { kind: 'output', loss: 'truncated' }, wire: { loss: 'truncated' } });
    expect(lossy.wire.edits.some(({ loss }) => loss === 'truncated')).toBe(true);
  });

  it.each([
    ['in a fence', '```json\n{"a":1,"b'],
    ['behind prose', 'Here it is: {"a":1,"b'],
    ['behind reasoning', '<think>so</think>{"a":1,"b'],
    ['in a string layer', '"{\\"a\\":1,\\"b'],
  ])('[def-X5] a cut %s is known as one, under any finish', (_title, content) => {
    for (const finish of ['stop', 'length'] as const) {
      expect(routeContent(content, one, { finish }).outcome).toMatchObject({ kind: 'failed', truncated: true });
    }
  });

  it.each([
    ['a fence and a cut', '```json\n{"a":1,"note":"la'],
    ['prose and a cut', 'Here: {"a":1,"note":"la'],
    ['single quotes and a cut', "{'a':1,'note':'la"],
    ['a layer of escapes and a cut', '{\\"a\\":1,\\"note\\":\\"la'],
  ])('[SG-062] [def-X6] %s are repaired together', (_title, content) => {
    const schema = open({ a: integer, 'note?': text });
    expect(short(routeContent(content, schema, { finish: 'length' }, { accept: 'lossy' }))).toEqual({ value: { a: 1 } });
  });

  it.each([
    ['{"total":12', undefined],
    ['{"a":1,"total":12', { a: 1 }],
    ['{"a":1,"ok":tru', { a: 1 }],
    ['{"a":1,"total":-', { a: 1 }],
    ['{"a":1,"list":[1, 2', { a: 1, list: [1] }],
  ])('[SG-064] [def-X7] a number or literal at the end is never kept: %s', (content, kept) => {
    const schema = open({ 'a?': integer, 'total?': integer, 'ok?': { type: 'boolean' }, 'list?': listOf(integer) });
    for (const finish of ['stop', 'length'] as const) {
      expect(failureOf(routeContent(content, schema, { finish }))).toMatchObject({ reason: 'truncated' });
      expect(failureOf(routeContent(content, schema, { finish })).evidence.salvaged).toEqual(kept);
      const lossy = short(routeContent(content, schema, { finish }, { accept: 'lossy' }));
      expect(lossy).toEqual(kept === undefined ? { fails: 'truncated' } : { value: kept });
    }
  });
});

describe('calls and attempts', () => {
  const deleteRows = toolOf('delete_rows', closed({ table: text, 'where?': text }));

  it.each([
    ['in a key', '{"name":"delete_rows","arguments":{"table":"logs","whe'],
    ['after a comma', '{"name":"delete_rows","arguments":{"table":"logs",'],
    ['before a closer', '{"name":"delete_rows","arguments":{"table":"logs"'],
    ['in a dialect', '<function=delete_rows>{"table":"logs","where":"da'],
  ])('[SG-067] [SG-072] [def-B1] a refused call of a declared tool that was cut %s is not run', (_title, generation) => {
    for (const accept of ['repaired', 'lossy'] as const) {
      const routed = routeBody(rejectionBody(generation), contractOf({}, { declared: [deleteRows], accept }));
      expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
      expect(failureOf(routed).evidence.salvagedCalls).toMatchObject([{ name: 'delete_rows', complete: false }]);
    }
  });

  it.each([
    '<function=find_berth{"pier": 7}</function>',
    'find_berth{"pier": 7}</function>',
    '<tool_call>{"name":"find_berth","arguments":{"pier":7}}</tool_call>',
    '<tool_call>\n<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n</function>\n</tool_call>',
  ])('[SG-067] [def-B2] a refused call in a dialect is a call, whatever the gate takes: %s', (generation) => {
    for (const schema of [{}, { type: 'object' }, closed({ pier: integer })]) {
      const routed = routeBody(rejectionBody(generation), contractOf(schema, { declared: [findBerth] }));
      expect(short(routed)).toEqual({ calls: [['find_berth', { pier: 7 }]] });
    }
  });

  it('[def-B3] a junk call does not hide the content or a later attempt', () => {
    const junk = ['junk', '{"x":0}'] as const;
    const contract = contractOf(one, { declared: [findBerth] });
    expect(short(routeCalls([junk], contract, { content: '{"a":1}' }))).toEqual({ value: { a: 1 } });
    expect(short(routeCalls([junk, ['json', '{"a":1}']], contract))).toEqual({ value: { a: 1 } });
  });

  it('[SG-071] [def-B5] one stringified field is decoded beside one that holds JSON text', () => {
    const schema = closed({ code: text, rows: listOf(integer), place: open({ x: integer }) });
    const routed = routeContent('{"code":"[1,2]","rows":"[1,2]","place":"{\\"x\\":3,\\"raw\\":\\"{}\\"}"}', schema);
    expect(short(routed)).toEqual({ value: { code: '[1,2]', rows: [1, 2], place: { x: 3, raw: '{}' } } });
    expect(routed.wire.edits.map(({ path }) => path)).toEqual(['/rows', '/place']);
  });

  it('[SG-070] [def-B6] a decoded __proto__ key is refused and assigned nowhere', () => {
    const schema = open({ k: listOf(integer) });
    const attempts = [
      '{"__proto__":{"x":1},"k":"[1]"}',
      '{"k":[1],"o":{"__proto__":{"x":1}}}',
      '{"k":[1],"o":{"constructor":{"prototype":{"x":1}}}}',
    ];
    for (const content of attempts) expect(short(routeContent(content, schema))).toEqual({ fails: 'unsafe_key' });
    const nested = closed({ o: open({ 'x?': integer }) });
    expect(short(routeContent('{"o":"{\\"__proto__\\":{\\"x\\":1}}"}', nested))).toEqual({ fails: 'unsafe_key' });
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
