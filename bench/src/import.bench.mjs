// What loading costs: a process that imports the package and ends, against one that only starts and ends.
import { childNanoseconds } from './harness/child.mjs';

const entries = ['@vouch/signal', '@vouch/signal/repair', '@vouch/signal/partial', 'zod'];
const floor = 'an empty process';
const label = (/** @type {string} */ entry) => `import ${entry}`;

/** @type {readonly import('./harness/bench.mjs').Bench[]} */
export const benches = [
  {
    name: 'import',
    title: 'start to end of a process',
    subjects: [
      { name: floor, unit: 'ns', sample: () => childNanoseconds('') },
      ...entries.map((entry) => ({
        name: label(entry),
        unit: /** @type {const} */ ('ns'),
        sample: () => childNanoseconds(`import ${JSON.stringify(entry)};`),
      })),
    ],
    ratios: entries.map((entry) => ({ of: label(entry), to: floor })),
  },
];
