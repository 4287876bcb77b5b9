import { makeFailure } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { routeResponse } from '../../src/wire/router.ts';
import { runCompanion } from './companion.ts';
import { deriveCase } from './derive.ts';
import { manglers } from './mangle.ts';
import { type Route, runProperty } from './property.ts';

/** Fixed, so that a failure in CI is the same failure at home; another one by the environment. */
const seed = Number(process.env.VOUCH_PROPERTY_SEED ?? 65_065);
const runs = Number(process.env.VOUCH_PROPERTY_RUNS ?? 10_000);

const textOf = (response: Parameters<Route>[0]): string => response.calls[0]?.argsText ?? response.content;

/** A router made of one rule: the first reading that passes the gate is the answer. */
const careless =
  (readings: (text: string) => readonly string[]): Route =>
  (response, contract) => {
    const wire = { source: 'content', loss: 'none', edits: [], candidates: [], notes: [] } as const;
    for (const text of readings(textOf(response))) {
      try {
        const value = JSON.parse(text);
        if (contract.gate?.validate(value).ok) return { outcome: { kind: 'output', value, loss: 'none' }, wire };
      } catch {
        // The next reading may parse.
      }
    }
    return { outcome: { kind: 'failed', failure: makeFailure('invalid_json', { message: 'no reading' }) }, wire };
  };

const closers = ['', '}', '"}', '"]}', ']}', ']', '}}', '"'];

const carelessRouters: readonly (readonly [string, Route])[] = [
  ['closes what was cut', careless((text) => closers.map((closer) => text + closer))],
  ['takes the first object of several', careless((text) => [text, ...(text.match(/\{[^{}]*\}/g) ?? [])])],
  ['takes the last line', careless((text) => [text, text.slice(text.lastIndexOf('\n') + 1)])],
  ['turns numbers in quotes into numbers', careless((text) => [text, text.replace(/"(-?\d+)"/g, '$1')])],
  ['drops dots', careless((text) => [text, text.replace(/,?\s*(?:\.\.\.|…)/g, '')])],
];

describe('the property', () => {
  it(`[SG-065] ${runs} random cases give the original value or a typed failure (seed ${seed})`, { timeout: 120_000 }, async () => {
    const counts = await runProperty({ runs, seed, route: routeResponse });
    expect(counts.wrong).toEqual([]);
    // A suite that damages everything, or nothing, would prove little.
    expect(counts.value).toBeGreaterThan(runs * 0.2);
    expect(Object.keys(counts.failureByReason).length).toBeGreaterThan(4);
  });

  it('[SG-065] companion: clean text and one lossless mangling always give the value, two in at least 99 %', { timeout: 120_000 }, () => {
    const [clean, one, two] = [0, 1, 2].map((count) => runCompanion({ runs: runs / 2, seed, route: routeResponse, count }));
    expect(clean?.misses).toEqual([]);
    expect(one?.misses).toEqual([]);
    expect(one?.cases).toBeGreaterThan(runs / 4);
    expect(two?.rate, JSON.stringify(two?.misses.slice(0, 5))).toBeGreaterThanOrEqual(0.99);
  });
});

describe('the suite', () => {
  it.each(carelessRouters)('[SG-065] catches a router that %s', async (_rule, route) => {
    const counts = await runProperty({ runs: 4_000, seed, route });
    expect(counts.wrongCount).toBeGreaterThan(0);
    expect(counts.wrong[0]?.manglers.length).toBeGreaterThan(0);
  });

  it('[SG-065] uses every kind of damage, and derives a case alone as it does in a row', () => {
    const used = new Set<string>();
    for (let index = 0; index < 30_000; index += 1) for (const mangler of deriveCase(seed, index)?.applied ?? []) used.add(mangler.id);
    expect(manglers.map((mangler) => mangler.id).filter((id) => !used.has(id))).toEqual([]);
    const inRow = deriveCase(seed, 4_711)?.state.text;
    deriveCase(seed + 1, 3);
    expect(deriveCase(seed, 4_711)?.state.text).toBe(inRow);
  });
});
