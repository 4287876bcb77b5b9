import type { Gate } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { contentResponse, contractOf, failureOf, outputOf, tool } from './json/test-support/route.ts';
import { routeResponse } from './router.ts';

const size = 10 * 1_024 * 1_024;
const one = objectSchema({ a: { type: 'integer' } });
const declared = [tool('f', one)];
const repeated = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));

describe('hostile text', () => {
  // A quadratic step would not end within the runner's time limit.
  it.each([
    '{',
    '[',
    '\\',
    '"',
    "'",
    '```',
    '```json\n"',
    '<think>',
    '</think>',
    '<think></think>',
    '{x} ',
    '{"a":',
    '{}</think>',
    '<tool_call>',
    '<function=f>{',
    '<answer>',
    '[f(',
    '{\\"',
    '}',
    '{"x":"y" z} ',
    '{/*',
    '“',
  ])('[SG-070] ends with a typed failure for 10 MB of %j', { timeout: 60_000 }, (unit) => {
    const failure = failureOf(routeResponse(contentResponse(repeated(unit)), contractOf(one, { declared })));
    expect(failure.evidence.attempt?.text.length).toBeGreaterThanOrEqual(size);
  });

  it('[SG-070] a depth of 100,000 is a typed failure, and the gate never sees it', () => {
    let gated = 0;
    const gate: Gate = {
      jsonSchema: { type: 'array' },
      validate: () => {
        gated += 1;
        return { ok: true };
      },
    };
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(100_000)}${close === '}' ? '1' : ''}${close.repeat(100_000)}`;
      expect(failureOf(routeResponse(contentResponse(deep), contractOf(undefined, { gate })))).toMatchObject({
        kind: 'limit',
        reason: 'limit_exceeded',
      });
    }
    expect(gated).toBe(0);
  });

  it('[SG-070] bounds size and candidates', () => {
    const contract = contractOf(one, { limits: { maxChars: 100, maxCandidates: 3 } });
    expect(failureOf(routeResponse(contentResponse(' '.repeat(101)), contract)).reason).toBe('limit_exceeded');
    const drafts = [0, 1, 2].map((n) => `{"b":${n}}`).join(' ');
    expect(outputOf(routeResponse(contentResponse(`{"b":9} {"b":8} {"a":1}`), contract))).toEqual({ a: 1 });
    expect(failureOf(routeResponse(contentResponse(`${drafts} {"a":1}`), contract)).reason).toBe('limit_exceeded');
  });

  it('[SG-060] throws for nothing', () => {
    const gate: Gate = { jsonSchema: { $ref: '#/nowhere' }, validate: () => ({ ok: false, issues: [] }) };
    for (const content of ['\ud83d', '{"\ud83d', '\u0000', '{"a":"\\u', '<function=', '[f(a=', '&quot;', '{&quot;']) {
      for (const finish of ['stop', 'length', 'unknown'] as const) {
        expect(routeResponse(contentResponse(content, { finish }), contractOf(undefined, { gate, declared })).outcome.kind).toBe('failed');
      }
    }
  });
});
