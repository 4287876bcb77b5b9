import { describe, expectTypeOf, it } from 'vitest';
import type { FailureCode, FailureKind, failureCodes, failureReasons } from './failure.ts';

describe('failure types', () => {
  it('[SG-087] the table names only kinds that exist, and every kind has a code', () => {
    expectTypeOf<(typeof failureReasons)[keyof typeof failureReasons]>().toExtend<FailureKind>();
    expectTypeOf<keyof typeof failureCodes>().toEqualTypeOf<FailureKind>();
    expectTypeOf<(typeof failureCodes)[FailureKind]>().toExtend<FailureCode>();
  });
});
