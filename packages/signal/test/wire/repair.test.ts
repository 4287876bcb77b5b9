import { describe, expect, it } from 'vitest';
import { closed, failureOf, integer, listOf, open, routeContent, short, text } from './support.ts';

const note = closed({ t: text, n: integer });
const wanted = { t: "it's low", n: 7 };

describe('composition', () => {
  it.each([
    ['a fence and a trailing comma', '```json\n{"t":"it\'s low","n":7,}\n```'],
    ['a tilde fence and comments', '~~~json\n{"t":"it\'s low", // tide\n"n":7 /* pier */}\n~~~'],
    ['prose and a damaged escape', 'Sure: {"t":"it\\\'s low","n":7} — anything else?'],
    ['prose and a layer of escapes', 'Sure: {\\"t\\":\\"it\'s low\\",\\"n\\":7}'],
    ['a fence, single quotes and bare keys', "```\n{t:'it\\'s low',n:7}\n```"],
    ['smart quotes and a missing comma', "{“t”: “it's low”\n“n”: 7}"],
    ['a byte order mark, a fence and an envelope', '\ufeff```json\n{"output":{"t":"it\'s low","n":7}}\n```'],
    ['reasoning, a fence and a trailing comma', '<think>{"t":"no","n":0}</think>\n```json\n{"t":"it\'s low","n":7,}\n```'],
    ['double encoding and a fence', '```json\n"{\\"t\\":\\"it\'s low\\",\\"n\\":7}"\n```'],
    ['an envelope that holds a stringified object', '{"result":"{\\"t\\":\\"it\'s low\\",\\"n\\":7}"}'],
    ['list brackets, a trailing comma and prose', 'One row: [{"t":"it\'s low","n":7,},]'],
    ['entities and prose', 'Row: {&quot;t&quot;:&quot;it&#39;s low&quot;,&quot;n&quot;:7}'],
    ['an answer tag, a fence and comments', '<answer>\n```json\n{"t":"it\'s low","n":7}// done\n```\n</answer>'],
    ['an assignment and a semicolon', 'const row = {"t":"it\'s low","n":7};'],
  ])('[SG-062] %s', (_title, content) => {
    const routed = routeContent(content, note);
    expect(short(routed)).toEqual({ value: wanted });
    expect(['noise', 'reencoded']).toContain(routed.wire.loss);
  });

  it.each([
    ['raw line breaks in a string', '{"t":"a\nb","n":7}', { t: 'a\nb', n: 7 }],
    ['a raw tab and a trailing comma', '{"t":"a\tb","n":7,}', { t: 'a\tb', n: 7 }],
  ])('[SG-062] %s', (_title, content, value) => {
    expect(short(routeContent(content, note))).toEqual({ value });
  });

  it("[SG-062] other languages' literals", () => {
    const schema = closed({ a: { type: 'boolean' }, b: { type: 'boolean' }, c: { type: 'null' } });
    expect(short(routeContent("{'a': True, 'b': False, 'c': None}", schema))).toEqual({ value: { a: true, b: false, c: null } });
  });

  it('[SG-062] least change first: a value that parses as it stands is not edited', () => {
    const content = 'Row: {"t":"{\'n\':1,}","n":7}';
    const routed = routeContent(content, note);
    expect(short(routed)).toEqual({ value: { t: "{'n':1,}", n: 7 } });
    expect(routed.wire.edits.map(({ mechanism }) => mechanism)).toEqual(['prose']);
  });

  it('[SG-062] work is bounded in bytes, depth and candidates, each a typed failure', () => {
    const limits = { maxChars: 200, maxDepth: 8, maxCandidates: 4 };
    const route = (content: string) => short(routeContent(content, listOf({}), {}, { limits }));
    expect(route(`[${'1,'.repeat(200)}1]`)).toEqual({ fails: 'limit_exceeded' });
    expect(route(`${'['.repeat(9)}${']'.repeat(9)}`)).toEqual({ fails: 'limit_exceeded' });
    expect(route(Array.from({ length: 6 }, (_, index) => `{"a":${index}}`).join(' '))).toEqual({ fails: 'limit_exceeded' });
    expect(route('[1,2]')).toEqual({ value: [1, 2] });
  });
});

