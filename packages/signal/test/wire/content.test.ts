import { describe, expect, it } from 'vitest';
import { jsonlLines } from '../../src/wire/strategies/jsonl-lines.ts';
import { closed, contractOf, failureOf, findBerth, integer, listOf, open, routeCalls, routeContent, short, text } from './support.ts';

const berth = closed({ pier: integer });
const seven = { value: { pier: 7 } };

describe('nothing to take', () => {
  it('[path-C1] no content and no call is empty', () => {
    expect(failureOf(routeContent('', berth))).toMatchObject({ kind: 'no_output', reason: 'empty' });
    expect(failureOf(routeContent('', undefined))).toMatchObject({ kind: 'no_output', reason: 'empty' });
  });

  it('[SG-082] empty content with finish length says that the budget went to reasoning', () => {
    for (const content of ['', ' \n', '<think>so the pier']) {
      const routed = routeContent(content, berth, { finish: 'length', reasoned: true });
      expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
      expect(failureOf(routed)).toMatchObject({ kind: 'truncated', reason: 'truncated', evidence: { note: 'reasoning_budget' } });
    }
  });

  it('[SG-082] [path-C13] a refusal is refused, whatever the content holds, and is never parsed', () => {
    for (const schema of [berth, undefined]) {
      for (const content of ['', '{"pier":7}']) {
        const failure = failureOf(routeContent(content, schema, { refusal: "I can't help with that." }));
        expect(failure).toMatchObject({ kind: 'refused', reason: 'refusal' });
        expect(failure.message).toContain("I can't help with that.");
      }
    }
  });

  it('[SG-082] [path-C13] the words of a refusal in content are prose; an empty refusal is none', () => {
    expect(short(routeContent("I can't help with that.", berth))).toEqual({ fails: 'no_candidate' });
    expect(short(routeContent('{"pier":7}', berth, { refusal: '' }))).toEqual(seven);
  });

  it('[SG-082] [path-C14] a filtered answer is refused with its part as evidence, and its calls do not run', () => {
    const failure = failureOf(routeContent('{"pier":7}', berth, { finish: 'content_filter' }));
    expect(failure).toMatchObject({ kind: 'refused', reason: 'refusal', evidence: { attempt: { text: { text: '{"pier":7}' } } } });
    expect(failure.retryable ?? false).toBe(false);
    const routed = routeCalls([['find_berth', '{"pier":7}']], contractOf(berth, { declared: [findBerth] }), { finish: 'content_filter' });
    expect(short(routed)).toEqual({ fails: 'refusal' });
  });
});

