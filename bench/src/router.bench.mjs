// The whole way of a clean answer: routing, the four checks and the gate, against the least that could be done with it.
import { isDeepStrictEqual } from 'node:util';
import { routeResponse } from '@vouch/signal/repair';
import { answerOf, cleanText, compiledGate, zodGate } from './harness/answers.mjs';

/** @typedef {import('./harness/bench.mjs').PreparedBench} PreparedBench */

const gates = /** @type {const} */ ({ zod: zodGate, compiled: compiledGate });

/**
 * @param {number} kilobytes
 * @param {keyof typeof gates} gateName
 * @param {number} [limit]
 * @returns {PreparedBench}
 */
function cleanBench(kilobytes, gateName, limit) {
  const name = `router-clean-${kilobytes}kb-${gateName}`;
  return { name, prepare: () => prepareClean(name, kilobytes, gateName, limit) };
}

/**
 * @param {string} name
 * @param {number} kilobytes
 * @param {keyof typeof gates} gateName
 * @param {number} [limit]
 * @returns {import('./harness/bench.mjs').Bench}
 */
function prepareClean(name, kilobytes, gateName, limit) {
  const value = answerOf(kilobytes);
  const content = cleanText(value);
  const gate = gates[gateName];
  const contract = { gate, declared: [], newCallId: () => 'call' };
  const route = () => routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract);
  const floor = () => {
    const parsed = JSON.parse(content);
    return gate.validate(parsed).ok ? parsed : undefined;
  };
  const { outcome } = route();
  if (outcome.kind !== 'output' || !isDeepStrictEqual(outcome.value, floor())) throw new Error('both sides must give the answer');
  return {
    name,
    title: `a clean answer of ${kilobytes} KB, gate: ${gateName}`,
    subjects: [
      { name: 'routeResponse', run: route },
      { name: 'JSON.parse + gate', run: floor },
    ],
    ratios: [{ of: 'routeResponse', to: 'JSON.parse + gate', ...(limit === undefined ? {} : { limit, requirement: 'SG-102' }) }],
  };
}

export const benches = [1, 10, 100].flatMap((kilobytes) =>
  /** @type {const} */ (['zod', 'compiled']).map((gate) => cleanBench(kilobytes, gate, kilobytes === 10 ? 2 : undefined)),
);
