import type { Random } from '../draw/random.ts';
import type { Mangler } from '../mangle.ts';
import type { Token } from '../spelling/tokens.ts';
import { hasLoneSurrogate, marked, respell, tokenMangler, tolerable } from './support.ts';

const body = (text: string): string => JSON.stringify(text).slice(1, -1);
const isText = (token: Token): boolean => token.kind === 'string' || token.kind === 'key';

/** Strings and keys within other quotes. `delimited` gives the text of one, or undefined where the content does not fit these quotes. */
const requote = (id: string, delimited: (content: string, random: Random) => string | undefined): Mangler =>
  tokenMangler(`quotes:${id}`, (tokens, random) => {
    const strings = random.chance(0.3) ? isKeyToken : isText;
    return respell(tokens, random, (token) =>
      strings(token) && token.text.startsWith('"') ? delimited(token.value as string, random) : undefined,
    );
  });

const isKeyToken = (token: Token): boolean => token.kind === 'key';

function single(content: string, random: Random): string {
  const escaped = body(content).replaceAll("'", "\\'");
  return `'${random.chance(0.5) ? escaped.replaceAll('\\"', '"') : escaped}'`;
}

const between =
  (open: string, close: string) =>
  (content: string): string | undefined =>
    [...open, ...close].some((quote) => content.includes(quote)) ? undefined : `${open}${body(content)}${close}`;

function backtick(content: string): string | undefined {
  return /[`\\$[{]/.test(content) || hasLoneSurrogate(content) || /[\u0000-\u001f\u007f]/.test(content.replaceAll('\n', ''))
    ? undefined
    : `\`${content}\``;
}

/** Control characters as they are, where JSON asks for an escape. */
function rawControls(token: Token): string | undefined {
  if (!isText(token) || !token.text.startsWith('"')) return undefined;
  return token.text.replace(/\\(\\|"|u[0-9a-f]{4}|.)/g, (sequence, kind: string) => {
    const raw = { n: '\n', r: '\r', t: '\t' }[kind];
    if (raw !== undefined) return raw;
    return /^u00[01]/.test(kind) ? String.fromCharCode(Number.parseInt(kind.slice(1), 16)) : sequence;
  });
}

/** A back-slash before what is no escape, as in a regular expression or LaTeX: the back-slash was meant. */
function bareBackslash(token: Token): string | undefined {
  if (token.kind !== 'string' || !token.text.startsWith('"')) return undefined;
  return token.text.replace(/\\\\(?=[acdeghijklmopqsvwyzA-TV-Z({[.+*^$|-])/g, '\\');
}

/** Inner quotes that nobody escaped, none of them beside anything structural. */
function bareInnerQuotes(token: Token): string | undefined {
  const content = token.value;
  if (token.kind !== 'string' || typeof content !== 'string' || !/^[^"\\]*[a-z ]"[a-z]+"[a-z ][^"\\]*$/i.test(content)) return undefined;
  return `"${body(content).replaceAll('\\"', '"')}"`;
}

function bareApostrophe(token: Token): string | undefined {
  const content = token.value;
  if (token.kind !== 'string' || typeof content !== 'string' || !/^[^'\\"]*[a-z]'[a-z][^'\\"]*$/i.test(content)) return undefined;
  return `'${body(content)}'`;
}

const fragile = (mangler: Mangler): Mangler => ({
  ...mangler,
  tolerable: true,
  apply(random, state) {
    // Which quote ends such a string is told by what surrounds it, so only a plain whole document keeps it lossless.
    if (state.marks.has('lossy')) return undefined;
    const next = mangler.apply(random, state);
    return next === undefined ? undefined : { ...next, marks: marked(next, 'fragile') };
  },
});

/** Not for a string at the root: there back-ticks are marks of the text around it. */
const onlyInside = (mangler: Mangler): Mangler => ({
  ...mangler,
  apply: (random, state) => (typeof state.shown === 'string' ? undefined : mangler.apply(random, state)),
});

export const quoteManglers: readonly Mangler[] = [
  tokenMangler('quotes:raw-controls', (tokens, random) => respell(tokens, random, rawControls)),
  tokenMangler('quotes:escaped-apostrophe', (tokens, random) =>
    respell(tokens, random, (token) => (isText(token) && token.text.startsWith('"') ? token.text.replaceAll("'", "\\'") : undefined)),
  ),
  tolerable(tokenMangler('quotes:bare-backslash', (tokens, random) => respell(tokens, random, bareBackslash))),
  requote('single', single),
  requote('smart', between('“', '”')),
  requote('smart-single', between('‘', '’')),
  tolerable(requote('low-high', between('„', '“'))),
  tolerable(onlyInside(requote('backtick', backtick))),
  fragile(tokenMangler('quotes:bare-inner', (tokens, random) => respell(tokens, random, bareInnerQuotes))),
  fragile(tokenMangler('quotes:bare-apostrophe', (tokens, random) => respell(tokens, random, bareApostrophe))),
];
