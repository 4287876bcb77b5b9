import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { childPointer, isJsonObject, type JsonObject, type JsonPointer, previewValue, type Usage } from '@vouch/contracts';
import { UsageError } from '../usage-error.ts';

/** Money. */
export interface Cost {
  /** In units of the currency, a multiple of 10⁻¹². */
  readonly amount: number;
  /** Three capital letters, such as `EUR`. */
  readonly currency: string;
}

/** What tokens cost. */
export interface Prices {
  /**
   * The cost of one document. Undefined rather than wrong: for a model without a price, for tokens that the provider did not report, and for counts
   * that contradict each other.
   */
  costOf(modelLabel: string, usage: Usage): Cost | undefined;
  readonly currency: string;
  /** Labels of the models that have a price. */
  readonly models: readonly string[];
}

/** Prices of one model, per million tokens, in 10⁻⁶ of the currency. So one token costs that many 10⁻¹² of it, and every sum is of integers. */
interface ModelPrices {
  readonly input: bigint;
  readonly output: bigint;
  readonly cachedInput: bigint;
  readonly reasoningOutput: bigint;
}

const decimals = 6;
const highestPrice = 1_000_000;
const unitsPerOne = 10 ** 12;
const shape = '{ "currency": "EUR", "models": { "provider/model": { "inputPerMillion": 2.5, "outputPerMillion": 10 } } }';
const hint = `the file is JSON such as ${shape}`;

/**
 * Reads a file of prices: `{ currency, models: { [label]: { inputPerMillion, outputPerMillion, cachedInputPerMillion?, reasoningOutputPerMillion? } } }`.
 * A label is what the output lines carry under `model`. Prices are of a million tokens, 0 to 1 000 000 with at most 6 decimals. Cached tokens are
 * part of the input and cost `cachedInputPerMillion` (default: the input's price), reasoning is part of the output likewise (SG-036). Throws
 * `UsageError` that names the place.
 */
export async function readPrices(path: string, cwd: string): Promise<Prices> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      `cannot read the prices ${path}: ${code === 'ENOENT' ? 'there is no such file' : (code ?? 'unknown error')}`,
      hint,
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`the prices ${path} are not JSON: ${(error as Error).message}`, hint);
  }
  return createPrices(parsed, path);
}

function createPrices(parsed: unknown, path: string): Prices {
  const at = placeIn(path);
  const root = at.object('', parsed, ['currency', 'models']);
  const { currency } = root;
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    throw at.wrong('/currency', 'three capital letters such as "EUR"', currency);
  if (!isJsonObject(root.models)) throw at.wrong('/models', 'an object with a member for each model', root.models);
  const models = new Map(
    Object.entries(root.models).map(([label, prices]) => [label, modelPrices(at, childPointer('/models', label), prices)] as const),
  );
  if (models.size === 0) throw at.wrong('/models', 'an object with at least one model', root.models);
  return {
    currency,
    models: [...models.keys()],
    costOf(modelLabel, usage) {
      const prices = models.get(modelLabel);
      const units = prices === undefined ? undefined : unitsOf(prices, usage);
      return units === undefined ? undefined : { amount: Number(units) / unitsPerOne, currency };
    },
  };
}

/** Checks of the parts of one file, with errors that name the place in it. */
interface Place {
  object(pointer: JsonPointer, value: unknown, names: readonly string[]): JsonObject;
  price(pointer: JsonPointer, value: unknown): bigint;
  wrong(pointer: JsonPointer, expected: string, value: unknown): UsageError;
}

function placeIn(path: string): Place {
  const wrong = (pointer: JsonPointer, expected: string, value: unknown): UsageError =>
    new UsageError(
      `the prices ${path}: ${pointer === '' ? 'the whole' : pointer} should be ${expected}, but is ${previewValue(value)}`,
      hint,
    );
  return {
    wrong,
    object(pointer, value, names) {
      if (!isJsonObject(value)) throw wrong(pointer, `an object with ${names.join(', ')}`, value);
      // A price under a misspelt name would be left out of every sum.
      const unknown = Object.keys(value).find((name) => !names.includes(name));
      if (unknown !== undefined)
        throw new UsageError(`the prices ${path}: ${childPointer(pointer, unknown)} is not known; there are ${names.join(', ')}`, hint);
      return value;
    },
    price(pointer, value) {
      const units = typeof value === 'number' && value >= 0 && value <= highestPrice ? exactUnits(value) : undefined;
      if (units === undefined) throw wrong(pointer, `a number from 0 to ${highestPrice} with at most ${decimals} decimals`, value);
      return units;
    },
  };
}

