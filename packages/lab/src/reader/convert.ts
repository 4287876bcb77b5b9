import type { JsonSchema, JsonValue } from '@vouch/contracts';
import { readShape, type Shape } from './schema.ts';
import { amountIn, booleanIn, currencyIn, dateIn, emailsIn, phonesIn, wholeIn } from './values.ts';
import { foldedWords, meaning } from './words.ts';

const nothing = new Set([
  '',
  '-',
  '–',
  '—',
  'n/a',
  'na',
  'none',
  'null',
  'unknown',
  'keine',
  'keiner',
  'unbekannt',
  'k.a.',
  'k. a.',
  'tbd',
  'nicht angegeben',
  'not given',
  'not stated',
]);

/** The text says that there is no value. */
export function saysNothing(text: string): boolean {
  return nothing.has(text.trim().toLowerCase());
}

/** What a schema makes of one text; undefined when the text does not hold such a value. `name` is the property's own name. */
export function convertText(root: JsonSchema, shape: Shape, name: string, text: string): JsonValue | undefined {
  if (shape.nullable && saysNothing(text)) return null;
  if (shape.alternatives.length > 0) {
    for (const alternative of shape.alternatives) {
      const value = convertText(root, alternative, name, text);
      if (value !== undefined) return value;
    }
    return undefined;
  }
  if (shape.choices !== undefined) return chosen(shape.choices, text);
  const types = shape.types.length === 0 ? ['string'] : shape.types;
  for (const type of types) {
    const value = convertTo(type, root, shape, name, text);
    if (value !== undefined) return value;
  }
  return undefined;
}

function convertTo(type: string, root: JsonSchema, shape: Shape, name: string, text: string): JsonValue | undefined {
  switch (type) {
    case 'string':
      return stringOf(shape, name, text);
    case 'number':
      return amountIn(text)?.value;
    case 'integer': {
      const value = wholeIn(text);
      return Number.isInteger(value) ? value : undefined;
    }
    case 'boolean':
      return booleanIn(text);
    case 'array':
      return listOf(root, shape, name, text);
    case 'object':
      return moneyOf(root, shape, text);
    default:
      return undefined;
  }
}

/** Splits `a, b and c` and reads each; undefined when one of them is not such an item. */
function listOf(root: JsonSchema, shape: Shape, name: string, text: string): JsonValue | undefined {
  if (shape.items === undefined) return undefined;
  const item = readShape(root, shape.items);
  const parts = text
    .split(/\s*[;\n]\s*|\s*,\s+(?:and |und )?|\s+(?:and|und)\s+(?=\S+$)/)
    .flatMap((part) => (text.includes(', ') || text.includes(';') ? [part] : part.split(',')))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const values = parts.map((part) => convertText(root, item, name, part));
  return values.length === 0 || values.some((value) => value === undefined) ? undefined : (values as JsonValue[]);
}

/** `{ amount, currency }` from `1,234.50 EUR`. */
function moneyOf(root: JsonSchema, shape: Shape, text: string): JsonValue | undefined {
  const amount = amountIn(text);
  const names = Object.keys(shape.properties);
  if (amount === undefined || names.length < 1 || names.length > 3) return undefined;
  const entries: [string, JsonValue][] = [];
  for (const name of names) {
    const member = readShape(root, shape.properties[name] ?? {});
    const words = meaning(name);
    const isNumber = member.types.includes('number') || member.types.includes('integer');
    if (isNumber) entries.push([name, amount.value]);
    else if (words.includes('currency') && amount.currency !== undefined) entries.push([name, amount.currency]);
    else if (member.nullable) entries.push([name, null]);
  }
  return entries.some(([, value]) => typeof value === 'number') && entries.length === names.length
    ? Object.fromEntries(entries)
    : undefined;
}

const folded = (text: string): string => foldedWords(text).join(' ');

/** The one choice that the text is, or that stands in it as a word. */
function chosen(choices: readonly JsonValue[], text: string): JsonValue | undefined {
  const said = folded(text);
  const exact =
    choices.find((choice) => choice === text.trim()) ??
    choices.find((choice) => typeof choice === 'string' && folded(choice) === said && said !== '');
  if (exact !== undefined) return exact;
  const amount = amountIn(text)?.value;
  const number = choices.find((choice) => typeof choice === 'number' && choice === amount);
  if (number !== undefined) return number;
  const truth = choices.find((choice) => typeof choice === 'boolean' && choice === booleanIn(text));
  return truth ?? choiceInside(choices, text);
}

