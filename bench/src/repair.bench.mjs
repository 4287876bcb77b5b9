// Damaged answers: the whole of our work (scan, repair, checks, gate) and the repair alone, each against jsonrepair and a parse of what it gives.
import { isDeepStrictEqual } from 'node:util';
import { decodeRelaxed, routeResponse } from '@vouch/signal/repair';
import { jsonrepair } from 'jsonrepair';
import { answerOf, damages, zodGate } from './harness/answers.mjs';

const contract = { gate: zodGate, declared: [], newCallId: () => 'call' };
const value = answerOf(100);

/** @param {string} content */
const route = (content) => routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract);
/** @param {string} content */
const peer = (content) => JSON.parse(jsonrepair(content));

/** @param {string} content */
function peerGives(content) {
  try {
    return isDeepStrictEqual(peer(content), value);
  } catch {
    return false;
  }
}

const benchName = (/** @type {string} */ damage) => `repair-${damage.replaceAll(' ', '-')}`;

/**
 * One bench for a damage. The peer's rows are there where it gives the same value; our own are there always, and always give it.
 *
 * @param {import('./harness/answers.mjs').Damage} damage
 * @returns {import('./harness/bench.mjs').Bench}
 */
function prepareDamage({ name, write }) {
  const content = write(value);
  const { outcome } = route(content);
  if (outcome.kind !== 'output' || !isDeepStrictEqual(outcome.value, value)) throw new Error(`the answer with ${name} is not repaired`);
  const hasPeer = peerGives(content);
  const decoded = decodeRelaxed(content, 0, content.length);
  const isDecoded = decoded.kind === 'value' && isDeepStrictEqual(decoded.value, value);
  const ours = 'route + gate';
  const alone = 'repair alone';
  const theirs = 'jsonrepair + JSON.parse';
  return {
    name: benchName(name),
    title: `an answer of 100 KB, damage: ${name}${hasPeer ? '' : ' (jsonrepair gives another value, or none)'}`,
    subjects: [
      { name: ours, run: () => route(content) },
      ...(isDecoded ? [{ name: alone, run: () => decodeRelaxed(content, 0, content.length) }] : []),
      ...(hasPeer ? [{ name: theirs, run: () => peer(content) }] : []),
    ],
    ratios: hasPeer
      ? [
          { of: ours, to: theirs, limit: 1, requirement: 'SG-102' },
          ...(isDecoded ? [{ of: alone, to: theirs, limit: 1, requirement: 'SG-102' }] : []),
        ]
      : [],
  };
}

export const benches = damages
  .filter(({ fails }) => fails !== true)
  .map((damage) => ({ name: benchName(damage.name), prepare: () => prepareDamage(damage) }));
