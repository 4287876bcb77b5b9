import type { Random } from '../draw/random.ts';
import type { Mangler } from '../mangle.ts';
import type { Token } from '../spelling/tokens.ts';
import { filler, indexesOf, insertAt, neighbour, respell, tokenMangler, tolerable, withoutIndex } from './support.ts';

const comma: Token = { kind: 'comma', text: ',' };

/** Boundaries at which a filler may stand: before any token, and at the end when `end`. */
function insertSome(tokens: readonly Token[], random: Random, spots: readonly number[], make: () => string): readonly Token[] | undefined {
  if (spots.length === 0) return undefined;
  const chosen = new Set([random.pick(spots)]);
  for (let more = random.below(3); more > 0; more -= 1) chosen.add(random.pick(spots));
  return tokens.flatMap((token, index) => (chosen.has(index) ? [filler(make()), token] : [token]));
}

const innerSpots = (tokens: readonly Token[]): readonly number[] => indexesOf(tokens, (_, index) => index > 0);

const commentTexts = ['the name', 'years', "it's fine", 'TODO', 'see {a}', 'x: 1, y: 2', 'naïve ☂', '', 'a, b'];
const invisible = ['\ufeff', '\u200b', '\u00a0', '\u2060', '\u2003', '\u3000'];

function exponentOf(value: number): string {
  const text = value.toExponential();
  return text.replace('e+', 'E+');
}

/** Another spelling of a number, strict JSON all the same. */
function numberSpelling(value: number, random: Random): string {
  if (Object.is(value, -0)) return random.pick(['-0.0', '-0e0', '-0']);
  const plain = String(value);
  if (/[.e]/.test(plain)) return /e/.test(plain) ? plain : random.pick([`${plain}0`, exponentOf(value)]);
  return random.pick([`${plain}.0`, exponentOf(value), `${plain}e0`, `${plain}E+00`]);
}

