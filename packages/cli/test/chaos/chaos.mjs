// Kills `vouch extract` again and again, and compares what it wrote in the end with what an undisturbed run writes.
import { watch } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from './child.mjs';
import { seededRandom, writeDocuments } from './documents.mjs';
import { differences, leftovers, readLines, tearEnd } from './lines.mjs';

/**
 * @typedef {object} ChaosOptions
 * @property {readonly string[]} command  what runs `vouch`: an executable and its first arguments
 * @property {(options: import('@vouch/lab').LabOptions) => Promise<import('@vouch/lab').Lab>} startLab
 * @property {number} kills
 * @property {number} documents
 * @property {number} seed
 * @property {AbortSignal} signal  ends everything and removes what was made
 * @property {(life: Life) => void} [onLife]
 */

/** @typedef {'answers' | 'line' | 'start' | 'interrupt'} Moment */

/**
 * One process, from its start to its kill.
 * @typedef {object} Life
 * @property {number} number  from 1
 * @property {Moment} moment
 * @property {boolean} killed  false: it had ended by itself before
 * @property {number} done  documents in the file after it
 * @property {number} requests  sent in it
 * @property {boolean} mended  it found a torn last line
 * @property {number} tornBytes  cut off the file after it
 */

/**
 * @typedef {object} ChaosReport
 * @property {readonly Life[]} lives
 * @property {readonly string[]} problems  empty: the killed run gave what the undisturbed gave
 * @property {{ needed: number, sent: number }} requests
 * @property {number} documents
 * @property {number} durationMs
 */

// Only what a client that tries again gets a value from; so every document has the same value in both runs.
const pathologies = [
  { id: 'B2', rate: 0.05 },
  { id: 'C4', rate: 0.05 },
];
const faults = [
  { id: 'rate-limit', rate: 0.002 },
  { id: 'rate-limit-ms', rate: 0.01 },
  { id: 'reset', rate: 0.01 },
  { id: 'reset-head', rate: 0.01 },
  { id: 'cut', rate: 0.01 },
  { id: 'overloaded', rate: 0.002 },
  { id: 'split', rate: 0.01, parameter: 40 },
];

/**
 * Kills the run `kills` times at drawn moments, starts it again each time, lets the last one finish.
 * @param {ChaosOptions} options
 * @returns {Promise<ChaosReport>}
 */
