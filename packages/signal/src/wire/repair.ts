/** A text with one layer of escapes undone, and where the layer's span ended in the source. */
export interface UndoneLayer {
  readonly text: string;
  readonly end: number;
}

/** What an escape stands for, and its length. */
interface Unit {
  readonly text: string;
  readonly length: number;
}

/** One kind of escape over a whole document. */
interface Layer {
  readonly mark: number;
  /** The escape at `at`; undefined where none is whole. */
  readonly read: (text: string, at: number, end: number) => Unit | undefined;
  /** A span whose escapes are all whole, without them. */
  readonly undo: (span: string) => string;
}

// Made once: a layer holds an escape for every quote of the document.
const shortEscapes: ReadonlyMap<number, Unit> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }).map(([letter, text]) => [
    letter.charCodeAt(0),
    { text, length: 2 },
  ]),
);

function readEscape(text: string, at: number, end: number): Unit | undefined {
  if (at + 1 >= end) return undefined;
  const letter = text.charCodeAt(at + 1);
  const short = shortEscapes.get(letter);
  if (short !== undefined || letter !== 0x75) return short;
  const hex = text.slice(at + 2, at + 6);
  if (at + 6 > end || !/^[0-9a-fA-F]{4}$/.test(hex)) return undefined;
  return { text: String.fromCharCode(Number.parseInt(hex, 16)), length: 6 };
}

