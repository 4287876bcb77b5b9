import type { JsonValue, Rejection } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { callsOf, contractOf, failureOf, outputOf, tool } from './json/test-support/route.ts';
import { resolveStrategies } from './resolve-strategies.ts';
import { type Routed, routeRejection } from './router.ts';
import { failedGeneration } from './strategies/failed-generation.ts';
import { jsonlLines } from './strategies/jsonl-lines.ts';

const berth = objectSchema({ pier: { type: 'integer' }, note: { type: 'string' } }, { required: ['pier'] });
const findBerth = tool('find_berth', berth);
const envelope = objectSchema({ data: { type: 'object' }, reasoning: { type: 'string' } }, { required: ['data'] });
const fault = { cause: 'invalid_request', retryable: false, message: '', status: 400 } as const;

const body = (failed_generation: JsonValue | undefined, code = 'tool_use_failed', message = 'Failed to call a function.'): JsonValue => ({
  error: {
    message,
    type: 'invalid_request_error',
    code,
    ...(failed_generation === undefined ? {} : { failed_generation }),
  },
});

const recover = (payload: JsonValue): Rejection | undefined => failedGeneration.recover({ fault, payload });

const route = (payload: JsonValue, schema: Parameters<typeof contractOf>[0] = envelope): Routed => {
  const rejection = recover(payload);
  if (rejection === undefined) throw new Error('not recovered');
  return routeRejection({ ...rejection, strategy: 'failed-generation' }, contractOf(schema, { declared: [findBerth] }));
};

describe('recovering', () => {
  it('[SG-067] [sig-W9] reads a call-shaped attempt', () => {
    const rejection = recover(body('{"name": "find_berth", "arguments": {"pier": 7}}'));
    expect(rejection).toEqual({ name: 'find_berth', argsText: '{"pier":7}', truncated: false });
  });

  it('[sig-W10] keeps the name of an attempt that was cut', () => {
    expect(recover(body('{"name":"find_berth","arguments":{"pier":7,"note":"late arr'))).toMatchObject({
      name: 'find_berth',
      truncated: true,
    });
  });

  it('[sig-W11] leaves other errors alone', () => {
    expect(recover({ error: { message: 'slow down', code: 'rate_limited' } })).toBeUndefined();
    expect(recover('a page')).toBeUndefined();
  });

  it('[SG-067] searches both depths at which clients find the error', () => {
    const attempt = '{"name":"find_berth","arguments":{"pier":7}}';
    for (const payload of [
      body(attempt),
      { error: body(attempt) },
      { status: 400, error: { error: { code: 'tool_use_failed', failed_generation: attempt } } },
      { error: { code: 400, metadata: { raw: JSON.stringify(body(attempt)) } } },
      [body(attempt)],
    ] as JsonValue[]) {
      expect(recover(payload)).toMatchObject({ name: 'find_berth' });
    }
  });

  it('[SG-067] keeps what the message says of an attempt that was not sent along', () => {
    const message =
      'tool call validation failed: parameters for tool find_berth did not match schema: errors: [`/pier`: expected integer, but got string]';
    expect(recover(body(undefined, 'tool_use_failed', message))).toEqual({
      name: 'find_berth',
      argsText: '',
      absent: true,
      truncated: false,
      issues: [{ path: '/pier', code: 'provider', expected: 'integer', received: 'string' }],
    });
  });
});

describe('resolving', () => {
  it('[SG-003] [sig-W13] an unknown id throws and names the known ones', () => {
    expect(() => resolveStrategies(['no-such'])).toThrow(/no-such.*failed-generation, jsonl-lines/);
    expect(() => resolveStrategies(['no-such'])).toThrow(expect.objectContaining({ code: 'E_UNKNOWN_STRATEGY' }));
  });

  it("[SG-003] takes ids and a user's own strategies, the later of one id", () => {
    const own = jsonlLines({ prefer: 'last' });
    expect(resolveStrategies(['failed-generation', 'jsonl-lines', own])).toEqual([failedGeneration, own]);
  });

  it('[SG-064] jsonl-lines offers no part of a larger value', () => {
    expect(jsonlLines().candidates('[\n{"a":1},\n{"a":2}\n]')).toEqual([]);
    expect(jsonlLines().candidates('{"a":1}\nsome text\n{"a":2}')).toEqual([]);
    expect(jsonlLines().candidates('{"a":1}\n\n{"a":2}\n')).toEqual(['{"a":1}', '{"a":2}']);
  });
});