describe('data stays data', () => {
  it.each([
    ['a number as text', '{"t":"x","n":"7"}'],
    ['a boolean as a number', '{"t":"x","n":true}'],
    ['a null for a text', '{"t":null,"n":7}'],
    ['a missing key', '{"t":"x"}'],
    ['a key too many', '{"t":"x","n":7,"more":1}'],
    ['a key in other case', '{"T":"x","n":7}'],
    ['two objects to merge', '[{"t":"x"},{"n":7}]'],
    ['a fraction', '{"t":"x","n":7.5}'],
    ['a list where one is wanted', '[{"t":"x","n":7},{"t":"y","n":8}]'],
    ['an unknown envelope', '{"berth":{"t":"x","n":7}}'],
    ['an envelope with a sibling', '{"output":{"t":"x","n":7},"status":"ok"}'],
  ])('[SG-071] no coercion and no edit of data: %s', (_title, content) => {
    for (const around of [content, `\`\`\`json\n${content}\n\`\`\``]) {
      expect(short(routeContent(around, note, {}, { accept: 'lossy' }))).toEqual({ fails: 'schema_mismatch' });
    }
  });

  it('[SG-071] one object is not wrapped into the wanted list, nor is an enum folded', () => {
    expect(short(routeContent('{"t":"x","n":7}', listOf(note)))).toEqual({ fails: 'schema_mismatch' });
    expect(short(routeContent('{"kind":"FERRY"}', closed({ kind: { enum: ['ferry', 'tug'] } })))).toEqual({ fails: 'schema_mismatch' });
  });

  it.each([
    ['a missing value', '{"t":"x","n":}'],
    ['a missing closing quote', '{"t":"x,"n":7}'],
    ['a thousands separator', '{"t":"x","n":1,250}'],
    ['leading zeros', '{"t":"x","n":007}'],
    ['NaN', '{"t":"x","n":NaN}'],
    ['Infinity', '{"t":"x","n":-Infinity}'],
    ['undefined', '{"t":"x","n":undefined}'],
    ['an ellipsis', '{"t":"x","n":7,...}'],
    ['unescaped quotes beside a comma', '{"t":"say "yes", "no"","n":7}'],
    ['bare words', '{"t":New York,"n":7}'],
  ])('[SG-071] what needs a guess is invalid_json: %s', (_title, content) => {
    for (const accept of ['repaired', 'lossy'] as const) {
      expect(short(routeContent(content, note, {}, { accept }))).toEqual({ fails: 'invalid_json' });
    }
  });

  it('[SG-071] text inside a string survives a repair elsewhere, byte for byte', () => {
    const inner = [
      '```json',
      '<think>x</think>',
      '<answer>',
      'it’s “so”',
      'a,] b,}',
      'True None',
      '/* c */ // d',
      '&quot;',
      '\u200b\ufeff',
      '{[',
      '\\d+',
      'NaN',
    ];
    const content = `Here:\n{"t":${JSON.stringify(inner.join(' '))},"n":7,}`;
    expect(short(routeContent(content, note))).toEqual({ value: { t: inner.join(' '), n: 7 } });
  });

  it('[SG-071] marks outrank position', () => {
    const right = '{"t":"x","n":7}';
    const wrong = '{"t":"y","n":8}';
    for (const content of [
      `<think>${wrong}</think>${right}`,
      `${right}<think>${wrong}</think>`,
      `${wrong}\n<answer>${right}</answer>`,
      `<answer>${right}</answer>\n${wrong}`,
      `<|channel|>analysis<|message|>${wrong}<|end|><|start|>assistant<|channel|>final<|message|>${right}`,
    ]) {
      expect(short(routeContent(content, note))).toEqual({ value: { t: 'x', n: 7 } });
    }
  });

  it('[SG-071] an envelope or the brackets of a list come off only if the outer value fails and the inner passes', () => {
    expect(short(routeContent('{"data":{"t":"x","n":7}}', note))).toEqual({ value: { t: 'x', n: 7 } });
    expect(short(routeContent('{"data":{"t":"x","n":7}}', open({})))).toEqual({ value: { data: { t: 'x', n: 7 } } });
    expect(short(routeContent('[{"t":"x","n":7}]', note))).toEqual({ value: { t: 'x', n: 7 } });
    expect(short(routeContent('[{"t":"x","n":7}]', { type: 'array' }))).toEqual({ value: [{ t: 'x', n: 7 }] });
    expect(short(routeContent('{"data":{"t":"x","n":"7"}}', note))).toEqual({ fails: 'schema_mismatch' });
  });

  it.each([
    ['no strict JSON', '"[1,2,]"'],
    ['another kind', '"{}"'],
    ['a scalar', '"1"'],
    ['words in brackets', '"[one, two]"'],
  ])('[SG-071] a string is opened only as strict JSON of the wanted kind: %s', (_title, list) => {
    expect(failureOf(routeContent(`{"list":${list}}`, closed({ list: listOf(integer) }))).evidence.issues[0]?.path).toBe('/list');
  });
});
