import type { Catalog } from '../execution/catalog.ts';
import { ensure, ensureSame, type PortCase, thrownBy } from './port-case.ts';

/** An item of the cases. */
export interface CatalogItem {
  readonly id: string;
  readonly value: number;
}

/** Makes a catalog of these items, in this order. */
export type CatalogPort = (items: readonly CatalogItem[]) => Catalog<CatalogItem>;

const items: readonly CatalogItem[] = [
  { id: 'pier', value: 3 },
  { id: 'berth', value: 1 },
  { id: 'crane', value: 2 },
];

const idsOf = (catalog: Iterable<CatalogItem>): readonly string[] => [...catalog].map(({ id }) => id);

/** What every `Catalog` does (AC-007). */
export const catalogCases: readonly PortCase<CatalogPort>[] = [
  {
    title: 'ids, entries and iteration keep the order of declaration',
    run(port) {
      const catalog = port(items);
      ensureSame(catalog.ids, ['pier', 'berth', 'crane'], 'ids');
      ensureSame(idsOf(catalog), ['pier', 'berth', 'crane'], 'iteration');
      ensureSame(
        catalog.entries().map(([id, item]) => [id, item.value]),
        [
          ['pier', 3],
          ['berth', 1],
          ['crane', 2],
        ],
        'entries',
      );
      ensureSame(catalog.size, 3, 'size');
      ensureSame(idsOf(catalog), idsOf(catalog), 'a second iteration');
    },
  },
  {
    title: 'has, get and require find what is there, as the same object',
    run(port) {
      const catalog = port(items);
      ensure(
        catalog.has('berth') && catalog.get('berth') === items[1] && catalog.require('berth') === items[1],
        'berth is not found as it was given',
      );
    },
  },
  {
    title: 'what is not there: has says no, get gives undefined, require throws UNKNOWN_ID naming it and the nearest known id',
    async run(port) {
      const catalog = port(items);
      ensure(!catalog.has('crate') && catalog.get('crate') === undefined, 'crate is found');
      const error = await thrownBy(() => catalog.require('crate'), 'require');
      ensure(error instanceof Error && (error as { code?: unknown }).code === 'UNKNOWN_ID', 'the error has not the code UNKNOWN_ID');
      ensure(error.message.includes('crate') && error.message.includes('crane'), `the message names not both: ${error.message}`);
    },
  },
  {
    title: 'members of every object are no ids',
    run(port) {
      const catalog = port(items);
      for (const id of ['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])
        ensure(!catalog.has(id) && catalog.get(id) === undefined, `${id} is found`);
    },
  },
  {
    title: "select keeps the catalog's own order, and refuses an id that is not there",
    async run(port) {
      const catalog = port(items);
      const selected = catalog.select(['crane', 'pier']);
      ensureSame(selected.ids, ['pier', 'crane'], 'selected ids');
      ensure(!selected.has('berth'), 'berth was not selected, and is there');
      const error = await thrownBy(() => catalog.select(['pier', 'crate']), 'select');
      ensure((error as { code?: unknown }).code === 'UNKNOWN_ID', 'the error has not the code UNKNOWN_ID');
      ensureSame(catalog.size, 3, 'size after select');
    },
  },
  {
    title: 'what the caller does to its own list afterwards changes nothing',
    run(port) {
      const mine = [...items];
      const catalog = port(mine);
      mine.pop();
      mine[0] = { id: 'other', value: 9 };
      ensureSame(catalog.ids, ['pier', 'berth', 'crane'], 'ids');
    },
  },
  {
    title: 'an empty catalog is a catalog',
    async run(port) {
      const catalog = port([]);
      ensureSame(
        [catalog.size, catalog.ids, idsOf(catalog), catalog.entries(), catalog.select([]).size],
        [0, [], [], [], 0],
        'empty catalog',
      );
      const error = await thrownBy(() => catalog.require('pier'), 'require');
      ensure((error as { code?: unknown }).code === 'UNKNOWN_ID', 'the error has not the code UNKNOWN_ID');
    },
  },
];
