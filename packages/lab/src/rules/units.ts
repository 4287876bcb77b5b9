import { amountIn } from '../reader/values.ts';

/** Units of one dimension with their size in its first unit. */
type Dimension = Readonly<Record<string, number>>;

const dimensions: readonly Dimension[] = [
  { m: 1, km: 1_000, cm: 0.01, mm: 0.001, mi: 1_609.344, yd: 0.9144, ft: 0.3048, in: 0.0254 },
  { kg: 1, g: 0.001, mg: 0.000_001, t: 1_000, lb: 0.453_592_37, oz: 0.028_349_523_125 },
  { l: 1, ml: 0.001, cl: 0.01, dl: 0.1 },
  { s: 1, ms: 0.001, min: 60, h: 3_600, d: 86_400, week: 604_800 },
  { b: 1, kb: 1_000, mb: 1_000_000, gb: 1_000_000_000 },
];

const names: Readonly<Record<string, string>> = {
  metre: 'm', metres: 'm', meter: 'm', meters: 'm', kilometre: 'km', kilometres: 'km', kilometer: 'km', kilometers: 'km',
  centimetre: 'cm', centimetres: 'cm', centimeter: 'cm', centimeters: 'cm', millimetre: 'mm', millimetres: 'mm', millimeter: 'mm', millimeters: 'mm',
  mile: 'mi', miles: 'mi', yard: 'yd', yards: 'yd', foot: 'ft', feet: 'ft', inch: 'in', inches: 'in',
  kilogram: 'kg', kilograms: 'kg', kilogramm: 'kg', gram: 'g', grams: 'g', gramm: 'g', milligram: 'mg', milligrams: 'mg',
  tonne: 't', tonnes: 't', tonnen: 't', pound: 'lb', pounds: 'lb', lbs: 'lb', ounce: 'oz', ounces: 'oz',
  litre: 'l', litres: 'l', liter: 'l', liters: 'l', millilitre: 'ml', millilitres: 'ml', milliliter: 'ml', milliliters: 'ml',
  second: 's', seconds: 's', sekunden: 's', millisecond: 'ms', milliseconds: 'ms', minute: 'min', minutes: 'min', minuten: 'min',
  hour: 'h', hours: 'h', stunde: 'h', stunden: 'h', day: 'd', days: 'd', tag: 'd', tage: 'd', tagen: 'd', weeks: 'week', woche: 'week', wochen: 'week',
  byte: 'b', bytes: 'b', kilobyte: 'kb', kilobytes: 'kb', megabyte: 'mb', megabytes: 'mb', gigabyte: 'gb', gigabytes: 'gb',
}; // biome-ignore format: one table

const asked = /\b(?:in|into|to|as)\s+(\p{L}{1,12})\s*\??$/iu;
const measured = /^[-+−]?[\d.,]*\d\s*(\p{L}{1,12})\b/u;

/** The unit that a question asks for at its end, such as `in metres`, as it is written there; undefined when it names none. */
export function askedUnit(question: string): string | undefined {
  const word = asked.exec(question.trim())?.[1];
  return word !== undefined && symbolOf(word) !== undefined ? word : undefined;
}

/**
 * The value in another unit of its dimension, to six decimals, with the unit as it was asked for; undefined when the value is no number with a unit, or
 * when the two units measure different things.
 */
export function converted(value: string, unit: string): string | undefined {
  const from = symbolOf(measured.exec(value.trim())?.[1] ?? '');
  const to = symbolOf(unit);
  const amount = amountIn(value)?.value;
  if (from === undefined || to === undefined || amount === undefined) return undefined;
  const dimension = dimensions.find((units) => Object.hasOwn(units, from) && Object.hasOwn(units, to));
  const [size, target] = [dimension?.[from], dimension?.[to]];
  if (size === undefined || target === undefined) return undefined;
  return `${Number(((amount * size) / target).toFixed(6))} ${unit}`;
}

function symbolOf(word: string): string | undefined {
  const folded = word.toLowerCase();
  const symbol = Object.hasOwn(names, folded) ? names[folded] : folded;
  return symbol !== undefined && dimensions.some((units) => Object.hasOwn(units, symbol)) ? symbol : undefined;
}
