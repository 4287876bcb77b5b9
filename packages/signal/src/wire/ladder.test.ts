import { describe, expect, it } from 'vitest';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { contentResponse, contractOf, failureOf, outputOf, routeContent } from './json/test-support/route.ts';
import { routeResponse } from './router.ts';

const rows = { type: 'array', items: objectSchema({ a: { type: 'integer' } }) };
const one = objectSchema({ a: { type: 'integer' } });
const note = objectSchema({ text: { type: 'string' }, n: { type: 'integer' } });
const open = (properties: Record<string, unknown>, required: readonly string[]) => objectSchema(properties, { required, open: true });

describe('candidates', () => {
  it('[SG-064] [def-X1] takes the list, never its first element', () => {
    expect(outputOf(routeContent('Rows: [{"a":1},{"a":2}]', rows))).toEqual([{ a: 1 }, { a: 2 }]);
    expect(failureOf(routeContent('Rows: [{"a":1},{"a":2}]', { type: 'object' })).reason).toBe('schema_mismatch');
  });

  it('[SG-064] [def-X2] never takes a complete inner list for a cut object', () => {
    const gate = { type: ['object', 'array'] };
    expect(failureOf(routeContent('{"tags":["a","b"],"body":"xy', gate)).kind).toBe('truncated');
  });

  it('[def-X3] finds the value behind braces of prose and behind a draft that fails', () => {
    expect(outputOf(routeContent('Use {name}: {"a":1}', one))).toEqual({ a: 1 });
    expect(outputOf(routeContent('{"plan":1}\n\n{"a":1}', one))).toEqual({ a: 1 });
  });

  it('[def-X5] knows a cut inside a fence and after prose', () => {
    for (const text of ['```json\n{"a":1,"b', 'Here you are: {"text":"x', '```json\n[{"a":1},{"a":2']) {
      expect(routeContent(text, one).outcome).toMatchObject({ kind: 'failed', truncated: true });
    }
  });

  it('[SG-062] [def-X6] repairs compose', () => {
    const lossy = { accept: 'lossy', finish: 'length' } as const;
    const gate = open({ a: { type: 'integer' }, text: { type: 'string' } }, ['a']);
    expect(outputOf(routeContent('```json\n{"a":1,"text":"x', gate, lossy))).toEqual({ a: 1 });
    expect(outputOf(routeContent('Sure: {"text":"it\\\'s","n":1,} ok?', note))).toEqual({ text: "it's", n: 1 });
    expect(outputOf(routeContent('Here: {\\"a\\": 1}', one))).toEqual({ a: 1 });
    expect(outputOf(routeContent('```json\n{"output":"{\\"a\\":1}",}\n```', one))).toEqual({ a: 1 });
  });

  it('[SG-064] position, order and words decide nothing', () => {
    for (const text of ['Draft: {"a":1}\nFinal: {"a":2}', '{"a":1}{"a":2}', '```json\n{"a":1}\n```\n```json\n{"a":2}\n```']) {
      expect(failureOf(routeContent(text, one)).reason).toBe('ambiguous');
    }
    expect(outputOf(routeContent('{"a":1}\n{ "a" : 1 }', one))).toEqual({ a: 1 });
  });

  it('[SG-064] a value that is equal to the schema is no candidate', () => {
    const anything = { type: 'object', properties: { title: { type: 'string' } } };
    const routed = routeContent(`${JSON.stringify(anything)}\n{"title":"Arrival"}`, anything);
    expect(outputOf(routed)).toEqual({ title: 'Arrival' });
    expect(routed.wire.candidates[0]?.verdict).toBe('schema_echo');
    expect(failureOf(routeContent(JSON.stringify(anything), anything)).reason).toBe('schema_mismatch');
  });

  it('[SG-064] refuses a value that may be part of a larger one', () => {
    const gate = open({ a: { type: 'integer' } }, ['a']);
    for (const text of ['"inner":{"a":1}}', '{"a":1},"b":2}', ',{"a":1}]', '{"a":1}"b":2}', '{"x":"he said "no"" } {"a":1}']) {
      expect(failureOf(routeContent(text, gate)).reason).toBe('invalid_json');
    }
  });
});

