import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { createGateMaker } from './json-schema-gate.ts';

const closed = {
  type: 'object',
  properties: { pier: { type: 'integer' }, open: { type: 'boolean' } },
  required: ['pier'],
  additionalProperties: false,
};

describe('[SG-054] JSON Schema gates on Ajv', () => {
  const gate = createGateMaker()(closed);

  it('accepts what conforms', () => {
    expect(gate.validate({ pier: 7 })).toEqual({ ok: true });
  });

  it('names path, rule, expectation and received value of every issue', () => {
    expect(gate.validate({ open: 'yes', extra: 1 })).toEqual({
      ok: false,
      issues: [
        { path: '/pier', code: 'required', expected: 'a value', received: 'nothing' },
        { path: '/extra', code: 'additionalProperties', expected: 'no such property', received: '1' },
        { path: '/open', code: 'type', expected: 'boolean', received: '"yes"' },
      ],
    });
  });

  it('checks formats', () => {
    const dates = createGateMaker()({ type: 'string', format: 'date' });
    expect(dates.validate('2026-11-30').ok).toBe(true);
    expect(dates.validate('2026-13-30').ok).toBe(false);
  });

  it.each([
    [
      '2020-12',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }], items: false },
      ['a'],
      ['a', 'b'],
    ],
    [
      '2019-09',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }], additionalItems: false },
      ['a'],
      ['a', 'b'],
    ],
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], additionalItems: false },
      ['a'],
      ['a', 'b'],
    ],
  ])('reads %s by its own rules', (_draft, schema, good, bad) => {
    const versioned = createGateMaker()(schema);
    expect(versioned.validate(good).ok).toBe(true);
    expect(versioned.validate(bad).ok).toBe(false);
  });

  it('keeps two schemas with one $id apart', () => {
    const make = createGateMaker();
    const text = make({ $id: 'https://example.org/s', type: 'string' });
    const number = make({ $id: 'https://example.org/s', type: 'number' });
    expect([text.validate('a').ok, text.validate(1).ok, number.validate(1).ok, number.validate('a').ok]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['a type that is none', { type: 'objekt' }],
    ['a pattern that is none', { type: 'string', pattern: '(' }],
    ['a reference to elsewhere', { $ref: 'https://example.org/none.json' }],
    ['an unknown draft', { $schema: 'https://example.org/my-draft' }],
    ['an asynchronous schema', { $async: true, type: 'object' }],
  ])('refuses %s with what to do', (_title, schema) => {
    expect(() => createGateMaker()(schema)).toThrow(UsageError);
  });
});

it('[SG-054] a pattern that would take years over a text is ended, and the value does not pass', () => {
  const gate = createGateMaker(() => undefined, 100)({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  expect(gate.validate({ a: `${'a'.repeat(60)}!` })).toMatchObject({ ok: false, issues: [{ path: '', code: 'timeout' }] });
  expect(gate.validate({ a: 'aaa' })).toEqual({ ok: true });
});
