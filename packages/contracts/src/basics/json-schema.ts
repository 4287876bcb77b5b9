import { isJsonObject, type JsonPointer, pointerKeys } from './json.ts';

/** A JSON Schema (draft 2020-12 or draft-07) of the object form. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Bounds chains of `$ref`, so that a schema that refers to itself ends. */
const longestReferenceChain = 32;

// RFC 6901: digits without a leading zero. `Number('')` would be 0.
const arrayIndex = /^(0|[1-9]\d*)$/;

/** The subschema at a pointer such as `#/$defs/row`; undefined when there is none. */
export function schemaAt(root: JsonSchema, pointer: JsonPointer): JsonSchema | undefined {
  let here: unknown = root;
  for (const key of pointerKeys(pointer)) {
    if (Array.isArray(here)) here = arrayIndex.test(key) ? here[Number(key)] : undefined;
    else if (isJsonObject(here) && Object.hasOwn(here, key)) here = here[key];
    else return undefined;
  }
  return isJsonObject(here) ? here : undefined;
}

/**
 * A schema and where it stands in its root, with local `$ref`s followed; undefined when a reference leads nowhere, outside the document, or in a
 * circle. Siblings of a `$ref` are kept by the caller's own reading of `schema`.
 */
export function resolveReference(
  root: JsonSchema,
  schema: JsonSchema,
  pointer: JsonPointer,
): { readonly schema: JsonSchema; readonly pointer: JsonPointer } | undefined {
  let here = { schema, pointer };
  for (let steps = 0; steps < longestReferenceChain; steps += 1) {
    const reference = here.schema.$ref;
    if (typeof reference !== 'string') return here;
    const target = pointerOf(reference);
    const found = target === undefined ? undefined : schemaAt(root, target);
    if (target === undefined || found === undefined) return undefined;
    here = { schema: found, pointer: target };
  }
  return undefined;
}

/** The pointer of a `$ref` within the document; undefined for an anchor, another document, and what is no URI fragment. */
function pointerOf(reference: string): JsonPointer | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/** The types that a schema's own `type` keyword names; empty when it names none. */
export function namedTypes(schema: JsonSchema): readonly string[] {
  if (typeof schema.type === 'string') return [schema.type];
  return Array.isArray(schema.type) ? schema.type.filter((type): type is string => typeof type === 'string') : [];
}
