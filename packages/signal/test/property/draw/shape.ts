import type { JsonSchema, JsonValue } from '@vouch/contracts';

/** A named pattern that this suite can both draw from and check. */
export interface PatternRule {
  readonly source: string;
  readonly samples: readonly string[];
}

/** One member of an object. */
export interface Property {
  readonly key: string;
  readonly shape: Shape;
  readonly required: boolean;
}

/** What a schema is drawn as: small enough to draw values from it, to check values against it, and to write it as JSON Schema. */
export type Shape =
  | {
      readonly kind: 'string';
      readonly min?: number;
      readonly max?: number;
      readonly format?: 'date' | 'uuid';
      readonly pattern?: PatternRule;
    }
  | { readonly kind: 'number'; readonly integer: boolean; readonly min?: number; readonly max?: number; readonly above?: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** `const` when there is one value. */
  | { readonly kind: 'literal'; readonly values: readonly (string | number | boolean | null)[] }
  /** The schema `true`. */
  | { readonly kind: 'anything' }
  | { readonly kind: 'array'; readonly items: Shape; readonly min?: number; readonly max?: number }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[] }
  | {
      readonly kind: 'object';
      readonly properties: readonly Property[];
      /** `patterned` = closed, but for keys that start with `x_`, whose values are strings. */
      readonly extra: 'closed' | 'open' | 'patterned';
      readonly title?: string;
    }
  | { readonly kind: 'record'; readonly values: Shape }
  /** `type` writes a scalar branch and null as a list of types. `oneOf` is drawn only where a constant tells the branches apart. */
  | { readonly kind: 'union'; readonly branches: readonly Shape[]; readonly keyword: 'anyOf' | 'oneOf' | 'type' }
  | { readonly kind: 'reference'; readonly name: string };

/** A root shape and the named shapes that it refers to. */
export interface ShapeSet {
  readonly root: Shape;
  readonly definitions: ReadonlyMap<string, Shape>;
}

/** The shape that a shape stands for, references followed. A reference never names a reference. */
export function resolveShape(shape: Shape, set: ShapeSet): Shape {
  if (shape.kind !== 'reference') return shape;
  const found = set.definitions.get(shape.name);
  if (found === undefined) throw new Error(`No shape is named ${shape.name}.`);
  return found;
}

const defined = (fields: Record<string, unknown>): JsonSchema =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function objectSchema(shape: Extract<Shape, { kind: 'object' }>): JsonSchema {
  // fromEntries defines own keys, so a hostile key such as `constructor` is a member like any other.
  const properties = Object.fromEntries(shape.properties.map((property) => [property.key, schemaOf(property.shape)]));
  const required = shape.properties.filter((property) => property.required).map((property) => property.key);
  return defined({
    type: 'object',
    title: shape.title,
    properties,
    required: required.length > 0 ? required : undefined,
    patternProperties: shape.extra === 'patterned' ? { '^x_': { type: 'string' } } : undefined,
    additionalProperties: shape.extra === 'open' ? undefined : false,
  });
}

function unionSchema(shape: Extract<Shape, { kind: 'union' }>): JsonSchema {
  const branches = shape.branches.map(schemaOf);
  if (shape.keyword !== 'type') return { [shape.keyword]: branches };
  return Object.assign({}, ...branches, { type: branches.map((branch) => branch.type) }) as JsonSchema;
}

/** A shape as JSON Schema 2020-12. */
function schemaOf(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'string':
      return defined({ type: 'string', minLength: shape.min, maxLength: shape.max, format: shape.format, pattern: shape.pattern?.source });
    case 'number':
      return defined({
        type: shape.integer ? 'integer' : 'number',
        minimum: shape.min,
        maximum: shape.max,
        exclusiveMinimum: shape.above,
      });
    case 'boolean':
    case 'null':
      return { type: shape.kind };
    case 'literal':
      return shape.values.length === 1 ? { const: shape.values[0] } : { enum: shape.values };
    case 'anything':
      return {};
    case 'array':
      return defined({ type: 'array', items: schemaOf(shape.items), minItems: shape.min, maxItems: shape.max });
    case 'tuple':
      return { type: 'array', prefixItems: shape.items.map(schemaOf), items: false, minItems: shape.items.length };
    case 'object':
      return objectSchema(shape);
    case 'record':
      return { type: 'object', additionalProperties: schemaOf(shape.values) };
    case 'union':
      return unionSchema(shape);
    case 'reference':
      return { $ref: `#/$defs/${shape.name}` };
  }
}

/** The whole schema of a set, with its definitions under `$defs`. */
export function rootSchema(set: ShapeSet): JsonSchema {
  const root = schemaOf(set.root);
  if (set.definitions.size === 0) return root;
  return { ...root, $defs: Object.fromEntries([...set.definitions].map(([name, shape]) => [name, schemaOf(shape)])) };
}

/** Every object that can stand in a value has a fixed set of keys. */
export function isClosedThroughout(set: ShapeSet): boolean {
  const closed = (shape: Shape): boolean => {
    switch (shape.kind) {
      case 'object':
        return shape.extra === 'closed' && shape.properties.every((property) => closed(property.shape));
      case 'record':
      case 'anything':
        return false;
      case 'array':
        return closed(shape.items);
      case 'tuple':
        return shape.items.every(closed);
      case 'union':
        return shape.branches.every(closed);
      default:
        return true;
    }
  };
  return closed(set.root) && [...set.definitions.values()].every(closed);
}

/** A string of some kind can conform, so a string that does not is no encoded container for sure (principle 8). */
export function admitsStrings(shape: Shape, set: ShapeSet): boolean {
  const here = resolveShape(shape, set);
  switch (here.kind) {
    case 'string':
    case 'anything':
      return true;
    case 'literal':
      return here.values.some((value) => typeof value === 'string');
    case 'union':
      return here.branches.some((branch) => admitsStrings(branch, set));
    default:
      return false;
  }
}

/** A value of JSON: short for the suite. */
export type Json = JsonValue;