/** The one choice that stands in the text as a word; undefined when none does, or several. A currency sign stands for its code. */
function choiceInside(choices: readonly JsonValue[], text: string): JsonValue | undefined {
  const said = ` ${folded(text)} `;
  const inside = choices.filter((choice) => typeof choice === 'string' && folded(choice) !== '' && said.includes(` ${folded(choice)} `));
  if (inside.length === 1) return inside[0];
  const currency = currencyIn(text);
  return inside.length === 0 && currency !== undefined && choices.includes(currency) ? currency : undefined;
}

const formats: Readonly<Record<string, (text: string) => string | undefined>> = {
  date: (text) => dateIn(text)?.date,
  'date-time': dateTimeOf,
  time: (text) => /(?<!\d)([01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:Z|[+-]\d\d:\d\d)?/.exec(text)?.[0],
  email: (text) => only(emailsIn(text)),
  uri: (text) => /https?:\/\/[^\s<>"')]+/.exec(text)?.[0],
  url: (text) => /https?:\/\/[^\s<>"')]+/.exec(text)?.[0],
  uuid: (text) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text)?.[0],
  ipv4: (text) => /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/.exec(text)?.[0],
};

function only(found: readonly string[]): string | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** RFC 3339. A time without an offset stays out: it would have to be invented. */
function dateTimeOf(text: string): string | undefined {
  const found = dateIn(text);
  if (found?.time === undefined || !/(?:Z|[+-]\d{2}:?\d{2})$/.test(found.time)) return undefined;
  return `${found.date}T${found.time.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`;
}

function stringOf(shape: Shape, name: string, text: string): string | undefined {
  const trimmed = text.trim();
  const { format, pattern, minLength, maxLength } = shape.schema;
  const read = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const value = read === undefined ? named(name, trimmed, typeof pattern === 'string') : read(trimmed);
  if (value === undefined || value.length < Number(minLength ?? 0) || value.length > Number(maxLength ?? Number.POSITIVE_INFINITY))
    return undefined;
  if (typeof pattern !== 'string' || matches(pattern, value)) return value;
  const other = [trimmed, dateIn(trimmed)?.date, currencyIn(trimmed)].find((reading) => reading !== undefined && matches(pattern, reading));
  return other;
}

/** Reads a plain string by the name of its property: a date becomes ISO unless a pattern asks for another form, a currency its code. */
function named(name: string, text: string, hasPattern: boolean): string | undefined {
  const words = meaning(name);
  if (words.includes('date') && !hasPattern) {
    const found = dateIn(text);
    const isWhole =
      found !== undefined &&
      text
        .slice(0, found.start)
        .replace(/^\p{L}+,\s*/u, '')
        .trim() === '' &&
      text.slice(found.end).trim() === '';
    return isWhole && found.time === undefined ? found.date : text;
  }
  if (words.includes('currency')) return currencyIn(text) ?? (text === '' ? undefined : text);
  if (words.includes('email')) return only(emailsIn(text)) ?? text;
  return text === '' ? undefined : text;
}

/** What a property of this name is, when the whole text holds exactly one such thing without a label; undefined otherwise. */
export function unlabelled(shape: Shape, name: string, text: string): JsonValue | undefined {
  const words = meaning(name);
  if (shape.choices !== undefined && shape.choices.length > 1) return choiceInside(shape.choices, text);
  if (!shape.types.includes('string')) return undefined;
  if (shape.schema.format === 'email' || (words.length === 1 && words[0] === 'email')) return only(emailsIn(text));
  if (words.length === 1 && words[0] === 'phone') return only(phonesIn(text));
  if (words.length === 1 && words[0] === 'currency') return onlyCurrency(text);
  return undefined;
}

function onlyCurrency(text: string): string | undefined {
  const found = new Set<string>();
  for (const line of text.split('\n')) {
    const currency = /\d/.test(line) ? currencyIn(line) : undefined;
    if (currency !== undefined) found.add(currency);
  }
  return only([...found]);
}

/** A pattern that JavaScript cannot read, or that nests repetitions (it could run for ever), matches nothing. */
function matches(pattern: string, text: string): boolean {
  if (/[*+}][^()]*\)[*+{]/.test(pattern) || text.length > 2_000) return false;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}
