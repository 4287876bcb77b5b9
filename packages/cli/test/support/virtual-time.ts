import { manualClock } from '@vouch/contracts/testing';
import { onTestFinished, vi } from 'vitest';
import { type Ran, type RunOptions, vouch } from './run-vouch.ts';

/** One request that reached the network. */
export interface VirtualRequest {
  readonly body: string;
  /** Milliseconds since the start. */
  readonly atMs: number;
}

/** A run in which time costs nothing. */
export interface VirtualRun extends Ran {
  readonly requests: readonly VirtualRequest[];
  /** Milliseconds from start to end. */
  readonly tookMs: number;
}

const stepMs = 250;

/** Runs one command line over a network that answers at once, by a clock that moves on whenever nothing else happens. */
export async function vouchInVirtualTime(
  argv: readonly string[],
  answer: (request: VirtualRequest) => Response,
  options: RunOptions = {},
): Promise<VirtualRun> {
  const clock = manualClock();
  const requests: VirtualRequest[] = [];
  vi.stubGlobal('fetch', async (_input: unknown, init: RequestInit) => {
    const request = { body: String(init.body), atMs: clock.now() };
    requests.push(request);
    // An answer takes its way: requests that are sent together are under way together.
    await new Promise((resolve) => setImmediate(resolve));
    return answer(request);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  let ran: Ran | undefined;
  const running = vouch(argv, { ...options, clock }).then((done) => {
    ran = done;
  });
  while (ran === undefined) {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (clock.pending() > 0) await clock.advance(stepMs);
  }
  await running;
  return { ...ran, requests, tookMs: clock.now() };
}
