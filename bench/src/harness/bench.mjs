// The shape of a bench. A file `NAME.bench.mjs` exports `benches`, a list of these or of their preparations.

/**
 * @typedef {object} TimedSubject
 * @property {string} name
 * @property {() => unknown} run the work; its time is measured, awaited if it gives a promise
 */

/**
 * @typedef {object} SampledSubject
 * @property {string} name
 * @property {() => number | Promise<number>} sample takes one number a round, where the subject measures itself (memory, a child process, a size)
 * @property {'ns' | 'bytes' | 'count'} unit
 */

/** @typedef {TimedSubject | SampledSubject} Subject */

/**
 * @typedef {object} Ratio
 * @property {string} of name of a subject
 * @property {string} to name of the floor or the peer
 * @property {number} [limit] the greatest ratio that is allowed; without it the row only informs
 * @property {string} [requirement] the id of what the row watches; no requirement states a number, every limit is ours
 */

/**
 * @typedef {object} Bench
 * @property {string} name
 * @property {string} title what is compared, and on what
 * @property {readonly Subject[]} subjects one round goes through them in this order
 * @property {readonly Ratio[]} ratios
 * @property {number} [rounds] fewer or more than the command's number, for subjects that are slow or that do not vary
 */

/**
 * A bench whose preparation runs code that would warm or spoil the engine for the others of its file: only the process that measures it prepares it.
 *
 * @typedef {object} PreparedBench
 * @property {string} name of the bench that `prepare` gives
 * @property {() => Bench | Promise<Bench>} prepare
 */

/**
 * @typedef {object} RatioResult
 * @property {string} of
 * @property {string} to
 * @property {import('./statistics.mjs').Spread} ratio
 * @property {number} [limit]
 * @property {string} [requirement]
 * @property {import('./statistics.mjs').Verdict} verdict
 */

/**
 * @typedef {object} SubjectResult
 * @property {string} name
 * @property {'ns' | 'bytes' | 'count'} unit
 * @property {import('./statistics.mjs').Spread} value
 */

/**
 * @typedef {object} BenchResult
 * @property {string} name
 * @property {string} title
 * @property {number} rounds
 * @property {readonly SubjectResult[]} subjects
 * @property {readonly RatioResult[]} ratios
 */

/** Nothing: the file holds types alone. */
export {};
