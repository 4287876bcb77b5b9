import { isJsonObject, type JsonValue, type Usage } from '@vouch/contracts';

/** A count; the wire's JSON may write whole numbers as text. */
function count(value: JsonValue | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/**
 * A `usageMetadata`, read. The wire leaves counts of 0 out, so what is missing beside a count that is there is 0; undefined when it says neither side
 * nor the total (SG-036). Output is what the model wrote and what it thought; the prompts of hosted tools count as input.
 */
export function readUsageMetadata(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = count(value.promptTokenCount);
  const written = count(value.candidatesTokenCount);
  const reasoning = count(value.thoughtsTokenCount);
  const total = count(value.totalTokenCount);
  const cached = count(value.cachedContentTokenCount);
  if (prompt === undefined && written === undefined && reasoning === undefined && total === undefined) return undefined;
  const inputTokens = (prompt ?? 0) + (count(value.toolUsePromptTokenCount) ?? 0);
  const outputTokens = (written ?? 0) + (reasoning ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: total ?? inputTokens + outputTokens,
    reported: true,
    ...(cached === undefined ? {} : { cached }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}
