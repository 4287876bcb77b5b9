// npm run chaos:extract -- [--help]
// Exit code 0: the killed runs gave what an undisturbed one gives; 1: a difference; 2: wrong use; 130: interrupted.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLab } from '@vouch/lab';
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { runChaos } from './chaos.mjs';
import { tearEverywhere } from './torn-ends.mjs';

/** @param {string} path */
function built(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

const usage = `npm run chaos:extract -- [options]

Kills runs of \`vouch extract --out\` again and again, goes on with each, and
compares the file with that of a run that nobody disturbed. Needs no key; about
one second a kill.

  --kills N      times that a run is killed, up to 10000; default 100
  --documents N  up to 20000; default 2000
  --seed N       where the kills fall, up to 999999999; default 1
  --torn         instead: tears the file at each of its bytes, and goes on
  --json         the report as one line of JSON
  -h, --help     this

Exit codes: 0 no difference, 1 a difference, 2 wrong use, 130 interrupted.`;

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
try {
  process.exitCode = await main(readOptions());
} catch (error) {
  if (interrupt.signal.aborted) process.exitCode = 130;
  else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = error instanceof RangeError ? 2 : 1;
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        kills: { type: 'string', default: '100' },
        documents: { type: 'string', default: '2000' },
        seed: { type: 'string', default: '1' },
        torn: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const whole = (/** @type {'kills' | 'documents' | 'seed'} */ name, /** @type {number} */ most) => {
      if (!/^\d{1,9}$/.test(values[name]) || Number(values[name]) > most) throw new RangeError(`--${name} is a whole number up to ${most}`);
      return Number(values[name]);
    };
    return {
      kills: whole('kills', 10_000),
      documents: whole('documents', 20_000),
      seed: whole('seed', 999_999_999),
      torn: values.torn,
      json: values.json,
    };
  } catch (error) {
    throw new RangeError(`${/** @type {Error} */ (error).message}\n\n${usage}`);
  }
}

/** @param {ReturnType<typeof readOptions>} options */
async function main({ torn, json, ...options }) {
  const { signal } = interrupt;
  const progress = new SingleBar({ format: '{bar} {value}/{total} {what}', clearOnComplete: true, gracefulExit: false, hideCursor: false });
  const isDrawn = process.stderr.isTTY === true && !json;
  if (torn) {
    // Built by the script that starts this; no type of it is needed here.
    const { runCli } = await import(built('dist/run-cli.js'));
    if (isDrawn) progress.start(1, 0, { what: 'offsets' });
    const report = await tearEverywhere({
      ...{ runCli, startLab, signal, documents: 3, seed: options.seed },
      onOffset(done, total) {
        progress.setTotal(total);
        progress.update(done);
      },
    }).finally(() => progress.stop());
    console.log(json ? JSON.stringify(report) : `${report.offsets} ends of the file, each started again: ${verdict(report.problems)}`);
    return report.problems.length > 0 ? 1 : 0;
  }
  if (isDrawn) progress.start(options.kills, 0, { what: 'kills (an undisturbed run comes first)' });
  const command = [process.execPath, built('bin/vouch.js')];
  const report = await runChaos({
    ...options,
    ...{ command, startLab, signal },
    onLife: ({ number, done }) => progress.update(number, { what: `kills, ${done} documents done` }),
  }).finally(() => progress.stop());
  console.log(json ? JSON.stringify(report) : tableOf(report));
  return report.problems.length > 0 ? 1 : 0;
}

/** @param {readonly string[]} problems */
function verdict(problems) {
  return problems.length === 0 ? 'no difference' : `DIFFERENT\n  ${problems.slice(0, 20).join('\n  ')}`;
}

/** @param {import('./chaos.mjs').ChaosReport} report */
function tableOf({ lives, problems, requests, documents, durationMs }) {
  const table = new Table({
    head: ['lives', 'killed', 'by Ctrl-C', 'documents done', 'torn after', 'mended', 'requests'],
    style: { head: [], border: [] },
  });
  const rows = Math.max(1, Math.ceil(lives.length / 10));
  const sum = (/** @type {readonly number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0);
  const row = (/** @type {string} */ title, /** @type {readonly import('./chaos.mjs').Life[]} */ some) => [
    title,
    some.filter(({ killed, moment }) => killed && moment !== 'interrupt').length,
    some.filter(({ killed, moment }) => killed && moment === 'interrupt').length,
    some.at(-1)?.done ?? 0,
    some.filter(({ tornBytes }) => tornBytes > 0).length,
    some.filter(({ mended }) => mended).length,
    sum(some.map((life) => life.requests)),
  ];
  for (let from = 0; from < lives.length; from += rows) {
    const some = lives.slice(from, from + rows);
    table.push(row(`${some[0]?.number} to ${some.at(-1)?.number}`, some));
  }
  table.push(row('all', lives));
  const lost = requests.sent - requests.needed;
  const kills = lives.filter(({ killed }) => killed).length;
  return [
    table.toString(),
    `${documents} documents, ${kills} kills, ${(durationMs / 1_000).toFixed(0)} s: ${verdict(problems)}`,
    `${requests.sent} requests were sent where ${requests.needed} were needed: ${lost} lost, ${(lost / Math.max(1, kills)).toFixed(1)} a kill`,
  ].join('\n');
}
