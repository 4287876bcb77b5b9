// Twice the text in little more than twice the time, for each damage and for texts made to be slow. That the steps are linear, `repair-steps.test.ts`
// shows without a clock; here is what allocation, caches and the engine add.
import { routeResponse } from '@vouch/signal/repair';
import { answerOf, compiledGate, damages } from './harness/answers.mjs';
import { hostileTexts } from './harness/hostile-texts.mjs';

/**
 * @typedef {object} Growth
 * @property {string} name
 * @property {string} title
 * @property {readonly number[]} kilobytes ascending, each twice the one before
 * @property {(kilobytes: number) => string} write
 * @property {import('@vouch/signal/repair').RouteContract} contract
 * @property {number} [rounds]
 */

/** Processor time of one turn at least, in microseconds: less would show single collections. */
const turnMicros = 30_000;
const batches = 3;

const cpuMicros = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** @param {() => unknown} run @param {number} times */
function costOf(run, times) {
  const before = cpuMicros();
  for (let count = 0; count < times; count += 1) run();
  return cpuMicros() - before;
}

/**
 * Every size goes over as many characters in a turn as the others do, so that each meets the same number of collections, and the least of a turn's
 * batches counts. Processor time, for a machine that does other work too. No collection is forced: after one, the engine compiles anew.
 *
 * @param {Growth} growth
 * @returns {import('./harness/bench.mjs').Bench}
 */
function prepareGrowth({ name, title, kilobytes, write, contract, rounds }) {
  const label = (/** @type {number} */ size) => `${size} KB`;
  const works = kilobytes.map((size) => {
    const content = write(size);
    return { size, run: () => routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract) };
  });
  const largest = kilobytes.at(-1) ?? 1;
  let cost = 1;
  for (const warmUntil = cpuMicros() + 10 * turnMicros; cpuMicros() < warmUntil; ) {
    for (const { run } of works) cost = Math.max(1, costOf(run, 1));
  }
  const turns = Math.max(1, Math.ceil(turnMicros / cost));
  return {
    name,
    title,
    subjects: works.map(({ size, run }) => {
      const times = Math.round((turns * largest) / size);
      const sample = async () => {
        let least = Number.POSITIVE_INFINITY;
        for (let batch = 0; batch < batches; batch += 1) least = Math.min(least, costOf(run, times));
        return (least * 1_000) / times;
      };
      return { name: label(size), unit: /** @type {const} */ ('ns'), sample };
    }),
    ratios: kilobytes
      .slice(1)
      .map((size, index) => ({ of: label(size), to: label(kilobytes[index] ?? 0), limit: 2.2, requirement: 'SG-070' })),
    ...(rounds === undefined ? {} : { rounds }),
  };
}

const tool = { name: 'find', description: '', jsonSchema: compiledGate.jsonSchema, validate: compiledGate.validate };
const plain = { gate: compiledGate, declared: [], newCallId: () => 'call' };
const withTool = { ...plain, declared: [tool] };

/** @type {readonly Growth[]} */
const growths = [
  ...damages.map(({ name, write }) => ({
    name: `growth-${name.replaceAll(' ', '-')}`,
    title: `damage: ${name}`,
    kilobytes: [100, 200, 400],
    write: (/** @type {number} */ size) => write(answerOf(size)),
    contract: plain,
  })),
  ...hostileTexts.map(({ name, write }) => ({
    name: `hostile-${name.replaceAll(' ', '-')}`,
    title: `hostile: ${name}`,
    kilobytes: [2_560, 5_120, 10_240],
    write: (/** @type {number} */ size) => write(size * 1_024),
    contract: withTool,
    rounds: 3,
  })),
];

export const benches = growths.map((growth) => ({ name: growth.name, prepare: () => prepareGrowth(growth) }));
