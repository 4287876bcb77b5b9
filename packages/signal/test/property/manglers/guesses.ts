import type { Random } from '../draw/random.ts';
import type { Mangler } from '../mangle.ts';
import { isUndetectable } from '../spelling/readings.ts';
import { joinTokens, type Token } from '../spelling/tokens.ts';
import { canBeDamaged, filler, indexesOf, insertAt, marked, neighbour, withoutIndex } from './support.ts';

type Rewrite = (tokens: readonly Token[], random: Random) => readonly Token[] | undefined;

/** Damage that only a guess undoes: no value may come of it but the original. */
function guess(id: string, rewrite: Rewrite): Mangler {
  return {
    id: `guess:${id}`,
    phase: 'tokens',
    loss: 'lossy',
    apply(random, state) {
      if (!canBeDamaged(state)) return undefined;
      const tokens = rewrite(state.tokens, random);
      if (tokens === undefined || isUndetectable(joinTokens(tokens), state.value, state)) return undefined;
      return { ...state, tokens, marks: marked(state, 'lossy', 'damaged') };
    },
  };
}

const isValue = (token: Token): boolean => token.kind === 'string' || token.kind === 'number' || token.kind === 'literal';

const replaceOne =
  (fits: (token: Token) => boolean, spell: (token: Token, random: Random) => string | undefined): Rewrite =>
  (tokens, random) => {
    const spots = indexesOf(tokens, fits);
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    const text = spell(tokens[at] as Token, random);
    return text === undefined ? undefined : tokens.map((token, index) => (index === at ? { ...token, text } : token));
  };

const isNumber = (token: Token): boolean => token.kind === 'number';
const isQuoted = (token: Token): boolean => (token.kind === 'string' || token.kind === 'key') && token.text.length > 1;

const arabicDigits = (text: string): string => text.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

const numberDamage: readonly ((text: string) => string)[] = [
  (text) => text.replace(/(\d)(\d{3})\b/, '$1,$2'),
  (text) => text.replace(/(\d)(\d)/, '$1 $2'),
  (text) => text.replace(/(\d)(\d)/, '$1_$2'),
  (text) => text.replace(/(\d)(\d)/, "$1'$2"),
  (text) => text.replace('.', ','),
  (text) => text.replace('.', '..'),
  (text) => text.replace(/(\d)$/, '$1%'),
  (text) => text.replace(/(\d)$/, '$1ft'),
  (text) => text.replace(/(\d)$/, '$1 km'),
  (text) => text.replace(/(\d)$/, '$1/3'),
  (text) => text.replace(/(\d)$/, '$1*2'),
  (text) => text.replace(/(\d)$/, '$1e'),
  (text) => text.replace(/(\d)$/, '$1n'),
  (text) => text.replace(/^-?/, '--'),
  (text) => text.replace(/^-?/, '$'),
  (text) => text.replace(/^-?/, '~'),
  (text) => text.replace(/^(-?)(\d)/, '$100$2'),
  (text) => text.replace(/^-?\d+/, '0x1F'),
  (text) => `${text}-${text}`,
  (text) => text.replace(/\d(?=\D*$)/, 'O'),
  (text) => text.replace(/\d(?=\D*$)/, '?'),
  (text) => `${text}e999`,
  arabicDigits,
];

const placeholders = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '...',
  '…',
  '?',
  '<value>',
  'see above',
  'TBD',
  'N/A',
  'yes',
  'ObjectId("64af")',
  'new Date()',
  '-',
  '""""',
];
const proseValues = ['about what I said', 'the value, as you know, is fine', 'unknown (not given)', '{ ... }', '[...]'];

