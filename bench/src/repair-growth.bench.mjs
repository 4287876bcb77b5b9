// Twice the text in little more than twice the time, for each damage and for texts made to be slow.
import { routeResponse } from '@vouch/signal/repair';
import { answerOf, compiledGate, damages } from './harness/answers.mjs';
import { hostileTexts } from './harness/hostile-texts.mjs';

const tool = { name: 'find', description: '', jsonSchema: compiledGate.jsonSchema, validate: compiledGate.validate };

/**
 * @param {string} name
 * @param {string} title
 * @param {readonly number[]} kilobytes ascending, each twice the one before
 * @param {(kilobytes: number) => string} write
 * @param {import('@vouch/signal/repair').RouteContract} contract
 * @param {number} [rounds]
 * @returns {import('./harness/bench.mjs').Bench}
 */
function growthBench(name, title, kilobytes, write, contract, rounds) {
  const label = (/** @type {number} */ size) => `${size} KB`;
  return {
    name,
    title,
    subjects: kilobytes.map((size) => {
      const content = write(size);
      return {
        name: label(size),
        run: () => routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract),
      };
    }),
    ratios: kilobytes
      .slice(1)
      .map((size, index) => ({ of: label(size), to: label(kilobytes[index] ?? 0), limit: 2.2, requirement: 'SG-070' })),
    ...(rounds === undefined ? {} : { rounds }),
  };
}

const plain = { gate: compiledGate, declared: [], newCallId: () => 'call' };
const withTool = { ...plain, declared: [tool] };

export const benches = [
  ...damages.map(({ name, write }) =>
    growthBench(`growth-${name.replaceAll(' ', '-')}`, `damage: ${name}`, [50, 100, 200, 400], (size) => write(answerOf(size)), plain),
  ),
  ...hostileTexts.map(({ name, write }) =>
    growthBench(
      `hostile-${name.replaceAll(' ', '-')}`,
      `hostile: ${name}`,
      [2_560, 5_120, 10_240],
      (size) => write(size * 1_024),
      withTool,
      3,
    ),
  ),
];
