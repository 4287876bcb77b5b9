import { type Failure, makeFailure } from '@vouch/contracts';

/** Documents that find nobody there, before anyone answered, until the server counts as dead. */
const deadAfter = 2;

/** Watches outcomes for the failure that every further document would share. */
export interface Doom {
  /** Takes note of a document that was sent; `undefined` = it gave a value. */
  watch(failure: Failure | undefined): void;
  /** The provider was busy for so long that further documents would only wait for nothing. */
  giveUp(failure: Failure): void;
  /** The failure of a document that need not be sent; undefined while there is hope. */
  verdict(): Failure | undefined;
}

/** For a run in which no failure says anything of the next document, as where answers are replayed. */
export const noDoom: Doom = { watch: () => undefined, giveUp: () => undefined, verdict: () => undefined };

/** A wrong key, a wrong address or a used-up quota dooms at once; a server that two documents did not reach, and none before, as well. */
export function createDoom(): Doom {
  let answered = false;
  let unreachable = 0;
  let doom: Failure | undefined;
  return {
    watch(failure) {
      if (failure !== undefined && isUnreachable(failure)) unreachable += 1;
      else answered = true;
      if (failure === undefined) return;
      if (isShared(failure) || (!answered && unreachable >= deadAfter)) doom ??= failure;
    },
    giveUp(failure) {
      doom ??= failure;
    },
    verdict: () => (doom === undefined ? undefined : notSent(doom)),
  };
}

function isShared(failure: Failure): boolean {
  const { cause, retryable } = failure;
  return cause === 'auth' || cause === 'config' || (cause === 'rate_limit' && retryable === false);
}

function isUnreachable(failure: Failure): boolean {
  return failure.kind === 'provider' && failure.cause === 'transport' && failure.evidence.provider?.status === undefined;
}

function notSent(doom: Failure): Failure {
  return makeFailure(doom.reason, {
    message: `Not sent, because a document before it failed: ${doom.message}`,
    kind: doom.kind,
    code: doom.code,
    ...(doom.cause === undefined ? {} : { cause: doom.cause }),
    ...(doom.retryable === undefined ? {} : { retryable: doom.retryable }),
  });
}