export const guessManglers: readonly Mangler[] = [
  guess(
    'number-damage',
    replaceOne(isNumber, (token, random) => {
      const text = random.pick(numberDamage)(token.text);
      return text === token.text ? undefined : text;
    }),
  ),
  guess(
    'placeholder',
    replaceOne(isValue, (_token, random) => random.pick(placeholders)),
  ),
  guess(
    'prose-value',
    replaceOne(isValue, (_token, random) => random.pick(proseValues)),
  ),
  guess('missing-value', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => isValue(token) && neighbour(tokens, index, -1)?.kind === 'colon');
    return spots.length === 0 ? undefined : withoutIndex(tokens, random.pick(spots));
  }),
  guess('key-alone', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => isValue(token) && neighbour(tokens, index, -1)?.kind === 'colon');
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    const colon = indexesOf(tokens, (token, index) => token.kind === 'colon' && index < at).at(-1);
    return tokens.filter((_, index) => index !== at && index !== colon);
  }),
  guess(
    'missing-quote',
    replaceOne(isQuoted, (token, random) => (random.chance(0.5) ? token.text.slice(1) : token.text.slice(0, -1))),
  ),
  guess(
    'no-quotes',
    replaceOne(
      (token) => token.kind === 'string',
      (token) => token.text.slice(1, -1),
    ),
  ),
  guess(
    'unescaped-quotes',
    replaceOne(
      (token) => isQuoted(token) && token.text.includes('\\"'),
      (token) => token.text.replaceAll('\\"', '"'),
    ),
  ),
  guess(
    'quotes-beside-comma',
    replaceOne(
      (token) => token.kind === 'string',
      (token) => `"say "yes", "no" or ${token.text}"`,
    ),
  ),
  guess('elided-item', (tokens, random) => {
    const spots = indexesOf(
      tokens,
      (token, index) =>
        isValue(token) &&
        ['open', 'comma'].includes(neighbour(tokens, index, -1)?.kind ?? '') &&
        neighbour(tokens, index, 1)?.kind === 'comma',
    );
    return spots.length === 0 ? undefined : withoutIndex(tokens, random.pick(spots));
  }),
  guess('ellipsis', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => token.kind === 'close' && neighbour(tokens, index, -1)?.kind !== 'open');
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    // What the dots stand for is gone: the last scalar before them goes with it, when there is one.
    const last = at - 1;
    const kept =
      random.chance(0.5) && tokens[last] !== undefined && isValue(tokens[last]) && neighbour(tokens, last, -1)?.kind === 'comma'
        ? withoutIndex(tokens, last)
        : insertAt(tokens, at, { kind: 'comma', text: ', ' });
    return insertAt(kept, kept.length - (tokens.length - at), filler(random.pick(['...', '…', '...rest', '// and so on ...\n...'])));
  }),
  guess('closer-missing', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => token.kind === 'close' && index < tokens.length - 1);
    return spots.length === 0 ? undefined : withoutIndex(tokens, random.pick(spots));
  }),
  guess('closer-swapped', (tokens, random) => {
    const spots = indexesOf(tokens, (token) => token.kind === 'close');
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    return tokens.map((token, index) => (index === at ? { ...token, text: token.text === '}' ? ']' : '}' } : token));
  }),
  guess('opener-missing', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => token.kind === 'open' && index > 0);
    return spots.length === 0 ? undefined : withoutIndex(tokens, random.pick(spots));
  }),
  guess('duplicate-key', (tokens, random) => {
    const spots = indexesOf(tokens, (token) => token.kind === 'key');
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    const close = tokens.findIndex((token, index) => index > at && token.kind === 'close');
    const copy = `${(tokens[at] as Token).text}:${random.pick(['null', '0', '1', '""', '"x"', 'true', '[]', '{}'])}`;
    return random.chance(0.5) ? insertAt(tokens, at, filler(`${copy},`)) : insertAt(tokens, close, filler(`,${copy}`));
  }),
  guess('prototype-key', (tokens, random) => {
    const spots = indexesOf(tokens, (token) => token.kind === 'key');
    return spots.length === 0
      ? undefined
      : insertAt(tokens, random.pick(spots), filler(random.pick(['"__proto__":{"x":1},', '"__proto__":null,', '"\\u005f_proto__":{},'])));
  }),
];
