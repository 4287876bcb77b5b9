import type { Json } from '../draw/shape.ts';

const space = /[\s\u0000-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const word = /[\p{ID_Start}$_][\p{ID_Continue}$-]*|\d+/uy;
const numeral = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const literals: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);
const closingQuotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
  ['„', '“”'],
  ['«', '»'],
]);
const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const deepest = 3_000;
/** The text is no lenient JSON. */
const nothing: unique symbol = Symbol('nothing');
type Read = Json | typeof nothing;

/**
 * Reads a text by lossless edits alone, the whole of it, and by code of this suite's own: the judge of whether damage can be seen at all. Damage
 * that such edits read as another conforming value could have been what the author meant, so no router can be blamed for it. Undefined when
 * there is no such reading, or when two members of one name differ.
 */
export function readLeniently(text: string): { readonly value: Json } | undefined {
  const documents = readDocuments(text);
  const value = documents?.[0];
  return documents?.length === 1 && value !== undefined ? { value } : undefined;
}

/** The same for one document or several with nothing but white space between them. */
export function readDocuments(text: string): readonly Json[] | undefined {
  let at = 0;
  const peek = (): string => text[at] ?? '';
  const skip = (): void => {
    for (;;) {
      const here = peek();
      if (here !== '' && space.test(here)) at += 1;
      else if (here === '#' || text.startsWith('//', at)) at = endOfLine();
      else if (text.startsWith('/*', at)) {
        const end = text.indexOf('*/', at + 2);
        at = end < 0 ? text.length : end + 2;
      } else return;
    }
  };
  const endOfLine = (): number => {
    while (at < text.length && peek() !== '\n' && peek() !== '\r') at += 1;
    return at;
  };
  const eat = (set: string): boolean => {
    skip();
    if (peek() === '' || !set.includes(peek())) return false;
    at += 1;
    return true;
  };
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const quoted = (): string | typeof nothing => {
    const ends = closingQuotes.get(peek()) ?? '';
    at += 1;
    let out = '';
    while (at < text.length) {
      const here = peek();
      at += 1;
      if (ends.includes(here)) return out;
      out += here === '\\' ? escaped() : here;
    }
    return nothing;
  };
  const escaped = (): string => {
    const here = peek();
    at += 1;
    if (here === 'u' && /^[0-9a-fA-F]{4}/.test(text.slice(at, at + 4))) {
      at += 4;
      return String.fromCharCode(Number.parseInt(text.slice(at - 4, at), 16));
    }
    if ('"\\/\'`'.includes(here)) return here;
    return escapes.get(here) ?? `\\${here}`;
  };
  const members = (depth: number): Read => {
    const entries = new Map<string, Json>();
    for (;;) {
      while (eat(',，;'));
      if (eat('}')) return Object.fromEntries(entries);
      const isQuoted = closingQuotes.has(peek());
      const key = isQuoted ? quoted() : match(word);
      if (key === nothing || (!isQuoted && key === '')) return nothing;
      eat(':：=');
      const value = read(depth);
      if (value === nothing) return nothing;
      if (entries.has(key) && JSON.stringify(entries.get(key)) !== JSON.stringify(value)) return nothing;
      entries.set(key, value);
    }
  };
  const items = (depth: number): Read => {
    const out: Json[] = [];
    for (;;) {
      while (eat(',，'));
      if (eat(']')) return out;
      const value = read(depth);
      if (value === nothing) return nothing;
      out.push(value);
    }
  };
  const read = (depth: number): Read => {
    skip();
    const here = peek();
    if (here === '' || depth > deepest) return nothing;
    if (closingQuotes.has(here)) return quoted();
    if (eat('{')) return members(depth + 1);
    if (eat('[')) return items(depth + 1);
    if (/[+\-.\d]/.test(here)) {
      const found = match(numeral);
      return found === '' ? nothing : Number(found);
    }
    const name = match(word).toLowerCase();
    return literals.has(name) ? (literals.get(name) as boolean | null) : nothing;
  };
  const documents: Json[] = [];
  do {
    const value = read(0);
    if (value === nothing) return undefined;
    documents.push(value);
    skip();
  } while (peek() === '{' || peek() === '[');
  // What may follow a document without saying anything: closers too many, a comma, a semicolon.
  while (eat('}]),;'));
  return at >= text.length ? documents : undefined;
}
