/** A read-only collection by id, in declaration order: the shape of every registry (AC-007). */
export interface Catalog<Item extends { readonly id: string }> extends Iterable<Item> {
  readonly ids: readonly Item['id'][];
  readonly size: number;
  has(id: string): boolean;
  /** The item, or undefined. */
  get<Id extends string>(id: Id): Extract<Item, { readonly id: Id }> | undefined;
  /** The item; throws `UNKNOWN_ID`, which names the id and the nearest known ones. */
  require<Id extends string>(id: Id): Extract<Item, { readonly id: Id }>;
  entries(): readonly (readonly [Item['id'], Item])[];
  /** A catalog of these ids alone, in this catalog's order; throws `UNKNOWN_ID`. */
  select<const Ids extends readonly Item['id'][]>(ids: Ids): Catalog<Extract<Item, { readonly id: Ids[number] }>>;
}
