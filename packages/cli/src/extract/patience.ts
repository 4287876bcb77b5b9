import type { Clock, Failure } from '@vouch/contracts';

/** Rounds in a row in which the provider was busy and answered no document, until a document is given up. */
const mostBarrenRounds = 8;

const firstRestMs = 5_000;
const longestRestMs = 120_000;

/** Whether the provider had no room for a request, and may have it later. */
export function isBusy(failure: Failure): boolean {
  return (failure.cause === 'rate_limit' || failure.cause === 'overloaded') && failure.retryable !== false;
}

/** Decides how often documents are tried again that found the provider busy. */
export interface Patience {
  /** Resolves when the next document may be sent; rejects with the signal's reason. */
  rest(signal: AbortSignal): Promise<void>;
  /** Number of the present round; a document notes it when it is sent. */
  round(): number;
  /** The provider answered a document. */
  answered(): void;
  /**
   * A document of `round` found the provider busy: whether it is tried again. The first document of a round to say so ends the round, and the whole
   * run rests, unless it `isPaused` by the provider's own word. From the second such round on it rests in any case: the word was too short.
   */
  allowsAnother(round: number, isPaused: boolean): boolean;
}

/**
 * Patience for a whole run. However many documents find the provider busy at once, it counts once; an answer to any of them starts the count anew. So
 * a run goes on as long as the provider answers now and then, and a document is given up after `mostBarrenRounds` rounds in a row without an
 * answer: with rests of 5 s, doubled up to 2 minutes, after about 7 minutes, and later where the provider asks for longer pauses.
 */
export function createPatience(clock: Clock): Patience {
  let round = 0;
  let barren = 0;
  let restUntilMs = 0;
  return {
    async rest(signal) {
      for (let leftMs = restUntilMs - clock.now(); leftMs > 0; leftMs = restUntilMs - clock.now()) await clock.sleep(leftMs, signal);
    },
    round: () => round,
    answered() {
      barren = 0;
    },
    allowsAnother(from, isPaused) {
      if (from === round) {
        round += 1;
        barren += 1;
        if (!isPaused || barren > 1) restUntilMs = clock.now() + Math.min(firstRestMs * 2 ** (barren - 1), longestRestMs);
      }
      return barren < mostBarrenRounds;
    },
  };
}