export async function runChaos(options) {
  const startedAt = performance.now();
  const { kills, documents, seed, signal } = options;
  const random = seededRandom(seed);
  const directory = await mkdtemp(join(tmpdir(), 'vouch-chaos-'));
  try {
    const names = await writeDocuments(directory, documents, random);
    const reference = await undisturbed(options, directory, names);
    const lab = await countingLab(options);
    try {
      const file = join(directory, 'out.jsonl');
      const run = {
        ...options,
        directory,
        file,
        argv: argvOf(lab.baseUrl, 'out.jsonl', names),
        lab,
        random,
        meanStartMs: reference.startMs,
      };
      const { lives, problems } = await killAgainAndAgain(run, kills);
      signal.throwIfAborted();
      const last = await start(options.command, run.argv, directory, signal).ended;
      signal.throwIfAborted();
      if (last.code !== 0) problems.push(`the last run ended with ${last.code ?? last.signal}: ${last.stderr.slice(-500)}`);
      problems.push(...differences(await readLines(file), reference.values));
      // Nothing was asked twice under other conditions, so there is nothing that could have been replaced either.
      for (const name of await leftovers(file)) problems.push(`${name} was left behind`);
      const requests = { needed: reference.requests, sent: lab.answered() };
      return { lives, problems, requests, documents, durationMs: performance.now() - startedAt };
    } finally {
      await lab.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** @param {string} baseUrl @param {string} out @param {readonly string[]} names */
const argvOf = (baseUrl, out, names) => [
  ...['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'lab', '--concurrency', '4', '--out', out],
  ...names,
];

/** @param {ChaosOptions} options */
async function countingLab({ startLab, seed }) {
  let answered = 0;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const lab = await startLab({
    seed,
    pathologies,
    faults,
    delays: { firstByteMs: 5 },
    onRequest() {
      answered += 1;
      for (const listener of [...listeners]) listener();
    },
  });
  return {
    baseUrl: lab.baseUrl,
    answered: () => answered,
    /** @param {() => void} listener */
    onAnswer(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => lab.close(),
  };
}

/** @param {ChaosOptions} options @param {string} directory @param {readonly string[]} names */
async function undisturbed(options, directory, names) {
  const lab = await countingLab(options);
  try {
    const startedAt = performance.now();
    let startMs = 0;
    const unfollow = lab.onAnswer(() => {
      startMs = performance.now() - startedAt;
      unfollow();
    });
    const ended = await start(options.command, argvOf(lab.baseUrl, 'reference.jsonl', names), directory, options.signal).ended;
    options.signal.throwIfAborted();
    const lines = await readLines(join(directory, 'reference.jsonl'));
    if (ended.code !== 0 || lines.problems.length > 0 || lines.values.size !== names.length)
      throw new Error(
        `the undisturbed run itself went wrong (${ended.code}): ${lines.problems.slice(0, 3).join('; ')} ${ended.stderr.slice(-500)}`,
      );
    return { values: lines.values, requests: lab.answered(), startMs };
  } finally {
    await lab.close();
  }
}

/**
 * @typedef {ChaosOptions & { directory: string, file: string, argv: readonly string[], lab: Awaited<ReturnType<typeof countingLab>>,
 *   random: () => number, meanStartMs: number }} Run
 */

/** @param {Run} run @param {number} kills */
async function killAgainAndAgain(run, kills) {
  const { file, lab, random, signal } = run;
  /** @type {Life[]} */
  const lives = [];
  /** @type {string[]} */
  const problems = [];
  let before = await readLines(file);
  for (let number = 1; number <= kills && !signal.aborted; number += 1) {
    const sentBefore = lab.answered();
    // Nine tenths of what is left, shared by the kills that are left: so there is work until the end, and at the end there is none.
    const share = (0.9 * (run.documents - before.count)) / (kills - number + 1);
    const moment = momentOf(random());
    const { ended, killed } = await liveAndDie(run, moment, share);
    signal.throwIfAborted();
    const after = await readLines(file);
    const about = (/** @type {string} */ text) => problems.push(`life ${number} (${moment}): ${text}`);
    for (const problem of after.problems) about(problem);
    for (const path of before.values.keys()) if (!after.values.has(path)) about(`${path}, which was done, is gone`);
    if (moment === 'interrupt' && killed) {
      if (ended.code !== 130) about(`Ctrl-C ended with ${ended.code ?? ended.signal}: ${ended.stderr.slice(-300)}`);
      for (const name of await leftovers(file)) about(`${name} was left behind by Ctrl-C`);
    } else if (!killed && ended.code !== 0) about(`it ended by itself with ${ended.code}: ${ended.stderr.slice(-300)}`);
    const tornBytes = killed && moment !== 'interrupt' && random() < 0.25 ? await tearEnd(file, random) : 0;
    before = tornBytes > 0 ? await readLines(file) : after;
    const life = {
      number,
      moment,
      killed,
      done: before.count,
      requests: lab.answered() - sentBefore,
      mended: /last line (was torn|had no end)/.test(ended.stderr),
      tornBytes,
    };
    lives.push(life);
    run.onLife?.(life);
    if (problems.length > 20) break;
  }
  return { lives, problems };
}

/** @param {number} drawn @returns {Moment} */
function momentOf(drawn) {
  if (drawn < 0.6) return 'answers';
  if (drawn < 0.8) return 'line';
  return drawn < 0.9 ? 'start' : 'interrupt';
}

/**
 * Starts the run and kills it: some milliseconds after so many answers, in the middle of writing a line, while it starts, or by Ctrl-C.
 * @param {Run} run @param {Moment} moment @param {number} share
 */
async function liveAndDie(run, moment, share) {
  const { lab, random } = run;
  const child = start(run.command, run.argv, run.directory, run.signal);
  const count = 1 + Math.floor(random() * 2 * share);
  const delayMs = random() * (moment === 'start' ? 1.2 * run.meanStartMs : 12);
  let killed = false;
  let hasEnded = false;
  const kill = () => {
    if (killed || hasEnded) return;
    killed = true;
    child.kill(moment === 'interrupt' ? 'SIGINT' : 'SIGKILL');
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const later = () => {
    timer ??= setTimeout(kill, delayMs);
  };
  let seen = 0;
  const counted = (/** @type {() => void} */ then) => () => {
    seen += 1;
    if (seen >= count) then();
  };
  /** @type {() => void} */
  let unfollow = () => undefined;
  if (moment === 'start') later();
  else if (moment === 'line') {
    await writeFile(run.file, '', { flag: 'a' });
    const watcher = watch(run.file, counted(kill));
    unfollow = () => watcher.close();
  } else unfollow = lab.onAnswer(counted(later));
  const ended = await child.ended;
  hasEnded = true;
  clearTimeout(timer);
  unfollow();
  // Between its last word and its end a process can take no signal.
  return { ended, killed: killed && (ended.signal === 'SIGKILL' || moment === 'interrupt') };
}
