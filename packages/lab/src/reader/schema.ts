import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, namedTypes, resolveReference } from '@vouch/contracts';

/** One reading of a schema: references followed, `allOf` merged, alternatives listed apart. */
export interface Shape {
  readonly schema: JsonSchema;
  /** Types it names, `null` left out; derived from its keywords when it names none. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** Readings of `anyOf` and `oneOf`, without those that only say null. */
  readonly alternatives: readonly Shape[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly items?: JsonSchema;
  readonly choices?: readonly JsonValue[];
}

const mostMerged = 32;

/** Reads a schema; `root` holds its definitions. */
export function readShape(root: JsonSchema, schema: JsonSchema, depth = 0): Shape {
  const resolved = resolveReference(root, schema, '')?.schema ?? {};
  const merged = mergeAll(root, '$ref' in schema ? { ...resolved, ...siblings(schema) } : resolved);
  const branches = [...listed(merged.anyOf), ...listed(merged.oneOf)];
  const shapes = depth < 4 ? branches.map((branch) => readShape(root, branch, depth + 1)) : [];
  const alternatives = shapes.filter((shape) => !saysOnlyNull(shape));
  const types = namedTypes(merged);
  const all: readonly JsonValue[] | undefined = Array.isArray(merged.enum)
    ? (merged.enum as JsonValue[])
    : 'const' in merged
      ? [merged.const as JsonValue]
      : undefined;
  const choices = all?.filter((choice) => choice !== null);
  const properties = isJsonObject(merged.properties) ? schemasOf(merged.properties) : {};
  return {
    schema: merged,
    types: types.length > 0 ? types.filter((type) => type !== 'null') : impliedTypes(merged, properties),
    nullable:
      types.includes('null') ||
      merged.nullable === true ||
      (all?.includes(null) ?? false) ||
      shapes.some((shape) => saysOnlyNull(shape) || shape.nullable),
    alternatives,
    properties,
    required: Array.isArray(merged.required) ? merged.required.filter((name): name is string => typeof name === 'string') : [],
    ...(isJsonObject(merged.items) ? { items: merged.items } : {}),
    ...(choices === undefined ? {} : { choices }),
  };
}

function siblings(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$ref'));
}

function saysOnlyNull(shape: Shape): boolean {
  return shape.nullable && shape.types.length === 0 && shape.alternatives.length === 0 && (shape.choices ?? []).length === 0;
}

function listed(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function schemasOf(properties: JsonObject): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, isJsonObject(schema) ? schema : {}]));
}

/** `allOf` folded into its parent: the reader needs the properties, the gate checks the rest. */
function mergeAll(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let merged = schema;
  let open = listed(schema.allOf);
  for (let count = 0; count < mostMerged && open.length > 0; count += 1) {
    const [first, ...rest] = open;
    const part = first === undefined ? {} : (resolveReference(root, first, '')?.schema ?? {});
    const properties = {
      ...(isJsonObject(merged.properties) ? merged.properties : {}),
      ...(isJsonObject(part.properties) ? part.properties : {}),
    };
    const required = [...(Array.isArray(merged.required) ? merged.required : []), ...(Array.isArray(part.required) ? part.required : [])];
    merged = {
      ...part,
      ...merged,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
    open = [...rest, ...listed(part.allOf)];
  }
  return merged;
}

function impliedTypes(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): readonly string[] {
  if (Object.keys(properties).length > 0) return ['object'];
  if (isJsonObject(schema.items)) return ['array'];
  if (typeof schema.format === 'string' || typeof schema.pattern === 'string') return ['string'];
  return [];
}
