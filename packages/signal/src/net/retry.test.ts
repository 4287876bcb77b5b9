import type { Clock, ProviderFault } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { CallTimeoutError, ProviderError } from './provider-error.ts';
import { type RetryNotice, retryStream } from './retry.ts';

type Part = { readonly type: 'output' | 'note'; readonly text: string };
type Try = readonly (Part | Error)[];

const note = (text: string): Part => ({ type: 'note', text });
const output = (text: string): Part => ({ type: 'output', text });
const failed = (fault: Partial<ProviderFault> = {}): ProviderError =>
  new ProviderError({ cause: 'overloaded', retryable: true, message: 'busy', status: 503, ...fault });

async function run(
  tries: readonly Try[],
  settings: { readonly retries?: number; readonly maxDelay?: number; readonly random?: number; readonly signal?: AbortSignal } = {},
) {
  const waits: number[] = [];
  const notices: RetryNotice[] = [];
  const parts: string[] = [];
  let started = 0;
  let error: unknown;
  const clock: Clock = {
    now: () => 0,
    after: () => () => undefined,
    sleep: async (ms, signal) => {
      waits.push(ms);
      signal?.throwIfAborted();
    },
  };
  async function* start(attempt: number): AsyncGenerator<Part> {
    started += 1;
    for (const item of tries[attempt] ?? []) {
      if (item instanceof Error) throw item;
      yield item;
    }
  }
  const signal = settings.signal ?? new AbortController().signal;
  try {
    const options = {
      isOutput: (part: Part) => part.type === 'output',
      network: { retries: settings.retries ?? 2, maxDelay: settings.maxDelay ?? 60_000 },
      clock,
      random: () => settings.random ?? 0,
      signal,
      onRetry: (notice: RetryNotice) => notices.push(notice),
    };
    for await (const part of retryStream(start, options)) parts.push(part.text);
  } catch (thrown) {
    error = thrown;
  }
  return { waits, notices, parts, started, error };
}

describe('retryStream', () => {
  it('[SG-037] retries what may succeed later, with a growing wait, and leaves no part of a failed try', async () => {
    const got = await run([
      [note('lost'), failed()],
      [failed({ status: 429, cause: 'rate_limit' })],
      [note('kept'), output('a'), note('b')],
    ]);
    expect(got.parts).toEqual(['kept', 'a', 'b']);
    expect(got.waits).toEqual([500, 1_000]);
    expect(got.notices.map((notice) => notice.attempt)).toEqual([0, 1]);
    expect(got.error).toBeUndefined();
  });

  it('[SG-037] never retries after output began', async () => {
    const error = failed();
    const got = await run([[output('a'), error], [output('b')]]);
    expect(got).toMatchObject({ parts: ['a'], started: 1, error });
  });

  it('[SG-037] gives up after the retries, with the last error and the parts before it', async () => {
    const last = failed({ message: 'third' });
    const got = await run([[failed()], [failed()], [note('n'), last], [output('never')]]);
    expect(got).toMatchObject({ started: 3, error: last, parts: ['n'] });
  });

  it.each([
    ['a final fault', failed({ retryable: false, status: 400 })],
    ['a timeout', new CallTimeoutError('idle', 5)],
    ['any other error', new Error('bug')],
  ])('[SG-037] does not retry %s', async (_title, error) => {
    expect(await run([[error], [output('b')]])).toMatchObject({ started: 1, error });
  });

  it('[SG-037] [path-D11] waits as long as the provider asks, up to the bound, and fails beyond it', async () => {
    expect((await run([[failed({ retryAfterMs: 7_000 })], [output('a')]])).waits).toEqual([7_000]);
    expect((await run([[failed({ retryAfterMs: 0 })], [output('a')]])).waits).toEqual([0]);
    const error = failed({ retryAfterMs: 60_001 });
    expect(await run([[error], [output('a')]])).toMatchObject({ started: 1, error, waits: [] });
  });

  it('[SG-037] caps the backoff at 8 s and takes at most a quarter off', async () => {
    const tries = Array.from({ length: 8 }, (): Try => [failed()]);
    expect((await run(tries, { retries: 7 })).waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect((await run(tries, { retries: 2, random: 0.9999 })).waits).toEqual([375, 750]);
    expect((await run(tries, { retries: 1, maxDelay: 100 })).waits).toEqual([100]);
  });

  it('[path-D26] retries the answer to a broken request once', async () => {
    const broken = (): ProviderError => failed({ status: 500, message: '[json.exception.parse_error.101] parse error' });
    expect((await run([[broken()], [broken()], [output('a')]], { retries: 5 })).started).toBe(2);
    expect((await run([[broken()], [output('a')]])).parts).toEqual(['a']);
  });

  it('[SG-037] starts nothing after an abort, and throws the reason', async () => {
    const reason = new Error('stop');
    expect(await run([[output('a')]], { signal: AbortSignal.abort(reason) })).toMatchObject({ started: 0, error: reason });
  });

  it('[SG-037] an abort inside a try or a wait wins over its error', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const tries: Try[] = [[failed()], [output('a')]];
    const clock: Clock = {
      now: () => 0,
      after: () => () => undefined,
      sleep: async (_ms, signal) => {
        controller.abort(reason);
        signal?.throwIfAborted();
      },
    };
    async function* start(attempt: number): AsyncGenerator<Part> {
      for (const item of tries[attempt] ?? []) {
        if (item instanceof Error) throw item;
        yield item;
      }
    }
    const stream = retryStream(start, {
      isOutput: () => true,
      network: { retries: 2, maxDelay: 1_000 },
      clock,
      random: () => 0,
      signal: controller.signal,
    });
    await expect(stream.next()).rejects.toBe(reason);
  });

  it('ends the try when the iteration is left early', async () => {
    let ended = false;
    async function* start(): AsyncGenerator<Part> {
      try {
        for (;;) yield output('a');
      } finally {
        ended = true;
      }
    }
    const clock: Clock = { now: () => 0, after: () => () => undefined, sleep: async () => undefined };
    const options = {
      isOutput: () => true,
      network: { retries: 2, maxDelay: 1_000 },
      clock,
      random: () => 0,
      signal: new AbortController().signal,
    };
    for await (const _part of retryStream(start, options)) break;
    expect(ended).toBe(true);
  });
});
