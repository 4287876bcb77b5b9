import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import manifest from '../../package.json' with { type: 'json' };
import { aiClient, aiMiddlewareClient } from './ai-client.ts';
import type { PeerClient } from './client.ts';
import { comparable, conformanceDocument, counts, verdictRows, verdictTable, verdictWords } from './document.ts';
import { openaiClient } from './openai-client.ts';
import { type Line, runAll } from './run-all.ts';
import { cases } from './scenario.ts';
import { describeOutcome } from './verdict.ts';
import { vouchClient } from './vouch-client.ts';

const usage = `npm run conformance:peers -- [options]

Runs the lab's pathologies and faults through Vouch and through other clients,
and writes docs/conformance.md. Takes some minutes.

  --only ID[,ID…]  these rows only; writes no document, prints the verdicts
  --json           prints the verdicts as JSON
  --check          writes no document; exits 1 when docs/conformance.md has
                   other verdicts
  --seed N         default 1
  --draws N        seeds for each case, default 8
  -h, --help       this

Exit codes: 0 done, 1 another verdict with --check, or a row that did not show,
2 wrong use.`;

const clients: readonly PeerClient[] = [vouchClient, openaiClient, aiClient, aiMiddlewareClient];
const deadlineMs = 30_000;
const lanes = 32;
const documentPath = 'docs/conformance.md';

function readArguments(): {
  readonly only: readonly string[] | undefined;
  readonly json: boolean;
  readonly check: boolean;
  readonly seed: number;
  readonly draws: number;
} {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      draws: { type: 'string', default: '8' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const whole = (name: 'seed' | 'draws'): number => {
    if (/^[1-9]\d{0,5}$/.test(values[name])) return Number(values[name]);
    throw new RangeError(`--${name} must be a whole number from 1 to 999999`);
  };
  const only = values.only?.split(',');
  const unknown = only?.find((id) => !cases.some((it) => it.id === id));
  if (unknown !== undefined) throw new RangeError(`--only: nothing that the lab shows on the chat wire is called ${unknown}`);
  if (values.check && only !== undefined) throw new RangeError('--check compares the whole document, and takes no --only');
  return { only, json: values.json, check: values.check, seed: whole('seed'), draws: whole('draws') };
}

function asJson(lines: readonly Line[]): string {
  const rows = lines.map(({ it, cells }) => ({
    id: it.id,
    title: it.title,
    delivery: it.delivery,
    expected: it.expected,
    clients: Object.fromEntries(
      cells.map(({ verdict, count, draws, result }, column) => [
        clients[column]?.id,
        { verdict, count, draws, outcome: describeOutcome(result.outcome) },
      ]),
    ),
  }));
  return JSON.stringify(rows, null, 2);
}

function summary(lines: readonly Line[]): string {
  const table = new Table({ head: ['', ...clients.map(({ title }) => title)], style: { head: [], border: [] } });
  for (const [verdict, numbers] of counts(clients, lines)) table.push([verdictWords[verdict], ...numbers]);
  return table.toString();
}

async function main(): Promise<number> {
  const { only, json, check, seed, draws } = readArguments();
  // The AI SDK prints its warnings unless it is told not to.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const list = only === undefined ? cases : cases.filter(({ id }) => only.includes(id));
  let shown = -1;
  const onProgress = (done: number, all: number): void => {
    const percent = Math.floor((100 * done) / all);
    if (!process.stderr.isTTY || percent === shown) return;
    shown = percent;
    process.stderr.write(`\r${done} of ${all} ${done === all ? '\n' : ''}`);
  };
  const lines = await runAll(clients, list, { seed, draws, deadlineMs, lanes, onProgress });
  const unseen = lines.flatMap(({ it, cells }) =>
    cells.flatMap(({ notShown }, column) => (notShown === 0 ? [] : [`${it.id}, ${it.delivery}, ${clients[column]?.title}`])),
  );
  if (unseen.length > 0) {
    console.error(`The wire did not show the row on every draw:\n${unseen.join('\n')}`);
    return 1;
  }
  if (json) console.log(asJson(lines));
  else if (only !== undefined) console.log(verdictTable(clients, lines));
  else console.log(summary(lines));
  if (only !== undefined) return 0;
  if (check) return compare(lines);
  const releases = ['openai', 'ai', '@ai-sdk/openai-compatible', 'zod'].map(
    (name) => `${name} ${Object.entries(manifest.dependencies).find(([key]) => key === name)?.[1]}`,
  );
  const facts = { date: new Date().toISOString().slice(0, 10), releases, node: process.versions.node, seed, draws, deadlineMs };
  writeFileSync(documentPath, conformanceDocument(clients, lines, facts));
  return 0;
}

function compare(lines: readonly Line[]): number {
  const before = existsSync(documentPath) ? comparable(readFileSync(documentPath, 'utf8').split('\n')) : [];
  const now = comparable(verdictRows(lines));
  const changed = [
    ...now.filter((row) => !before.includes(row)).map((row) => `+ ${row}`),
    ...before.filter((row) => !now.includes(row)).map((row) => `- ${row}`),
  ];
  if (changed.length > 0) console.error(`${documentPath} has other verdicts:\n${changed.join('\n')}`);
  return changed.length === 0 ? 0 : 1;
}

try {
  // Connections that a client left open must not keep the process.
  process.exit(await main());
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exit(2);
}
