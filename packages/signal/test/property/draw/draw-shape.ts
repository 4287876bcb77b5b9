import { hostileKeys, plainKeys } from './hostile-text.ts';
import type { Random } from './random.ts';
import type { PatternRule, Property, Shape, ShapeSet } from './shape.ts';

const patterns: readonly PatternRule[] = [
  { source: '^[A-Z]{2}[0-9]{3}$', samples: ['AB123', 'ZZ000', 'QX907'] },
  { source: '^[a-z-]+$', samples: ['low-tide', 'a', '-', 'true', 'null'] },
  { source: '^#[0-9a-f]{6}$', samples: ['#00ff7a', '#123456'] },
  { source: '^\\S+@\\S+$', samples: ['a@b.c', '"q"@x', "o'neil@pier.example"] },
];

const wordLists: readonly (readonly string[])[] = [
  ['red', 'green', 'blue'],
  ['active', 'inactive'],
  ['North', 'north', 'NORTH'],
  ['a', 'ab', 'abc'],
  ['yes', 'no'],
  ['in "transit"', "won't", 'back\\slash'],
  ['', ' '],
  ['1', '2', '10'],
];

/** Where a shape is drawn: how deep, and which named shapes it may refer to. */
interface Site {
  readonly depth: number;
  readonly names: readonly string[];
  /** No open object, record or unknown anywhere. */
  readonly closed: boolean;
}

const deeper = (site: Site): Site => ({ ...site, depth: site.depth + 1 });

function drawString(random: Random): Shape {
  const kind = random.below(12);
  if (kind < 6) return { kind: 'string' };
  if (kind < 7) return { kind: 'string', min: 1 };
  if (kind < 8) return { kind: 'string', min: random.below(3), max: 6 + random.below(30) };
  if (kind < 9) return { kind: 'string', pattern: random.pick(patterns) };
  if (kind < 10) return { kind: 'string', format: random.pick(['date', 'uuid'] as const) };
  return { kind: 'literal', values: random.pick(wordLists) };
}

function drawNumber(random: Random): Shape {
  const integer = random.chance(0.6);
  switch (random.below(6)) {
    case 0:
      return { kind: 'number', integer, min: 0 };
    case 1:
      return { kind: 'number', integer, min: 1, max: 10 };
    case 2:
      return { kind: 'number', integer, above: 0, max: 1000 };
    case 3:
      return { kind: 'number', integer, min: -50, max: 50 };
    default:
      return { kind: 'number', integer };
  }
}

function drawScalar(random: Random): Shape {
  const kind = random.below(16);
  if (kind < 8) return drawString(random);
  if (kind < 12) return drawNumber(random);
  if (kind < 14) return { kind: 'boolean' };
  if (kind < 15) return { kind: 'literal', values: random.pick([['fixed'], [7], [true], [null], [1, 2, 3], ['x', 1, null]] as const) };
  return { kind: 'null' };
}

function drawKeys(random: Random, count: number): readonly string[] {
  const keys = new Set<string>();
  const hostile = random.chance(0.4) ? 0.5 : 0.08;
  while (keys.size < count) keys.add(random.pick(random.chance(hostile) ? hostileKeys : plainKeys));
  return [...keys];
}

function drawProperty(random: Random, key: string, site: Site): Property {
  const inner = drawShape(random, deeper(site));
  const shape: Shape = random.chance(0.12) ? nullable(random, inner) : inner;
  return { key, shape, required: random.chance(0.7) };
}

function nullable(random: Random, inner: Shape): Shape {
  if (inner.kind === 'null' || inner.kind === 'anything') return inner;
  const scalar = inner.kind === 'string' || inner.kind === 'number' || inner.kind === 'boolean';
  return { kind: 'union', branches: [inner, { kind: 'null' }], keyword: scalar && random.chance(0.5) ? 'type' : 'anyOf' };
}

const titles = ['Berth', 'Report', 'output', 'list', 'Weather Report'] as const;

