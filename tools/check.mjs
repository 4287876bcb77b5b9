// Every check of the project, in one run: what `npm test` and CI run. A line per step with its time; output only of steps that fail.
// node tools/check.mjs [name …] runs the named steps alone, with the steps that they need.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedSources } from './sources.mjs';
import { growingFiles } from './structure.mjs';
import { outcomeOf, outcomeSoFar } from './test-outcome.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'vouch');
const testReport = join(cache, 'vitest.json');
// A step that hangs fails, and does not take the whole run with it. The tests take minutes on two busy cores.
const longestStepMs = 20 * 60_000;
// Of the tests that failed, in the last lines.
const mostListed = 40;
const bin = (/** @type {string} */ name) => join('node_modules', '.bin', name);

/** @typedef {{ readonly name: string, readonly command: readonly string[], readonly needs?: readonly string[] }} Step */

/** In the order in which they start; the long ones early, so that two at a time end together. @type {readonly Step[]} */
const steps = [
  { name: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '--diagnostic-level=warn', '.'] },
  { name: 'build', command: [bin('tsc'), '-b'] },
  {
    name: 'tests',
    command: [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${testReport}`],
    needs: ['build'],
  },
  {
    name: 'types of tests',
    command: [bin('tsc'), '-p', 'tsconfig.test.json', '--incremental', '--tsBuildInfoFile', join(cache, 'tests.tsbuildinfo')],
  },
  { name: 'public surface', command: ['node', 'tools/api.mjs'], needs: ['build'] },
  { name: 'layers', command: ['node', 'tools/layers.mjs'] },
  { name: 'unused', command: [bin('knip')], needs: ['build'] },
  { name: 'package shape', command: ['node', 'tools/package-shape.mjs'], needs: ['build'] },
  { name: 'size', command: [bin('size-limit')], needs: ['build'] },
  { name: 'examples', command: ['node', 'tools/examples.mjs'], needs: ['build'] },
  { name: 'snippets', command: ['node', 'tools/snippets.mjs'] },
];

/** The process groups that run now. @type {Set<number>} */
const groups = new Set();
/** @param {number} group */
function endGroup(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
for (const [signal, code] of /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
]))
  process.once(signal, () => {
    for (const group of groups) endGroup(group);
    process.exit(code);
  });

/** @param {Step} step @returns {Promise<{ step: Step, ok: boolean, stopped: boolean, output: string, seconds: number }>} */
function runStep(step) {
  const started = performance.now();
  const [program = 'node', ...args] = step.command;
  return new Promise((resolve) => {
    let output = '';
    let stopped = false;
    // A process group of its own, so that what the step started ends with it.
    const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' };
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
    const group = child.pid ?? 0;
    if (group > 0) groups.add(group);
    const tooLong = setTimeout(() => {
      stopped = true;
      output += `\nstopped after ${longestStepMs / 1000} s`;
      if (group > 0) endGroup(group);
    }, longestStepMs);
    const end = (/** @type {boolean} */ ok) => {
      clearTimeout(tooLong);
      groups.delete(group);
      resolve({ step, ok: ok && !stopped, stopped, output, seconds: (performance.now() - started) / 1000 });
    };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ chunk) => {
        output += chunk.toString('utf8');
      });
    child.on('error', (error) => {
      output += String(error);
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** @param {readonly string[]} names */
function chosen(names) {
  if (names.length === 0) return steps;
  const wanted = new Set(names);
  for (const name of names) {
    const step = steps.find((candidate) => candidate.name === name);
    if (step === undefined) throw new Error(`no step "${name}"; the steps are ${steps.map((known) => known.name).join(', ')}`);
    for (const needed of step.needs ?? []) wanted.add(needed);
  }
  return steps.filter((step) => wanted.has(step.name));
}

/** Runs steps two at a time, each after those it needs; a step whose need failed is not run and counts as failed. @param {readonly Step[]} plan */
async function runAll(plan) {
  /** @type {Map<string, boolean>} */
  const ended = new Map();
  const waiting = [...plan];
  const running = new Set();
  const atOnce = Math.max(1, Math.min(2, availableParallelism()));
  while (waiting.length + running.size > 0) {
    const index = waiting.findIndex((step) => (step.needs ?? []).every((name) => ended.has(name)));
    if (index >= 0 && running.size < atOnce) {
      const [step] = waiting.splice(index, 1);
      if (step === undefined) continue;
      if ((step.needs ?? []).some((name) => ended.get(name) === false)) {
        ended.set(step.name, false);
        console.log(`not run  ${step.name}: what it needs failed`);
        continue;
      }
      const running1 = runStep(step).then((result) => {
        running.delete(running1);
        ended.set(step.name, result.ok);
        console.log(`${result.ok ? 'ok      ' : 'FAILED  '} ${step.name.padEnd(18)} ${result.seconds.toFixed(1).padStart(6)} s`);
        if (step.name === 'tests' && result.stopped) stoppedTests = result.output;
        if (!result.ok) console.log(`\n${result.output.trimEnd()}\n`);
      });
      running.add(running1);
      continue;
    }
    await Promise.race(running);
  }
  return ended;
}

/** What the tests had printed when they were stopped; undefined when they ended. @type {string | undefined} */
let stoppedTests;

function testOutcome() {
  if (stoppedTests !== undefined) return outcomeSoFar(stoppedTests);
  if (!existsSync(testReport)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  return outcomeOf(JSON.parse(readFileSync(testReport, 'utf8')), root);
}

const started = performance.now();
mkdirSync(cache, { recursive: true });
rmSync(testReport, { force: true });
const ended = await runAll(chosen(process.argv.slice(2)));
const failures = [...ended].filter(([, ok]) => !ok).map(([name]) => name);
for (const file of growingFiles(shippedSources(root))) console.log(`warning  ${file}: split it by idea before it reaches the limit`);
const { passed, failed, skipped, failures: failedTests } = testOutcome();
console.log(
  `\n${ended.size} steps in ${((performance.now() - started) / 1000).toFixed(0)} s; ${failures.length === 0 ? 'all ok' : `failed: ${failures.join(', ')}`}`,
);
if (ended.has('tests')) {
  const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  console.log(stoppedTests === undefined ? counts : `stopped after ${longestStepMs / 1000} s, not all had run; ${counts} so far`);
  for (const failure of failedTests.slice(0, mostListed)) console.log(`failed  ${failure}`);
  if (failedTests.length > mostListed) console.log(`and ${failedTests.length - mostListed} more`);
  if (passed === 0) process.exitCode = 1;
}
if (failures.length > 0) process.exitCode = 1;
