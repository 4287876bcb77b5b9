/**
 * Tokens of one call, or a sum of calls. `reported: true` = the provider said these numbers, and a zero is a real zero; `false` = estimated or
 * unknown. Reported and estimated numbers are never added together (SG-036).
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reported: boolean;
  /** Part of `inputTokens` that came from the provider's cache. */
  readonly cached?: number;
  /** Part of `outputTokens` spent on reasoning. */
  readonly reasoning?: number;
}

/** No tokens, and nobody said so. */
export const unknownUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, reported: false };

const addOptional = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);

/**
 * The total over calls. All reported: their sum, `reported: true`. Some reported: the sum of those alone, `reported: false` (a lower bound). None:
 * the sum of the estimates, `reported: false`.
 */
export function totalUsage(calls: readonly Usage[]): Usage {
  const reported = calls.filter((usage) => usage.reported);
  const counted = reported.length > 0 ? reported : calls;
  let total: Usage = { ...unknownUsage, reported: calls.length > 0 && reported.length === calls.length };
  for (const usage of counted) {
    const cached = addOptional(total.cached, usage.cached);
    const reasoning = addOptional(total.reasoning, usage.reasoning);
    total = {
      inputTokens: total.inputTokens + usage.inputTokens,
      outputTokens: total.outputTokens + usage.outputTokens,
      totalTokens: total.totalTokens + usage.totalTokens,
      reported: total.reported,
      ...(cached === undefined ? {} : { cached }),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  }
  return total;
}
