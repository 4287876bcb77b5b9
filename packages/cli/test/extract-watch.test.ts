import { type Clock, systemClock } from '@vouch/contracts';
import { reader, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPlain, vouch } from './support/run-vouch.ts';

const documents = ['bakery-supplies', 'harbour-timber', 'hosting'].map((name) => `examples/documents/invoice-${name}.txt`);
const terminal = { stdout: false, stderr: true };
// Draws a hundred times as often: the lab answers within milliseconds.
const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 100, callback) };

async function labUrl(pathologies: readonly string[]): Promise<string> {
  const lab = await startLab({ model: reader(), pathologies: pathologies.map((id) => ({ id, rate: 1 })), seed: 3 });
  onTestFinished(() => lab.close());
  return lab.baseUrl;
}

const argv = (baseUrl: string, ...more: readonly string[]): readonly string[] => [
  'extract',
  '--schema',
  'examples/schemas/invoice.mjs',
  '--base-url',
  baseUrl,
  '--model',
  'm',
  ...more,
  ...documents,
];

interface Line {
  readonly path: string;
  readonly value?: unknown;
  readonly failure?: { readonly kind: string };
}

const linesOf = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('extract --watch', () => {
  it.each([['none'], ['C10'], ['C4'], ['S3'], ['S20']])('gives the lines that it gives without, under %s', async (id) => {
    const pathologies = id === 'none' ? [] : [id];
    const watched = await vouch(argv(await labUrl(pathologies), '--watch'), { isTTY: terminal, clock });
    const plain = await vouch(argv(await labUrl(pathologies)), { isTTY: terminal });
    const shown = (stdout: string) => linesOf(stdout).map(({ path, value, failure }) => ({ path, value, kind: failure?.kind }));
    // A cut shows in streams alone.
    if (id === 'S20') expect(shown(watched.stdout).map(({ kind }) => kind)).toEqual(['truncated', 'truncated', 'truncated']);
    else expect(shown(watched.stdout)).toEqual(shown(plain.stdout));
    // Behind prose nothing is a value before its end.
    if (id !== 'C10') expect(watched.stderr).toContain('invoiceNumber');
    expect(plain.stderr).not.toContain('invoiceNumber');
  });

  it('shows values as they grow, and a line of how far it is', async () => {
    const { stderr, code } = await vouch(argv(await labUrl([]), '--watch'), { isTTY: terminal, clock });
    expect(code).toBe(0);
    expect(stderr).toContain('examples/documents/invoice-hosting.txt');
    expect(stderr).toMatch(/\d\/3 documents/);
    expect(stderr).toMatch(/3 documents · 3 values/);
  });

  it.each([
    [['--json'], terminal, '--watch and --json contradict each other'],
    [[], { stdout: false, stderr: false }, '--watch needs a terminal'],
  ])('is refused with %j on %j, before anything is sent', async (more, isTTY, message) => {
    const lab = await startLab();
    onTestFinished(() => lab.close());
    const ran = await vouch(argv(lab.baseUrl, '--watch', ...more), { isTTY });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(isPlain(ran.stderr)).toBe(true);
    expect(lab.requests()).toEqual([]);
  });
});