describe('marks', () => {
  it('[SG-071] [path-C4] text in reasoning is never an answer', () => {
    const draft = 'so {"a":2} "quoted';
    for (const text of [
      `<think>${draft}</think>\n\n{"a":1}`,
      `${'so {"a":2} maybe'}\n</think>\n{"a":1}`,
      `[THINK]${draft}[/THINK]{"a":1}`,
      `<|channel|>analysis<|message|>${draft}<|end|><|start|>assistant<|channel|>final<|message|>{"a":1}<|return|>`,
      `◁think▷${draft}◁/think▷{"a":1}`,
    ]) {
      expect(outputOf(routeContent(text, one))).toEqual({ a: 1 });
    }
    expect(failureOf(routeContent(`<think>${draft}`, one)).reason).toBe('no_candidate');
    expect(failureOf(routeContent(`<think>${draft}`, one, { finish: 'length' })).kind).toBe('truncated');
  });

  it('[SG-071] an answer tag outranks what stands outside it', () => {
    const routed = routeContent('Draft {"a":2} <answer>{"a":1}</answer>', one);
    expect(outputOf(routed)).toEqual({ a: 1 });
  });

  it('[SG-071] a mark inside a string is data', () => {
    const text = '{"text":"<think>no</think> ```json {} ``` <answer>","n":1,}';
    expect(outputOf(routeContent(text, note))).toEqual({ text: '<think>no</think> ```json {} ``` <answer>', n: 1 });
  });

  it('[path-C10] takes JSON out of a fence between prose', () => {
    expect(outputOf(routeContent('Sure!\n```json\n{"a":1}\n```\nAnything else?', one))).toEqual({ a: 1 });
  });
});

describe('spellings', () => {
  it.each([
    ['trailing commas', '{"text":"x","n":1,}', 'noise'],
    ['comments', '{"text":"x", // why\n"n":1 /* one */}', 'noise'],
    ['single quotes', "{'text':'x','n':1}", 'reencoded'],
    ['smart quotes', '{“text”: “x”, “n”: 1}', 'reencoded'],
    ['bare keys', '{text:"x",n:1}', 'reencoded'],
    ['a missing comma', '{"text":"x"\n"n":1}', 'reencoded'],
    ['other punctuation', '{"text"："x"，"n"：1}', 'reencoded'],
    ['invisible characters', '\ufeff{"text":\u00a0"x","n":1}\u200b', 'noise'],
    ['a layer of escapes', '{\\"text\\":\\"x\\",\\"n\\":1}', 'reencoded'],
    ['a layer of entities', '{&quot;text&quot;:&quot;x&quot;,&quot;n&quot;:1}', 'reencoded'],
  ])('[SG-062] [SG-063] reads %s and grades it', (_name, text, loss) => {
    const routed = routeContent(text, note);
    expect(outputOf(routed)).toEqual({ text: 'x', n: 1 });
    expect(routed.wire.loss).toBe(loss);
    expect(routed.wire.edits.length).toBeGreaterThan(0);
  });

  it("[SG-062] reads other languages' literals and raw control characters", () => {
    const gate = objectSchema({ ok: { type: 'boolean' }, none: { type: 'null' }, text: { type: 'string' } });
    expect(outputOf(routeContent("{'ok': True, 'none': None, 'text': 'a\nb'}", gate))).toEqual({ ok: true, none: null, text: 'a\nb' });
  });

  it.each([
    '{"text":,"n":1}',
    '{"text":"x","n":1,250}',
    '{"text":"x","n":007}',
    '{"text":"x","n":NaN}',
    '{"text":"x","n":undefined}',
    '{"text":"x","n":1, ...}',
    '{"text":"say "yes", "no"","n":1}',
    '{"text":"\\x41","n":1}',
    '{"text":"x","n":1,,}',
    '{text: New York, n: 1}',
  ])('[SG-071] makes no guess: %s', (text) => {
    expect(failureOf(routeContent(text, note)).reason).toBe('invalid_json');
  });

  it('[SG-071] edits no data', () => {
    for (const text of [
      '{"text":"x","n":"1"}',
      '{"text":"x","n":1,"extra":0}',
      '{"text":"x"}',
      '[{"text":"x","n":1},{"text":"y","n":2}]',
    ]) {
      expect(failureOf(routeContent(text, note)).reason).toBe('schema_mismatch');
    }
  });
});