function drawObject(random: Random, site: Site): Shape {
  const count = random.chance(0.05) ? 0 : 1 + random.below(site.depth === 0 ? 5 : 3);
  // Below the root `prototype` may stand under `constructor`, which no answer may carry (SG-070).
  const keys = drawKeys(random, count).filter((key) => site.depth === 0 || key !== 'prototype');
  const properties = keys.map((key) => drawProperty(random, key, site));
  const extra = site.closed || random.chance(0.65) ? 'closed' : random.chance(0.8) ? 'open' : 'patterned';
  return { kind: 'object', properties, extra, ...(random.chance(0.15) ? { title: random.pick(titles) } : {}) };
}

/** Object branches that a constant tells apart, or that nothing tells apart. */
function drawUnion(random: Random, site: Site): Shape {
  const count = 2 + random.below(2);
  const branches: Shape[] = [];
  if (random.chance(0.5)) {
    for (let i = 0; i < count; i += 1) {
      const body = drawObject(random, site) as Extract<Shape, { kind: 'object' }>;
      const tag: Property = { key: 'kind', shape: { kind: 'literal', values: [`k${i}`] }, required: true };
      branches.push({ ...body, properties: [tag, ...body.properties.filter((property) => property.key !== 'kind')] });
    }
    return { kind: 'union', branches, keyword: random.chance(0.5) ? 'oneOf' : 'anyOf' };
  }
  for (let i = 0; i < count; i += 1) branches.push(random.chance(0.5) ? drawObject(random, site) : drawShape(random, deeper(site)));
  return { kind: 'union', branches, keyword: 'anyOf' };
}

function drawArray(random: Random, site: Site): Shape {
  const items = drawShape(random, deeper(site));
  if (random.chance(0.15)) return { kind: 'tuple', items: random.chance(0.5) ? [items] : [items, drawScalar(random)] };
  const min = random.chance(0.3) ? 1 + random.below(2) : undefined;
  const max = random.chance(0.2) ? 3 + random.below(3) : undefined;
  return { kind: 'array', items, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function drawShape(random: Random, site: Site): Shape {
  const kind = random.below(20);
  if (site.depth >= 3 || kind < 11) return drawScalar(random);
  if (kind < 14) return drawArray(random, site);
  if (kind < 16) return drawObject(random, site);
  if (kind < 17 && site.names.length > 0) return nullable(random, { kind: 'reference', name: random.pick(site.names) });
  if (kind < 18) return drawUnion(random, site);
  if (site.closed) return drawScalar(random);
  return kind < 19 ? { kind: 'record', values: drawShape(random, deeper(site)) } : { kind: 'anything' };
}

function drawRecursive(random: Random, closed: boolean): ShapeSet {
  const reference: Shape = { kind: 'reference', name: 'node' };
  const site: Site = { depth: 2, names: ['node'], closed };
  const next: Shape = random.chance(0.5)
    ? { kind: 'union', branches: [reference, { kind: 'null' }], keyword: 'anyOf' }
    : { kind: 'array', items: reference };
  const body = drawObject(random, site) as Extract<Shape, { kind: 'object' }>;
  const key = random.pick(['next', 'children', 'data', 'output'] as const);
  const link: Property = { key, shape: next, required: random.chance(0.7) };
  const node: Shape = { ...body, properties: [...body.properties.filter((property) => property.key !== key), link] };
  const root: Shape = random.chance(0.7)
    ? reference
    : { kind: 'object', properties: [{ key: 'tree', shape: reference, required: true }], extra: 'closed' };
  return { root, definitions: new Map([['node', node]]) };
}

/** A schema at random. `closed`: a root object or array of closed objects, so that a companion case is within the promise of SG-065. */
export function drawShapeSet(random: Random, closed: boolean): ShapeSet {
  const site: Site = { depth: 0, names: [], closed };
  const none: ReadonlyMap<string, Shape> = new Map();
  const kind = random.below(20);
  if (kind < 12) return { root: drawObject(random, site), definitions: none };
  if (kind < 14) return { root: drawArray(random, site), definitions: none };
  if (kind < 16) return drawRecursive(random, closed);
  if (kind < 18) return { root: drawUnion(random, site), definitions: none };
  if (closed) return { root: drawObject(random, site), definitions: none };
  return { root: kind < 19 ? drawScalar(random) : drawShape(random, site), definitions: none };
}
