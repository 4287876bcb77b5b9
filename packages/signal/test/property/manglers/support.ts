import { isJsonObject } from '@vouch/contracts';
import type { Random } from '../draw/random.ts';
import type { Json } from '../draw/shape.ts';
import type { Mangler, MangleState, Mark } from '../mangle.ts';
import type { Token } from '../spelling/tokens.ts';

export type JsonRecord = Readonly<Record<string, Json>>;

/** `value` is an object or an array. */
export const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null;

export const asRecord = (value: Json): JsonRecord | undefined => (isJsonObject(value) ? (value as JsonRecord) : undefined);

/** The marks with more of them. */
export const marked = (state: MangleState, ...marks: readonly Mark[]): ReadonlySet<Mark> => new Set([...state.marks, ...marks]);

export const has = (state: MangleState, ...marks: readonly Mark[]): boolean => marks.some((mark) => state.marks.has(mark));

/** A lossless mangler of the text. */
export function textMangler(
  id: string,
  rewrite: (text: string, random: Random, state: MangleState) => string | undefined,
  marks: readonly Mark[] = [],
): Mangler {
  return {
    id,
    phase: 'text',
    loss: 'lossless',
    apply(random, state) {
      const text = rewrite(state.text, random, state);
      return text === undefined ? undefined : { ...state, text, marks: marked(state, ...marks) };
    },
  };
}

/** A lossless mangler of the tokens. */
export function tokenMangler(
  id: string,
  rewrite: (tokens: readonly Token[], random: Random, state: MangleState) => readonly Token[] | undefined,
): Mangler {
  return {
    id,
    phase: 'tokens',
    loss: 'lossless',
    apply(random, state) {
      const tokens = rewrite(state.tokens, random, state);
      return tokens === undefined ? undefined : { ...state, tokens };
    },
  };
}

/** The same mangler, with a failure tolerated. */
export const tolerable = (mangler: Mangler): Mangler => ({ ...mangler, tolerable: true });

/** Indexes of the tokens that pass. */
export function indexesOf(tokens: readonly Token[], test: (token: Token, index: number) => boolean): readonly number[] {
  const out: number[] = [];
  for (const [index, token] of tokens.entries()) if (test(token, index)) out.push(index);
  return out;
}

/** Respells tokens: all that `respell` knows how to, or one of them, by chance. Undefined when it knows none. */
export function respell(
  tokens: readonly Token[],
  random: Random,
  spell: (token: Token, index: number) => string | undefined,
): readonly Token[] | undefined {
  const spelled = tokens.map(spell);
  const fit = indexesOf(tokens, (token, index) => spelled[index] !== undefined && spelled[index] !== token.text);
  if (fit.length === 0) return undefined;
  const only = random.chance(0.4) ? random.pick(fit) : -1;
  return tokens.map((token, index) =>
    fit.includes(index) && (only < 0 || only === index) ? { ...token, text: spelled[index] as string } : token,
  );
}

/** Tokens with others put before the one at `index`. */
export const insertAt = (tokens: readonly Token[], index: number, ...more: readonly Token[]): readonly Token[] => [
  ...tokens.slice(0, index),
  ...more,
  ...tokens.slice(index),
];

export const withoutIndex = (tokens: readonly Token[], index: number): readonly Token[] => tokens.filter((_, at) => at !== index);

/** The nearest token that is no space, in a direction; undefined at the end. */
export function neighbour(tokens: readonly Token[], index: number, step: 1 | -1): Token | undefined {
  for (let at = index + step; at >= 0 && at < tokens.length; at += step) if (tokens[at]?.kind !== 'space') return tokens[at];
  return undefined;
}

/** A token without meaning. */
export const filler = (text: string): Token => ({ kind: 'space', text });

/** Marks that say what a text is: with its quotes hurt, a string at the root that holds one reads as they say (principle 6). */
const marks = /[`~<>[\]{}|]/;

/** A string at the root whose content, once its quotes are hurt, is nothing but talk. */
function isPlainString({ shown, tokens, schema }: MangleState): boolean {
  if (schema.root.kind !== 'string' && schema.root.kind !== 'literal') return false;
  return !marks.test(String(shown)) && tokens.every((token) => token.kind !== 'string' || token.text.startsWith('"'));
}

/** Damage here could be told from what was meant: not twice, and not where quotes are told by the text as a whole. */
export const canBeDamaged = (state: MangleState): boolean =>
  !has(state, 'fragile', 'damaged') && (typeof state.shown !== 'string' || isPlainString(state));

/** Holds half of a surrogate pair. As it is, such a text cannot travel as UTF-8; only an escape carries it. */
export const hasLoneSurrogate = (text: string): boolean =>
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
