import { describe, expect, it } from 'vitest';
import { assertNever } from '../basics/assert-never.ts';
import { unknownUsage } from '../conversation/usage.ts';
import { type FailureKind, type FailureReason, failureCodes, failureReasons } from './failure.ts';
import { configurationError, makeFailure, SignalError } from './signal-error.ts';

/** What a caller does with each kind; the build breaks here when a kind is added. */
function advice(kind: FailureKind): string {
  switch (kind) {
    case 'no_output':
    case 'invalid_output':
      return 'correct';
    case 'truncated':
    case 'limit':
      return 'ask for less';
    case 'rejected':
    case 'refused':
      return 'ask otherwise';
    case 'aborted':
    case 'timeout':
    case 'provider':
      return 'try again';
    case 'configuration':
      return 'mend the program';
    default:
      return assertNever(kind);
  }
}

describe('the table of failures', () => {
  it('[SG-087] every reason has the kind that the requirement states', () => {
    expect(failureReasons).toEqual({
      empty: 'no_output',
      no_candidate: 'no_output',
      invalid_json: 'invalid_output',
      schema_mismatch: 'invalid_output',
      ambiguous: 'invalid_output',
      lossy_value: 'invalid_output',
      suspect_escape: 'invalid_output',
      unsafe_key: 'invalid_output',
      truncated: 'truncated',
      refusal: 'refused',
      limit_exceeded: 'limit',
      provider_error: 'provider',
      aborted: 'aborted',
      timeout: 'timeout',
      configuration: 'configuration',
    });
  });

  it('[SG-087] every kind is handled, has a code of its own, and comes from some reason, but for rejected, which the caller states', () => {
    const kinds = Object.keys(failureCodes) as FailureKind[];
    for (const kind of kinds) expect(advice(kind)).not.toBe('');
    expect(new Set(Object.values(failureCodes)).size).toBe(kinds.length);
    const reached = new Set<string>(Object.values(failureReasons));
    expect(kinds.filter((kind) => !reached.has(kind))).toEqual(['rejected']);
  });

  it('[SG-087] assertNever names the kind of what came, and not its content', () => {
    expect(() => advice('a new kind' as never)).toThrow(TypeError);
    expect(() => assertNever({ secret: 'sk-canary' } as never)).toThrow(/^unexpected member of a closed union: object$/);
    expect(() => assertNever('x'.repeat(100) as never)).toThrow(/x{40}$/);
  });
});

describe('makeFailure', () => {
  it('[SG-087] kind and code follow from the reason', () => {
    for (const [reason, kind] of Object.entries(failureReasons) as [FailureReason, FailureKind][]) {
      expect(makeFailure(reason, { message: 'm' })).toMatchObject({ reason, kind, code: failureCodes[kind] });
    }
  });

  it('[SG-087] a rejection keeps the reason that the router found', () => {
    expect(makeFailure('schema_mismatch', { kind: 'rejected', message: 'm' })).toMatchObject({
      kind: 'rejected',
      reason: 'schema_mismatch',
      code: 'E_REJECTED',
    });
  });

  it('[SG-081] the evidence has its lists and its usage even when there is none', () => {
    expect(makeFailure('empty', { message: 'm' }).evidence).toEqual({ issues: [], attempts: [], usage: unknownUsage });
    expect(makeFailure('empty', { message: 'm', evidence: { note: 'reasoning_budget' } }).evidence).toMatchObject({
      note: 'reasoning_budget',
      issues: [],
    });
  });

  it('[SG-081] [SG-086] a failure is JSON, says nothing undefined, and bounds its message', () => {
    const failure = makeFailure('provider_error', { message: 'a'.repeat(10_000), cause: 'rate_limit', retryable: true, history: [] });
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
    expect(failure.message).toMatch(/^a{500}… \[9500 more characters/);
    expect(makeFailure('empty', { message: 'm' })).not.toHaveProperty('cause');
  });
});

describe('SignalError', () => {
  it('[SG-081] throws the same value that is returned elsewhere, and keeps the cause', () => {
    const failure = makeFailure('timeout', { message: 'the call took too long' });
    const cause = new Error('first');
    const error = new SignalError(failure, { cause });
    expect(error.failure).toBe(failure);
    expect([error.name, error.message, error.code, error.kind, error.evidence, error.cause]).toEqual([
      'SignalError',
      'the call took too long',
      'E_TIMEOUT',
      'timeout',
      failure.evidence,
      cause,
    ]);
    expect(error).toBeInstanceOf(Error);
  });

  it('[SG-087] a configuration mistake names its own code', () => {
    const error = configurationError('E_MISSING_MODEL', 'name a model');
    expect([error.code, error.kind, error.failure.reason]).toEqual(['E_MISSING_MODEL', 'configuration', 'configuration']);
  });
});
