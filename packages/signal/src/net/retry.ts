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
 * From there on its own reads are passed on as they are.
 */
export function retryStream<Part>(
  start: (attempt: number) => AsyncIterable<Part>,
  options: RetryOptions<Part>,
): AsyncIterableIterator<Part> {
  let begun: Begun<Part> | undefined;
  let given = 0;
  const afterHeld = ({ source, failure }: Begun<Part>): Promise<IteratorResult<Part>> => {
    if (failure === undefined) return source === undefined ? Promise.resolve(noMore) : source.next();
    begun = { held: [] };
    return Promise.reject(failure.error);
  };
  const next = async (): Promise<IteratorResult<Part>> => {
    begun ??= await begin(start, options);
    if (given >= begun.held.length) return afterHeld(begun);
    given += 1;
    return { done: false, value: begun.held[given - 1] as Part };
  };
  const iterator: AsyncIterableIterator<Part> = {
    next: () => (begun !== undefined && given >= begun.held.length ? afterHeld(begun) : next()),
    async return() {
      const source = begun?.source;
      begun = { held: [] };
      await source?.return?.();
      return noMore;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** A stream whose output began, or that is over. */
interface Begun<Part> {
  /** The parts up to the first output, or all of them. */
  readonly held: readonly Part[];
  /** What comes after them; absent when nothing does. */
  readonly source?: AsyncIterator<Part>;
  readonly failure?: { readonly error: unknown };
}

async function begin<Part>(start: (attempt: number) => AsyncIterable<Part>, options: RetryOptions<Part>): Promise<Begun<Part>> {
  const { signal } = options;
  let malformed = 0;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const held: Part[] = [];
    try {
      const source = start(attempt)[Symbol.asyncIterator]();
      for (let part = await source.next(); part.done !== true; part = await source.next()) {
        held.push(part.value);
        if (options.isOutput(part.value)) return { held, source };
      }
      return { held };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const delayMs = delayBefore(error, attempt, options);
      if (error instanceof ProviderError && isMalformedRequestAnswer(error.fault)) malformed += 1;
      if (delayMs === undefined || malformed > 1 || !(error instanceof ProviderError)) return { held, failure: { error } };
      options.onRetry?.({ attempt, delayMs, error });
      await options.clock.sleep(delayMs, signal);
    }
  }
}

const noMore: IteratorResult<never> = { done: true, value: undefined };

/** Milliseconds to wait before the next try; undefined when there is none. */
function delayBefore<Part>(error: unknown, attempt: number, options: RetryOptions<Part>): number | undefined {
  if (!(error instanceof ProviderError) || !error.fault.retryable || attempt >= options.network.retries) return undefined;
  const asked = error.fault.retryAfterMs;
  if (asked !== undefined) return asked > options.network.maxDelay ? undefined : asked;
  const backoff = Math.min(firstBackoffMs * 2 ** attempt, longestBackoffMs);
  return Math.min(Math.round(backoff * (1 - options.random() * 0.25)), options.network.maxDelay);
}
