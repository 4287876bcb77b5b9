import type { Clock } from '@vouch/contracts';
import { isMalformedRequestAnswer, ProviderError } from './provider-error.ts';

/** One retry, before its wait. */
export interface RetryNotice {
  /** The number of the failed try, from 0. */
  readonly attempt: number;
  /** Milliseconds until the next try. */
  readonly delayMs: number;
  readonly error: ProviderError;
}

/** How a stream is retried (SG-037). */
export interface RetryOptions<Part> {
  /** The part is output that a caller may have shown: after it nothing is retried. */
  readonly isOutput: (part: Part) => boolean;
  /** `retries`: further tries after the first. `maxDelay`: milliseconds; a provider that asks for more is not retried. */
  readonly network: { readonly retries: number; readonly maxDelay: number };
  readonly clock: Clock;
  /** A number from 0 up to 1; shortens a backoff by at most a quarter. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onRetry?: (notice: RetryNotice) => void;
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;

/**
 * Runs `start` until one try brings output or ends, or an error is final. Retried are `ProviderError`s with `retryable` (408, 409, 429, 5xx, resets,
 * errors inside a 200 by their own status) before any output; the answer to a request that arrived broken at most once (D26). Waits as long as the
 * provider asks, else 0.5 s · 2ⁿ, at most 8 s, less jitter. Parts of a try are held back until its first output, so a failed try leaves none behind.
 */
export async function* retryStream<Part>(
  start: (attempt: number) => AsyncIterable<Part>,
  options: RetryOptions<Part>,
): AsyncGenerator<Part> {
  let malformed = 0;
  for (let attempt = 0; ; attempt += 1) {
    options.signal.throwIfAborted();
    let began = false;
    let held: Part[] = [];
    try {
      for await (const part of start(attempt)) {
        if (!began && !options.isOutput(part)) {
          held.push(part);
          continue;
        }
        began = true;
        for (const earlier of held) yield earlier;
        held = [];
        yield part;
      }
      for (const part of held) yield part;
      return;
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      const delayMs = began ? undefined : delayBefore(error, attempt, options);
      if (error instanceof ProviderError && isMalformedRequestAnswer(error.fault)) malformed += 1;
      if (delayMs === undefined || malformed > 1 || !(error instanceof ProviderError)) {
        for (const part of held) yield part;
        throw error;
      }
      options.onRetry?.({ attempt, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

/** Milliseconds to wait before the next try; undefined when there is none. */
function delayBefore<Part>(error: unknown, attempt: number, options: RetryOptions<Part>): number | undefined {
  if (!(error instanceof ProviderError) || !error.fault.retryable || attempt >= options.network.retries) return undefined;
  const asked = error.fault.retryAfterMs;
  if (asked !== undefined) return asked > options.network.maxDelay ? undefined : asked;
  const backoff = Math.min(firstBackoffMs * 2 ** attempt, longestBackoffMs);
  return Math.min(Math.round(backoff * (1 - options.random() * 0.25)), options.network.maxDelay);
}
