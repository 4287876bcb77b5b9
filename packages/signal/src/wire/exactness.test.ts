import { describe, expect, it } from 'vitest';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { callsOf, contentResponse, contractOf, failureOf, outputOf, routeContent, tool } from './json/test-support/route.ts';
import { routeResponse } from './router.ts';

const any = { type: 'object' };
const text = objectSchema({ t: { type: 'string' } });

describe('the four checks', () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":1830274650918273645,"n":1}',
    '{"id":1e999}',
    '{"id":1e-400}',
    '{"id":"\\ud83d"}',
    '{"id":12345678901234567890.0}',
  ])('[SG-070] refuses what JavaScript cannot hold: %s', (content) => {
    expect(failureOf(routeContent(content, any))).toMatchObject({ kind: 'invalid_output', reason: 'lossy_value' });
  });

  it.each([
    '{"id":9007199254740992}',
    '{"id":1e23}',
    '{"id":100000000000000000000000}',
    '{"id":0.1}',
    '{"id":-0}',
    '{"id":"\\ud83e\\udd80"}',
  ])('[SG-070] takes what it can hold: %s', (content) => {
    expect(outputOf(routeContent(content, any))).toEqual(JSON.parse(content));
  });

  it('[SG-070] releases a rounded value only to a caller who takes lossy ones, noted', () => {
    const routed = routeContent('{"id":9007199254740993}', any, { accept: 'lossy' });
    expect(outputOf(routed)).toEqual({ id: 9007199254740992 });
    expect(routed.wire.notes.join()).toContain('lossy_value at /id');
  });

  it('[SG-070] [def-B6] refuses keys that reach a prototype, and never assigns through one', () => {
    for (const content of [
      '{"__proto__":{"x":1},"k":"[1]"}',
      '{"a":{"\\u005f_proto__":1}}',
      "{'__proto__':{'x':1},'k':1,}",
      '{"constructor":{"prototype":{"x":1}}}',
      '{"output":"{\\"__proto__\\":{}}","n":1}',
    ]) {
      const gate = content.includes('output') ? objectSchema({ output: any, n: { type: 'integer' } }) : any;
      expect(failureOf(routeContent(content, gate)).reason).toBe('unsafe_key');
    }
    expect(({} as { x?: number }).x).toBeUndefined();
    expect(outputOf(routeContent('{"constructor":"Vinci"}', any))).toEqual({ constructor: 'Vinci' });
  });

  it('[def-B6] lets no unsafe key reach a tool', () => {
    const contract = contractOf(text, { declared: [tool('f', any)] });
    expect(failureOf(routeResponse(contentResponse('<function=f>{"__proto__":{"x":1}}</function>'), contract)).reason).toBe('unsafe_key');
  });

  it('[SG-070] refuses one key with two values, and notes equal ones', () => {
    expect(failureOf(routeContent('{"a":1,"a":2}', any)).reason).toBe('ambiguous');
    expect(failureOf(routeContent('{"a":1,"\\u0061":2}', any)).reason).toBe('ambiguous');
    const routed = routeContent('{"a":[1],"a":[1]}', any);
    expect(outputOf(routed)).toEqual({ a: [1] });
    expect(routed.wire.notes.join()).toContain('/a');
  });

  it('[SG-070] suspects an escape that destroyed a backslash, unless told not to', () => {
    for (const content of ['{"t":"\\frac{1}{2}"}', '{"t":"$\\boldsymbol{x}$"}', '{"t":"C:\\new"}']) {
      expect(failureOf(routeContent(content, text)).reason).toBe('suspect_escape');
      const routed = routeResponse(contentResponse(content), contractOf(text, { checkSuspectEscapes: false }));
      expect(outputOf(routed)).toEqual(JSON.parse(content));
      expect(routed.wire.notes.join()).toContain('suspect_escape');
    }
    for (const content of ['{"t":"id\\tname\\n1\\tBo"}', '{"t":"Note:\\nb"}', '{"t":"a\\n\\nb"}']) {
      expect(outputOf(routeContent(content, text))).toEqual(JSON.parse(content));
    }
  });

  it('[SG-061] says that a value misses its schema before it says that it is inexact', () => {
    expect(failureOf(routeContent('{"t":1830274650918273645}', text)).reason).toBe('schema_mismatch');
  });
});

describe('shapes of content', () => {
  const berth = objectSchema({ pier: { type: 'integer' } });

  it('[path-C7] takes a value that is repeated, and fails where the repeats differ', () => {
    const routed = routeContent('{"pier":7}\n{"pier":7}\n{"pier":7}', berth);
    expect(outputOf(routed)).toEqual({ pier: 7 });
    expect(routed.wire.candidates.map((candidate) => candidate.verdict)).toContain('duplicate');
    expect(failureOf(routeContent('{"pier":7}\n{"pier":8}', berth)).reason).toBe('ambiguous');
  });

  it('[path-C8] fails for two values that are joined', () => {
    expect(failureOf(routeContent('{"pier":7}{"pier":8}', berth)).reason).toBe('ambiguous');
  });

  it('[path-C9] fails, truncated, for a runaway of white space', () => {
    expect(failureOf(routeContent(`{"pier":7${'\n '.repeat(4_000)}`, berth, { finish: 'length' })).kind).toBe('truncated');
  });

  it('[path-C11] a repeated schema is no answer', () => {
    expect(failureOf(routeContent(JSON.stringify(berth), berth)).reason).toBe('schema_mismatch');
  });

  it('[SG-068] [SG-070] a bare call is gated and exact like any other', () => {
    const contract = contractOf(berth, { declared: [tool('f', berth)] });
    expect(callsOf(routeResponse(contentResponse('{"name":"f","arguments":{"pier":7}}'), contract))).toEqual([
      { name: 'f', args: { pier: 7 } },
    ]);
    expect(failureOf(routeResponse(contentResponse('{"name":"f","arguments":{"pier":9007199254740993}}'), contract)).reason).toBe(
      'lossy_value',
    );
  });
});
