import { type Failure, type FailureKind, totalUsage, type Usage, unknownUsage } from '@vouch/contracts';

/** What a run of documents came to. */
export interface Summary {
  readonly documents: number;
  readonly values: number;
  /** Count per failure kind; kinds that did not occur are absent. */
  readonly failures: { readonly [Kind in FailureKind]?: number };
  /** Documents that were given and not finished, after Ctrl-C. */
  readonly unfinished: number;
  readonly usage: Usage;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Counts outcomes as they are delivered. */
export interface Tally {
  add(outcome: { readonly failure?: Failure; readonly usage: Usage; readonly sent: boolean }): void;
  summary(given: number, durationMs: number): Summary;
}

/** A fresh tally. */
export function createTally(): Tally {
  const failures: { [Kind in FailureKind]?: number } = {};
  const usages: Usage[] = [];
  let values = 0;
  let documents = 0;
  return {
    add({ failure, usage, sent }) {
      documents += 1;
      if (sent) usages.push(usage);
      if (failure === undefined) values += 1;
      else failures[failure.kind] = (failures[failure.kind] ?? 0) + 1;
    },
    summary: (given, durationMs) => ({
      documents,
      values,
      failures,
      unfinished: given - documents,
      usage: usages.length > 0 ? totalUsage(usages) : unknownUsage,
      durationMs: Math.round(durationMs),
    }),
  };
}

/** The summary in one line for people. */
export function summaryLine(summary: Summary): string {
  const failed = Object.entries(summary.failures);
  const count = failed.reduce((sum, [, times]) => sum + times, 0);
  const kinds = failed.map(([kind, times]) => `${kind} ${times}`).join(', ');
  const { inputTokens, outputTokens, reported } = summary.usage;
  const tokens =
    inputTokens + outputTokens === 0 ? 'no tokens counted' : `${reported ? '' : 'about '}${inputTokens} tokens in, ${outputTokens} out`;
  return [
    `${summary.documents} ${summary.documents === 1 ? 'document' : 'documents'}`,
    `${summary.values} ${summary.values === 1 ? 'value' : 'values'}`,
    `${count} ${count === 1 ? 'failure' : 'failures'}${kinds === '' ? '' : ` (${kinds})`}`,
    ...(summary.unfinished > 0 ? [`interrupted with ${summary.unfinished} unfinished`] : []),
    tokens,
    `${(summary.durationMs / 1000).toFixed(1)} s`,
  ].join(' · ');
}
