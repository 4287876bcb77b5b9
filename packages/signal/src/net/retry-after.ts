/** No provider is believed about a longer wait. */
const longestWaitMs = 24 * 60 * 60 * 1_000;

const clamp = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : Math.round(Math.min(Math.max(0, ms), longestWaitMs)));

/** Milliseconds of a duration such as `17s`, `120ms`, `6m0.5s` or `1h2m`; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  const units: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > 40 || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * (units[unit ?? ''] ?? 0);
  return clamp(total);
}

function retryAfter(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const seconds = Number(trimmed);
  if (!Number.isNaN(seconds)) return clamp(seconds * 1_000);
  const date = Date.parse(trimmed);
  return Number.isNaN(date) ? durationMs(trimmed) : clamp(date - now);
}

function resetMs(text: string, now: number): number | undefined {
  const duration = durationMs(text);
  if (duration !== undefined) return duration;
  const number = Number(text);
  // Bare numbers are an epoch in milliseconds or seconds, or a count of seconds.
  if (!Number.isNaN(number)) return clamp(number > 1e12 ? number - now : number > 1e9 ? number * 1_000 - now : number * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

/** The headers of an answer. */
export interface HeaderLookup {
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** Every name, in lower case; vendors spell the headers of their limits in their own ways. */
  names(): readonly string[];
}

/**
 * Milliseconds that a provider's headers ask to wait: `retry-after-ms`, else `retry-after` (seconds or a date), else the longest reset of a limit
 * that is used up. Clamped to 0 … 24 h; undefined when no header says anything readable.
 */
export function retryAfterMs(headers: HeaderLookup, now: number): number | undefined {
  const { header, names } = headers;
  const exact = header('retry-after-ms');
  const exactMs = exact === undefined || exact.trim() === '' ? undefined : clamp(Number(exact));
  if (exactMs !== undefined) return exactMs;
  const after = header('retry-after');
  const afterMs = after === undefined ? undefined : retryAfter(after, now);
  if (afterMs !== undefined) return afterMs;
  let longest: number | undefined;
  for (const reset of names()) {
    if (!/ratelimit.*reset/.test(reset)) continue;
    const text = header(reset);
    const left = header(reset.replace('reset', 'remaining'));
    if (text === undefined || (left !== undefined && Number(left) > 0)) continue;
    const ms = resetMs(text, now);
    if (ms !== undefined) longest = Math.max(longest ?? 0, ms);
  }
  return longest;
}
