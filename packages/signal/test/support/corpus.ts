import { readFileSync } from 'node:fs';
import type { JsonSchema } from '@vouch/contracts';

/** An outcome as the corpus writes it. */
export interface CorpusOutcome {
  readonly kind: 'value' | 'failure' | 'tool_calls' | 'any_value';
  readonly value?: unknown;
  readonly reason?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** A line of the conformance corpus. */
export interface CorpusLine {
  readonly id: string;
  readonly raw: string | readonly string[];
  readonly finish: string;
  readonly channel?: string;
  readonly schema: JsonSchema;
  readonly tools?: readonly { readonly name: string; readonly parameters: JsonSchema }[];
  readonly exitTool?: string;
  readonly expect: CorpusOutcome;
  readonly accept?: readonly CorpusOutcome[];
}

/** The text of a case, its chunks joined. */
export const rawText = ({ raw }: CorpusLine): string => (typeof raw === 'string' ? raw : raw.join(''));

/** The whole conformance corpus. */
export function readCorpus(): readonly CorpusLine[] {
  return readFileSync(new URL('../../fixtures/corpus/conformance.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CorpusLine);
}
