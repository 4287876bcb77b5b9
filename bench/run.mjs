// Runs the benches: npm run bench [-- --help]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchTable } from './src/harness/table.mjs';

/** @typedef {import('./src/harness/bench.mjs').BenchResult} BenchResult */

const folder = join(import.meta.dirname, 'src');
const suffix = '.bench.mjs';
const known = readdirSync(folder)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));

const usage = `npm run bench -- [NAME…] [options]

Measures our work against a floor or a peer, and prints the ratios. NAMEs are
${known.join(', ').replace(/(.{1,76})(?: |$)/g, '  $1\n')}All of them take about 25 minutes on an idle machine, with --quick about 2.

  --quick      3 short rounds of little warmed code, for a first look
  --rounds N   rounds of each bench, 1 to 1000; default 15, with --quick 3
  --json       figures and machine as JSON
  --check      exit code 1 when a ratio passes its limit
  -h, --help   this

Exit codes: 0 measured, 1 over a limit with --check, 2 wrong use.`;

const { options, names, rounds } = readArguments();
const milliseconds = options.quick ? 20 : 60;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        json: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (values.check && values.quick) throw new RangeError('--quick measures too little for --check');
    const given = values.rounds ?? (values.quick ? '3' : '15');
    if (!/^\d{1,4}$/.test(given) || Number(given) < 1 || Number(given) > 1_000)
      throw new RangeError('--rounds takes a whole number from 1 to 1000');
    const unknown = positionals.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new RangeError(`no bench is called "${unknown}"`);
    return { options: values, names: positionals.length === 0 ? known : [...new Set(positionals)], rounds: Number(given) };
  } catch (error) {
    console.error(`bench: ${/** @type {Error} */ (error).message}\n\n${usage}`);
    process.exit(2);
  }
}

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
 * The names of a file's benches, asked for in a process of its own.
 *
 * @param {string} name
 * @returns {Promise<readonly { readonly file: string, readonly benchName: string }[]>}
 */
async function benchesOf(name) {
  const file = join(folder, `${name}${suffix}`);
  const [benchNames] = /** @type {readonly (readonly string[])[]} */ (await runWorker([file]));
  return (benchNames ?? []).map((benchName) => ({ file, benchName }));
}

/** @param {number} done @param {number} all @param {string} next */
function showProgress(done, all, next) {
  const minutes = (performance.now() - startedAt) / 60_000;
  const left = done === 0 ? '' : `, about ${((minutes / done) * (all - done)).toFixed(1)} min left`;
  const text = `${done + 1} of ${all}: ${next}${left}`;
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${text}` : `${text}\n`);
}

function clearProgress() {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
}

const startedAt = performance.now();
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
const planned = [];
for (const name of names) planned.push(...(await benchesOf(name)));
for (const [index, { file, benchName }] of planned.entries()) {
  showProgress(index, planned.length, benchName);
  const [result] = await runWorker([file, benchName, String(rounds), String(milliseconds), String(options.quick)]);
  results.push(/** @type {BenchResult} */ (result));
  clearProgress();
  if (!options.json) console.log(`\n${benchTable(/** @type {BenchResult} */ (result))}`);
}
const over = results.flatMap(({ name, ratios }) => ratios.filter(({ verdict }) => verdict === 'over').map((ratio) => ({ name, ...ratio })));
const loadAfter = loadavg()[0] ?? Number.NaN;
if (options.json) console.log(JSON.stringify({ machine: { ...machine, loadAfter }, rounds, milliseconds, results }, null, 2));
else {
  for (const { name, of, to, ratio, limit } of over)
    console.log(`over: ${name}: ${of} / ${to} is ${ratio.median.toFixed(2)}, limit ${limit}`);
  console.log(
    `\n${options.quick ? 'A first look: no verdict on a limit comes of so few rounds.\n' : ''}${over.length} of ${results.flatMap(({ ratios }) => ratios).length} ratios over their limits; load ${loadAfter.toFixed(2)}`,
  );
}
if (options.check && over.length > 0) process.exitCode = 1;
