import { describe, expect, it } from 'vitest';
import { routeRejection } from '../../src/wire/router.ts';
import { closed, contractOf, failureOf, findBerth, integer, open, rejectionBody, routeBody, short, text } from './support.ts';

const berth = closed({ pier: integer, 'note?': text });
const tools = () => contractOf(undefined, { declared: [findBerth] });
const called = { calls: [['find_berth', { pier: 7 }]] };
const validateBody = (generation: string) =>
  rejectionBody(generation, { code: 'json_validate_failed', message: 'Failed to generate JSON. Please adjust your prompt.' });

const listed = (key: string) => `{"tool_calls":[{"id":"pending","type":"function","function":{"name":"find_berth"},"${key}":{"pier":7}}]}`;

describe('refused calls', () => {
  it.each([
    ['[path-A1] a function tag', '<function=find_berth>{"pier": 7}</function>'],
    ['[path-A2] a function tag without its end', '<function=find_berth{"pier": 7}</function>'],
    ['[path-A2] a function tag around its arguments', '<function=find_berth {"pier":7}>'],
    ['[path-A2] a function tag with an equals sign', '<function=find_berth={"pier": 7}</function>'],
    ['[path-A3] a bare name', 'find_berth{"pier": 7}\u003c/function\u003e'],
    ['[path-A5] a fenced list', `\`\`\`\n${listed('parameters')}\n\`\`\``],
    ['[path-A5] a fenced list with the key arguments', `\`\`\`\n${listed('arguments')}\n\`\`\``],
    ['[path-A5] a fenced list with the key args', `\`\`\`\n${listed('args')}\n\`\`\``],
    ['[path-A6] a tool-use tag', `<tool-use>\n${listed('parameters')}\n</tool-use>`],
    ['Hermes JSON', '<tool_call>{"name":"find_berth","arguments":{"pier":7}}</tool_call>'],
    ['Qwen XML', '<tool_call>\n<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n</function>\n</tool_call>'],
    ['a call object', '{"name": "find_berth", "arguments": {"pier": 7}}'],
    ['a call object whose arguments are a string', '{"name":"find_berth","arguments":"{\\"pier\\":7}"}'],
  ])('[SG-067] %s of a declared tool is a call, marked as recovered', (_title, generation) => {
    for (const contract of [tools(), contractOf(berth, { declared: [findBerth] })]) {
      const routed = routeBody(rejectionBody(generation), contract);
      expect(short(routed)).toEqual(called);
      expect(routed.wire.recovered).toMatchObject({ strategy: 'failed-generation', truncated: false });
    }
  });

  it('[SG-067] the generation is found at every depth at which clients find it', () => {
    const body = rejectionBody('<function=find_berth>{"pier": 7}</function>');
    const shapes = [body, body.error, { error: body }, [body], { error: { message: 'upstream', metadata: { raw: JSON.stringify(body) } } }];
    for (const shape of shapes) expect(short(routeBody(shape, tools()))).toEqual(called);
  });

  it.each(['<function=find_berth>{"pier": 7', '<function=find_berth>{"pier": 7,"no', '<function=find_berth>{"pi', '<function=find_berth'])(
    '[SG-067] [SG-072] [path-A4] a refused call that was cut is completed by nothing: %s',
    (generation) => {
      const routed = routeBody(rejectionBody(generation), tools());
      expect(routed.outcome).toMatchObject({ truncated: true, failure: { kind: 'rejected', reason: 'truncated' } });
      expect(failureOf(routed).evidence.salvagedCalls).toMatchObject([{ name: 'find_berth', complete: false }]);
    },
  );

  it('[SG-067] [path-A4] two calls of which the second was cut run neither', () => {
    const generation = '<function=find_berth>{"pier": 7}</function><function=find_berth>{"pier": 8,"no';
    expect(short(routeBody(rejectionBody(generation), tools()))).toEqual({ fails: 'truncated' });
  });

  it('[path-A7] prose in place of a call is no call and no output of a schema', () => {
    const prose = '### Berths today\nPier 7 is free until four.';
    const routed = routeBody(rejectionBody(prose), contractOf(berth, { declared: [findBerth] }));
    expect(failureOf(routed)).toMatchObject({ kind: 'rejected', reason: 'no_candidate', evidence: { attempt: { text: { text: prose } } } });
  });

  it('[path-A8] arguments of the wrong type are not coerced, and the evidence says what the tool wants', () => {
    const message =
      'tool call validation failed: parameters for tool find_berth did not match schema: errors: [`/pier`: expected integer, but got string]';
    const present = routeBody(rejectionBody('<function=find_berth>{"pier":"7"}</function>', { message }), tools());
    expect(failureOf(present)).toMatchObject({ kind: 'rejected', reason: 'schema_mismatch', evidence: { issues: [{ path: '/pier' }] } });
    const absent = failureOf(routeBody(rejectionBody(undefined, { message }), tools()));
    expect(absent).toMatchObject({ evidence: { issues: [{ path: '/pier', expected: 'integer', received: 'string' }] } });
    expect(absent.message).toContain('find_berth');
  });

  it('[path-A9] an attempt that was not sent along fails, and names the undeclared tool', () => {
    const message = "tool call validation failed: attempted to call tool 'json' which was not in request.tools";
    const routed = routeBody(rejectionBody(undefined, { message }), tools());
    expect(['rejected', 'provider']).toContain(failureOf(routed).kind);
    expect(failureOf(routed).message).toContain('json');
  });

  it('[SG-067] a call of a tool that is not declared never runs; arguments that fit are output', () => {
    const generation = '<function=other>{"pier": 7}</function>';
    expect(short(routeBody(rejectionBody(generation), contractOf(berth, { declared: [findBerth] })))).toEqual({ value: { pier: 7 } });
    expect(routeBody(rejectionBody(generation), tools()).outcome.kind).toBe('failed');
  });
});

