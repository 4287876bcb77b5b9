import { describe, expect, it } from 'vitest';
import type { Catalog } from '../execution/catalog.ts';
import { type CatalogItem, type CatalogPort, catalogCases } from './catalog-cases.ts';

/** A catalog as small as it can be. */
const smallest: CatalogPort = (given) => {
  const items = new Map(given.map((item) => [item.id, item]));
  const unknown = (id: string): Error =>
    Object.assign(new Error(`no item "${id}" is known; the nearest are ${[...items.keys()].join(', ')}`), { code: 'UNKNOWN_ID' });
  const require = (id: string): CatalogItem => {
    const item = items.get(id);
    if (item === undefined) throw unknown(id);
    return item;
  };
  return {
    ids: [...items.keys()],
    size: items.size,
    has: (id) => items.has(id),
    get: (id) => items.get(id) as never,
    require: (id) => require(id) as never,
    entries: () => [...items.entries()],
    select(ids) {
      const wanted = new Set<string>(ids.map((id) => require(id).id));
      return smallest([...items.values()].filter(({ id }) => wanted.has(id))) as never;
    },
    [Symbol.iterator]: () => items.values(),
  };
};

const failing = async (
  change: (catalog: Catalog<CatalogItem>, given: readonly CatalogItem[]) => Catalog<CatalogItem>,
): Promise<readonly string[]> => {
  const titles: string[] = [];
  for (const { title, run } of catalogCases) {
    try {
      await run((given) => change(smallest(given), given));
    } catch {
      titles.push(title);
    }
  }
  return titles;
};

describe('catalogCases', () => {
  for (const { title, run } of catalogCases) it(`catalog cases: ${title}`, () => run(smallest));

  it('catch a catalog that forgets its order, guesses, or is not its own', async () => {
    expect(await failing((catalog) => ({ ...catalog, [Symbol.iterator]: () => [...catalog].reverse().values() }))).toContain(
      'ids, entries and iteration keep the order of declaration',
    );
    expect(await failing((catalog) => ({ ...catalog, has: () => true }))).toContain('members of every object are no ids');
    expect(await failing((catalog) => ({ ...catalog, require: (id) => catalog.get(id) as never }))).toContain(
      'what is not there: has says no, get gives undefined, require throws UNKNOWN_ID naming it and the nearest known id',
    );
    expect(await failing((catalog) => ({ ...catalog, select: () => catalog as never }))).toContain(
      "select keeps the catalog's own order, and refuses an id that is not there",
    );
    expect(
      await failing((catalog, given) => ({
        ...catalog,
        get ids() {
          return given.map(({ id }) => id);
        },
      })),
    ).toContain('what the caller does to its own list afterwards changes nothing');
  });
});
