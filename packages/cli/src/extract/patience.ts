import type { Failure } from '@vouch/contracts';

/** Rounds in a row in which the provider was busy and no document succeeded, until a document is given up. */
export const mostBarrenRounds = 5;

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
  /** A document of `round` found the provider busy: whether it is tried again. The first of a round to say so ends the round. */
  allowsAnother(round: number): boolean;
}

/**
 * Patience for a whole run. However many documents wait in one pause, it counts once; an answer to any of them starts the count anew. So a run goes
 * on as long as the provider answers now and then, and a document is given up after `mostBarrenRounds` rounds in a row without any answer.
 */
export function createPatience(): Patience {
  let round = 0;
  let barren = 0;
  return {
    round: () => round,
    answered() {
      barren = 0;
    },
    allowsAnother(from) {
      if (from === round) {
        round += 1;
        barren += 1;
      }
      return barren < mostBarrenRounds;
    },
  };
}
