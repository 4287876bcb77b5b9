import type { Gate } from '@vouch/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ajvGate } from '../../src/wire/json/test-support/ajv-gate.ts';
import { routeResponse } from '../../src/wire/router.ts';
import { closed, contractOf, failureOf, findBerth, integer, listOf, open, routeCalls, routeContent, short, text } from './support.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const one = closed({ a: integer });

describe('clean text', () => {
  it.each([
    ['an object', '{"a":1}', one],
    ['a list', '[{"a":1},{"a":2}]', listOf(one)],
    ['white space around it', ' \n{\n\t"a" : 1\n}\r\n', one],
    ['fences and braces inside its strings', '{"t":"```json\\n{\\"a\\":2}\\n``` <think> [1]"}', closed({ t: text })],
    ['a bare string', '"pier"', text],
    ['null', 'null', { type: 'null' }],
  ])('[SG-061] takes one JSON.parse, one look of the gate and no other rung: %s', (_title, content, schema) => {
    const parse = vi.spyOn(JSON, 'parse');
    const gate = ajvGate(schema);
    const validate = vi.fn(gate.validate);
    const contract = contractOf(undefined, { gate: { jsonSchema: schema, validate } satisfies Gate });
    const routed = routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract);
    const parses = parse.mock.calls.length;
    expect(routed).toMatchObject({
      outcome: { kind: 'output', loss: 'none' },
      wire: { rung: 'parse', loss: 'none', edits: [], candidates: [] },
    });
    expect({ parses, looks: validate.mock.calls.length }).toEqual({ parses: 1, looks: 1 });
    expect(short(routed)).toEqual({ value: JSON.parse(content) });
  });

  it('[SG-061] a strategy is not asked for clean text', () => {
    const candidates = vi.fn(() => []);
    routeContent('{"a":1}', one, {}, { strategies: [{ id: 'own', hook: 'response', candidates }] });
    expect(candidates).not.toHaveBeenCalled();
    routeContent('{"a":1,}', one, {}, { strategies: [{ id: 'own', hook: 'response', candidates }] });
    expect(candidates).toHaveBeenCalledOnce();
  });

  it('[SG-061] a repaired value that the gate refuses leaves the original text and its own error', () => {
    const content = '```json\n{"a":"x",}\n```';
    const routed = routeContent(content, one);
    const failure = failureOf(routed);
    expect(failure).toMatchObject({ reason: 'schema_mismatch', evidence: { issues: [{ path: '/a', code: 'type' }] } });
    expect(failure.evidence.attempt).toEqual({ source: 'content', text: { text: content, length: content.length } });
    expect(routed.wire.edits).toEqual([]);
  });

  it('[SG-061] the gate decides: it sees the value as written and what it refuses is never output', () => {
    const seen: unknown[] = [];
    const gate: Gate = {
      jsonSchema: { type: 'object' },
      validate: (value) => {
        seen.push(value);
        return { ok: false, issues: [{ path: '', code: 'never', expected: 'nothing', received: '' }] };
      },
    };
    expect(short(routeContent('{"a":1}', undefined, {}, { gate }))).toEqual({ fails: 'schema_mismatch' });
    expect(seen).toContainEqual({ a: 1 });
  });
});

describe('classes of outcome', () => {
  const contract = () => contractOf(one, { declared: [findBerth], exitTool: 'respond' });

  it('[SG-060] a declared tool gives calls, the exit tool and a pseudo tool give output', () => {
    expect(short(routeCalls([['find_berth', '{"pier":7}']], contract()))).toEqual({ calls: [['find_berth', { pier: 7 }]] });
    expect(short(routeCalls([['respond', '{"a":1}']], contract()))).toEqual({ value: { a: 1 } });
    expect(short(routeCalls([['final_json', '{"a":1}']], contract()))).toEqual({ value: { a: 1 } });
  });

  it.each([
    ['', 'empty', 'no_output'],
    [' \n\u200b\ufeff', 'empty', 'no_output'],
    ['```json\n```', 'empty', 'no_output'],
    ['<think>nothing yet</think>', 'empty', 'no_output'],
    ['The pier is closed.', 'no_candidate', 'no_output'],
    ['| pier | free |\n|---|---|\n| 7 | yes |', 'no_candidate', 'no_output'],
    ['{"a":}', 'invalid_json', 'invalid_output'],
    ['{"a":"1"}', 'schema_mismatch', 'invalid_output'],
    ['{"a":1} {"a":2}', 'ambiguous', 'invalid_output'],
    ['{"a":1', 'truncated', 'truncated'],
  ])('[SG-060] [SG-087] %j fails as %s', (content, reason, kind) => {
    const routed = routeContent(content, one);
    expect(failureOf(routed)).toMatchObject({ reason, kind, evidence: { attempt: { source: 'content', text: { text: content } } } });
    expect(routed.outcome).toEqual(expect.objectContaining(reason === 'truncated' ? { truncated: true } : { kind: 'failed' }));
    if (reason !== 'truncated') expect(routed.outcome).not.toHaveProperty('truncated');
  });

  it('[SG-060] the same response gives the same outcome each time, and is not changed', () => {
    const response = Object.freeze({ content: 'Here: {"a":1,}', calls: Object.freeze([]), finish: 'stop' as const, terminated: true });
    expect(routeResponse(response, contract())).toEqual(routeResponse(response, contract()));
  });

  it('[SG-060] an open schema that takes anything still has one answer', () => {
    expect(short(routeContent('{"a":1}', {}))).toEqual({ value: { a: 1 } });
    expect(short(routeContent('Sure: {"a":1}', open({ a: integer })))).toEqual({ value: { a: 1 } });
  });
});
