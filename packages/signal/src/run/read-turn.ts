import {
  type AttemptEvidence,
  boundText,
  type Failure,
  type FailureEvidence,
  makeFailure,
  type OutputSchema,
  SignalError,
  type StepOutcome,
  type StepResult,
  type StepToolCall,
  textLimits,
  thrownMessage,
} from '@vouch/contracts';
import { parseAccepted } from '../transport/output-schema.ts';

/** What a turn means for the run. */
export type TurnReading<Value> =
  | { readonly kind: 'calls'; readonly calls: readonly StepToolCall[] }
  /** `text`: stands for the answer in the history, where the turn's own content does not. */
  | { readonly kind: 'value'; readonly response: Value; readonly text?: string }
  /** `written`: what the model is shown of its attempt. `attempt`: evidence that the step could not know of. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly written: string; readonly attempt?: AttemptEvidence };

/** Reads a step's outcome; transforms an accepted value, once. */
export function readTurn<Value>(result: StepResult, output: OutputSchema<Value> | undefined): TurnReading<Value> {
  const { outcome } = result;
  // Without a schema the response type is string: the one place where that is trusted.
  if (outcome === undefined) return { kind: 'value', response: result.content as Value };
  switch (outcome.kind) {
    case 'tool_calls':
      return { kind: 'calls', calls: outcome.calls };
    case 'output':
      return readValue(result, outcome, output);
    case 'failed': {
      const { failure } = outcome;
      const unknown = output === undefined && failure.kind === 'no_output' && result.toolCalls.length > 0;
      // Without a contract a call of an unknown tool is answered as one: the model learns which there are.
      if (unknown && !outcome.truncated) return { kind: 'calls', calls: result.toolCalls };
      return { kind: 'failed', failure, written: writtenText(result, failure) };
    }
  }
}

function writtenText(result: StepResult, failure: Failure): string {
  return result.content !== '' ? result.content : (failure.evidence.attempt?.text.text ?? '');
}

function readValue<Value>(
  result: StepResult,
  outcome: Extract<StepOutcome, { readonly kind: 'output' }>,
  output: OutputSchema<Value> | undefined,
): TurnReading<Value> {
  const { value } = outcome;
  const byContent = result.wire?.source === 'content' && result.content !== '';
  const text = byContent ? {} : { text: typeof value === 'string' && output === undefined ? value : JSON.stringify(value) };
  if (output === undefined) return { kind: 'value', response: value as Value, ...text };
  try {
    return { kind: 'value', response: parseAccepted(output, value), ...text };
  } catch (error) {
    if (error instanceof SignalError && error.kind === 'configuration') throw error;
    return transformFailed(result, error, byContent ? result.content : JSON.stringify(value));
  }
}

/** The gate took the value and a transform of the schema did not. */
function transformFailed(result: StepResult, error: unknown, written: string): Extract<TurnReading<never>, { readonly kind: 'failed' }> {
  const { usage, finishReason, requestDigest, wire } = result;
  const said = thrownMessage(error);
  const issues: FailureEvidence['issues'] =
    error instanceof SignalError && error.evidence.issues.length > 0
      ? error.evidence.issues
      : [
          {
            path: '',
            code: 'transform',
            expected: boundText(said, textLimits.preview).text,
            received: boundText(written, textLimits.preview).text,
          },
        ];
  const attempt = { source: wire?.source ?? 'content', text: boundText(written, textLimits.evidence) } as const;
  const evidence = { issues, attempt, usage, finishReason, requestDigest };
  const failure = makeFailure('schema_mismatch', { message: `A transform of the schema refused the value: ${said}`, evidence });
  return {
    kind: 'failed',
    failure,
    written,
    attempt: { ...attempt, reason: failure.reason, issues, finishReason, usage, ...(wire === undefined ? {} : { wire }) },
  };
}
