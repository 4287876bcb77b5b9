import { startLab } from '@vouch/lab';
import { type Ask, abortAfterMs, type PeerClient } from './client.ts';
import type { Escape } from './escapes.ts';
import { type Case, modelOf } from './scenario.ts';
import { judge, type Outcome, type Verdict } from './verdict.ts';

/** One client on one case under one seed. */
export interface Result {
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  /** The pathologies and faults that the lab did show. */
  readonly applied: readonly string[];
}

/** How a case is run. */
export interface RunOptions {
  readonly seed: number;
  /** Milliseconds after which the client hangs. */
  readonly deadlineMs: number;
  readonly watch: <R>(work: () => Promise<R>) => Promise<readonly [R, readonly Escape[]]>;
}

/** Runs one client against a lab of its own, so that nothing of one case reaches another. */
export async function runCase(client: PeerClient, it: Case, { seed, deadlineMs, watch }: RunOptions): Promise<Result> {
  const { id, expected, delivery, scenario, spoil } = it;
  const lab = await startLab({ model: modelOf(scenario), seed, ...spoil });
  const caller = new AbortController();
  const ask: Ask = {
    baseUrl: lab.baseUrl,
    scenario,
    delivery,
    signal: caller.signal,
    ...likeOf(id),
  };
  const abortTimer = scenario.aborts ? setTimeout(() => caller.abort(), abortAfterMs) : undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  try {
    const tooLate = new Promise<Outcome>((resolve) => {
      deadline = setTimeout(() => resolve({ kind: 'hang' }), deadlineMs);
    });
    const [came, escapes] = await watch(() => Promise.race([client.run(ask), tooLate]));
    const [first] = escapes;
    const outcome: Outcome = first === undefined ? came : { kind: 'escaped', ...first };
    const applied = [...new Set(lab.requests().flatMap(({ applied: ids, fault }) => [...ids, ...(fault === undefined ? [] : [fault])]))];
    return { verdict: judge(outcome, scenario.wanted, expected), outcome, applied };
  } finally {
    clearTimeout(abortTimer);
    clearTimeout(deadline);
    caller.abort();
    await lab.close();
  }
}

/** A1 to A14 are refusals of one service; B33 needs a field that is not sent to an endpoint of which nothing is known. */
function likeOf(id: string): { readonly like?: string } {
  if (id.startsWith('A') && Number(id.slice(1)) <= 14) return { like: 'groq' };
  return id === 'B33' ? { like: 'openai' } : {};
}
