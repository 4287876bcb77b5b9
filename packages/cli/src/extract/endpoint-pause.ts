import type { Clock } from '@vouch/contracts';
import { raceAbort, retryAfterMs } from '@vouch/signal/net';

/** The longest pause that one answer can ask for, in milliseconds: an hour. After it the endpoint is tried again. */
export const longestPauseMs: number = 60 * 60 * 1_000;

/** One endpoint's rest, shared by all who send to it. */
export interface EndpointPause {
  /**
   * The `fetch` given at the start, which sends nothing while the endpoint is paused and reads from each answer whether it is to be. No body is
   * touched. Rejects with the signal's reason when its signal aborts while it holds a request back.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * The clock given at the start, for the client beside `fetch`: its `after` timers stand still while the endpoint is paused. So no time limit (first
   * byte, idle, total) runs out on a request that is only held back; a connection that falls silent during a pause is noticed by as much later.
   * `now` and `sleep` are unchanged: a wait that a provider asked for passes during the pause.
   */
  readonly clock: Clock;
  /** Resolves when the endpoint is not paused; rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void>;
  /** The end of the pause, in milliseconds since the epoch; undefined when there is none. */
  untilMs(): number | undefined;
  /** Calls `listener` when a pause begins or grows (its end) and when it ended (undefined); an end that nobody waits for is told at the next use. */
  onChange(listener: (untilMs: number | undefined) => void): void;
}

const firstBackoffMs = 1_000;
const longestBackoffMs = 60_000;
/** Of these statuses a 429 always asks for patience, the others when they say for how long. */
const always = 429;
const whenAsked: ReadonlySet<number> = new Set([503, 529]);

/**
 * A pause for one endpoint of a run (SG-037). A 429 pauses it as long as its headers ask (`retry-after-ms`, `retry-after`, a limit's reset), at most
 * `longestPauseMs`; a 503 or 529 only when its headers ask. A 429 without a readable wait, or with one of zero, pauses 1 s, doubled by each further
 * such answer to a request sent after the pause before, at most 60 s; each success after it halves that again. A pause is never shortened. It holds
 * no timer while nobody waits, so there is nothing to close.
 */
export function createEndpointPause(options: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock }): EndpointPause {
  const { fetch: send, clock } = options;
  const rest = createRest(clock);
  let refusals = 0;
  /** Counts the pauses. Requests of one burst are refused together, which says no more than one refusal. */
  let episode = 0;

  const refused = (response: Response, sentIn: number): void => {
    const askedMs = askedWaitMs(response, clock.now());
    if (response.status !== always && askedMs === undefined) return;
    const isNews = sentIn === episode;
    if (isNews) episode += 1;
    if (isNews && askedMs === undefined) refusals += 1;
    const backoffMs = Math.min(firstBackoffMs * 2 ** Math.max(0, refusals - 1), longestBackoffMs);
    rest.pauseUntil(clock.now() + Math.min(askedMs ?? backoffMs, longestPauseMs));
  };

  return {
    clock: { ...standing(clock, rest), now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    fetch: async (input, init) => {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      await rest.wait(signal ?? undefined);
      const sentIn = episode;
      const response = await send(input, init);
      if (response.status === always || whenAsked.has(response.status)) refused(response, sentIn);
      else if (response.ok && sentIn === episode) refusals = Math.max(0, refusals - 1);
      return response;
    },
    wait: (signal) => rest.wait(signal),
    untilMs: rest.untilMs,
    onChange: rest.onChange,
  };
}

function askedWaitMs({ headers }: Response, now: number): number | undefined {
  const asked = retryAfterMs({ header: (name) => headers.get(name) ?? undefined, names: () => [...headers.keys()] }, now);
  // "At once" from a server that has just refused sets no pace.
  return asked === 0 ? undefined : asked;
}

/** Those who wait for the end of a pause, on one timer. */
interface Waiters {
  /** Resolves at the end of the pause; rejects with the signal's reason on abort. */
  wait(untilMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** The pause ends later than was said. */
  putOff(untilMs: number): void;
  release(): void;
}

function createWaiters(clock: Clock, onDue: () => void): Waiters {
  let group: { readonly ended: Promise<void>; end(): void; count: number; stopTimer(): void } | undefined;
  const arm = (untilMs: number): (() => void) => clock.after(untilMs - clock.now(), onDue);
  const join = (untilMs: number): NonNullable<typeof group> => {
    if (group === undefined) {
      let resolve = (): void => undefined;
      const ended = new Promise<void>((done) => {
        resolve = done;
      });
      group = { ended, end: resolve, count: 0, stopTimer: arm(untilMs) };
    }
    group.count += 1;
    return group;
  };
  return {
    async wait(untilMs, signal) {
      const joined = join(untilMs);
      try {
        await (signal === undefined ? joined.ended : raceAbort(joined.ended, signal));
      } finally {
        joined.count -= 1;
        if (joined.count === 0 && joined === group) {
          joined.stopTimer();
          group = undefined;
        }
      }
    },
    putOff(untilMs) {
      if (group === undefined) return;
      group.stopTimer();
      group.stopTimer = arm(untilMs);
    },
    release() {
      group?.stopTimer();
      group?.end();
      group = undefined;
    },
  };
}

/** The pause itself, whatever its reason. */
interface Rest extends Pick<EndpointPause, 'untilMs' | 'onChange'> {
  pauseUntil(untilMs: number): void;
  wait(signal: AbortSignal | undefined): Promise<void>;
  /** Milliseconds of pause so far, the current one included. */
  pausedMs(): number;
}

function createRest(clock: Clock): Rest {
  const listeners: ((untilMs: number | undefined) => void)[] = [];
  let current: { readonly since: number; until: number } | undefined;
  let endedMs = 0;

  const tell = (): void => {
    for (const listener of listeners) listener(current?.until);
  };
  const end = (): void => {
    if (current === undefined) return;
    endedMs += Math.max(0, current.until - current.since);
    current = undefined;
    waiters.release();
    tell();
  };
  const waiters = createWaiters(clock, end);
  const refresh = (): void => {
    if (current !== undefined && clock.now() >= current.until) end();
  };
  return {
    untilMs() {
      refresh();
      return current?.until;
    },
    onChange: (listener) => void listeners.push(listener),
    pausedMs() {
      refresh();
      return endedMs + (current === undefined ? 0 : Math.max(0, clock.now() - current.since));
    },
    pauseUntil(untilMs) {
      refresh();
      if (untilMs <= (current?.until ?? clock.now())) return;
      if (current === undefined) current = { since: clock.now(), until: untilMs };
      else current.until = untilMs;
      waiters.putOff(untilMs);
      tell();
    },
    async wait(signal) {
      signal?.throwIfAborted();
      // Another's request may be refused again before this one gets its turn.
      for (refresh(); current !== undefined; refresh()) await waiters.wait(current.until, signal);
    },
  };
}

/** Timers that do not run while there is a pause: one that falls due is put off by as much as was paused since it was made. */
function standing(clock: Clock, rest: Rest): Pick<Clock, 'after'> {
  return {
    after(ms, callback) {
      const before = rest.pausedMs();
      let putOffMs = 0;
      let cancel = (): void => undefined;
      const due = (): void => {
        const paused = rest.pausedMs() - before;
        const until = rest.untilMs();
        const owedMs = paused - putOffMs + (until === undefined ? 0 : until - clock.now());
        if (owedMs <= 0) {
          callback();
          return;
        }
        putOffMs += owedMs;
        cancel = clock.after(owedMs, due);
      };
      cancel = clock.after(ms, due);
      return () => cancel();
    },
  };
}
