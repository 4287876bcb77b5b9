import { childPointer, isJsonObject, type JsonSchema, namedTypes, resolveReference } from '@vouch/contracts';

/** The root is an object and nothing else: its own type says so (after `$ref`), and no alternatives stand beside it. */
export function isObjectRoot(schema: JsonSchema): boolean {
  const root = resolveReference(schema, schema, '')?.schema;
  if (root === undefined || root.anyOf !== undefined || root.oneOf !== undefined) return false;
  const types = namedTypes(root);
  return types.length === 1 && types[0] === 'object';
}

/** A root that only refers to a definition, with that definition in its place: some wires want the type at the very root. Otherwise as it is. */
export function withoutRootReference(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string' || !isDefinition(schema.$ref)) return schema;
  const target = resolveReference(schema, schema, '');
  const { $ref: _, ...rest } = schema;
  return target === undefined ? schema : { ...target.schema, ...rest };
}

function isDefinition(reference: string): boolean {
  return /^#\/(?:\$|%24)?(?:defs|definitions)(?:\/|$)/.test(reference);
}

/**
 * `{ type: 'object', properties: { [key]: root } }`, definitions hoisted to the new root, and every local reference moved along. Recursion is on
 * schemas within `schemaLimits`.
 */
export function wrapRoot(root: JsonSchema, key: string): JsonSchema {
  const prefix = childPointer('/properties', key);
  const { $defs, definitions, ...rest } = root;
  const moved = (value: unknown): unknown => moveReferences(value, prefix);
  return {
    type: 'object',
    properties: { [key]: moved(rest) },
    required: [key],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moved($defs) }),
    ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
  };
}

/** Keywords whose value is data and no schema; an object under one of these names may still be a property's schema. */
const dataKeywords = new Set(['enum', 'examples']);

function moveReferences(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => moveReferences(entry, prefix));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, inner]) => [
      keyword,
      keyword === '$ref' && typeof inner === 'string'
        ? moveReference(inner, prefix)
        : dataKeywords.has(keyword) && !isJsonObject(inner)
          ? inner
          : moveReferences(inner, prefix),
    ]),
  );
}

function moveReference(reference: string, prefix: string): string {
  if (reference === '#' || reference === '#/') return `#${prefix}`;
  if (!reference.startsWith('#/') || isDefinition(reference)) return reference;
  return `#${prefix}${reference.slice(1)}`;
}

/**
 * The schema with every reference replaced by what it refers to; undefined when that takes over `maxNodes` objects and lists, or when a reference leads
 * nowhere. For schemas that are not recursive: recursion then ends at the bound.
 */
export function inlineReferences(root: JsonSchema, maxNodes: number): JsonSchema | undefined {
  let left = maxNodes;
  const inline = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    left -= 1;
    if (left < 0) return undefined;
    if (Array.isArray(value)) return value.map(inline);
    const { $ref: reference, ...rest } = value as JsonSchema;
    if (typeof reference === 'string') {
      const target = resolveReference(root, value as JsonSchema, '');
      if (target === undefined) {
        left = -1;
        return undefined;
      }
      return { ...(inline(target.schema) as JsonSchema), ...(inline(rest) as JsonSchema) };
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inline(inner)]));
  };
  const { $defs: _defs, definitions: _definitions, ...top } = root;
  const inlined = inline(top);
  return left < 0 || !isJsonObject(inlined) ? undefined : inlined;
}