const hex = (character: string): string =>
  [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** Another strict spelling of a string: some characters as \u escapes, a solidus escaped. */
function stringSpelling(text: string, random: Random): string {
  const body = JSON.stringify(text).slice(1, -1);
  const spelled = body.replace(/\\u[0-9a-f]{4}|\\.|\/|[\s\S]/gu, (piece) => {
    if (piece === '/') return random.chance(0.5) ? '\\/' : piece;
    return piece.startsWith('\\') || !random.chance(0.2) ? piece : hex(piece);
  });
  return `"${spelled}"`;
}

const upper: ReadonlyMap<unknown, string> = new Map([
  [true, 'TRUE'],
  [false, 'FALSE'],
  [null, 'NULL'],
]);
const python: ReadonlyMap<unknown, string> = new Map([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

const literal = (words: ReadonlyMap<unknown, string>) => (tokens: readonly Token[], random: Random) =>
  respell(tokens, random, (token) => (token.kind === 'literal' ? words.get(token.value) : undefined));

const memberCommas = (tokens: readonly Token[]): readonly number[] =>
  indexesOf(tokens, (token, index) => token.kind === 'comma' && neighbour(tokens, index, 1)?.kind === 'key');
const itemCommas = (tokens: readonly Token[]): readonly number[] =>
  indexesOf(tokens, (token, index) => {
    const before = neighbour(tokens, index, -1);
    return token.kind === 'comma' && before?.kind === 'close' && neighbour(tokens, index, 1)?.kind === 'open';
  });

const bareWord = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const reserved = /^(?:true|false|null|none|nan|infinity|undefined)$/i;

const everySpace = (text: string): string => ` ${text}`;

export const syntaxManglers: readonly Mangler[] = [
  tokenMangler('strict:number-spelling', (tokens, random) =>
    respell(tokens, random, (token) => (token.kind === 'number' ? numberSpelling(token.value as number, random) : undefined)),
  ),
  tokenMangler('strict:string-escapes', (tokens, random) =>
    respell(tokens, random, (token) =>
      token.kind === 'string' || token.kind === 'key' ? stringSpelling(token.value as string, random) : undefined,
    ),
  ),
  tokenMangler('syntax:trailing-comma', (tokens, random) => {
    const spots = indexesOf(tokens, (token, index) => token.kind === 'close' && neighbour(tokens, index, -1)?.kind !== 'open');
    if (spots.length === 0) return undefined;
    const one = random.chance(0.6) ? random.pick(spots) : -1;
    return tokens.flatMap((token, index) => (spots.includes(index) && (one < 0 || one === index) ? [comma, token] : [token]));
  }),
  tokenMangler('syntax:leading-comma', (tokens, random) => {
    const spots = indexesOf(
      tokens,
      (token, index) => token.kind === 'open' && token.text === '{' && neighbour(tokens, index, 1)?.kind === 'key',
    );
    return spots.length === 0 ? undefined : insertAt(tokens, random.pick(spots) + 1, comma);
  }),
  tokenMangler('syntax:missing-comma', (tokens, random) => {
    const spots = [...memberCommas(tokens), ...itemCommas(tokens)];
    if (spots.length === 0) return undefined;
    const at = random.pick(spots);
    // A comma that parted two numbers or words leaves a space behind, or they would become one.
    return random.chance(0.3) && neighbour(tokens, at, -1)?.kind === 'close'
      ? withoutIndex(tokens, at)
      : tokens.map((token, index) => (index === at ? filler(' ') : token));
  }),
  tolerable(
    tokenMangler('syntax:missing-colon', (tokens, random) => {
      const spots = indexesOf(tokens, (token) => token.kind === 'colon');
      if (spots.length === 0) return undefined;
      const at = random.pick(spots);
      return tokens.map((token, index) => (index === at ? filler(' ') : token));
    }),
  ),
  tokenMangler('syntax:line-comment', (tokens, random) =>
    insertSome(tokens, random, innerSpots(tokens), () => `${random.pick(['', ' '])}// ${random.pick(commentTexts)}\n`),
  ),
  tokenMangler('syntax:hash-comment', (tokens, random) =>
    insertSome(tokens, random, innerSpots(tokens), () => ` # ${random.pick(commentTexts)}\n`),
  ),
  tokenMangler('syntax:block-comment', (tokens, random) =>
    insertSome(tokens, random, innerSpots(tokens), () => `/* ${random.pick(commentTexts)}${random.pick(['', '\n'])} */`),
  ),
  // Behind a string, a comment that holds its quote may be the rest of it.
  tolerable(
    tokenMangler('syntax:comment-with-quotes', (tokens, random) =>
      insertSome(tokens, random, innerSpots(tokens), () => random.pick([' // "quoted"\n', '/* "a", "b" */', ' # "x": 1\n'])),
    ),
  ),
  tokenMangler('syntax:invisible', (tokens, random) => insertSome(tokens, random, innerSpots(tokens), () => random.pick(invisible))),
  tokenMangler('syntax:python-literals', literal(python)),
  tokenMangler('syntax:upper-literals', literal(upper)),
  tokenMangler('syntax:unquoted-keys', (tokens, random) =>
    respell(tokens, random, (token) =>
      token.kind === 'key' && bareWord.test(token.value as string) && !reserved.test(token.value as string)
        ? (token.value as string)
        : undefined,
    ),
  ),
  tokenMangler('syntax:plus-sign', (tokens, random) =>
    respell(tokens, random, (token) => (token.kind === 'number' && /^\d/.test(token.text) ? `+${token.text}` : undefined)),
  ),
  tokenMangler('syntax:bare-fraction', (tokens, random) =>
    respell(tokens, random, (token) =>
      token.kind === 'number' && /^-?0\.\d/.test(token.text) ? token.text.replace('0.', '.') : undefined,
    ),
  ),
  tolerable(
    tokenMangler('syntax:dangling-point', (tokens, random) =>
      respell(tokens, random, (token) => (token.kind === 'number' && /^-?\d+$/.test(token.text) ? `${token.text}.` : undefined)),
    ),
  ),
  tokenMangler('syntax:full-width', (tokens, random) =>
    respell(tokens, random, (token) => (token.kind === 'colon' ? '：' : token.kind === 'comma' ? '，' : undefined)),
  ),
  tokenMangler('syntax:wide-space', (tokens) =>
    tokens.some((token) => token.kind === 'colon')
      ? tokens.map((token) => (token.kind === 'colon' ? { ...token, text: `\t${token.text}\r\n` } : token))
      : undefined,
  ),
  tolerable(
    tokenMangler('syntax:bare-enum-word', (tokens, random, state) =>
      respell(tokens, random, (token) => {
        const word = token.value;
        if (token.kind !== 'string' || typeof word !== 'string' || !bareWord.test(word) || reserved.test(word)) return undefined;
        return JSON.stringify(state.schema.gate.jsonSchema).includes(`"enum":`) && isOnlyEnum(word, state.schema.gate.jsonSchema)
          ? everySpace(word)
          : undefined;
      }),
    ),
  ),
];

function isOnlyEnum(word: string, schema: unknown): boolean {
  // A free string anywhere makes a bare word a guess, so this damage is kept to schemas whose only strings are enums.
  const text = JSON.stringify(schema);
  return !text.includes('"type":"string"') && !text.includes('{}') && text.includes(JSON.stringify(word));
}
