// Results as tables for a terminal.
import Table from 'cli-table3';

/** @typedef {import('./bench.mjs').BenchResult} BenchResult */
/** @typedef {import('./statistics.mjs').Spread} Spread */

/** @type {Readonly<Record<string, readonly (readonly [number, string])[]>>} */
const scales = {
  ns: [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ],
  bytes: [
    [1_048_576, 'MiB'],
    [1_024, 'KiB'],
    [1, 'B'],
  ],
  count: [[1, '']],
};

/**
 * A number in the largest unit that leaves at least one before the point.
 *
 * @param {number} value
 * @param {'ns' | 'bytes' | 'count'} unit
 * @returns {string}
 */
export function formatValue(value, unit) {
  const steps = scales[unit] ?? [];
  const [size, label] = steps.find(([step]) => Math.abs(value) >= step) ?? steps.at(-1) ?? [1, ''];
  return `${(value / size).toPrecision(3)} ${label}`.trimEnd();
}

const ratioText = (/** @type {number} */ ratio) => (ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2));

/**
 * @param {BenchResult} result
 * @returns {string}
 */
export function benchTable(result) {
  const subjects = new Table({ head: ['subject', 'median', 'quartiles'], style: { head: [], border: [], compact: true } });
  for (const { name, unit, value } of result.subjects) {
    subjects.push([name, formatValue(value.median, unit), `${formatValue(value.low, unit)} – ${formatValue(value.high, unit)}`]);
  }
  const lines = [`${result.name}: ${result.title} (${result.rounds} rounds)`, subjects.toString()];
  if (result.ratios.length === 0) return lines.join('\n');
  const ratios = new Table({ head: ['ratio', 'median', 'quartiles', 'limit', ''], style: { head: [], border: [], compact: true } });
  for (const { of, to, ratio, limit, requirement, verdict } of result.ratios) {
    const bound = limit === undefined ? 'none' : `${limit}${requirement === undefined ? '' : ` (${requirement})`}`;
    const mark = limit === undefined ? '' : verdict;
    ratios.push([`${of} / ${to}`, ratioText(ratio.median), `${ratioText(ratio.low)} – ${ratioText(ratio.high)}`, bound, mark]);
  }
  return [...lines, ratios.toString()].join('\n');
}
