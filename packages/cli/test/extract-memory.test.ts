import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock, type TryResult } from '@vouch/contracts';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDoom } from '../src/extract/doom.ts';
import type { DocumentLine } from '../src/extract/extract-document.ts';
import { runDocuments } from '../src/extract/run-documents.ts';
import { createTally } from '../src/report/tally.ts';
import { completion } from './support/fake-server.ts';
import { directoryOf, vouch } from './support/run-vouch.ts';

const count = 3_000;
const concurrency = 4;
const names = Array.from({ length: count }, (_, index) => `${index}.txt`);
const schema = '{"type":"object","properties":{"pier":{"type":"integer"},"note":{"type":"string"}},"required":["pier"]}';

let collect: () => void = () => undefined;
beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
});

/** Objects of which one hears how many are left. */
function watchList(): { readonly add: (object: object) => void; readonly alive: () => Promise<number> } {
  let watched: WeakRef<object>[] = [];
  return {
    add: (object) => void watched.push(new WeakRef(object)),
    async alive() {
      // A reference that was made or read in this turn of the loop holds its object until the turn ends.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      watched = watched.filter((reference) => reference.deref() !== undefined);
      return watched.length;
    },
  };
}

async function directoryOfMany(): Promise<string> {
  const cwd = await directoryOf({ 'schema.json': schema });
  for (const name of names) await writeFile(join(cwd, name), `Pier: ${name}`);
  return cwd;
}

describe('memory over thousands of documents', { timeout: 120_000 }, () => {
  it.each([
    ['a file', true],
    ['a stream', false],
  ])('%s: as many lines and answers are held as are under way, however many were written', async (_title, keeps) => {
    const cwd = await directoryOfMany();
    const watch = watchList();
    const tally = createTally();
    let written = 0;
    let most = 0;
    await runDocuments(names, {
      model: 'm',
      concurrency,
      retryFailed: false,
      io: { cwd, stdin: (async function* () {})() },
      signal: new AbortController().signal,
      keyOf: (text) => text,
      ask: async (text) => {
        const response = { note: text };
        watch.add(response);
        return {
          ok: true,
          response,
          history: [],
          meta: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, reported: true }, wire: [] },
        } as unknown as TryResult<unknown>;
      },
      output: {
        keeps,
        find: () => undefined,
        async write(line: DocumentLine) {
          watch.add(line);
          written += 1;
          if (written % 250 === 0) most = Math.max(most, await watch.alive());
        },
        isClosed: () => false,
        close: async () => undefined,
      },
      doom: createDoom(),
      tally,
      pause: { wait: async () => undefined, untilMs: () => undefined },
      clock: systemClock,
      worked: () => undefined,
      finishing: () => undefined,
      finished: async () => undefined,
      skipped: () => undefined,
      stop: () => undefined,
    });
    expect(written).toBe(count);
    expect(most).toBeGreaterThan(0);
    // An answer and a line of each document that is worked on, or that waits for an earlier one: 16 times the concurrency at most.
    expect(most).toBeLessThanOrEqual(2 * (concurrency * 16 + concurrency));
    expect(await watch.alive()).toBeLessThanOrEqual(2);
    expect(tally.summary(count, 0)).toMatchObject({ documents: count, usage: { totalTokens: 2 * count, reported: true } });
  });

  it('the whole command: what the provider was asked and what it said is let go', async () => {
    const cwd = await directoryOfMany();
    const watch = watchList();
    let answered = 0;
    const samples: { readonly alive: number; readonly heapBytes: number }[] = [];
    vi.stubGlobal('fetch', async (_input: unknown, init: RequestInit) => {
      const note = `${answered}`.padEnd(10_000, 'n');
      const answer = new Response(completion(JSON.stringify({ pier: answered, note })), {
        headers: { 'content-type': 'application/json' },
      });
      watch.add(init);
      watch.add(answer);
      answered += 1;
      if (answered % 500 === 0) samples.push({ alive: await watch.alive(), heapBytes: process.memoryUsage().heapUsed });
      return answer;
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const ran = await vouch(
      [
        ...['extract', '--schema', 'schema.json', '--base-url', 'http://provider.example/v1', '--model', 'm'],
        ...['--concurrency', String(concurrency), '--out', 'o.jsonl', ...names],
      ],
      { cwd },
    );
    expect(ran.stderr).toContain(`${count} documents · ${count} values`);
    expect((await readFile(join(cwd, 'o.jsonl'), 'utf8')).split('\n')).toHaveLength(count + 1);
    for (const { alive } of samples) expect(alive).toBeLessThanOrEqual(2 * concurrency * 2);
    // Between the second sample and the last, 20 MB of answers were written.
    const [, second, , , , last] = samples.map(({ heapBytes }) => heapBytes);
    expect((last ?? Number.POSITIVE_INFINITY) - (second ?? 0)).toBeLessThan(8_000_000);
  });
});
