import type { Usage } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../test/support/run-vouch.ts';
import { UsageError } from '../usage-error.ts';
import { costText, costTotalText, createCostCounter, type Prices, readPrices } from './prices.ts';

const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  reported: true,
  ...more,
});

async function pricesOf(content: unknown): Promise<Prices> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return readPrices('prices.json', await directoryOf({ 'prices.json': text }));
}

const of = (model: unknown): unknown => ({ currency: 'EUR', models: { 'acme/one': model } });

describe('costOf', () => {
  it('[SG-036] prices cached tokens and reasoning as parts of the input and the output, never beside them', async () => {
    const prices = await pricesOf(
      of({ inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 0.5, reasoningOutputPerMillion: 20 }),
    );
    expect(prices.costOf('acme/one', usage(1_000_000, 100_000, { cached: 400_000, reasoning: 50_000 }))).toEqual({
      amount: 0.6 * 2 + 0.4 * 0.5 + 0.05 * 10 + 0.05 * 20,
      currency: 'EUR',
    });
  });

  it('takes the price of the whole for a part that has none', async () => {
    const prices = await pricesOf(of({ inputPerMillion: 2, outputPerMillion: 10 }));
    expect(prices.costOf('acme/one', usage(500_000, 100_000, { cached: 400_000, reasoning: 50_000 }))?.amount).toBe(2);
  });

  it.each([
    ['a model that has no price', 'acme/two', usage(10, 10)],
    ['a name that every object has', 'toString', usage(10, 10)],
    ['tokens that nobody reported', 'acme/one', usage(10, 10, { reported: false })],
    ['more cached tokens than tokens', 'acme/one', usage(10, 10, { cached: 11 })],
    ['more reasoning than output', 'acme/one', usage(10, 10, { reasoning: 11 })],
    ['a total that holds more than its parts', 'acme/one', usage(10, 10, { totalTokens: 25 })],
    ['counts that are none', 'acme/one', usage(Number.NaN, 10)],
  ])('gives no cost for %s', async (_title, label, tokens) => {
    const prices = await pricesOf(of({ inputPerMillion: 2, outputPerMillion: 10 }));
    expect(prices.costOf(label, tokens)).toBeUndefined();
  });
});

describe('readPrices', () => {
  it.each<[string, unknown, string]>([
    ['no JSON', '{ "currency": ', 'are not JSON'],
    ['a list', [], 'the whole should be an object with currency, models, but is []'],
    ['no currency', { models: {} }, '/currency should be three capital letters such as "EUR", but is nothing'],
    ['a currency that is a sign', { currency: '€', models: {} }, '/currency should be three capital letters such as "EUR", but is "€"'],
    ['no model', { currency: 'EUR', models: {} }, '/models should be an object with at least one model'],
    ['models in a list', { currency: 'EUR', models: [] }, '/models should be an object with a member for each model, but is []'],
    ['a model without a price', of({}), '/models/acme~1one/inputPerMillion should be a number from 0 to 1000000'],
    ['a text', of({ inputPerMillion: '2.5', outputPerMillion: 1 }), '/models/acme~1one/inputPerMillion should be a number'],
    ['a price below nothing', of({ inputPerMillion: 1, outputPerMillion: -1 }), '/models/acme~1one/outputPerMillion should be'],
    ['too many decimals', of({ inputPerMillion: 1, outputPerMillion: 0.0000001 }), 'with at most 6 decimals, but is 1e-7'],
    ['null', of({ inputPerMillion: 1, outputPerMillion: 1, cachedInputPerMillion: null }), 'cachedInputPerMillion should be a number'],
    ['a misspelt name', of({ inputPerMillion: 1, outputPerMillion: 1, cached: 1 }), '/models/acme~1one/cached is not known; there are'],
    ['a misspelt name above', { currency: 'EUR', models: {}, model: {} }, '/model is not known; there are currency, models'],
  ])('refuses %s by its place', async (_title, content, message) => {
    const reading = pricesOf(content);
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(`the prices prices.json`);
    await expect(reading).rejects.toThrow(message);
  });

  it('refuses a file that is not there', async () => {
    await expect(readPrices('none.json', await directoryOf({}))).rejects.toThrow('cannot read the prices none.json: there is no such file');
  });
});

describe('the total', () => {
  it('is exact over 10 000 documents, where adding up amounts is not', async () => {
    const prices = await pricesOf(of({ inputPerMillion: 0.1, outputPerMillion: 0.3 }));
    const counter = createCostCounter();
    let added = 0;
    for (let document = 0; document < 10_000; document += 1) {
      const cost = prices.costOf('acme/one', usage(1_001, 7));
      counter.add(cost);
      added += cost?.amount ?? 0;
    }
    expect(counter.total()).toEqual({ cost: { amount: 1.022, currency: 'EUR' }, counted: 10_000, documents: 10_000 });
    expect(added).not.toBe(1.022);
  });

  it('is that of the sum of tokens, whatever the prices', async () => {
    const price = fc.integer({ min: 0, max: 100_000_000 }).map((units) => units / 1_000_000);
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    await fc.assert(
      fc.asyncProperty(
        price,
        price,
        fc.array(fc.tuple(tokens, tokens), { minLength: 1, maxLength: 40 }),
        async (input, output, documents) => {
          const prices = await pricesOf(of({ inputPerMillion: input, outputPerMillion: output }));
          const counter = createCostCounter();
          for (const [read, written] of documents) counter.add(prices.costOf('acme/one', usage(read, written)));
          const sum = (index: 0 | 1): number => documents.reduce((total, pair) => total + pair[index], 0);
          expect(counter.total().cost).toEqual(prices.costOf('acme/one', usage(sum(0), sum(1))));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('says for how many documents it stands, and shows no money when there is none', () => {
    const counter = createCostCounter();
    counter.add(undefined);
    expect(costTotalText(counter.total())).toBeUndefined();
    counter.add({ amount: 0.25, currency: 'EUR' });
    expect(costTotalText(counter.total())).toBe('0.25 EUR for 1 of 2 documents');
    expect(() => counter.add({ amount: 1, currency: 'USD' })).toThrow('EUR and in USD');
  });

  it.each([
    [0, '0.00 EUR'],
    [0.000034567, '0.000035 EUR'],
    [0.0123, '0.012 EUR'],
    [0.5, '0.50 EUR'],
    [12.345, '12.35 EUR'],
    [0.000000000001, '0.000000000001 EUR'],
  ])('writes %d as %s', (amount, text) => {
    expect(costText({ amount, currency: 'EUR' })).toBe(text);
  });
});