describe('attempts of other providers', () => {
  const route = (argsText: string, truncated = false) => routeRejection({ argsText, truncated, strategy: 'own' }, tools());

  it('[SG-067] a refused call in Python is a call, read by literals only', () => {
    expect(short(route('print(default_api.find_berth(pier=7))'))).toEqual(called);
    for (const attempt of ['print(default_api.find_berth(pier=3+4))', 'print(default_api.find_berth(pier=x))', 'import os']) {
      expect(failureOf(route(attempt)).kind).toBe('rejected');
    }
  });

  it('[SG-067] [SG-072] a refused call in Python that was cut does not run', () => {
    expect(short(route('print(default_api.find_berth(pier=7', true))).toEqual({ fails: 'truncated' });
  });

  it('[SG-067] every failure of an attempt is rejected, with the reason that the router found', () => {
    for (const [attempt, reason] of [
      ['', 'empty'],
      ['I cannot.', 'no_candidate'],
      ['{"pier":', 'truncated'],
      ['{"pier":1e999}', 'lossy_value'],
      ['{"__proto__":1}', 'unsafe_key'],
    ] as const) {
      const rejection = { argsText: attempt, truncated: false, strategy: 'own' };
      expect(failureOf(routeRejection(rejection, contractOf({})))).toMatchObject({ kind: 'rejected', reason });
    }
  });
});

describe('refused outputs', () => {
  it('[SG-067] a generation that passes is output', () => {
    expect(short(routeBody(validateBody('{"pier": 7, "note": "low"}'), contractOf(berth)))).toEqual({ value: { pier: 7, note: 'low' } });
  });

  it('[path-A10] a generation that was cut fails as truncated with its complete part', () => {
    const routed = routeBody(validateBody('{"pier": 7, "note": "low'), contractOf(berth));
    expect(routed.outcome).toMatchObject({ truncated: true, failure: { kind: 'rejected', reason: 'truncated' } });
    expect(failureOf(routed).evidence.salvaged).toEqual({ pier: 7 });
    expect(short(routeBody(validateBody('{"pier": 7, "note": "low"'), contractOf(berth)))).toHaveProperty('fails');
  });

  it('[path-A11] an empty generation fails as empty', () => {
    expect(failureOf(routeBody(validateBody(''), contractOf(berth)))).toMatchObject({ kind: 'rejected', reason: 'empty' });
  });

  it('[path-A12] a generation in prose and a fence is output, marked as recovered', () => {
    const routed = routeBody(validateBody('Here is the JSON:\n```json\n{"pier":7}\n```'), contractOf(berth));
    expect(short(routed)).toEqual({ value: { pier: 7 } });
    expect(routed.wire).toMatchObject({ loss: 'noise', recovered: { strategy: 'failed-generation' } });
  });

  it('[SG-067] a near miss names what misses, and the generation is the evidence', () => {
    const routed = routeBody(validateBody('{"title":"Oslo trip","days":"3"}'), contractOf(open({ title: text, days: integer })));
    expect(failureOf(routed)).toMatchObject({
      kind: 'rejected',
      reason: 'schema_mismatch',
      evidence: { issues: [{ path: '/days' }], attempt: { source: 'rejection', text: { text: '{"title":"Oslo trip","days":"3"}' } } },
    });
  });
});
