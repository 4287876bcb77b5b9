// Runs the benches: npm run bench [-- NAME…] [--quick] [--rounds N] [--json] [--check]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchTable } from './src/harness/table.mjs';

/** @typedef {import('./src/harness/bench.mjs').BenchResult} BenchResult */

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 5 : 15));
if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds takes a whole number of at least 1');
const milliseconds = options.quick ? 20 : 60;

const folder = join(import.meta.dirname, 'src');
const suffix = '.bench.mjs';
const known = readdirSync(folder)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`no bench ${unknown}; there are ${known.join(', ')}`);

/**
 * Runs the worker to its end and gives every message that it sent.
 *
 * @param {readonly string[]} parameters
 * @returns {Promise<readonly unknown[]>}
 */
async function runWorker(parameters) {
  const child = fork(join(folder, 'harness/worker.mjs'), parameters, { execArgv: ['--expose-gc'] });
  /** @type {unknown[]} */
  const messages = [];
  child.on('message', (message) => messages.push(message));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`bench ${parameters.join(' ')} ended with code ${code}`);
  return messages;
}

/**
 * Each bench of the file in a process of its own; the names are asked for in another.
 *
 * @param {string} name
 * @param {(result: BenchResult) => void} onResult
 */
async function runFile(name, onResult) {
  const file = join(folder, `${name}${suffix}`);
  const [benchNames] = /** @type {readonly (readonly string[])[]} */ (await runWorker([file]));
  for (const benchName of benchNames ?? []) {
    const [result] = await runWorker([file, benchName, String(rounds), String(milliseconds)]);
    onResult(/** @type {BenchResult} */ (result));
  }
}

const machine = {
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  processors: cpus().length,
  loadBefore: loadavg()[0] ?? Number.NaN,
};
/** @type {BenchResult[]} */
const results = [];
if (!options.json) {
  console.log(`node ${machine.node}, ${machine.processors} × ${machine.processor}, load ${machine.loadBefore.toFixed(2)}`);
}
for (const name of names.length === 0 ? known : names) {
  await runFile(name, (result) => {
    results.push(result);
    if (!options.json) console.log(`\n${benchTable(result)}`);
  });
}
const over = results.flatMap(({ name, ratios }) => ratios.filter(({ verdict }) => verdict === 'over').map((ratio) => ({ name, ...ratio })));
const loadAfter = loadavg()[0] ?? Number.NaN;
if (options.json) console.log(JSON.stringify({ machine: { ...machine, loadAfter }, rounds, milliseconds, results }, null, 2));
else {
  for (const { name, of, to, ratio, limit } of over)
    console.log(`over: ${name}: ${of} / ${to} is ${ratio.median.toFixed(2)}, limit ${limit}`);
  console.log(
    `\n${over.length} of ${results.flatMap(({ ratios }) => ratios).length} ratios over their limits; load ${loadAfter.toFixed(2)}`,
  );
}
if (options.check && over.length > 0) process.exitCode = 1;