/** The number as it is written in decimal, times 10⁶; undefined when that is no integer. */
function exactUnits(value: number): bigint | undefined {
  const written = value.toFixed(decimals);
  return Number(written) === value ? BigInt(written.replace('.', '')) : undefined;
}

function modelPrices(at: Place, pointer: JsonPointer, value: unknown): ModelPrices {
  const names = ['inputPerMillion', 'outputPerMillion', 'cachedInputPerMillion', 'reasoningOutputPerMillion'] as const;
  const prices = at.object(pointer, value, names);
  const price = (name: (typeof names)[number], otherwise?: bigint): bigint =>
    prices[name] === undefined && otherwise !== undefined ? otherwise : at.price(childPointer(pointer, name), prices[name]);
  const input = price('inputPerMillion');
  const output = price('outputPerMillion');
  return { input, output, cachedInput: price('cachedInputPerMillion', input), reasoningOutput: price('reasoningOutputPerMillion', output) };
}

function unitsOf(prices: ModelPrices, usage: Usage): bigint | undefined {
  const { inputTokens, outputTokens, totalTokens, cached = 0, reasoning = 0, reported } = usage;
  if (!reported) return undefined;
  if (![inputTokens, outputTokens, cached, reasoning].every((count) => Number.isSafeInteger(count) && count >= 0)) return undefined;
  // A total that is larger holds tokens of which nobody says what kind they are.
  if (cached > inputTokens || reasoning > outputTokens || totalTokens !== inputTokens + outputTokens) return undefined;
  return (
    BigInt(inputTokens - cached) * prices.input +
    BigInt(cached) * prices.cachedInput +
    BigInt(outputTokens - reasoning) * prices.output +
    BigInt(reasoning) * prices.reasoningOutput
  );
}

/** What is known of the cost of several documents. */
export interface CostTotal {
  /** Of the documents whose cost is known; absent when there is none. */
  readonly cost?: Cost;
  /** How many documents that is. */
  readonly counted: number;
  readonly documents: number;
}

/** Adds up costs without drift: each amount is a whole number of 10⁻¹², up to 2 000 units of currency a document. */
export interface CostCounter {
  /** Takes note of one document; undefined: its cost is not known. Throws `RangeError` for a second currency. */
  add(cost: Cost | undefined): void;
  total(): CostTotal;
}

/** A counter at nothing. */
export function createCostCounter(): CostCounter {
  let units = 0n;
  let currency: string | undefined;
  let counted = 0;
  let documents = 0;
  return {
    add(cost) {
      documents += 1;
      if (cost === undefined) return;
      if (currency !== undefined && currency !== cost.currency)
        throw new RangeError(`costs in ${currency} and in ${cost.currency} cannot be added`);
      currency = cost.currency;
      counted += 1;
      units += BigInt(Math.round(cost.amount * unitsPerOne));
    },
    total: () => ({
      ...(currency === undefined ? {} : { cost: { amount: Number(units) / unitsPerOne, currency } }),
      counted,
      documents,
    }),
  };
}

/** An amount for people: cents from 1 on, below it two digits that say something. */
export function costText({ amount, currency }: Cost): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(12, Math.max(2, 1 - Math.floor(Math.log10(amount))));
  return `${amount.toFixed(digits)} ${currency}`;
}

/** A total for people, which says when it is not that of all documents; undefined when no cost is known. */
export function costTotalText({ cost, counted, documents }: CostTotal): string | undefined {
  if (cost === undefined) return undefined;
  return counted === documents ? costText(cost) : `${costText(cost)} for ${counted} of ${documents} documents`;
}
