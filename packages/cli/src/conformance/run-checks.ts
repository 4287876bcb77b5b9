import { type Clock, type Failure, UnsupportedThinkingError } from '@vouch/contracts';
import { oneLine } from '../terminal/one-line.ts';
import type { Check, CheckResult, Finding } from './check.ts';
import { failureOf, type MeteredEndpoint } from './endpoint.ts';

/** A line of evidence, in UTF-16 units. */
const longestEvidence = 240;

const notTaken = new Set(['invalid_request', 'config', 'context_length']);
const unreachable = new Set(['auth', 'transport', 'config']);

/**
 * Runs the checks one after the other and yields what each came to, also those that cannot be asked. After an interruption, and after a first call
 * that found no way to the endpoint, the rest is not asked.
 */
export async function* runChecks(
  chosen: readonly Check[],
  { endpoint, spent }: MeteredEndpoint,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<CheckResult, void, undefined> {
  let closed: string | undefined;
  let answered = false;
  for (const check of chosen) {
    const startedAt = clock.now();
    const before = spent();
    const reason = signal.aborted ? 'interrupted' : (closed ?? check.unless?.(endpoint));
    const outcome =
      reason === undefined ? await runCheck(check, endpoint) : { finding: { outcome: 'not asked' as const, evidence: reason } };
    const after = spent();
    const { finding, failure } = outcome;
    if (reason === undefined && failure === undefined) answered = true;
    if (!answered && failure?.cause !== undefined && unreachable.has(failure.cause)) closed = 'the first call found no way to the endpoint';
    yield {
      check,
      ...(signal.aborted && reason === undefined ? { outcome: 'no verdict', evidence: 'interrupted' } : finding),
      durationMs: Math.round(clock.now() - startedAt),
      calls: after.calls - before.calls,
      tokens: after.tokens - before.tokens,
    };
  }
}

async function runCheck(
  check: Check,
  endpoint: MeteredEndpoint['endpoint'],
): Promise<{ readonly finding: Finding; readonly failure?: Failure }> {
  try {
    const { outcome, evidence } = await check.run(endpoint);
    return { finding: { outcome, evidence: oneLine(evidence, longestEvidence) } };
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) return { finding: findingOf(failure), failure };
    const message = error instanceof Error ? error.message : String(error);
    const isOurs = error instanceof UnsupportedThinkingError;
    return { finding: { outcome: isOurs ? 'not asked' : 'differs', evidence: oneLine(message, longestEvidence) } };
  }
}

/** A failure as a finding: what the endpoint does not take, what the client does not send, or trouble on the way. */
function findingOf({ kind, cause, message, evidence }: Failure): Finding {
  const { status, providerCode, parameter } = evidence.provider ?? {};
  const facts = [
    ...(cause === undefined ? [kind] : [`${kind}, cause ${cause}`]),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(providerCode === undefined ? [] : [`code ${providerCode}`]),
    ...(parameter === undefined ? [] : [`parameter ${parameter}`]),
  ];
  const text = oneLine(`${facts.join(', ')}: ${message}`, longestEvidence);
  if (kind === 'configuration')
    return { outcome: 'not asked', evidence: oneLine(`the client does not send this here: ${message}`, longestEvidence) };
  return { outcome: cause !== undefined && notTaken.has(cause) ? 'refused' : 'differs', evidence: text };
}
