import { getEventListeners } from 'node:events';
import { type ManualClock, manualClock } from '@vouch/contracts/testing';
import { createSignal } from '@vouch/signal';
import { describe, expect, it } from 'vitest';
import { createEndpointPause, type EndpointPause, longestPauseMs } from './endpoint-pause.ts';

type Headers = { readonly [name: string]: string };
type Answer = readonly [status: number, headers?: Headers];

/** An endpoint that gives these answers in turn, the last again and again, and notes when each request arrived. */
function endpoint(answers: readonly Answer[], startMs = 0): { clock: ManualClock; pause: EndpointPause; sentAt: number[] } {
  const clock = manualClock(startMs);
  const sentAt: number[] = [];
  const fetch = async (): Promise<Response> => {
    const [status, headers = {}] = answers[Math.min(sentAt.length, answers.length - 1)] ?? [200];
    sentAt.push(clock.now());
    return new Response(status === 200 ? 'fine' : '{}', { status, headers });
  };
  return { clock, sentAt, pause: createEndpointPause({ fetch, clock }) };
}

const never = new AbortController().signal;

describe('when an endpoint is paused', () => {
  it.each<[string, Answer, number | undefined]>([
    ['a 429 with seconds', [429, { 'retry-after': '17' }], 17_000],
    ['a 429 with a date', [429, { 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT' }], 30_000],
    ['a 429 with milliseconds, which are more exact', [429, { 'retry-after-ms': '250', 'retry-after': '1' }], 250],
    [
      'a 429 with the reset of a limit that is used up',
      [429, { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }],
      360_000,
    ],
    ['a 429 that says nothing', [429], 1_000],
    ['a 429 that says: at once', [429, { 'retry-after': '0' }], 1_000],
    ['a 429 that says what cannot be read', [429, { 'retry-after': 'soon' }], 1_000],
    ['a 429 that asks for a day, an hour', [429, { 'retry-after': '86400' }], longestPauseMs],
    ['a 503 with seconds', [503, { 'retry-after': '2' }], 2_000],
    ['a 529 with seconds', [529, { 'retry-after': '2' }], 2_000],
    ['a 503 that says nothing, not', [503], undefined],
    ['a 500 with seconds, not', [500, { 'retry-after': '2' }], undefined],
    ['an answer, not', [200, { 'retry-after': '2' }], undefined],
  ])('[SG-037] %s', async (_title, answer, pausedMs) => {
    const start = Date.UTC(2026, 10, 30, 10, 0, 0);
    const { clock, pause } = endpoint([answer], start);
    const response = await pause.fetch('http://x.test');
    expect(response.status).toBe(answer[0]);
    expect(response.bodyUsed).toBe(false);
    expect(pause.untilMs()).toBe(pausedMs === undefined ? undefined : start + pausedMs);
    expect(clock.pending()).toBe(0);
  });

  it('grows with each refusal without a wait up to a minute, and falls with each success', async () => {
    const refusal: Answer = [429];
    const { clock, pause } = endpoint([...Array.from({ length: 8 }, () => refusal), [200], [200], refusal, [200]]);
    const pausedSeconds: number[] = [];
    for (let request = 0; request < 11; request += 1) {
      await pause.fetch('http://x.test');
      const until = pause.untilMs();
      pausedSeconds.push(until === undefined ? 0 : (until - clock.now()) / 1_000);
      await clock.advance(until === undefined ? 0 : until - clock.now());
    }
    expect(pausedSeconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 0, 0, 60]);
  });

  it('counts the refusals of one burst once', async () => {
    const { clock, pause } = endpoint([[429]]);
    await Promise.all(Array.from({ length: 16 }, () => pause.fetch('http://x.test')));
    expect(pause.untilMs()).toBe(1_000);
    await clock.advance(1_000);
    await pause.fetch('http://x.test');
    expect(pause.untilMs()).toBe(3_000);
  });

  it('is never made shorter by another answer', async () => {
    const { pause } = endpoint([[429, { 'retry-after': '30' }], [429, { 'retry-after': '5' }], [200]]);
    await Promise.all([pause.fetch('http://x.test'), pause.fetch('http://x.test'), pause.fetch('http://x.test')]);
    expect(pause.untilMs()).toBe(30_000);
  });
});

describe('while an endpoint is paused', () => {
  it('no request is sent and nobody waiting goes on, and then all do', async () => {
    const { clock, pause, sentAt } = endpoint([[429, { 'retry-after': '10' }], [200]]);
    await pause.fetch('http://x.test');
    const waited: number[] = [];
    const all = [
      ...Array.from({ length: 3 }, () => pause.fetch('http://x.test')),
      ...Array.from({ length: 3 }, async () => waited.push(await pause.wait(never).then(() => clock.now()))),
    ];
    await clock.advance(9_999);
    expect([sentAt, waited, clock.pending()]).toEqual([[0], [], 1]);
    await clock.advance(1);
    await Promise.all(all);
    expect(sentAt).toEqual([0, 10_000, 10_000, 10_000]);
    expect(waited).toEqual([10_000, 10_000, 10_000]);
    expect(clock.pending()).toBe(0);
  });

  it('those who wait stay when it grows, and are told each change', async () => {
    const clock = manualClock();
    const answers: ((response: Response) => void)[] = [];
    const pause = createEndpointPause({ clock, fetch: () => new Promise((resolve) => answers.push(resolve)) });
    const refuse = (seconds: number): void =>
      answers.shift()?.(new Response('', { status: 429, headers: { 'retry-after': String(seconds) } }));
    const changes: (number | undefined)[] = [];
    pause.onChange((until) => changes.push(until));
    const sent = [pause.fetch('http://x.test'), pause.fetch('http://x.test')];
    await clock.advance(0);
    refuse(10);
    await sent[0];
    const waited = pause.wait(never).then(() => clock.now());
    await clock.advance(5_000);
    refuse(30);
    await clock.advance(29_999);
    expect(changes).toEqual([10_000, 35_000]);
    await clock.advance(1);
    expect([await waited, changes]).toEqual([35_000, [10_000, 35_000, undefined]]);
    expect(clock.pending()).toBe(0);
  });

  it('[SG-037] an abort ends the waiting with its reason, and leaves neither timer nor listener', async () => {
    const { clock, pause, sentAt } = endpoint([[429, { 'retry-after': '10' }]]);
    await pause.fetch('http://x.test');
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = [pause.wait(abort.signal), pause.fetch('http://x.test', { signal: abort.signal })];
    abort.abort(reason);
    for (const { status, ...outcome } of await Promise.allSettled(waiting)) expect([status, outcome]).toEqual(['rejected', { reason }]);
    await expect(pause.wait(abort.signal)).rejects.toBe(reason);
    expect([clock.pending(), getEventListeners(abort.signal, 'abort').length, sentAt.length]).toEqual([0, 0, 1]);
    expect(pause.untilMs()).toBe(10_000);
  });

  it('one who leaves does not wake the others', async () => {
    const { clock, pause } = endpoint([[429, { 'retry-after': '10' }]]);
    await pause.fetch('http://x.test');
    const abort = new AbortController();
    const [left, stayed] = [pause.wait(abort.signal), pause.wait(never).then(() => clock.now())];
    abort.abort();
    await expect(left).rejects.toThrow();
    expect(clock.pending()).toBe(1);
    await clock.advance(10_000);
    expect(await stayed).toBe(10_000);
  });
});

describe('the clock of a paused endpoint', () => {
  const timerAfter = (pause: EndpointPause, ms: number): { readonly firedAt: number | undefined; readonly cancel: () => void } => {
    let firedAt: number | undefined;
    const cancel = pause.clock.after(ms, () => {
      firedAt = pause.clock.now();
    });
    return {
      cancel,
      get firedAt() {
        return firedAt;
      },
    };
  };

  it('lets a timer stand still during every pause, however it overlaps', async () => {
    const { clock, pause } = endpoint([[429, { 'retry-after': '10' }], [200]]);
    const before = timerAfter(pause, 5_000);
    await clock.advance(2_000);
    await pause.fetch('http://x.test');
    await clock.advance(4_000);
    const during = timerAfter(pause, 5_000);
    await clock.advance(60_000);
    // 2 s ran before the pause of 10 s, 3 s after it; the other began in it.
    expect([before.firedAt, during.firedAt]).toEqual([15_000, 17_000]);
    const after = timerAfter(pause, 5_000);
    const cancelled = timerAfter(pause, 5_000);
    cancelled.cancel();
    await clock.advance(5_000);
    expect([after.firedAt, cancelled.firedAt, clock.pending()]).toEqual([71_000, undefined, 0]);
  });

  it('a timer that was put off can still be cancelled', async () => {
    const { clock, pause } = endpoint([[429, { 'retry-after': '10' }]]);
    await pause.fetch('http://x.test');
    const timer = timerAfter(pause, 1_000);
    await clock.advance(2_000);
    timer.cancel();
    await clock.advance(60_000);
    expect([timer.firedAt, clock.pending()]).toEqual([undefined, 0]);
  });

  it('[SG-037] no document of a client runs into its time limits because the endpoint is paused', async () => {
    const clock = manualClock();
    const refusal = new Response('{}', { status: 429, headers: { 'retry-after': '900' } });
    const body = { choices: [{ message: { role: 'assistant', content: 'seven' }, finish_reason: 'stop' }] };
    const sentAt: number[] = [];
    const send = async (): Promise<Response> => {
      sentAt.push(clock.now());
      return sentAt.length === 1 ? refusal : new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    const pause = createEndpointPause({ clock, fetch: send });
    const client = createSignal(
      { baseUrl: 'http://x.test/v1', model: 'm' },
      {
        fetch: pause.fetch,
        clock: pause.clock,
        options: { timeout: { total: 30_000, firstByte: 5_000, idle: 5_000 }, network: { retries: 3, maxDelay: longestPauseMs } },
      },
    );
    const refused = client.tryComplete('How many?');
    // The client loads its adapter first, in turns of the event loop that no clock moves.
    while (pause.untilMs() === undefined) await new Promise(setImmediate);
    const held = client.tryComplete('How many?');
    await clock.advance(899_999);
    expect(sentAt).toEqual([0]);
    await clock.advance(1);
    expect([await refused, await held]).toMatchObject([
      { ok: true, response: 'seven' },
      { ok: true, response: 'seven' },
    ]);
    expect(clock.pending()).toBe(0);
  });
});
