import type { Random } from '../draw/random.ts';
import type { Json } from '../draw/shape.ts';

/** One piece of a printed value. A mangler may respell it, drop it, or put others beside it. */
export interface Token {
  readonly kind: 'open' | 'close' | 'colon' | 'comma' | 'key' | 'string' | 'number' | 'literal' | 'space';
  readonly text: string;
  /** What a key, string, number or literal says. */
  readonly value?: string | number | boolean | null;
}

/** How white space is laid out. */
export type Layout = 'minified' | 'spaced' | 'pretty' | 'tabs' | 'ragged';

export const layouts: readonly Layout[] = ['minified', 'minified', 'spaced', 'pretty', 'tabs', 'ragged'];

const space = (text: string): Token => ({ kind: 'space', text });
const punctuation: Record<'{' | '}' | '[' | ']' | ':' | ',', Token> = {
  '{': { kind: 'open', text: '{' },
  '}': { kind: 'close', text: '}' },
  '[': { kind: 'open', text: '[' },
  ']': { kind: 'close', text: ']' },
  ':': { kind: 'colon', text: ':' },
  ',': { kind: 'comma', text: ',' },
};
const raggedSpaces = ['', '', ' ', '  ', '\n', '\r\n', '\t', ' \n  '] as const;

function scalarToken(value: string | number | boolean | null): Token {
  if (typeof value === 'string') return { kind: 'string', text: JSON.stringify(value), value };
  if (typeof value === 'number') return { kind: 'number', text: Object.is(value, -0) ? '-0' : String(value), value };
  return { kind: 'literal', text: String(value), value };
}

/** Prints a value as strict JSON, in pieces. */
export function printTokens(value: Json, layout: Layout, random: Random): Token[] {
  const out: Token[] = [];
  const gap = (depth: number): void => {
    if (layout === 'pretty') out.push(space(`\n${'  '.repeat(depth)}`));
    else if (layout === 'tabs') out.push(space(`\n${'\t'.repeat(depth)}`));
    else if (layout === 'ragged') pushRagged();
  };
  const pushRagged = (): void => {
    const text = random.pick(raggedSpaces);
    if (text !== '') out.push(space(text));
  };
  const separator = (depth: number): void => {
    out.push(punctuation[',']);
    if (layout === 'spaced') out.push(space(' '));
    else gap(depth);
  };
  const list = (open: '{' | '[', close: '}' | ']', count: number, depth: number, item: (index: number) => void): void => {
    out.push(punctuation[open]);
    if (count > 0) gap(depth + 1);
    for (let index = 0; index < count; index += 1) {
      if (index > 0) separator(depth + 1);
      item(index);
    }
    if (count > 0) gap(depth);
    out.push(punctuation[close]);
  };
  const print = (inner: Json, depth: number): void => {
    if (Array.isArray(inner)) {
      list('[', ']', inner.length, depth, (index) => print(inner[index] as Json, depth + 1));
      return;
    }
    if (typeof inner === 'object' && inner !== null) {
      const entries = Object.entries(inner as Record<string, Json>);
      list('{', '}', entries.length, depth, (index) => {
        const [key, member] = entries[index] as [string, Json];
        out.push({ kind: 'key', text: JSON.stringify(key), value: key });
        if (layout === 'ragged') pushRagged();
        out.push(punctuation[':']);
        if (layout === 'ragged') pushRagged();
        else if (layout !== 'minified') out.push(space(' '));
        print(member, depth + 1);
      });
      return;
    }
    out.push(scalarToken(inner as string | number | boolean | null));
  };
  print(value, 0);
  return out;
}

/** The text of tokens. */
export function joinTokens(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) text += token.text;
  return text;
}

/** A value as strict JSON in a random layout. */
export function printValue(value: Json, random: Random): string {
  return joinTokens(printTokens(value, random.pick(layouts), random));
}
