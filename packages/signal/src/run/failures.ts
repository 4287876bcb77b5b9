import { boundText, type Failure, type FailureReason, makeFailure, textLimits } from '@vouch/contracts';
import type { Scope } from '../step/scope.ts';

/** A failure that the run itself finds. */
export function runFailure(reason: FailureReason, message: string, code?: Failure['code']): Failure {
  return makeFailure(reason, { message, ...(code === undefined ? {} : { code }) });
}

/** The failure of a run that its caller or its total time limit stopped; `written`: what had come of the turn. */
export function stoppedFailure(scope: Scope, written: string): Failure {
  const attempt = written === '' ? {} : { attempt: { source: 'content', text: boundText(written, textLimits.evidence) } as const };
  if (scope.ended() !== 'timeout') return makeFailure('aborted', { message: 'The run was aborted by its caller.', evidence: attempt });
  const { message } = scope.signal.reason as Error;
  return makeFailure('timeout', { message: `Timeout: ${message}.`, evidence: attempt, cause: 'transport', retryable: true });
}
