import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type CorpusCase, type CorpusOutcome, routeCorpusCase } from './corpus-case.ts';
import { ajvGate } from './json/test-support/ajv-gate.ts';

type Wanted = CorpusOutcome | { readonly kind: 'any_value' };
type Line = CorpusCase & { readonly expect: Wanted; readonly accept?: readonly Wanted[]; readonly judgement?: boolean };

const lines: readonly Line[] = readFileSync(new URL('../../fixtures/corpus/conformance.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

// Over JSON, so that -0 is 0.
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function matches(wanted: Wanted, got: CorpusOutcome): boolean {
  if (wanted.kind === 'any_value') return got.kind === 'value';
  if (wanted.kind === 'failure') return got.kind === 'failure' && got.reason === wanted.reason;
  return isDeepStrictEqual(plain(wanted), plain(got));
}

type Verdict = 'right' | 'tolerable' | 'missed' | 'wrong_reason' | 'silently_wrong';

function verdict(line: Line, got: CorpusOutcome): Verdict {
  if (matches(line.expect, got)) return 'right';
  if (line.accept?.some((wanted) => matches(wanted, got)) === true) return 'tolerable';
  if (got.kind !== 'failure') return 'silently_wrong';
  return line.expect.kind === 'failure' ? 'wrong_reason' : 'missed';
}

describe('the conformance corpus', () => {
  const scored = lines.map((line) => ({ line, verdict: verdict(line, routeCorpusCase(line, ajvGate)) }));
  const share = (kinds: readonly Verdict[]): number => {
    const firm = scored.filter(({ line }) => line.judgement !== true);
    return firm.filter((one) => kinds.includes(one.verdict)).length / firm.length;
  };

  it('[SG-066] holds no case that is silently wrong', () => {
    expect(scored.filter((one) => one.verdict === 'silently_wrong').map(({ line }) => line.id)).toEqual([]);
  });

  it('[SG-066] is right in at least 95 % of the firm cases, right or tolerable in at least 99 %', () => {
    expect(share(['right'])).toBeGreaterThanOrEqual(0.95);
    expect(share(['right', 'tolerable'])).toBeGreaterThanOrEqual(0.99);
  });

  it('[SG-066] misses no value that a firm case wants', () => {
    expect(scored.filter((one) => one.verdict === 'missed' && one.line.judgement !== true).map(({ line }) => line.id)).toEqual([]);
  });
});
