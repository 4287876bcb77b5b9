import type { Random } from '../draw/random.ts';
import type { Mangler } from '../mangle.ts';
import { isUndetectable } from '../spelling/readings.ts';
import { joinTokens } from '../spelling/tokens.ts';
import { canBeDamaged, filler, marked } from './support.ts';

const structural = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  "'",
  '\\',
  '/',
  '#',
  '`',
  '<',
  '.',
  '-',
  '0',
  'e',
  'n',
  ' ',
  '\n',
  '\u0000',
  ';',
  '(',
  ')',
  '”',
  '=',
  '|',
];

const slice = (text: string, from: number, to: number): string => text.slice(from, to);

/** A place and a length of at most `longest`, both inside the text. */
function span(text: string, random: Random, longest: number): readonly [number, number] {
  const from = random.below(text.length);
  return [from, Math.min(text.length, from + 1 + random.below(longest))];
}

/** Damage without regard for what the text means, done to the printed document. */
function byteDamage(id: string, rewrite: (text: string, random: Random) => string): Mangler {
  return {
    id: `bytes:${id}`,
    phase: 'tokens',
    loss: 'lossy',
    apply(random, state) {
      const before = joinTokens(state.tokens);
      if (!canBeDamaged(state) || before.length < 2) return undefined;
      for (let tries = 0; tries < 3; tries += 1) {
        const text = rewrite(before, random);
        if (text === before || isUndetectable(text, state.value, state)) continue;
        return { ...state, tokens: [filler(text)], marks: marked(state, 'lossy', 'damaged') };
      }
      return undefined;
    },
  };
}

export const byteManglers: readonly Mangler[] = [
  byteDamage('flipped', (text, random) => {
    const at = random.below(text.length);
    const unit = random.chance(0.7) ? random.pick(structural) : String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(7)));
    return slice(text, 0, at) + unit + slice(text, at + 1, text.length);
  }),
  byteDamage('inserted', (text, random) => {
    const at = random.below(text.length + 1);
    return slice(text, 0, at) + random.pick(structural) + slice(text, at, text.length);
  }),
  byteDamage('dropped', (text, random) => {
    const [from, to] = span(text, random, 1);
    return slice(text, 0, from) + slice(text, to, text.length);
  }),
  byteDamage('span-dropped', (text, random) => {
    const [from, to] = span(text, random, 20);
    return slice(text, 0, from) + slice(text, to, text.length);
  }),
  byteDamage('start-dropped', (text, random) => slice(text, 1 + random.below(Math.min(text.length - 1, 30)), text.length)),
  byteDamage('span-doubled', (text, random) => {
    const [from, to] = span(text, random, 20);
    return slice(text, 0, to) + slice(text, from, text.length);
  }),
  byteDamage('spans-swapped', (text, random) => {
    const middle = random.below(text.length);
    const from = Math.max(0, middle - 1 - random.below(10));
    const to = Math.min(text.length, middle + 1 + random.below(10));
    return slice(text, 0, from) + slice(text, middle, to) + slice(text, from, middle) + slice(text, to, text.length);
  }),
];
