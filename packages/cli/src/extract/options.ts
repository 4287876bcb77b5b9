import { resolve } from 'node:path';
import type { AcceptPolicy } from '@vouch/contracts';
import type { ModelOptions } from '../model/model-choice.ts';
import { UsageError } from '../usage-error.ts';

/** The options of `vouch extract`. Seconds where named so. */
export interface ExtractOptions extends ModelOptions {
  readonly schema?: string;
  readonly out?: string;
  /** Discards what `out` holds. */
  readonly overwrite?: boolean;
  /** Which documents that an earlier run finished are asked about again. */
  readonly retry?: 'failed';
  readonly concurrency: number;
  readonly accept: AcceptPolicy;
  readonly retries?: number;
  readonly maxOutputTokens?: number;
  readonly timeout?: number;
  readonly json?: boolean;
  /** Shows the values as they grow. */
  readonly watch?: boolean;
  /** File with prices of models. */
  readonly prices?: string;
  /** Directory into which every exchange is written. */
  readonly record?: string;
  /** Directory from which every answer comes. */
  readonly replay?: string;
  /** What to extract, in the user's words; goes as the system prompt. */
  readonly instruction?: string;
}

/** Throws `UsageError` for names that are empty or cannot be meant. */
export function refuseWrongNames(files: readonly string[], options: ExtractOptions): void {
  const { schema, out, instruction, prices, record, replay } = options;
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('stdin (-) is given twice', 'it can be read once');
  if (files.some((file) => file === ''))
    throw new UsageError('the name of a document is empty', 'leave it out, or quote a name that is set');
  for (const [option, text] of Object.entries({ schema, out, instruction, prices, record, replay }))
    if (text?.trim() === '') throw new UsageError(`--${option} is empty`, `give it a value, or leave --${option} out`);
}

/** Throws `UsageError` for options that make no sense together. */
export function refuseContradictions({ out, overwrite, retry, record, replay, watch, json }: ExtractOptions): void {
  const toFile = out !== undefined && out !== '-';
  if (overwrite && !toFile) throw new UsageError('--overwrite needs --out FILE', 'stdout holds nothing that could be overwritten');
  if (retry !== undefined && !toFile) throw new UsageError('--retry needs --out FILE', 'only a file remembers what failed');
  if (overwrite && retry !== undefined)
    throw new UsageError('--overwrite and --retry contradict each other', 'overwriting asks about every document');
  if (watch && json)
    throw new UsageError('--watch and --json contradict each other', 'one draws for people, the other writes for programs');
  if (record !== undefined && replay !== undefined)
    throw new UsageError('--record and --replay contradict each other', 'what is replayed is recorded already');
}

/** Each document once, by its first name, in the order given; `-` is stdin. */
export function distinctFiles(files: readonly string[], cwd: string): readonly string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const place = file === '-' ? file : resolve(cwd, file);
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}