describe('routing what a rejection carried', () => {
  it('[SG-067] [sig-W14] a call of a declared tool is a tool call', () => {
    const routed = route(body('{"name":"find_berth","arguments":{"pier":7}}'));
    expect(callsOf(routed)).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
    expect(routed.wire).toMatchObject({
      source: 'rejection',
      recovered: { strategy: 'failed-generation', name: 'find_berth', truncated: false },
    });
  });

  it('[SG-067] [sig-W15] a pseudo call with a valid output is output', () => {
    expect(outputOf(route(body('{"name":"json","arguments":{"data":{"total":3}}}')))).toEqual({ data: { total: 3 } });
  });

  it('[SG-067] [sig-W16] nothing usable in a cut attempt fails, truncated', () => {
    const routed = route(body('{"name":"json","arguments":{"da'));
    expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { kind: 'rejected', reason: 'truncated' } });
  });

  it('[SG-067] [def-B1] a cut call of a declared tool is never a tool call', () => {
    const failure = failureOf(route(body('{"name":"find_berth","arguments":{"pier":7,"note":"late arr')));
    expect(failure).toMatchObject({
      kind: 'rejected',
      reason: 'truncated',
      evidence: { salvagedCalls: [{ name: 'find_berth', complete: false }] },
    });
  });

  it('[SG-067] [def-B2] a rejected call in a dialect is not taken for output, however loose the schema', () => {
    const routed = route(body('<function=find_berth>{"pier": 7}</function>'), { type: 'object' });
    expect(callsOf(routed)).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
  });

  it('[SG-067] decodes nested arguments that were mangled', () => {
    const room = tool('book_room', objectSchema({ slots: { type: 'array', items: objectSchema({ from: { type: 'integer' } }) } }));
    const rejection = recover(body('{"name": "book_room", "arguments": {"slots": "[{\\"from\\": 9}]"}}'));
    const routed = routeRejection(
      { argsText: '', truncated: false, ...rejection, strategy: 's' },
      contractOf(envelope, { declared: [room] }),
    );
    expect(callsOf(routed)).toEqual([{ name: 'book_room', args: { slots: [{ from: 9 }] } }]);
  });

  it('[SG-067] an attempt that was not sent along fails, rejected, with what the provider said', () => {
    const message = 'parameters for tool find_berth did not match schema: errors: [`/pier`: expected integer, but got string]';
    expect(failureOf(route(body('', 'tool_use_failed', message)))).toMatchObject({
      kind: 'rejected',
      reason: 'schema_mismatch',
      code: 'E_REJECTED',
      evidence: { issues: [{ path: '/pier' }] },
    });
    expect(failureOf(route(body('')))).toMatchObject({ kind: 'rejected', reason: 'empty' });
  });
});

describe('the dialects of rejected calls', () => {
  const wanted = [{ name: 'find_berth', args: { pier: 7 } }];
  it.each([
    ['path-A1', '<function=find_berth>{"pier": 7}</function>'],
    ['path-A2', '<function=find_berth{"pier": 7}</function>'],
    ['path-A2', '<function=find_berth {"pier":7}>'],
    ['path-A2', '<function=find_berth={"pier":7}</function>'],
    ['path-A3', 'find_berth{"pier": 7}</function>'],
    [
      'path-A5',
      '```\n{\n "tool_calls": [{"id":"pending","type":"function","function":{"name":"find_berth"},"parameters":{"pier":7}}]\n}\n```',
    ],
    [
      'path-A6',
      '<tool-use>\n{"tool_calls":[{"id":"pending","type":"function","function":{"name":"find_berth"},"args":{"pier":7}}]}\n</tool-use>',
    ],
  ])('[SG-068] [%s] recovers %s', (_id, generation) => {
    expect(callsOf(route(body(generation)))).toEqual(wanted);
  });

  it('[SG-067] [path-A4] [path-A8] completes no cut call and coerces nothing', () => {
    expect(failureOf(route(body('<function=find_berth>{"pier": 7'))).reason).toBe('truncated');
    expect(failureOf(route(body('<function=find_berth>{"pier":"7"}</function>')))).toMatchObject({
      kind: 'rejected',
      reason: 'schema_mismatch',
    });
  });

  it('[SG-067] [path-A7] text in place of a call is no output', () => {
    expect(failureOf(route(body('### Berths today\nPier 7 is free …'))).kind).toBe('rejected');
  });

  it('[SG-067] [path-A9] a tool that nobody declared is named', () => {
    const message = "tool call validation failed: attempted to call tool 'json' which was not in request.tools";
    const routed = route(body(undefined, 'tool_use_failed', message));
    expect(failureOf(routed)).toMatchObject({ kind: 'rejected', reason: 'provider_error' });
    expect(failureOf(routed).message).toContain('json');
  });

  it('[SG-067] [path-A10] [path-A11] [path-A12] reads a refused response format as the output that it is', () => {
    const failed = (generation: string): Routed => route(body(generation, 'json_validate_failed'), berth);
    expect(failureOf(failed('{"pier": 7, "note": "low')).reason).toBe('truncated');
    expect(failureOf(failed('')).reason).toBe('empty');
    expect(outputOf(failed('Here is the JSON:\n```json\n{"pier":7}\n```'))).toEqual({ pier: 7 });
    expect(outputOf(failed('{"pier": 7,}'))).toEqual({ pier: 7 });
  });
});
