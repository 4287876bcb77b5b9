// The statistics of a bench: medians and quartiles, and what they say about a limit.

/** @typedef {{ readonly median: number, readonly low: number, readonly high: number }} Spread the median and the quartiles around it */
/** @typedef {'ok' | 'over' | 'unsure'} Verdict `unsure`: the limit lies between the quartiles */

/**
 * The value at a fraction of the sorted numbers, between two of them in proportion.
 *
 * @param {readonly number[]} sorted ascending, at least one
 * @param {number} fraction 0 to 1
 * @returns {number}
 */
export function quantile(sorted, fraction) {
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('a quantile needs at least one number and a fraction of 0 to 1');
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * @param {readonly number[]} values at least one
 * @returns {Spread}
 */
export function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/**
 * The ratio of each round: only numbers that were taken one after the other are compared.
 *
 * @param {readonly number[]} of
 * @param {readonly number[]} to as many
 * @returns {readonly number[]}
 */
export function roundRatios(of, to) {
  if (of.length !== to.length) throw new RangeError('a ratio needs both numbers of every round');
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}

/**
 * @param {Spread} spread
 * @param {number | undefined} limit
 * @returns {Verdict}
 */
export function verdictOf(spread, limit) {
  if (limit === undefined || spread.high <= limit) return 'ok';
  return spread.low > limit ? 'over' : 'unsure';
}

/**
 * The verdict that stands when no more rounds are taken: the median decides.
 *
 * @param {Spread} spread
 * @param {number | undefined} limit
 * @returns {Verdict}
 */
export function finalVerdict(spread, limit) {
  return limit === undefined || spread.median <= limit ? 'ok' : 'over';
}
