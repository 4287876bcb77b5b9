import { drawText } from './hostile-text.ts';
import type { Random } from './random.ts';
import { type Json, resolveShape, type Shape, type ShapeSet } from './shape.ts';

/** How values are drawn. */
export interface ValueMood {
  /** Admit what one of the four checks of SG-070 may refuse. */
  readonly refused: boolean;
}

const recordKeys = ['a', 'b', 'k 1', 'constructor', '12', 'output', 'ключ', 'quo"te'] as const;
const numbers = [
  0, -0, 1, -1, 7, 10, 42, 100, 0.5, -2.25, 1e-7, 1.5e300, 5e-324, 1e21, 123456, 0.1, 9007199254740991, -9007199254740991, 4294967296,
] as const;

function drawNumber(shape: Extract<Shape, { kind: 'number' }>, random: Random): number {
  const { integer, min, max, above } = shape;
  if (min === undefined && max === undefined && above === undefined) {
    for (let tries = 0; tries < 3; tries += 1) {
      const value = random.pick(numbers);
      if (!integer || Number.isInteger(value)) return value;
    }
    return random.below(1_000_000) - 500_000;
  }
  const low = min ?? (above === undefined ? -1000 : above + 1);
  const high = max ?? low + 100_000;
  const value = low + random.below(high - low + 1);
  return integer || value >= high ? value : value + random.pick([0, 0, 0.5, 0.125, 0.01]);
}

function digits(random: Random, count: number, base: number): string {
  let text = '';
  for (let i = 0; i < count; i += 1) text += random.below(base).toString(base);
  return text;
}

function drawString(shape: Extract<Shape, { kind: 'string' }>, random: Random, mood: ValueMood): string {
  if (shape.pattern !== undefined) return random.pick(shape.pattern.samples);
  if (shape.format === 'date') return `20${digits(random, 2, 10)}-0${1 + random.below(9)}-1${digits(random, 1, 10)}`;
  if (shape.format === 'uuid') return [8, 4, 4, 4, 12].map((length) => digits(random, length, 16)).join('-');
  const text = drawText(random, mood.refused);
  if (shape.min === undefined && shape.max === undefined) return text;
  const points = [...text];
  while (points.length < (shape.min ?? 0)) points.push('x');
  return points.slice(0, shape.max).join('');
}

function drawAnything(random: Random, mood: ValueMood): Json {
  switch (random.below(6)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(numbers);
    case 3:
      return { [random.pick(recordKeys)]: drawText(random, mood.refused) };
    case 4:
      return [random.below(10), drawText(random, mood.refused)];
    default:
      return drawText(random, mood.refused);
  }
}

const scalarsFirst = (shape: Shape): number => (shape.kind === 'null' ? 0 : shape.kind === 'reference' ? 2 : 1);

function drawItems(shape: Extract<Shape, { kind: 'array' }>, draw: (inner: Shape) => Json, random: Random, tired: boolean): Json {
  const least = shape.min ?? 0;
  const most = Math.min(shape.max ?? least + 3, least + 3);
  const count = tired ? least : least + random.below(most - least + 1);
  return Array.from({ length: count }, () => draw(shape.items));
}

/** A value that passes the shape. `depth` counts levels so that recursive shapes end. */
export function drawValue(shape: Shape, set: ShapeSet, random: Random, mood: ValueMood, depth = 0): Json {
  const draw = (inner: Shape): Json => drawValue(inner, set, random, mood, depth + 1);
  const tired = depth > 5;
  switch (shape.kind) {
    case 'string':
      return drawString(shape, random, mood);
    case 'number':
      return drawNumber(shape, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'literal':
      return random.pick(shape.values);
    case 'anything':
      return drawAnything(random, mood);
    case 'array':
      return drawItems(shape, draw, random, tired);
    case 'tuple':
      return shape.items.map(draw);
    case 'object': {
      const members: [string, Json][] = [];
      for (const property of shape.properties) {
        if (!property.required && (tired || random.chance(0.4))) continue;
        members.push([property.key, draw(property.shape)]);
      }
      if (shape.extra !== 'closed' && random.chance(0.2)) members.push(['x_more', drawText(random, mood.refused)]);
      if (members.length > 1 && random.chance(0.25)) members.reverse();
      return Object.fromEntries(members);
    }
    case 'record': {
      const members: [string, Json][] = [];
      for (let left = tired ? 0 : random.below(4); left > 0; left -= 1) members.push([random.pick(recordKeys), draw(shape.values)]);
      return Object.fromEntries(members);
    }
    case 'union': {
      const branches = tired ? [...shape.branches].sort((a, b) => scalarsFirst(a) - scalarsFirst(b)).slice(0, 1) : shape.branches;
      return draw(random.pick(branches));
    }
    case 'reference':
      return draw(resolveShape(shape, set));
  }
}
