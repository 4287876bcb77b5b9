import type { FinishReason } from '@vouch/contracts';
import type { Random } from '../draw/random.ts';
import type { Mangler, MangleState } from '../mangle.ts';
import { has, marked } from './support.ts';

const finishes: readonly FinishReason[] = ['length', 'length', 'stop', 'stop', 'unknown', 'tool_calls'];

/** How the provider says that a cut response ended. A bare number is complete under `stop` and `tool_calls` (principle 9), so these are not said of one. */
function finishOf(random: Random, state: MangleState): FinishReason {
  const finish = random.pick(finishes);
  return typeof state.shown === 'number' && (finish === 'stop' || finish === 'tool_calls') ? 'length' : finish;
}

function cut(id: string, keep: (text: string, random: Random) => number): Mangler {
  return {
    id: `cut:${id}`,
    phase: 'text',
    loss: 'lossy',
    apply(random, state) {
      // What is hurt and then cut can lose the very sign of its hurt.
      if (has(state, 'fragile', 'needs-end', 'lossy') || state.text.length < 2) return undefined;
      const finish = finishOf(random, state);
      const text = state.text.slice(0, keep(state.text, random));
      return { ...state, text, finish, terminated: finish !== 'unknown' && random.chance(0.9), marks: marked(state, 'lossy') };
    },
  };
}

export const cutManglers: readonly Mangler[] = [
  cut('anywhere', (text, random) => random.below(text.length)),
  cut('near-end', (text, random) => Math.max(0, text.length - 1 - random.below(12))),
  cut('after-value', (text, random) => {
    const ends = [...text.matchAll(/["\d\]}el]\s*(?=[,\]}\s]|$)/g)]
      .map((found) => found.index + found[0].length)
      .filter((end) => end < text.length);
    return ends.length === 0 ? text.length - 1 : random.pick(ends);
  }),
];
