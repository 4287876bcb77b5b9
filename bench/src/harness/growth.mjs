// A bench of growth: the same work on texts of which each is twice as long as the one before.

/**
 * @typedef {object} Growth
 * @property {string} name
 * @property {string} title
 * @property {readonly number[]} kilobytes ascending, each twice the one before
 * @property {(kilobytes: number) => () => unknown} prepareWork the work on a text of that size
 * @property {string} requirement
 * @property {number} [rounds]
 */

/** Twice the text may take this much more. */
const limit = 2.2;
/** Processor time of one batch at least, in microseconds: less would show single collections. */
const batchMicros = 30_000;
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
 * Every size goes over as many characters in a batch as the others do, so that each meets the same number of collections, and the least of a turn's
 * batches counts. Processor time, for a machine that does other work too. No collection is forced: after one, the engine compiles anew.
 *
 * @param {Growth} growth
 * @returns {import('./bench.mjs').Bench}
 */
export function prepareGrowth({ name, title, kilobytes, prepareWork, requirement, rounds }) {
  const label = (/** @type {number} */ size) => `${size} KB`;
  const works = kilobytes.map((size) => ({ size, run: prepareWork(size) }));
  const largest = kilobytes.at(-1) ?? 1;
  let cost = 1;
  for (const warmUntil = cpuMicros() + 10 * batchMicros; cpuMicros() < warmUntil; ) {
    for (const { run } of works) cost = Math.max(1, costOf(run, 1));
  }
  const turns = Math.max(1, Math.ceil(batchMicros / cost));
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
    ratios: kilobytes.slice(1).map((size, index) => ({ of: label(size), to: label(kilobytes[index] ?? 0), limit, requirement })),
    ...(rounds === undefined ? {} : { rounds }),
  };
}
