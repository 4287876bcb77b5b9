import type { Failure } from '@vouch/contracts';

/** Rounds in a row in which the provider was busy and answered no document, until a document is given up. */
export const mostBarrenRounds = 8;

const firstWaitMs = 5_000;
const longestWaitMs = 120_000;

/** Whether the provider had no room for a request, and may have it later. */
export function isBusy(failure: Failure): boolean {
  return (failure.cause === 'rate_limit' || failure.cause === 'overloaded') && failure.retryable !== false;
}

/** Decides how often documents are tried again that found the provider busy. */
export interface Patience {
  /** Number of the present round; a document notes it when it is sent. */
  round(): number;
  /** The provider answered a document. */
  answered(): void;
  /**
   * A document of `round` found the provider busy: milliseconds until it is tried again, undefined when it is given up. The first document of a round
   * to say so ends the round.
   */
  waitAfter(round: number): number | undefined;
}

/**
 * Patience for a whole run. However many documents find the provider busy at once, it counts once; an answer to any of them starts the count anew. So
 * a run goes on as long as the provider answers now and then, and a document is given up after `mostBarrenRounds` rounds in a row without an
 * answer: with waits of 5 s, doubled up to 2 minutes, about 7 minutes, and longer where the provider asks for longer pauses.
 */
export function createPatience(): Patience {
  let round = 0;
  let barren = 0;
  return {
    round: () => round,
    answered() {
      barren = 0;
    },
    waitAfter(from) {
      if (from === round) {
        round += 1;
        barren += 1;
      }
      return barren < mostBarrenRounds ? Math.min(firstWaitMs * 2 ** Math.max(0, barren - 1), longestWaitMs) : undefined;
    },
  };
}
