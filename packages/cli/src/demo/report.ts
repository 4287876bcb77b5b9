import type { DemoRow } from './run-document.ts';
import type { Verdict } from './verdict.ts';

/** What a demo run came to. */
export interface DemoSummary {
  readonly documents: number;
  readonly right: number;
  readonly typedFailures: number;
  /** Typed failures where the answer could have been recovered; part of `typedFailures`. */
  readonly missed: number;
  readonly silentlyWrong: number;
  /** Different pathologies that showed. */
  readonly pathologies: number;
  /** Different wires that were used. */
  readonly wires: number;
  readonly clean: number;
  readonly networkRetries: number;
  readonly seed: number;
  readonly model: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Counts the rows. */
export function summariseDemo(rows: readonly DemoRow[], facts: Pick<DemoSummary, 'seed' | 'model' | 'durationMs'>): DemoSummary {
  const count = (...verdicts: readonly Verdict[]): number => rows.filter((row) => verdicts.includes(row.verdict)).length;
  return {
    documents: rows.length,
    right: count('right'),
    typedFailures: count('typed-failure', 'missed'),
    missed: count('missed'),
    silentlyWrong: count('silently-wrong'),
    pathologies: new Set(rows.flatMap((row) => row.applied)).size,
    wires: new Set(rows.map((row) => row.wire)).size,
    clean: rows.filter((row) => row.applied.length === 0).length,
    networkRetries: rows.reduce((sum, row) => sum + row.networkRetries, 0),
    ...facts,
  };
}

/** The last lines for people; the very last one counts. */
export function summaryLines(summary: DemoSummary): readonly string[] {
  const { documents, pathologies, clean, missed, right, typedFailures, silentlyWrong } = summary;
  const seconds = (summary.durationMs / 1000).toFixed(1);
  return [
    `${documents} documents on ${summary.wires} wires, ${pathologies} different pathologies, ${clean} clean;\n${summary.networkRetries} network retries; seed ${summary.seed}; ${seconds} s.`,
    ...(typedFailures > missed ? ['A typed failure is the right answer where the damage destroyed the value:\nnothing was guessed.'] : []),
    ...(missed > 0 ? [`${missed} of the typed failures could have been a value.`] : []),
    `right ${right} · typed failures ${typedFailures} · silently wrong ${silentlyWrong}`,
  ];
}
