// One bench, measured: rounds in which every subject has its turn, so that what disturbs the machine disturbs all of them.
import { do_not_optimize, measure } from 'mitata';
import { finalVerdict, roundRatios, spreadOf, verdictOf } from './statistics.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./bench.mjs').Subject} Subject */
/** @typedef {import('./bench.mjs').BenchResult} BenchResult */

/**
 * @typedef {object} MeasureOptions
 * @property {number} rounds
 * @property {number} milliseconds time given to one subject in one round
 * @property {boolean} [quick] for a first look: less warm, as few rounds as asked for, and slow subjects run as seldom as can be
 */

/** Rounds are doubled at most twice while a limit lies between the quartiles. */
const greatestExtension = 4;

/** Turns' time given to every subject before the rounds: in less, the engine has not optimised the larger of two programs. */
const warmUpTurns = 20;
const quickWarmUpTurns = 4;

/**
 * @param {Subject} subject
 * @param {number} milliseconds
 * @param {number} leastSamples
 * @returns {Promise<number>} the median of the round in the subject's unit
 */
async function takeTurn(subject, milliseconds, leastSamples) {
  if ('sample' in subject) return subject.sample();
  // The library batches calls that are too short for the clock, and gives the median of the samples. It must not force a collection before them: a full
  // one throws away optimised code that holds objects of calls that are over, so the runs behind it are those of a process that has just begun.
  const stats = await measure(
    () => {
      const result = subject.run();
      do_not_optimize(result);
      return result;
    },
    {
      min_cpu_time: milliseconds * 1e6,
      min_samples: leastSamples,
      warmup_samples: leastSamples > 1 ? 1 : 0,
      batch_samples: 256,
      gc: false,
    },
  );
  return stats.p50;
}

/**
 * @param {Bench} bench
 * @param {MeasureOptions} options
 * @returns {Promise<BenchResult>}
 */
export async function measureBench(bench, options) {
  const { subjects, ratios } = bench;
  const { milliseconds, quick = false } = options;
  const wanted = quick ? Math.min(bench.rounds ?? options.rounds, options.rounds) : (bench.rounds ?? options.rounds);
  const most = quick ? wanted : wanted * greatestExtension;
  const warmUpMilliseconds = milliseconds * (quick ? quickWarmUpTurns : warmUpTurns);
  const leastSamples = quick ? 1 : 3;
  const taken = new Map(subjects.map((subject) => [subject.name, /** @type {number[]} */ ([])]));
  const valuesOf = (/** @type {string} */ name) => {
    const values = taken.get(name);
    if (values === undefined) throw new Error(`bench ${bench.name} has no subject ${name}`);
    return values;
  };
  // Names are checked before minutes are spent.
  for (const { of, to } of ratios) [valuesOf(of), valuesOf(to)];
  for (const subject of subjects) if ('run' in subject) await takeTurn(subject, warmUpMilliseconds, leastSamples);
  let rounds = 0;
  const spreads = () => ratios.map(({ of, to }) => spreadOf(roundRatios(valuesOf(of), valuesOf(to))));
  for (let until = wanted; until <= most; until *= 2) {
    for (; rounds < until; rounds += 1) {
      for (const subject of subjects) valuesOf(subject.name).push(await takeTurn(subject, milliseconds, leastSamples));
    }
    if (!spreads().some((spread, index) => verdictOf(spread, ratios[index]?.limit) === 'unsure')) break;
  }
  const found = spreads();
  return {
    name: bench.name,
    title: bench.title,
    rounds,
    subjects: subjects.map((subject) => ({
      name: subject.name,
      unit: 'sample' in subject ? subject.unit : 'ns',
      value: spreadOf(valuesOf(subject.name)),
    })),
    ratios: ratios.map((ratio, index) => {
      const spread = found[index] ?? spreadOf([Number.NaN]);
      return { ...ratio, ratio: spread, verdict: finalVerdict(spread, ratio.limit) };
    }),
  };
}
