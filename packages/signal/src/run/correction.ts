import type { Failure, ResolvedTransport } from '@vouch/contracts';
import {
  ambiguousCorrection,
  type CorrectionSpec,
  cutToolCallCorrection,
  invalidOutputCorrection,
  refusedToolCallCorrection,
  terminationCorrection,
  truncatedCorrection,
} from '../transport/protocol.ts';

/** What the model is told of a failed attempt; undefined where asking again is no use, or there is nothing to ask for. */
export function correctionFor(failure: Failure, resolved: ResolvedTransport | undefined, hasTools: boolean): string | undefined {
  if (failure.kind !== 'no_output' && failure.kind !== 'invalid_output' && failure.kind !== 'truncated' && failure.kind !== 'rejected') {
    return undefined;
  }
  const calls = (failure.evidence.salvagedCalls ?? []).map(({ name }) => name);
  if (calls.length > 0)
    return failure.reason === 'truncated' ? cutToolCallCorrection(calls) : refusedToolCallCorrection(calls, failure.message);
  // Free text has no contract that a second answer could meet better.
  if (resolved === undefined) return undefined;
  const spec: CorrectionSpec = {
    transport: resolved.transport,
    hasTools,
    ...(resolved.outputTool === undefined ? {} : { exitTool: resolved.outputTool }),
  };
  switch (failure.reason) {
    case 'empty':
    case 'no_candidate':
      return terminationCorrection(spec);
    case 'truncated':
      return truncatedCorrection(spec, {});
    case 'ambiguous':
      return ambiguousCorrection(spec, {});
    default:
      return invalidOutputCorrection(spec, { issues: failure.evidence.issues, problem: failure.message });
  }
}
