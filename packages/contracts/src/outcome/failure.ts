import type { BoundedText } from '../basics/bounded-text.ts';
import type { JsonPointer, JsonValue } from '../basics/json.ts';
import type { Message } from '../conversation/message.ts';
import type { FinishReason } from '../conversation/part.ts';
import type { Usage } from '../conversation/usage.ts';
import type { StepToolCall } from './step.ts';
import type { WireReport } from './wire-report.ts';

/**
 * What a failure means to the caller (SG-081). `aborted`: the run was stopped before its end, by its caller (`E_ABORTED`) or by a tool that is marked
 * fatal and failed (`E_TOOL_EXECUTION`); the code tells which.
 */
export type FailureKind =
  | 'no_output'
  | 'invalid_output'
  | 'truncated'
  | 'rejected'
  | 'refused'
  | 'aborted'
  | 'timeout'
  | 'provider'
  | 'limit'
  | 'configuration';

/** The one table of reasons and their kinds (SG-087). A `provider_error` whose body carried an attempt has kind `rejected` and the router's reason instead. */
export const failureReasons = {
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
} as const;

/** Why it failed, as the router, the transport or the caller's own configuration found it. */
export type FailureReason = keyof typeof failureReasons;

/** The stable name by which the same failure is thrown. */
export type FailureCode =
  | 'E_NO_OUTPUT'
  | 'E_INVALID_OUTPUT'
  | 'E_TRUNCATED'
  | 'E_REJECTED'
  | 'E_REFUSED'
  | 'E_ABORTED'
  | 'E_TIMEOUT'
  | 'E_PROVIDER_ERROR'
  | 'E_LIMIT'
  | 'E_MAX_ITERATIONS'
  | 'E_TOOL_EXECUTION'
  | 'E_CONFIGURATION'
  | 'E_PROVIDER_NOT_FOUND'
  | 'E_MISSING_API_KEY'
  | 'E_MISSING_MODEL'
  | 'E_MISSING_SDK'
  | 'E_UNKNOWN_STRATEGY'
  | 'E_UNSUPPORTED_EFFORT'
  | 'E_UNSUPPORTED_TRANSPORT'
  | 'E_UNSUPPORTED_SCHEMA'
  | 'E_UNSUPPORTED_TOOLS'
  | 'E_VERB_NOT_SUPPORTED';

/** The default code of a kind; configuration failures name theirs. */
export const failureCodes = {
  no_output: 'E_NO_OUTPUT',
  invalid_output: 'E_INVALID_OUTPUT',
  truncated: 'E_TRUNCATED',
  rejected: 'E_REJECTED',
  refused: 'E_REFUSED',
  aborted: 'E_ABORTED',
  timeout: 'E_TIMEOUT',
  provider: 'E_PROVIDER_ERROR',
  limit: 'E_LIMIT',
  configuration: 'E_CONFIGURATION',
} as const;

/** What went wrong on the provider's side (SG-087). */
export type ProviderCause = 'auth' | 'rate_limit' | 'overloaded' | 'invalid_request' | 'context_length' | 'transport' | 'parse' | 'config';

/** One way in which a value misses its schema (SG-081). */
export interface Issue {
  /** Where in the value. */
  readonly path: JsonPointer;
  /** The validator's name for the rule, such as `required` or `invalid_type`. */
  readonly code: string;
  /** What would have passed, in words. */
  readonly expected: string;
  /** What came, cut to `textLimits.preview`. */
  readonly received: string;
}

/** A provider's error, reduced to what may be shown: no key, no header but the request id, a bounded body. */
export interface ProviderFault {
  readonly cause: ProviderCause;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** The provider's own message, cut to `textLimits.message`. */
  readonly message: string;
  /** HTTP status; absent when no response came. An error inside a 200 keeps 200. */
  readonly status?: number;
  /** The provider's own code, as text. */
  readonly providerCode?: string;
  /** The request parameter that the provider names, such as `response_format`. */
  readonly parameter?: string;
  readonly requestId?: string;
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfterMs?: number;
  /** The body, cut to `textLimits.preview`. */
  readonly body?: BoundedText;
}

/** Where an attempt's text stood: the content, the arguments of a call, or the error body of a rejection. */
export type AttemptSource = 'content' | 'arguments' | 'rejection';

/** One model call of a run that failed, or of one that succeeded after corrections. */
export interface AttemptEvidence {
  readonly source: AttemptSource;
  /** What the model wrote, cut to `textLimits.evidence`. */
  readonly text: BoundedText;
  readonly reason: FailureReason;
  readonly issues: readonly Issue[];
  readonly finishReason: FinishReason;
  readonly wire?: WireReport;
  readonly usage: Usage;
}

/** What can be shown for a failure. JSON-serialisable; every text bounded (SG-086). */
export interface FailureEvidence {
  readonly issues: readonly Issue[];
  /** The last attempt's source and text. */
  readonly attempt?: { readonly source: AttemptSource; readonly text: BoundedText };
  readonly finishReason?: FinishReason;
  /** Every attempt of the run, first to last, the failing one included. */
  readonly attempts: readonly AttemptEvidence[];
  readonly usage: Usage;
  /** SHA-256 of the request's neutral form: the same request has the same digest. */
  readonly requestDigest?: string;
  /** A short fixed word or sentence beside the reason, such as `reasoning_budget`. */
  readonly note?: string;
  /** The complete part of a cut answer: offered as evidence, never returned as the value (SG-063). */
  readonly salvaged?: JsonValue;
  /** The calls of a cut turn (SG-072). None was run. */
  readonly salvagedCalls?: readonly SalvagedCall[];
  readonly provider?: ProviderFault;
}

/** A tool call of a turn that failed. `complete` says that its own arguments are whole; it was not run all the same. */
export interface SalvagedCall extends StepToolCall {
  readonly complete: boolean;
}

/** The one failure shape of all packages (SG-087). A value; `SignalError` throws the same. */
export interface Failure {
  readonly kind: FailureKind;
  readonly reason: FailureReason;
  readonly code: FailureCode;
  /** What was expected, what came, what to do; at most `textLimits.message` characters. */
  readonly message: string;
  readonly evidence: FailureEvidence;
  /** Only with kind `provider`, `rejected` or `timeout`. */
  readonly cause?: ProviderCause;
  /** Only with kind `provider`, `rejected` or `timeout`: the same request may succeed later. */
  readonly retryable?: boolean;
  /** The messages so far, closed: each open tool call has an explicit cancelled result (SG-055). Only after an abort, a timeout, a fatal tool or `E_MAX_ITERATIONS`. */
  readonly history?: readonly Message[];
}
