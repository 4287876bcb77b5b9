import { Writable } from 'node:stream';
import { pathologyById } from '@vouch/lab';
import { expect, it } from 'vitest';
import { demoDocuments, slotOf } from '../src/demo/plan.ts';
import { demoWires, wiresThatShow } from '../src/demo/wires.ts';
import { textWidth } from '../src/terminal/text-width.ts';
import { jsonLines, vouch } from './support/run-vouch.ts';

interface Row {
  readonly document: string;
  readonly wire: string;
  readonly applied: readonly string[];
  readonly pathology?: { readonly id: string; readonly expected: string };
  readonly verdict: string;
  readonly value?: unknown;
  readonly failure?: { readonly kind: string; readonly reason: string };
}

it.each([1, 2, 11])(
  '[SG-100] with seed %i: at least 34 documents, at least 30 pathologies, nothing missed and nothing silently wrong',
  async (seed) => {
    const ran = await vouch(['demo', '--json', '--seed', String(seed)]);
    const lines = jsonLines(ran.stdout);
    const rows = lines.slice(0, -1) as unknown as readonly Row[];
    const [{ summary }] = lines.slice(-1) as unknown as [{ summary: { [name: string]: number } }];
    expect(rows.filter((row) => row.verdict === 'silently-wrong' || row.verdict === 'missed')).toEqual([]);
    expect(summary).toMatchObject({ silentlyWrong: 0, missed: 0, documents: rows.length, seed });
    expect(rows.length).toBeGreaterThanOrEqual(34);
    expect(new Set(rows.flatMap((row) => row.applied)).size).toBe(summary.pathologies);
    expect(summary.pathologies).toBeGreaterThanOrEqual(30);
    // Every wire of the lab is gone over, each by several documents.
    expect(demoWires.length).toBeGreaterThanOrEqual(5);
    for (const wire of demoWires) expect(rows.filter((row) => row.wire === wire).length).toBeGreaterThanOrEqual(3);
    // Every row is a value or a failure, and both kinds are seen, also among the clean ones.
    for (const row of rows) expect('value' in row).not.toBe('failure' in row);
    expect(summary.right).toBeGreaterThanOrEqual(25);
    expect(summary.typedFailures).toBeGreaterThanOrEqual(3);
    expect(rows.filter((row) => row.applied.length === 0).every((row) => row.verdict === 'right')).toBe(true);
    expect(ran.code).toBe(0);
  },
);

it('the default pairing shows every pathology of the plan', async () => {
  const ran = await vouch(['demo', '--json']);
  const rows = jsonLines(ran.stdout).slice(0, -1) as unknown as readonly Row[];
  expect(rows.filter((row) => row.pathology !== undefined && row.applied[0] !== row.pathology.id)).toEqual([]);
});

it('shows each pathology on a wire where it can show', () => {
  for (const index of demoDocuments.keys()) {
    const { pathology, wire } = slotOf(index, 1);
    const row = pathology === undefined ? undefined : pathologyById(pathology);
    expect(row === undefined ? [...demoWires] : wiresThatShow(row)).toContain(wire);
  }
});

it('fits 80 columns on a terminal, with every pathology, wire and verdict whole', async () => {
  const chunks: string[] = [];
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.assign(stdout, { isTTY: true, columns: 80 });
  await vouch(['demo', '--no-animation'], { stdout, isTTY: { stdout: true, stderr: false }, env: { NO_COLOR: '1' } });
  const lines = chunks.join('').split('\n');
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
  const columns = lines.filter((line) => line.startsWith('│')).map((line) => line.split('│').map((cell) => cell.trim()));
  for (const at of [2, 3, 5]) expect(columns.map((cells) => cells[at]).filter((cell) => cell?.includes('…'))).toEqual([]);
  expect(new Set(columns.map((cells) => cells[2]))).toEqual(new Set(['wire', '', 'chat', 'responses', 'messages', 'gemini', 'ollama']));
});

it('prints plain lines without a terminal, says what the reader is, and counts in the last line', async () => {
  const ran = await vouch(['demo']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).not.toContain('\u001b');
  expect(ran.stdout).toMatch(/is not a\s+language model/);
  expect(ran.stdout.trimEnd().split('\n').at(-1)).toMatch(/^right \d+ · typed failures \d+ · silently wrong 0$/);
  expect(ran.stdout).toMatch(/^typed failure {2}\S+\.txt \| /m);
});

it('redraws a table on a terminal, and neither redraws nor colours with NO_COLOR', async () => {
  const isTTY = { stdout: true, stderr: true };
  const live = await vouch(['demo'], { isTTY });
  expect(live.stdout).toContain('\u001b[');
  expect(live.stdout).toContain('the wire sent');
  const plain = await vouch(['demo'], { isTTY, env: { NO_COLOR: '1' } });
  expect(plain.stdout).not.toContain('\u001b');
  expect(plain.stdout).toContain('the wire sent');
});

it('[SG-038] no key of the environment is sent or shown', async () => {
  const canary = 'sk-canary-77aa';
  const ran = await vouch(['demo', '--json'], { env: { OPENAI_API_KEY: canary, GROQ_API_KEY: canary, VOUCH_API_KEY: canary } });
  expect(ran.stdout + ran.stderr).not.toContain(canary);
});
