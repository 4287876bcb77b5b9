import {
  type AttemptEvidence,
  type AttemptSource,
  boundText,
  type Failure,
  type FailureEvidence,
  type FinishReason,
  makeFailure,
  type ProviderFault,
  SignalError,
  textLimits,
  UnsupportedThinkingError,
  type Usage,
  type WireReport,
} from '@vouch/contracts';
import { CallTimeoutError, ProviderError } from '../net/provider-error.ts';
import { redact, redactJson } from '../net/redact.ts';

/** What is known of a call whatever it came to. */
export interface CallFacts {
  readonly requestDigest: () => string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  /** What the model had written, if anything. */
  readonly written?: { readonly source: AttemptSource; readonly text: string };
  readonly fault?: ProviderFault;
  readonly note?: string;
  readonly wire?: WireReport;
}

/** A router's failure with the facts of its call. The provider's fault also decides whether a new try may help. */
export function completeFailure(failure: Failure, facts: CallFacts): Failure {
  const { requestDigest, usage, finishReason, fault, note } = facts;
  const routed = failure.evidence.attempt;
  // A refusal stands beside the content, which is then empty.
  const attempt = routed === undefined || routed.text.length === 0 ? (attemptOf(facts) ?? routed) : routed;
  const evidence: FailureEvidence = {
    ...failure.evidence,
    usage,
    finishReason,
    requestDigest: requestDigest(),
    ...(attempt === undefined ? {} : { attempt }),
    ...(fault === undefined ? {} : { provider: fault }),
    ...(note === undefined ? {} : { note }),
  };
  const whole: Failure = {
    ...failure,
    evidence: { ...evidence, attempts: [attemptEvidence(failure, evidence, facts.wire)] },
  };
  const providers = failure.kind === 'provider' || failure.kind === 'rejected';
  return fault === undefined || !providers ? whole : { ...whole, cause: fault.cause, retryable: fault.retryable };
}

function attemptOf(facts: CallFacts): FailureEvidence['attempt'] {
  return facts.written && { source: facts.written.source, text: boundText(facts.written.text, textLimits.evidence) };
}

function attemptEvidence(failure: Failure, evidence: FailureEvidence, wire: WireReport | undefined): AttemptEvidence {
  return {
    source: evidence.attempt?.source ?? 'content',
    text: evidence.attempt?.text ?? { text: '', length: 0 },
    reason: failure.reason,
    issues: evidence.issues,
    finishReason: evidence.finishReason ?? 'unknown',
    ...(wire === undefined ? {} : { wire }),
    usage: evidence.usage,
  };
}

/** What is shown of a failure, with the key hidden wherever a model or a gateway repeated it (SG-038). The history is the caller's own, and stays. */
export function withoutSecrets({ message, evidence, ...rest }: Failure, secrets: readonly string[]): Failure {
  return { ...rest, ...redactJson({ message, evidence }, secrets) };
}

/** A filter refused the prompt itself, by an error where an answer would end in `content_filter` (C15, SG-082). */
const isFiltered = ({ providerCode }: ProviderFault): boolean =>
  providerCode !== undefined && /^(?:content_filter|content_policy_violation|responsibleaipolicyviolation)$/i.test(providerCode);

/**
 * The failure of a call that brought nothing to route: a provider's error, a time limit, a body over a limit. What was refused before sending is the
 * caller's, and stays as it is.
 */
export function thrownFailure(error: unknown, facts: CallFacts, secrets: readonly string[]): SignalError | UnsupportedThinkingError {
  if (error instanceof UnsupportedThinkingError) return error;
  if (error instanceof ProviderError) {
    const failure = isFiltered(error.fault)
      ? makeFailure('refusal', { message: `The provider filtered the request: ${error.message}` })
      : makeFailure('provider_error', { message: `Provider error: ${error.message}` });
    return new SignalError(withoutSecrets(completeFailure(failure, { ...facts, fault: error.fault }), secrets), { cause: error });
  }
  if (error instanceof CallTimeoutError) {
    const failure = makeFailure('timeout', { message: `Timeout: ${error.message}.`, cause: 'transport', retryable: true });
    return new SignalError(withoutSecrets(completeFailure(failure, facts), secrets), { cause: error });
  }
  if (error instanceof SignalError) {
    return error.kind === 'configuration'
      ? error
      : new SignalError(withoutSecrets(completeFailure(error.failure, facts), secrets), { cause: error });
  }
  const said = redact(error instanceof Error ? `${error.name}: ${error.message}` : 'something that is no error was thrown', secrets);
  const fault: ProviderFault = { cause: 'transport', retryable: false, message: boundText(said, textLimits.message).text };
  const failure = completeFailure(makeFailure('provider_error', { message: `Provider error: ${said}` }), { ...facts, fault });
  return new SignalError(withoutSecrets(failure, secrets));
}
