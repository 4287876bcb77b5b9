import { boundMessage } from '../basics/bounded-text.ts';
import { unknownUsage } from '../conversation/usage.ts';
import {
  type Failure,
  type FailureCode,
  type FailureEvidence,
  type FailureKind,
  type FailureReason,
  failureCodes,
  failureReasons,
} from './failure.ts';

/** What a failure is made of; kind and code follow from the reason unless given. */
export interface FailureParts {
  readonly message: string;
  readonly evidence?: Partial<FailureEvidence>;
  /** Only to say `rejected` where the reason is the router's. */
  readonly kind?: FailureKind;
  readonly code?: FailureCode;
  readonly cause?: Failure['cause'];
  readonly retryable?: boolean;
  readonly history?: Failure['history'];
}

/** Builds a failure by the one table of reasons (SG-087), with the message bounded and every list of the evidence present. */
export function makeFailure(reason: FailureReason, parts: FailureParts): Failure {
  const kind = parts.kind ?? failureReasons[reason];
  return {
    kind,
    reason,
    code: parts.code ?? failureCodes[kind],
    message: boundMessage(parts.message),
    evidence: { issues: [], attempts: [], usage: unknownUsage, ...parts.evidence },
    ...(parts.cause === undefined ? {} : { cause: parts.cause }),
    ...(parts.retryable === undefined ? {} : { retryable: parts.retryable }),
    ...(parts.history === undefined ? {} : { history: parts.history }),
  };
}

/** A failure as an exception: what `complete()` throws, and what configuration mistakes throw at construction (SG-081). Holds the same value that `tryComplete()` returns. */
export class SignalError extends Error {
  override readonly name: string = 'SignalError';
  readonly failure: Failure;

  constructor(failure: Failure, options?: { readonly cause?: unknown }) {
    super(failure.message, options);
    this.failure = failure;
  }

  get code(): FailureCode {
    return this.failure.code;
  }

  get kind(): FailureKind {
    return this.failure.kind;
  }

  get evidence(): FailureEvidence {
    return this.failure.evidence;
  }
}

/** The error of a caller's mistake, found before any request. */
export function configurationError(code: FailureCode, message: string, options?: { readonly cause?: unknown }): SignalError {
  return new SignalError(makeFailure('configuration', { code, message }), options);
}
