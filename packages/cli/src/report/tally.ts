import { type Failure, type FailureKind, totalUsage, type Usage, unknownUsage } from '@vouch/contracts';
import { type Cost, type CostTotal, costTotalText, createCostCounter } from './prices.ts';

/** The note in the evidence of a failure that is the document's own: it was not read, and nothing was asked. */
export const documentNote = 'document';

type FailureCounts = { readonly [Kind in FailureKind | typeof documentNote]?: number };

/** What a run of documents came to. */
export interface Summary {
  /** Documents that this run finished; those of an earlier run are not among them. */
  readonly documents: number;
  readonly values: number;
  /** Count per failure kind, and of documents that could not be read; what did not occur is absent. */
  readonly failures: FailureCounts;
  /** Documents that were done before, and left as they are; those that had failed are among them. */
  readonly resumed: number;
  /** Of `resumed`: those that had failed. */
  readonly resumedFailures: number;
  /** Times that a document was put back because the provider was busy. */
  readonly retried: number;
  /** Times that the provider had the whole run pause. */
  readonly paused: number;
  /** Only with prices: what this run cost, as far as it is known, and of how many documents that is. */
  readonly cost?: CostTotal;
  /** Documents that were given and not finished, after Ctrl-C. */
  readonly unfinished: number;
  readonly usage: Usage;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Counts outcomes as they come. Keeps totals, no lists. */
export interface Tally {
  add(outcome: { readonly failure?: Failure; readonly usage: Usage; readonly sent: boolean }): void;
  /** A document that an earlier run had done. */
  resume(hadValue: boolean): void;
  retry(): void;
  pause(): void;
  /** The cost so far, for people; undefined when none is known. */
  money(): string | undefined;
  summary(given: number, durationMs: number): Summary;
}

/** A fresh tally. `costOf`: what the tokens of one document cost; undefined: nobody asked. */
export function createTally(costOf?: (usage: Usage) => Cost | undefined): Tally {
  const failures: { -readonly [Kind in keyof FailureCounts]: FailureCounts[Kind] } = {};
  const usage = createUsageTotal();
  const counts = { documents: 0, values: 0, resumed: 0, resumedFailures: 0, retried: 0, paused: 0 };
  const costs = createCostCounter();
  return {
    add({ failure, usage: used, sent }) {
      counts.documents += 1;
      if (sent) usage.add(used);
      if (sent) costs.add(costOf?.(used));
      if (failure === undefined) counts.values += 1;
      else {
        const name = failure.evidence.note === documentNote ? documentNote : failure.kind;
        failures[name] = (failures[name] ?? 0) + 1;
      }
    },
    resume(hadValue) {
      counts.resumed += 1;
      if (!hadValue) counts.resumedFailures += 1;
    },
    retry() {
      counts.retried += 1;
    },
    pause() {
      counts.paused += 1;
    },
    money: () => (costOf === undefined ? undefined : costTotalText(costs.total())),
    summary: (given, durationMs) => ({
      ...counts,
      failures,
      unfinished: given - counts.documents - counts.resumed,
      usage: usage.total(),
      ...(costOf === undefined ? {} : { cost: costs.total() }),
      durationMs: Math.round(durationMs),
    }),
  };
}

/** A running total by the rules of `totalUsage`: what is reported and what is not are never added together. */
function createUsageTotal(): { add(usage: Usage): void; total(): Usage } {
  let reported: Usage | undefined;
  let estimated: Usage | undefined;
  const plus = (sum: Usage | undefined, usage: Usage): Usage => (sum === undefined ? usage : totalUsage([sum, usage]));
  return {
    add(usage) {
      if (usage.reported) reported = plus(reported, usage);
      else estimated = plus(estimated, usage);
    },
    total() {
      const parts = [reported, estimated].filter((part) => part !== undefined);
      return parts.length > 0 ? totalUsage(parts) : unknownUsage;
    },
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
    ...(summary.resumed > 0 ? [`${summary.resumed} done before${resumedFailures(summary)}`] : []),
    ...(summary.retried > 0 ? [`${summary.retried} put back`] : []),
    ...(summary.unfinished > 0 ? [`interrupted with ${summary.unfinished} unfinished`] : []),
    ...(summary.paused > 0 ? [`${summary.paused} ${summary.paused === 1 ? 'pause' : 'pauses'}`] : []),
    tokens,
    ...(summary.cost === undefined ? [] : [costTotalText(summary.cost) ?? 'cost unknown']),
    `${(summary.durationMs / 1000).toFixed(1)} s`,
  ].join(' · ');
}

function resumedFailures({ resumedFailures: count }: Summary): string {
  return count === 0 ? '' : ` (${count} failed: --retry failed asks again)`;
}
