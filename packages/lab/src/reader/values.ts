/** An amount found in text. */
export interface Amount {
  readonly value: number;
  /** ISO 4217 code, when a sign or a code stands beside it. */
  readonly currency?: string;
}

const currencySigns: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY', '₹': 'INR' };
const currencyCodes = 'EUR|USD|GBP|CHF|JPY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK';
const currencyPattern = new RegExp(`[€$£¥₹]|\\b(?:${currencyCodes})\\b|\\bEuro?s?\\b`, 'i');
const numberPattern = /[-+−]?(?:\d{1,3}(?:[ '\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d[\d.,]*\d|\d)/;

/** The currency that a text names first. */
export function currencyIn(text: string): string | undefined {
  const found = currencyPattern.exec(text)?.[0];
  if (found === undefined) return undefined;
  return currencySigns[found] ?? (/^euro?s?$/i.test(found) ? 'EUR' : found.toUpperCase());
}

/**
 * The number that a text is: `1,234.50`, `1.234,50`, `1'234.50`, with a currency, a percent sign or a unit; in brackets it is negative. Undefined when
 * there is none, or more than one.
 */
export function amountIn(text: string): Amount | undefined {
  const found = numberPattern.exec(text);
  if (found === null) return undefined;
  const before = text.slice(0, found.index);
  const rest = `${before} ${text.slice(found.index + found[0].length)}`;
  if (/\d/.test(rest)) return undefined;
  const value = plainNumber(found[0]);
  if (value === undefined) return undefined;
  const currency = currencyIn(rest);
  const negative = /^\s*\(.*\)\s*$/.test(text) || /^\s*[-−]\s*\D?\s*$/.test(before);
  return { value: negative && value > 0 ? -value : value, ...(currency === undefined ? {} : { currency }) };
}

/** Whole digits in groups of three, `1.234` among them: only for a value that must be whole. */
export function wholeIn(text: string): number | undefined {
  const amount = amountIn(text);
  if (amount === undefined || Number.isInteger(amount.value)) return amount?.value;
  const grouped = /(?<![\d.,])-?\d{1,3}(?:\.\d{3})+(?![\d.,])/.exec(text)?.[0];
  return grouped === undefined ? undefined : Number(grouped.replaceAll('.', ''));
}

/** The last of two different separators is the decimal one; a comma before exactly three digits separates thousands. */
function plainNumber(text: string): number | undefined {
  const digits = text.replace(/[\s'\u00a0\u202f]/g, '').replace('−', '-');
  const lastDot = digits.lastIndexOf('.');
  const lastComma = digits.lastIndexOf(',');
  let normal = digits;
  if (lastDot >= 0 && lastComma >= 0) {
    normal = lastDot > lastComma ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.');
  } else if (lastComma >= 0) normal = /^[-+]?[1-9]\d{0,2}(,\d{3})+$/.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.');
  else if (/^[-+]?\d{1,3}(\.\d{3}){2,}$/.test(digits)) normal = digits.replaceAll('.', '');
  return /^[-+]?\d+(\.\d+)?$/.test(normal) ? Number(normal) : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const germanMonths: Readonly<Record<string, string>> = { mar: 'mar', mai: 'may', okt: 'oct', dez: 'dec', marz: 'mar' };

function monthNumber(word: string): number {
  const folded = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const short = folded.slice(0, 3);
  return months.indexOf(germanMonths[short] ?? short) + 1;
}

const time = String.raw`(?:[T ,]+(?:um |at )?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?`;
const datePatterns: readonly { readonly pattern: RegExp; readonly order: 'ymd' | 'dmy' | 'mdy' }[] = [
  { pattern: new RegExp(String.raw`(?<!\d)(\d{4})[-/](\d{1,2})[-/](\d{1,2})${time}`), order: 'ymd' },
  { pattern: new RegExp(String.raw`(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)${time}`), order: 'dmy' },
  {
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(\p{L}{3,9})\.?,?\s+(\d{4})(?!\d)${time}`, 'u'),
    order: 'dmy',
  },
  { pattern: new RegExp(String.raw`(?<!\p{L})(\p{L}{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)${time}`, 'u'), order: 'mdy' },
];

/** A date found in text, with its time when one follows. */
export interface FoundDate {
  /** `2026-03-12` */
  readonly date: string;
  /** `10:00:00`, with fraction and offset as written; absent without a time. */
  readonly time?: string;
  /** Where it stood. */
  readonly start: number;
  readonly end: number;
}

/** The first date of a text: ISO, `12 March 2026`, `March 12, 2026`, `12.03.2026`. Slashed day-month forms are left alone: they have two readings. */
export function dateIn(text: string): FoundDate | undefined {
  for (const { pattern, order } of datePatterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [whole, one = '', two = '', three = '', hour, minute, second = '00', fraction, offset = ''] = found;
    const [year, month, day] = order === 'ymd' ? [one, two, three] : order === 'dmy' ? [three, two, one] : [three, one, two];
    const monthValue = /^\d+$/.test(month) ? Number(month) : monthNumber(month);
    if (!isDay(Number(year), monthValue, Number(day))) continue;
    const clock =
      hour === undefined
        ? undefined
        : `${hour.padStart(2, '0')}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${offset}`;
    const date = `${year}-${String(monthValue).padStart(2, '0')}-${day.padStart(2, '0')}`;
    return { date, ...(clock === undefined ? {} : { time: clock }), start: found.index, end: found.index + whole.length };
  }
  return undefined;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The e-mail addresses of a text, each once. */
export function emailsIn(text: string): readonly string[] {
  return [...new Set(text.match(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g) ?? [])];
}

/** The phone numbers of a text that begin with `+` or with an area code in brackets, each once. */
export function phonesIn(text: string): readonly string[] {
  const found = text.match(/(?:\+\d|\(\d{2,5}\))[\d\s()/-]{5,20}\d/g) ?? [];
  return [...new Set(found.map((phone) => phone.trim()))];
}

const yes = new Set(['yes', 'true', 'ja', 'y', 'x', '✓', '✔', '✅', 'on', 'enabled', 'active', 'wahr', '[x]', 'paid', 'bezahlt']);
const no = new Set([
  'no',
  'false',
  'nein',
  'n',
  '✗',
  '✘',
  '❌',
  'off',
  'disabled',
  'inactive',
  'falsch',
  '[ ]',
  'unpaid',
  'none',
  'keine',
  'offen',
]);

/** Yes or no, in the words and marks that people write; undefined for anything else. */
export function booleanIn(text: string): boolean | undefined {
  const word = text.trim().replace(/[.!]$/, '').toLowerCase();
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  const first = /^(\p{L}+)[,;. (-]/u.exec(word)?.[1];
  if (first !== undefined && ['yes', 'ja', 'true'].includes(first)) return true;
  return first !== undefined && ['no', 'nein', 'false'].includes(first) ? false : undefined;
}