describe('shapes of content', () => {
  it.each([
    ['a block before the answer', '<think>low tide</think>\n\n{"pier":7}'],
    ['only the closing tag', 'low tide {"pier":8}\n</think>\n{"pier":7}'],
    ['a block that holds JSON', '<think>maybe {"pier":8}?</think>{"pier":7}'],
    ['an empty block', '<think></think>{"pier":7}'],
  ])('[path-C4] reasoning tags are split off: %s', (_title, content) => {
    expect(short(routeContent(content, berth))).toEqual(seven);
  });

  it('[path-C7] one value repeated on lines is that value; values that differ fail', () => {
    for (const strategies of [[], [jsonlLines()]]) {
      expect(short(routeContent('{"pier":7}\n{"pier":7}\n{"pier":7}', berth, {}, { strategies }))).toEqual(seven);
      expect(short(routeContent('{"pier":7}\n{"pier":8}\n{"pier":7}', berth, {}, { strategies }))).toEqual({ fails: 'ambiguous' });
    }
    const { wire } = routeContent('{"pier":7}\n{"pier":7}', berth);
    expect(wire.candidates.map(({ verdict }) => verdict)).toContain('duplicate');
  });

  it('[path-C8] values in a row that differ fail', () => {
    expect(short(routeContent('{"pier":7}{"pier":8}', berth))).toEqual({ fails: 'ambiguous' });
    expect(short(routeContent('{"pier":7}{"pier":7}', berth))).toEqual(seven);
  });

  it('[path-C9] a run of white space that ran out is a cut value', () => {
    const content = `{"pier":7${'\n '.repeat(4_000)}`;
    expect(short(routeContent(content, closed({ pier: integer, 'note?': text }), { finish: 'length' }))).toEqual({ fails: 'truncated' });
    expect(short(routeContent(content, berth, { finish: 'length' }))).toEqual({ fails: 'truncated' });
  });

  it('[path-C10] a fence between prose is the value', () => {
    const routed = routeContent('Sure!\n```json\n{"pier":7}\n```\nAnything else?', berth);
    expect(short(routed)).toEqual(seven);
    expect(routed.wire.edits.map(({ mechanism }) => mechanism)).toEqual(expect.arrayContaining(['prose', 'fence']));
  });

  it('[path-C11] the schema itself is no answer, also where it would pass', () => {
    const schema = { type: 'object', properties: { pier: integer } };
    for (const content of [JSON.stringify(schema), JSON.stringify(schema, null, 2), `\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``]) {
      expect(short(routeContent(content, schema))).toEqual({ fails: 'schema_mismatch' });
      expect(short(routeContent(content, berth))).toEqual({ fails: 'schema_mismatch' });
    }
    const union = { anyOf: [{}, { type: 'null' }] };
    expect(short(routeContent(JSON.stringify(union), union))).toHaveProperty('fails');
  });

  it.each(['{"find_berth":{"pier":7}}', '{"properties":{"pier":7}}', '[{"pier":7}]'])(
    '[SG-071] [path-C12] a wrapping comes off: %s',
    (content) => {
      expect(short(routeContent(content, berth, {}, { exitTool: 'find_berth' }))).toEqual(seven);
      expect(short(routeContent(content, {}, {}, { exitTool: 'find_berth' }))).toEqual({ value: JSON.parse(content) });
    },
  );

  it('[path-C12] a schema title is an envelope too', () => {
    expect(short(routeContent('{"Berth":{"pier":7}}', { ...berth, title: 'Berth' }))).toEqual(seven);
    expect(short(routeContent('{"Berth":{"pier":7}}', berth))).toEqual({ fails: 'schema_mismatch' });
  });

  it('[SG-070] [path-C25] a lone surrogate fails by default, and the report can be encoded', () => {
    const routed = routeContent('{"note":"low \\ud83d tide"}', open({ note: text }));
    expect(short(routed)).toEqual({ fails: 'lossy_value' });
    expect(() => new TextEncoder().encode(JSON.stringify(routed))).not.toThrow();
    expect(routeContent('{"note":"low \ud83d tide"}', open({ note: text })).outcome.kind).toBe('failed');
  });

  it('[path-C26] NUL and control characters are kept, raw or escaped', () => {
    const schema = open({ note: text });
    expect(short(routeContent('{"note":"a\\u0000b\\u0001"}', schema))).toEqual({ value: { note: 'a\u0000b\u0001' } });
    expect(short(routeContent('{"note":"a\u0000b\u0001"}', schema))).toEqual({ value: { note: 'a\u0000b\u0001' } });
  });

  it('[path-C29] an integer with an exponent is an integer', () => {
    const schema = closed({ pier: integer, open: { type: 'boolean' }, kind: { enum: ['ferry', 'tug'] } });
    const routed = routeContent('{"pier":-5e0,"open":false,"kind":"ferry"\n}', schema);
    expect(routed).toMatchObject({ outcome: { value: { pier: -5, open: false, kind: 'ferry' } }, wire: { rung: 'parse', loss: 'none' } });
  });
});

describe('small decisions', () => {
  it('[SG-060] complete JSON without a finish reason is a value only where the end was marked', () => {
    expect(short(routeContent('{"pier":7}', berth, { finish: 'unknown', terminated: true }))).toEqual(seven);
    expect(short(routeContent('{"pier":7}', berth, { finish: 'unknown', terminated: false }))).toEqual({ fails: 'truncated' });
  });

  it('[SG-060] with no finish reason a structure that is not closed is truncated', () => {
    for (const terminated of [true, false]) {
      expect(short(routeContent('{"note":"low"', closed({ note: text }), { finish: 'unknown', terminated }))).toEqual({
        fails: 'truncated',
      });
    }
  });

  it('[SG-080] text without a schema is output whatever the finish, and with a schema finish length is not enough', () => {
    expect(short(routeContent('Pier 7 is fr', undefined, { finish: 'length' }))).toEqual({ value: 'Pier 7 is fr' });
    expect(short(routeContent('{"pier":7}', berth, { finish: 'length' }))).toEqual(seven);
    expect(short(routeContent('7', integer, { finish: 'length' }))).toEqual({ fails: 'truncated' });
  });

  it('[SG-080] text without a schema is given as it is, byte for byte', () => {
    for (const content of ['```json\n{"pier":7,}\n```', ' {"a":1} ', '<b>x</b>', '\ufeffx']) {
      expect(routeContent(content, undefined).outcome).toEqual({ kind: 'output', value: content, loss: 'none' });
    }
  });

  it('[SG-081] [SG-087] text of a stream that was cut is truncated', () => {
    expect(failureOf(routeContent('Pier 7 is', undefined, { finish: 'unknown', terminated: false })).kind).toBe('truncated');
    expect(failureOf(routeContent('[1,', listOf(integer), { finish: 'unknown', terminated: false })).kind).toBe('truncated');
  });

  it('[SG-087] an answer that ended with an error is a provider failure, never a value', () => {
    expect(failureOf(routeContent('{"pier":7}', berth, { finish: 'error' }))).toMatchObject({ kind: 'provider', reason: 'provider_error' });
  });
});