const entityNames: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' };
const entityPattern = /&(?:([a-z]{2,6})|#([0-9]{1,7})|#x([0-9a-f]{1,6}));/iy;
const quoteEntity: Unit = { text: '"', length: 6 };
const plainAmpersand: Unit = { text: '&', length: 1 };

function readEntity(text: string, at: number, end: number): Unit | undefined {
  if (at + 6 <= end && text.startsWith('&quot;', at)) return quoteEntity;
  entityPattern.lastIndex = at;
  const match = entityPattern.exec(text);
  if (match === null || at + match[0].length > end) return plainAmpersand;
  const [whole, name, decimal, hex] = match;
  if (name !== undefined) {
    const known = Object.hasOwn(entityNames, name) ? entityNames[name] : undefined;
    return { text: known ?? whole, length: whole.length };
  }
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
  return code > 0x10ffff ? undefined : { text: String.fromCodePoint(code), length: whole.length };
}

const layers: Readonly<Record<'escapes' | 'entities', Layer>> = {
  escapes: { mark: 0x5c, read: readEscape, undo: undoEscapes },
  entities: { mark: 0x26, read: readEntity, undo: undoEntities },
};

const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;

/** The engine reads a string many times faster than we join one; only raw control characters, or a quote that is not escaped, keep it from that. */
function undoEscapes(span: string): string {
  try {
    return JSON.parse(`"${span}"`) as string;
  } catch {
    return span.replace(escapePattern, (written) => readEscape(written, 0, written.length)?.text ?? written);
  }
}

const entitiesPattern = new RegExp(entityPattern.source, 'gi');

/** Quotes first, all at once: an entity that stands for one is neither made nor destroyed by that. */
function undoEntities(span: string): string {
  const quoted = span.replaceAll('&quot;', '"');
  return quoted.includes('&')
    ? quoted.replace(entitiesPattern, (written) => readEntity(written, 0, written.length)?.text ?? written)
    : quoted;
}

/** Where the layer over the bracketed span at `start` ends, following the JSON that comes out; it allocates nothing, for most marks lead nowhere. */
function layerEnd(text: string, start: number, end: number, { mark, read }: Layer): number | 'open' | undefined {
  let depth = 0;
  let inString = false;
  let escaped = false;
  for (let at = start; at < end; ) {
    let code = text.charCodeAt(at);
    if (code === mark) {
      const unit = read(text, at, end);
      if (unit === undefined) return end - at < 8 ? 'open' : undefined;
      at += unit.length;
      code = unit.text.length === 1 ? unit.text.charCodeAt(0) : 0;
    } else if (code === 0x22) return undefined;
    else at += 1;
    if (escaped) escaped = false;
    else if (inString && code === 0x5c) escaped = true;
    else if (code === 0x22) inString = !inString;
    else if (!inString && (code === 0x7b || code === 0x5b)) depth += 1;
    else if (!inString && (code === 0x7d || code === 0x5d)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return 'open';
}

function undoLayer(text: string, start: number, end: number, layer: Layer): UndoneLayer | 'open' | undefined {
  const stop = layerEnd(text, start, end, layer);
  return typeof stop === 'number' ? { text: layer.undo(text.slice(start, stop)), end: stop } : stop;
}

/** Undoes one layer of JSON string escapes over a span such as `{\"a\": 1}`. `open`: the span does not end. Undefined: it is no such layer. */
export function undoEscapeLayer(text: string, start: number, end: number): UndoneLayer | 'open' | undefined {
  return undoLayer(text, start, end, layers.escapes);
}

/** Undoes one layer of HTML entities over a span such as `{&quot;a&quot;: 1}`, exactly once. */
export function undoEntityLayer(text: string, start: number, end: number): UndoneLayer | 'open' | undefined {
  return undoLayer(text, start, end, layers.entities);
}

/** What a layer over a span that does not end gives as far as its escapes are whole. */
export function undoOpenLayer(text: string, start: number, end: number, kind: 'escapes' | 'entities'): string {
  const layer = layers[kind];
  const mark = String.fromCharCode(layer.mark);
  let stop = end;
  for (let at = text.indexOf(mark, start); at >= 0 && at < end; ) {
    const unit = layer.read(text, at, end);
    if (unit === undefined) {
      stop = at;
      break;
    }
    at = text.indexOf(mark, at + unit.length);
  }
  return layer.undo(text.slice(start, stop));
}

/** Texts that differ from the input by undone escape damage: every `\'` made plain, or one whole layer removed. Does not parse; may be empty. */
export function repairEscapeDamage(text: string): readonly string[] {
  const candidates: string[] = [];
  const plain = text.replaceAll("\\'", "'");
  if (plain !== text) candidates.push(plain);
  if (text.includes('\\"')) {
    const unlayered = text.replaceAll('\\"', '"').replaceAll('\\\\', '\\');
    if (unlayered !== plain) candidates.push(unlayered);
  }
  return candidates;
}

const strictNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const looseNumber = /^[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** A number as it was written, and whether JSON would spell it so. */
export interface NumberReading {
  readonly value: number;
  readonly strict: boolean;
}

/** Reads a number that has one meaning: JSON's own form, or one with a plus sign, a bare fraction or a dangling point. Undefined for any other. */
export function readNumber(token: string): NumberReading | undefined {
  if (strictNumber.test(token)) return { value: Number(token), strict: true };
  return looseNumber.test(token) ? { value: Number(token), strict: false } : undefined;
}

const literals: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
  null: null,
  Null: null,
  NULL: null,
  None: null,
};

/** Reads a literal in JSON's or another language's spelling; undefined for any other word. */
export function readLiteral(token: string): boolean | null | undefined {
  return Object.hasOwn(literals, token) ? literals[token] : undefined;
}

/**
 * Whether `value` holds the number `literal` exactly enough: no overflow, no underflow to zero, and, from 2^53 on, the same decimal digits. Fractions
 * below that are as exact as a double is. Linear in the literal.
 */
export function isExactNumber(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/^[^eE]*[1-9]/.test(literal);
  if (Math.abs(value) < 2 ** 53) return true;
  return significantDigits(literal) === significantDigits(String(value));
}

/** The digits of a number without zeros at either end, and the power of ten that they start at. */
function significantDigits(literal: string): string {
  const match = /^[+-]?([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$/.exec(literal);
  if (match === null) return literal;
  const digits = `${match[1] ?? ''}${match[2] ?? ''}`;
  let first = 0;
  while (first < digits.length && digits.charCodeAt(first) === 0x30) first += 1;
  let last = digits.length;
  while (last > first && digits.charCodeAt(last - 1) === 0x30) last -= 1;
  const exponent = (match[1] ?? '').length - first + Number(match[3] ?? 0);
  return `${digits.slice(first, last)}e${exponent}`;
}

/** A surrogate that has no partner stands in `text`: such a string cannot be written as UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code > 0xdbff) return true;
    const next = text.charCodeAt(at + 1);
    if (!(next >= 0xdc00 && next <= 0xdfff)) return true;
    at += 1;
  }
  return false;
}

// A form feed or backspace before a letter was a backslash command; a control character after a drive letter was a path.
const destroyedEscape = /[\b\f][A-Za-z]|(?:^|[^A-Za-z0-9])[A-Za-z]:[\x00-\x1f][A-Za-z0-9_]/;

/** The decoded text shows an escape that was not meant as one (SG-070, `suspect_escape`). */
export function hasDestroyedEscape(text: string): boolean {
  return destroyedEscape.test(text);
}
