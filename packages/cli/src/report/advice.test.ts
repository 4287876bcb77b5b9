import { makeFailure } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { adviceFor, failureText } from './advice.ts';

const issue = { path: '/total', code: 'required', expected: 'a value', received: 'nothing' };
const mismatch = (...issues: readonly (typeof issue)[]) => makeFailure('schema_mismatch', { message: 'no', evidence: { issues } });

describe('failureText', () => {
  it.each([
    [[issue], 'invalid_output (schema_mismatch): /total is missing'],
    [[{ ...issue, expected: 'number' }], 'invalid_output (schema_mismatch): /total is missing (expected: number)'],
    [
      [{ ...issue, received: '"x"', expected: 'number' }, issue],
      'invalid_output (schema_mismatch): /total should be number, but is "x", and 1 more',
    ],
    [[{ ...issue, path: '', expected: 'object', received: '7' }], 'invalid_output (schema_mismatch): the value should be object, but is 7'],
  ])('says what the first of %j is', (issues, says) => {
    expect(failureText(mismatch(...issues))).toBe(says);
  });
});

it('asking again is advised where the answer can be another, and not of the reader', () => {
  expect(adviceFor(mismatch(issue), { keyVariables: [] })).toContain('more --retries may help');
  const reader = adviceFor(mismatch(issue), { keyVariables: [], isReader: true });
  expect(reader).not.toContain('--retries');
  expect(reader).toContain('the same each time');
});
