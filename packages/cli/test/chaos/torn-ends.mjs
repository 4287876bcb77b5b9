// The end of the file is cut at every byte of its last two lines, and the run is started again on each.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { seededRandom, writeDocuments } from './documents.mjs';
import { differences, leftovers, readLines } from './lines.mjs';

/**
 * @typedef {object} TornOptions
 * @property {(argv: readonly string[], io: import('../../src/terminal/cli-io.ts').CliIo) => Promise<number>} runCli
 * @property {(options: import('@vouch/lab').LabOptions) => Promise<import('@vouch/lab').Lab>} startLab
 * @property {number} documents
 * @property {number} seed
 * @property {AbortSignal} signal
 * @property {(done: number, total: number) => void} [onOffset]
 */

/**
 * Gives how many offsets were tried, and what was not as an undisturbed run leaves it.
 * @param {TornOptions} options
 * @returns {Promise<{ offsets: number, problems: readonly string[] }>}
 */
export async function tearEverywhere({ runCli, startLab, documents, seed, signal, onOffset }) {
  const directory = await mkdtemp(join(tmpdir(), 'vouch-torn-'));
  const lab = await startLab({ seed });
  try {
    const names = await writeDocuments(directory, documents, seededRandom(seed));
    const file = join(directory, 'out.jsonl');
    const argv = ['extract', '--schema', 'schema.json', '--base-url', lab.baseUrl, '--model', 'lab', '--out', 'out.jsonl', ...names];
    const run = () => runCli(argv, ioOf(directory, signal));
    if ((await run()) !== 0) throw new Error('the undisturbed run itself went wrong');
    const whole = await readFile(file);
    const expected = (await readLines(file)).values;
    /** @type {string[]} */
    const problems = [];
    const lineStarts = [0, ...[...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)];
    const from = lineStarts.at(-3) ?? 0;
    const total = whole.length - from;
    for (let offset = from; offset <= whole.length && !signal.aborted; offset += 1) {
      await writeFile(file, whole.subarray(0, offset));
      const code = await run();
      if (code !== 0) problems.push(`cut at byte ${offset}: exit code ${code}`);
      for (const difference of differences(await readLines(file), expected)) problems.push(`cut at byte ${offset}: ${difference}`);
      for (const name of await leftovers(file)) problems.push(`cut at byte ${offset}: ${name} was left behind`);
      onOffset?.(offset - from, total);
      if (problems.length > 20) break;
    }
    return { offsets: total + 1, problems };
  } finally {
    await lab.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** @param {string} cwd @param {AbortSignal} signal */
function ioOf(cwd, signal) {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { stdout: nowhere(), stderr: nowhere(), stdin: noInput(), env: {}, cwd, isTTY: { stdout: false, stderr: false }, signal };
}

/** @returns {AsyncIterable<string>} */
async function* noInput() {
  // Nothing is read from it.
}
