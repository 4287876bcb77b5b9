import { describe, expect, it } from 'vitest';
import { aiClient, aiMiddlewareClient } from './ai-client.ts';
import { comparable, conformanceDocument, verdictRows } from './document.ts';
import { openaiClient } from './openai-client.ts';
import { type Line, runAll } from './run-all.ts';
import { runCase } from './run-case.ts';
import { cases } from './scenario.ts';
import { describeOutcome } from './verdict.ts';
import { vouchClient } from './vouch-client.ts';

const clients = [vouchClient, openaiClient, aiClient, aiMiddlewareClient];
const facts = { date: '2026-11-30', releases: ['a 1.0.0'], node: '20', seed: 1, draws: 2, deadlineMs: 20_000 };

function run(ids: readonly string[], draws: number): Promise<readonly Line[]> {
  const list = cases.filter(({ id }) => ids.includes(id));
  return runAll(clients, list, { seed: 1, draws, deadlineMs: 20_000, lanes: 8, onProgress: () => undefined });
}

describe('the runner', () => {
  it('gives each client its verdict, and shows what it should on every draw', async () => {
    const lines = await run(['A1', 'B5', 'B17', 'C1', 'C10', 'C25', 'D20', 'S9', 'overloaded'], 2);
    expect(lines.every(({ cells }) => cells.every(({ notShown, draws }) => notShown === 0 && draws === 2))).toBe(true);
    const verdictsOf = (id: string): readonly string[] =>
      lines.filter(({ it }) => it.id === id).map(({ cells }) => cells.map(({ verdict }) => verdict).join(' '));
    expect(verdictsOf('B5')).toEqual(['right right right right']);
    expect(verdictsOf('D20')).toEqual(['right right right right']);
    expect(verdictsOf('overloaded')).toEqual(Array(2).fill('right right right right'));
    expect(verdictsOf('A1')).toEqual(Array(2).fill('right failed failed failed'));
    expect(verdictsOf('C10')).toEqual(['right crash failed failed', 'right failed failed failed']);
    expect(verdictsOf('C25')).toEqual(Array(2).fill('right wrong wrong wrong'));
    expect(verdictsOf('C1')).toEqual(Array(2).fill('right wrong right right'));
  });

  it('writes a document that a later run can be compared with', async () => {
    const lines = await run(['C1', 'S9', 'split'], 1);
    const text = conformanceDocument(clients, lines, facts);
    expect(text).toContain('| right | 3 | 1 | 3 | 3 |');
    expect(text).toContain('| right | 2 | 2 | 2 | 2 |');
    expect(text).toContain('There is no case here on which another client is right and Vouch is not.');
    const rows = comparable(text.split('\n'));
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(comparable(verdictRows(lines)));
    expect(rows.at(0)).toBe('| C1 | null-content | whole | typed failure | right | **silently wrong: nothing** | right | right |');
    const worse = lines.map((line) => ({ ...line, cells: line.cells.map((cell) => ({ ...cell, verdict: 'hang' as const })) }));
    expect(comparable(verdictRows(worse))).not.toEqual(rows);
    expect(conformanceDocument(clients, worse, facts)).toContain('| hang | 3 | 3 | 3 | 3 |');
  });

  it('says where another client is right and Vouch is not', async () => {
    const lines = await run(['S9'], 1);
    const [line] = lines;
    if (line === undefined) throw new Error('no line');
    const [own, ...others] = line.cells;
    if (own === undefined) throw new Error('no cell');
    const text = conformanceDocument(clients, [{ ...line, cells: [{ ...own, verdict: 'failed' }, ...others] }], facts);
    expect(text).toContain('Another client is right where Vouch is not on 1 cases: S9.');
  });

  it('a client that never ends hangs, and the run goes on', async () => {
    const [it] = cases;
    if (it === undefined) throw new Error('no case');
    const never = { ...vouchClient, run: () => new Promise<never>(() => undefined) };
    const options = { seed: 1, deadlineMs: 30, watch: async <R>(work: () => Promise<R>) => [await work(), []] as const };
    expect(await runCase(never, it, options)).toMatchObject({ verdict: 'hang', applied: [] });
  });
});

describe.concurrent('Vouch on every pathology and fault', () => {
  it.each(cases.map((it) => [it.id, it.title, it.delivery, it] as const))(
    '%s, %s, %s: never silently wrong, never an untyped exception, never without an end',
    async (_id, _title, _delivery, it) => {
      const watch = async <R>(work: () => Promise<R>) => [await work(), []] as const;
      const { verdict, outcome, applied } = await runCase(vouchClient, it, { seed: 7, deadlineMs: 20_000, watch });
      expect(applied).toEqual([it.id]);
      expect(verdict, describeOutcome(outcome)).not.toMatch(/wrong|crash|hang/);
    },
  );
});
