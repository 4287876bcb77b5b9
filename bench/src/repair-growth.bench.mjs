// Twice the text in little more than twice the time, for each damage and for texts made to be slow. That the steps are linear, `repair-steps.test.ts`
// shows without a clock; here is what allocation, caches and the engine add.
import { routeResponse } from '@vouch/signal/repair';
import { answerOf, compiledGate, damages } from './harness/answers.mjs';
import { prepareGrowth } from './harness/growth.mjs';
import { hostileTexts } from './harness/hostile-texts.mjs';

const tool = { name: 'find', description: '', jsonSchema: compiledGate.jsonSchema, validate: compiledGate.validate };
const plain = { gate: compiledGate, declared: [], newCallId: () => 'call' };
const withTool = { ...plain, declared: [tool] };

/** @param {string} content @param {import('@vouch/signal/repair').RouteContract} contract */
const route = (content, contract) => () => routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract);

/** @type {readonly import('./harness/growth.mjs').Growth[]} */
const growths = [
  ...damages.map(({ name, write }) => ({
    name: `growth-${name.replaceAll(' ', '-')}`,
    title: `damage: ${name}`,
    kilobytes: [100, 200, 400],
    prepareWork: (/** @type {number} */ size) => route(write(answerOf(size)), plain),
    requirement: 'SG-070',
  })),
  ...hostileTexts.map(({ name, write }) => ({
    name: `hostile-${name.replaceAll(' ', '-')}`,
    title: `hostile: ${name}`,
    kilobytes: [2_560, 5_120, 10_240],
    prepareWork: (/** @type {number} */ size) => route(write(size * 1_024), withTool),
    requirement: 'SG-070',
    rounds: 3,
  })),
];

export const benches = growths.map((growth) => ({ name: growth.name, prepare: () => prepareGrowth(growth) }));