describe('envelopes', () => {
  it('[SG-071] takes a known sole key off only if the outer value fails and the inner passes', () => {
    expect(outputOf(routeContent('{"output":{"a":1}}', one))).toEqual({ a: 1 });
    expect(outputOf(routeContent('{"output":{"a":1}}', { type: 'object' }))).toEqual({ output: { a: 1 } });
    for (const text of ['{"elephant":{"a":1}}', '{"error":{"a":1}}', '{"output":{"a":1},"note":"x"}']) {
      expect(failureOf(routeContent(text, one)).reason).toBe('schema_mismatch');
    }
  });

  it('[path-C12] unwraps the schema words, the exit tool and a list of one', () => {
    const contract = contractOf(one, { exitTool: 'find_berth' });
    for (const text of ['{"find_berth":{"a":1}}', '{"properties":{"a":1}}', '[{"a":1}]']) {
      expect(outputOf(routeResponse(contentResponse(text), contract))).toEqual({ a: 1 });
    }
  });

  it('[SG-053] undoes the wrapping of the root, and the nulls of optional fields, of this request only', () => {
    const list = { type: 'array', items: { type: 'integer' } };
    const wrapped = contractOf(list, { envelope: { rootKey: 'value', madeNullable: [] } });
    const routed = routeResponse(contentResponse('{"value":[1,2]}'), wrapped);
    expect(outputOf(routed)).toEqual([1, 2]);
    expect(routed.wire).toMatchObject({ loss: 'reencoded', edits: [{ mechanism: 'root-unwrap' }] });

    const optional = objectSchema({ a: { type: 'integer' }, b: { type: 'string' } }, { required: ['a'] });
    const nulled = contractOf(optional, { envelope: { madeNullable: ['/properties/b'] } });
    const dropped = routeResponse(contentResponse('{"a":1,"b":null}'), nulled);
    expect(outputOf(dropped)).toEqual({ a: 1 });
    expect(dropped.wire.edits).toEqual([
      { mechanism: 'null-undo', loss: 'reencoded', path: '/b', span: { start: 11, end: 15 }, before: 'null' },
    ]);
    expect(failureOf(routeContent('{"a":1,"b":null}', optional)).reason).toBe('schema_mismatch');
  });

  it('[def-B5] decodes one mangled field beside one that holds JSON text', () => {
    const gate = objectSchema({ code: { type: 'string' }, items: { type: 'array', items: { type: 'integer' } } });
    expect(outputOf(routeContent('{"code":"[1,2]","items":"[1,2]"}', gate))).toEqual({ code: '[1,2]', items: [1, 2] });
  });

  it('[SG-071] opens strings only as strict JSON of the wanted kind', () => {
    const gate = objectSchema({ tags: { type: 'array' }, n: { type: 'integer' } });
    for (const tags of ['"[red, wet]"', '"[1,]"', '"{}"', '"1"']) {
      expect(failureOf(routeContent(`{"tags":${tags},"n":1}`, gate)).reason).toBe('schema_mismatch');
    }
  });
});

describe('accept', () => {
  it('[SG-063] exact takes nothing but clean JSON', () => {
    expect(outputOf(routeContent('{"a":1}', one, { accept: 'exact' }))).toEqual({ a: 1 });
    for (const text of ['{"a":1,}', '```\n{"a":1}\n```', '{"output":{"a":1}}']) {
      const routed = routeContent(text, one, { accept: 'exact' });
      expect(failureOf(routed).kind).toBe('invalid_output');
      expect(routed.wire.candidates.map((candidate) => candidate.verdict)).toContain('loss_not_accepted');
    }
  });

  it('[SG-063] closes an object only where nothing can be missing', () => {
    const routed = routeContent('{"text":"x","n":1 ', note);
    expect(routed.outcome).toEqual({ kind: 'output', value: { text: 'x', n: 1 }, loss: 'reencoded' });
    for (const [text, schema] of [
      ['{"text":"x","n":1', note],
      ['{"n":1,"text":"x', note],
      ['{"text":"x"', open({ text: { type: 'string' } }, ['text'])],
      ['{"text":"x"', objectSchema({ text: { type: 'string' }, n: { type: 'integer' } }, { required: ['text'] })],
      ['[{"a":1}', rows],
    ] as const) {
      expect(failureOf(routeContent(text, schema)).kind).toBe('truncated');
    }
    expect(failureOf(routeContent('{"text":"x","n":1 ', note, { finish: 'length' })).kind).toBe('truncated');
  });
});

describe('the report', () => {
  it('[SG-069] gives every edit the place that it had in the text', () => {
    const text = "Here: {'a':1,}!";
    const { wire } = routeContent(text, one);
    expect(wire.edits.map((edit) => [edit.mechanism, text.slice(edit.span.start, edit.span.end)])).toEqual([
      ['prose', 'Here: '],
      ['prose', '!'],
      ['single-quotes', "'a'"],
      ['trailing-comma', ','],
    ]);
    expect(wire.candidates).toEqual([{ rung: 'relaxed', span: { start: 6, end: 14 }, loss: 'reencoded', verdict: 'accepted' }]);
  });

  it('[SG-069] says why each candidate lost', () => {
    const { wire } = routeContent('{x} {"b":1} {"a":1} <think>{"a":2}</think>', one);
    expect(wire.candidates.map((candidate) => candidate.verdict)).toEqual(['invalid_json', 'schema_mismatch', 'accepted']);
  });

  it('[SG-086] bounds the text of an attempt and every list', () => {
    const long = `{"a":"${'x'.repeat(10_000)}"}`;
    const { text } = failureOf(routeContent(long, one)).evidence.attempt ?? {};
    expect(text?.length).toBe(long.length);
    expect(text?.text.length).toBeLessThan(4_200);
    expect(text?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const { wire } = routeContent(`[${'{"a":1,},'.repeat(2_000)}]`, rows);
    expect(wire.edits.length).toBe(256);
    expect(wire.omitted?.edits).toBe(1_745);
  });
});
