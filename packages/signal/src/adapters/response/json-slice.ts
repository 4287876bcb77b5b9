/**
 * The source text of the value at `path` in `text`, which must be JSON that parses; undefined when there is nothing. A slice keeps what parsing
 * loses: the digits of long numbers. Of a repeated key the last counts, as in `JSON.parse`. Linear, without recursion.
 */
export function sliceJson(text: string, path: readonly (string | number)[]): string | undefined {
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (const step of path) {
    const child = typeof step === 'number' ? item(text, at, step) : member(text, at, step);
    if (child === undefined) return undefined;
    at = child;
  }
  return text.slice(at, endOfValue(text, at));
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at += 1;
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < 0) return at;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || /\s/.test(character))) return at;
    at += 1;
  }
  return at;
}

function item(text: string, from: number, index: number): number | undefined {
  if (text[from] !== '[') return undefined;
  let at = skipSpace(text, from + 1);
  for (let position = 0; at < text.length && text[at] !== ']'; position += 1) {
    if (position === index) return at;
    at = skipSpace(text, endOfValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return undefined;
}

function member(text: string, from: number, key: string): number | undefined {
  if (text[from] !== '{') return undefined;
  let found: number | undefined;
  let at = skipSpace(text, from + 1);
  while (at < text.length && text[at] === '"') {
    const end = endOfString(text, at);
    const name: unknown = JSON.parse(text.slice(at, end));
    at = skipSpace(text, skipSpace(text, end) + 1);
    if (name === key) found = at;
    at = skipSpace(text, endOfValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

/** The source texts of the items of an array, whose text must be JSON that parses: all of them in one pass. */
export function sliceItems(text: string): readonly string[] {
  const items: string[] = [];
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return items;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = Math.max(endOfValue(text, at), at + 1);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

/** The top-level values of a text that holds several, one after another or one a line; the last may be cut. Linear, without recursion. */
export function splitJsonValues(text: string): readonly string[] {
  const values: string[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const end = Math.max(endOfValue(text, at), at + 1);
    values.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return values;
}
