import type { PeerClient } from './client.ts';
import { watchingEscapes } from './escapes.ts';
import { type Result, runCase } from './run-case.ts';
import type { Case } from './scenario.ts';
import { type Standstills, watchStandstills } from './standstill.ts';
import { type Verdict, verdicts } from './verdict.ts';

/** Well below the longest silence that the clients are told to bear. */
const longestStandstillMs = 500;
const mostTries = 5;

/** One client on one case: the worst of its draws. */
export interface Cell {
  readonly verdict: Verdict;
  /** Draws with that verdict, of `draws`. */
  readonly count: number;
  readonly draws: number;
  /** The first result with that verdict. */
  readonly result: Result;
  /** Draws on which the wire did not show the row. */
  readonly notShown: number;
}

/** One case with a cell for each client, in the order of the clients. */
export interface Line {
  readonly it: Case;
  readonly cells: readonly Cell[];
}

/** What a run takes. */
export interface RunAllOptions {
  readonly seed: number;
  /** Seeds for each case: many rows have several forms, of which a seed draws one. */
  readonly draws: number;
  readonly deadlineMs: number;
  /** Cases at a time. */
  readonly lanes: number;
  readonly onProgress: (done: number, all: number) => void;
}

/** Runs every case through every client. */
export function runAll(clients: readonly PeerClient[], list: readonly Case[], options: RunAllOptions): Promise<readonly Line[]> {
  const { seed, draws, deadlineMs, lanes, onProgress } = options;
  const jobs = list.flatMap((_it, row) =>
    clients.flatMap((_client, column) => Array.from({ length: draws }, (_none, draw) => ({ row, column, draw }))),
  );
  const standstills = watchStandstills(longestStandstillMs);
  return watchingEscapes(async (watch) => {
    const results = new Map<string, Result>();
    let next = 0;
    let done = 0;
    const lane = async (): Promise<void> => {
      for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
        const it = list[job.row];
        const client = clients[job.column];
        if (it === undefined || client === undefined) return;
        const result = await runUndisturbed(standstills, () => runCase(client, it, { seed: seed + job.draw, deadlineMs, watch }));
        results.set(`${job.row}/${job.column}/${job.draw}`, result);
        done += 1;
        onProgress(done, jobs.length);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return list.map((it, row) => ({
      it,
      cells: clients.map((_client, column) =>
        cellOf(Array.from({ length: draws }, (_none, draw) => results.get(`${row}/${column}/${draw}`)).filter((it) => it !== undefined)),
      ),
    }));
  }).finally(() => standstills.stop());
}

/** Runs a case again when the process stood still meanwhile and its end was not right: the end may be the machine's doing. */
export async function runUndisturbed(standstills: Pick<Standstills, 'after'>, run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    const result = await run();
    if (result.verdict === 'right' || tries === mostTries || !standstills.after(began)) return result;
  }
}

/** The worst of several results. */
export function cellOf(results: readonly Result[]): Cell {
  const badness = (result: Result): number => verdicts.indexOf(result.verdict);
  const worst = results.reduce<Result | undefined>(
    (so, result) => (so === undefined || badness(result) > badness(so) ? result : so),
    undefined,
  );
  if (worst === undefined) throw new RangeError('a cell needs at least one draw');
  return {
    verdict: worst.verdict,
    count: results.filter((result) => result.verdict === worst.verdict).length,
    draws: results.length,
    result: worst,
    notShown: results.filter((result) => result.applied.length === 0).length,
  };
}
