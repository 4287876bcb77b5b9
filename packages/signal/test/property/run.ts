import { routeResponse } from '../../src/wire/router.ts';
import { runCompanion } from './companion.ts';
import { deriveCase } from './derive.ts';
import { type PropertyCounts, type Route, requestOf, runCase, runProperty, type WrongValue } from './property.ts';
import { deliverByStream } from './stream.ts';

const usage = `npm run property -- [--runs N] [--seed S] [--case N] [--companion]

  --runs N       cases to run (default 10000)
  --seed S       32-bit seed (default: from the clock; always printed)
  --case N       run this one case and print it whole
  --companion    measure lossless mangling instead: none, one, two`;

interface Arguments {
  readonly runs: number;
  readonly seed: number;
  readonly single: number | undefined;
  readonly companion: boolean;
}

function readArguments(words: readonly string[]): Arguments | undefined {
  const after = (name: string): number | undefined => {
    const at = words.indexOf(name);
    return at < 0 ? undefined : Number(words[at + 1]?.replaceAll('_', ''));
  };
  const numbers = {
    runs: after('--runs') ?? after('--cases') ?? 10_000,
    seed: after('--seed') ?? Date.now() >>> 0,
    single: after('--case'),
  };
  const wrong = Object.values(numbers).some((number) => number !== undefined && !Number.isSafeInteger(number));
  return wrong || words.includes('--help') ? undefined : { ...numbers, companion: words.includes('--companion') };
}

const write = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function showWrong(wrong: WrongValue): void {
  write(`\nWRONG VALUE  --seed ${wrong.seed} --case ${wrong.index}  (${wrong.path})`);
  for (const [name, value] of Object.entries(wrong))
    if (name !== 'seed' && name !== 'index') write(`  ${name.padEnd(9)} ${JSON.stringify(value)}`);
}

function showCase(seed: number, index: number, route: Route): number {
  const derived = deriveCase(seed, index);
  if (derived === undefined) return 1;
  const { response, contract } = requestOf(derived.state);
  const verdict = runCase(derived, route);
  write(
    JSON.stringify(
      { seed, index, manglers: derived.applied.map((mangler) => mangler.id), schema: derived.state.schema.gate.jsonSchema },
      null,
      2,
    ),
  );
  write(JSON.stringify({ expected: derived.state.value, response, verdict }, null, 2));
  try {
    write(JSON.stringify(route(response, contract), null, 2));
  } catch (error) {
    write(String(error));
  }
  return verdict.kind === 'wrong' ? 1 : 0;
}

function showCounts(counts: PropertyCounts, seconds: number): void {
  write(
    `\nseed ${counts.seed}: ${counts.runs} cases in ${seconds.toFixed(1)} s (${Math.round(counts.runs / seconds)} a second), ${counts.streamed} of them streamed too`,
  );
  write(`  the original value      ${counts.value}`);
  for (const [reason, count] of Object.entries(counts.failureByReason).sort((a, b) => b[1] - a[1]))
    write(`  failed ${reason.padEnd(16)} ${count}`);
  write(`  not to be seen          ${counts.undetectable}`);
  write(`  WRONG                   ${counts.wrongCount}`);
}

function showCompanion(seed: number, runs: number, route: Route): number {
  let failed = 0;
  for (const [count, least, tolerable] of [
    [0, 1, false],
    [1, 1, false],
    [2, 0.99, false],
    [1, 0, true],
  ] as const) {
    const found = runCompanion({ runs, seed, route, count, tolerable });
    write(
      `seed ${seed}: ${count} lossless${tolerable ? ' (tolerable ones too)' : ''}: ${found.values} of ${found.cases} = ${(found.rate * 100).toFixed(3)} %`,
    );
    for (const [id, tally] of found.byMangler) if (tally.missed > 0) write(`  ${id}: ${tally.missed} of ${tally.cases} missed`);
    if (!tolerable) for (const miss of found.misses.slice(0, 20)) write(`  ${JSON.stringify(miss)}`);
    if (found.rate < least) failed = 1;
  }
  return failed;
}

/** The command line of the property: prints the seed and the counts; the answer is the exit code, 1 for any wrong value. */
async function main(words: readonly string[], route: Route): Promise<number> {
  const asked = readArguments(words);
  if (asked === undefined) {
    write(usage);
    return 2;
  }
  const { runs, seed } = asked;
  if (asked.single !== undefined) return showCase(seed, asked.single, route);
  if (asked.companion) return showCompanion(seed, runs, route);
  const started = Date.now();
  const counts = await runProperty({
    runs,
    seed,
    route,
    deliver: deliverByStream,
    // Delivering costs many times what routing does.
    deliverEvery: runs > 100_000 ? 20 : 4,
    onWrong: showWrong,
    onProgress: (done) => {
      if (done % 5_000 === 0 && process.stderr.isTTY) process.stderr.write(`\r${done} of ${runs}`);
    },
  });
  showCounts(counts, (Date.now() - started) / 1000);
  return counts.wrongCount > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2), routeResponse);
