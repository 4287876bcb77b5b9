import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { openJournal } from './journal.ts';
import { scanJournal } from './scan.ts';

const documentLine = fc
  .record({ path: fc.constantFrom('a', 'b', 'ü', '🚢'), text: fc.string({ unit: 'grapheme', maxLength: 20 }), failed: fc.boolean() })
  .map(({ path, text, failed }) =>
    JSON.stringify({
      path,
      ...(failed ? { failure: { kind: 'limit', message: text } } : { value: text }),
      key: text,
      model: 'm',
      usage: {},
    }),
  );

async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vouch-journal-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'o.jsonl');
}

const options = { shown: 'o.jsonl', overwrite: false, note: async () => undefined };
const linesOf = (text: string): readonly { readonly path: string; readonly value?: string }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { path: string });

it('cut at any byte, no whole line is lost, each document stands once, and no value is gone', async () => {
  const file = await temporary();
  await fc.assert(
    fc.asyncProperty(fc.array(documentLine, { maxLength: 8 }), fc.nat(), fc.nat(40), async (lines, at, zeros) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1);
      const left = Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(zeros)]);
      await writeFile(file, left);
      await rm(`${file}.replaced.jsonl`, { force: true });
      // A line is whole when all of it is there, its line feed or not.
      const whole = lines.filter((_line, index) => {
        const end = Buffer.byteLength(lines.slice(0, index + 1).join('\n'));
        return end < cut || (end === cut && zeros === 0);
      });
      const journal = await openJournal(file, options);
      await journal.close({ tidy: true });
      const kept = linesOf(await readFile(file, 'utf8'));
      const replaced = linesOf(await readFile(`${file}.replaced.jsonl`, 'utf8').catch(() => ''));
      const expected = linesOf(whole.join('\n'));
      const last = new Map(expected.map((line) => [line.path, line]));
      expect(new Map(kept.map((line) => [line.path, line]))).toEqual(last);
      expect(kept).toHaveLength(last.size);
      expect(replaced).toEqual(expected.filter((line) => last.get(line.path) !== line && line.value !== undefined));
    }),
    { numRuns: 150 },
  );
}, 60_000);

it('keeps nothing of the lines but what it was asked to know', async () => {
  const file = await temporary();
  const value = 'x'.repeat(100_000);
  const lines = Array.from({ length: 300 }, (_, index) => JSON.stringify({ path: `${index % 3}`, value, key: 'k', model: 'm', usage: {} }));
  await writeFile(file, `${lines.join('\n')}\n`);
  const handle = await open(file, 'r');
  const { state } = await scanJournal(handle, 'o.jsonl');
  await handle.close();
  expect(state.live.size).toBe(3);
  expect(state.replaced.size).toBe(297);
  expect(JSON.stringify([[...state.live], [...state.replaced]]).length).toBeLessThan(20_000);
});

it('lines that are appended at once are written one after another, each whole', async () => {
  const file = await temporary();
  const journal = await openJournal(file, options);
  const paths = Array.from({ length: 50 }, (_, index) => `${index}`);
  await Promise.all(
    paths.map((path) =>
      journal.append(JSON.stringify({ path, value: 'y'.repeat(Number(path) * 300), model: 'm', usage: {} }), {
        path,
        hasValue: true,
        isUnanswered: false,
      }),
    ),
  );
  expect(linesOf(await readFile(file, 'utf8')).map(({ path }) => path)).toEqual(paths);
  await journal.close({ tidy: true });
});
