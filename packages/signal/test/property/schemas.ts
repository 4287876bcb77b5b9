import type { Gate } from '@vouch/contracts';
import { drawShapeSet } from './draw/draw-shape.ts';
import { drawValue, type ValueMood } from './draw/draw-value.ts';
import type { Random } from './draw/random.ts';
import { isClosedThroughout, type Json, resolveShape, type Shape, type ShapeSet } from './draw/shape.ts';
import { compileGate } from './draw/validator.ts';

/** A random schema, ready to draw values from and to check them. */
export interface DrawnSchema {
  readonly set: ShapeSet;
  /** The root with its references followed. */
  readonly root: Shape;
  readonly gate: Gate;
  /** No object of the schema admits a key that it does not name. */
  readonly closed: boolean;
  passes(value: unknown): boolean;
  draw(random: Random, mood: ValueMood): Json;
}

/** A schema at random; `closed` asks for one within the companion promise of SG-065. */
export function drawSchema(random: Random, closed: boolean): DrawnSchema {
  const set = drawShapeSet(random, closed);
  const gate = compileGate(set);
  return {
    set,
    root: resolveShape(set.root, set),
    gate,
    closed: isClosedThroughout(set),
    passes: gate.passes,
    draw: (inner, mood) => drawValue(set.root, set, inner, mood),
  };
}
