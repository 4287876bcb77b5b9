import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type CorpusCase, type CorpusOutcome, routeCorpusCase } from '../../src/wire/corpus-case.ts';
import { ajvGate } from '../../src/wire/json/test-support/ajv-gate.ts';

type Wanted = CorpusOutcome | { readonly kind: 'any_value' };
type Line = CorpusCase & { readonly expect: Wanted; readonly accept?: readonly Wanted[]; readonly judgement?: boolean };

const lines: readonly Line[] = readFileSync(new URL('../../fixtures/corpus-siblings/cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

// Over JSON, so that -0 is 0.
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const allows = (wanted: Wanted, got: CorpusOutcome): boolean =>
  wanted.kind === 'any_value' ? got.kind === 'value' : isDeepStrictEqual(plain(wanted), plain(got));

const allowed = (line: Line, got: CorpusOutcome): boolean => [line.expect, ...(line.accept ?? [])].some((wanted) => allows(wanted, got));

function outcome(line: Line): CorpusOutcome | { readonly kind: 'exception'; readonly message: string } {
  try {
    return routeCorpusCase(line, ajvGate);
  } catch (error) {
    return { kind: 'exception', message: String(error) };
  }
}

describe('the siblings of the conformance corpus', () => {
  const scored = lines.map((line) => ({ line, got: outcome(line) }));

  it('[SG-066] no case throws', () => {
    expect(scored.filter(({ got }) => got.kind === 'exception').map(({ line, got }) => [line.id, got])).toEqual([]);
  });

  it('[SG-066] no case is silently wrong, judgement cases included', () => {
    const wrong = scored.filter(({ line, got }) => (got.kind === 'value' || got.kind === 'tool_calls') && !allowed(line, got));
    expect(wrong.map(({ line, got }) => [line.id, got])).toEqual([]);
  });

  it('[SG-066] at least 99 % of the firm cases come out as they list', () => {
    const firm = scored.filter(({ line }) => line.judgement !== true);
    const other = firm.filter(({ line, got }) => got.kind === 'exception' || !allowed(line, got)).map(({ line, got }) => [line.id, got]);
    expect(other.length / firm.length, JSON.stringify(other)).toBeLessThanOrEqual(0.01);
  });
});
