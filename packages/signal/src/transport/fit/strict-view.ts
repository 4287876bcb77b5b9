import { childPointer, isJsonObject, type JsonPointer, type JsonSchema, resolveReference } from '@vouch/contracts';
import type { PlacedSchema } from './schema-walk.ts';

/** A schema with its `allOf` merged in: each property keeps the place where its schema really stands. */
export interface SchemaView {
  readonly pointer: JsonPointer;
  /** Every keyword but `properties`, `required` and `allOf`. */
  readonly keywords: ReadonlyMap<string, { readonly value: unknown; readonly pointer: JsonPointer }>;
  readonly properties: ReadonlyMap<string, { readonly schema: unknown; readonly pointer: JsonPointer }>;
  readonly required: ReadonlySet<string>;
}

const mostParts = 256;

/** Words that say nothing of validity: of two, the first stays. */
const words = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** The view of a schema, or why its `allOf` is no plain sum: branches that constrain the same thing differently cannot be merged without guessing. */
export function combine(root: JsonSchema, placed: PlacedSchema): SchemaView | string {
  const parts = partsOf(root, placed);
  if (typeof parts === 'string') return parts;
  const keywords = new Map<string, { value: unknown; pointer: JsonPointer }>();
  const properties = new Map<string, { schema: unknown; pointer: JsonPointer }>();
  const required = new Set<string>();
  for (const part of parts) {
    for (const [keyword, value] of Object.entries(part.schema)) {
      if (keyword === 'allOf' || keyword === 'properties' || keyword === '$ref') continue;
      if (keyword === 'required' && Array.isArray(value)) {
        for (const key of value) required.add(String(key));
        continue;
      }
      const other = keywords.get(keyword);
      if (other === undefined) keywords.set(keyword, { value, pointer: part.pointer });
      else if (!words.has(keyword) && !sameJson(other.value, value))
        return `Two branches of an allOf at ${at(placed)} set ${keyword} differently.`;
    }
    for (const [key, schema] of propertiesOf(part)) {
      const pointer = childPointer(`${part.pointer}/properties`, key);
      const other = properties.get(key);
      if (other === undefined) properties.set(key, { schema, pointer });
      else if (!sameJson(other.schema, schema))
        return `Two branches of an allOf at ${at(placed)} describe the property ${key} differently.`;
    }
  }
  const shut = parts.find((part) => part.schema.additionalProperties === false);
  if (shut !== undefined && parts.length > 1 && propertiesOf(shut).length < properties.size) {
    return `A branch of an allOf at ${at(placed)} refuses the properties of another.`;
  }
  return { pointer: placed.pointer, keywords, properties, required };
}

/** The schema itself and the branches of its `allOf`, references followed; iterative, because branches may refer to each other. */
function partsOf(root: JsonSchema, placed: PlacedSchema): readonly PlacedSchema[] | string {
  const parts: PlacedSchema[] = [];
  const seen = new Set<JsonPointer>();
  const stack: PlacedSchema[] = [placed];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (parts.length >= mostParts) return `The allOf at ${at(placed)} has more than ${mostParts} branches.`;
    if (seen.has(part.pointer)) return `The allOf at ${at(placed)} contains itself.`;
    seen.add(part.pointer);
    parts.push(part);
    const branches = Array.isArray(part.schema.allOf) ? part.schema.allOf : [];
    for (const [index, branch] of [...branches.entries()].reverse()) {
      if (!isJsonObject(branch)) return `A branch of the allOf at ${at(placed)} is no schema.`;
      stack.push({ schema: branch, pointer: childPointer(`${part.pointer}/allOf`, index) });
    }
    if (typeof part.schema.$ref !== 'string') continue;
    const target = resolveReference(root, { $ref: part.schema.$ref }, part.pointer);
    if (target === undefined) return `The $ref at ${at(part)} leads nowhere.`;
    stack.push(target);
  }
  return parts;
}

function propertiesOf(part: PlacedSchema): readonly (readonly [string, unknown])[] {
  return isJsonObject(part.schema.properties) ? Object.entries(part.schema.properties) : [];
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A place as a sentence names it. */
export function at(placed: { readonly pointer: JsonPointer }): string {
  return placed.pointer === '' ? 'the root' : placed.pointer;
}
