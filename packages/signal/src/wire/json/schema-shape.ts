import { isJsonObject, type JsonPointer, type JsonSchema, namedTypes, pointerKeys, resolveReference } from '@vouch/contracts';

/** A schema, where it stands in its root, and the root. */
export interface SchemaPlace {
  readonly root: JsonSchema;
  readonly schema: JsonSchema;
  readonly pointer: JsonPointer;
}

const allTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
type JsonType = (typeof allTypes)[number];
/** Nesting of combinators that is followed; deeper ones count as allowing anything. */
const maxCombinators = 12;

/** The root of a schema as a place. */
export const rootPlace = (schema: JsonSchema): SchemaPlace => ({ root: schema, schema, pointer: '' });

const followed = (place: SchemaPlace): SchemaPlace | undefined => {
  const found = resolveReference(place.root, place.schema, place.pointer);
  return found === undefined ? undefined : { root: place.root, ...found };
};

const child = (place: SchemaPlace, schema: unknown, ...keys: readonly (string | number)[]): SchemaPlace | undefined => {
  if (!isJsonObject(schema)) return undefined;
  const pointer = keys.reduce<string>((path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`, place.pointer);
  return { root: place.root, schema: schema as JsonSchema, pointer };
};

const typeOf = (value: unknown): JsonType => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'null';
};

/** The JSON types that a place allows, as far as its own keywords and combinators say. `integer` counts as number. Errs towards more. */
export function allowedTypes(place: SchemaPlace, depth = 0): ReadonlySet<JsonType> {
  const here = followed(place);
  if (here === undefined || depth > maxCombinators) return new Set(allTypes);
  const { schema } = here;
  let types = new Set<JsonType>(allTypes);
  const narrow = (to: Iterable<JsonType>): void => {
    const allowed = new Set(to);
    types = new Set([...types].filter((type) => allowed.has(type)));
  };
  const named = namedTypes(schema);
  if (named.length > 0) narrow(named.map((type) => (type === 'integer' ? 'number' : type)) as JsonType[]);
  if (Array.isArray(schema.enum)) narrow(schema.enum.map(typeOf));
  if (Object.hasOwn(schema, 'const')) narrow([typeOf(schema.const)]);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = branchesOf(here, keyword);
    if (branches.length > 0) narrow(branches.flatMap((branch) => [...allowedTypes(branch, depth + 1)]));
  }
  for (const branch of branchesOf(here, 'allOf')) narrow(allowedTypes(branch, depth + 1));
  return types;
}

function branchesOf(place: SchemaPlace, keyword: 'anyOf' | 'oneOf' | 'allOf'): readonly SchemaPlace[] {
  const list = place.schema[keyword];
  if (!Array.isArray(list)) return [];
  // A branch that is no object (`true`) allows anything.
  return list.map((schema, index) => child(place, schema, keyword, index) ?? { root: place.root, schema: {}, pointer: place.pointer });
}

/** The places that describe a member of a value that stands at `places`: one per branch that speaks of it. Empty when none does. */
export function memberPlaces(places: readonly SchemaPlace[], key: string | number, depth = 0): readonly SchemaPlace[] {
  if (depth > maxCombinators) return [];
  const found: SchemaPlace[] = [];
  for (const place of places) {
    const here = followed(place);
    if (here === undefined) continue;
    const own = typeof key === 'number' ? elementPlace(here, key) : propertyPlaces(here, key);
    found.push(...own);
    const branches = [...branchesOf(here, 'anyOf'), ...branchesOf(here, 'oneOf'), ...branchesOf(here, 'allOf')];
    if (branches.length > 0) found.push(...memberPlaces(branches, key, depth + 1));
  }
  return found.slice(0, 64);
}

function propertyPlaces(place: SchemaPlace, key: string): readonly SchemaPlace[] {
  const { schema } = place;
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) {
    const found = child(place, properties[key], 'properties', key);
    return found === undefined ? [anything(place)] : [found];
  }
  const found: SchemaPlace[] = [];
  if (isJsonObject(patternProperties)) {
    for (const [pattern, inner] of Object.entries(patternProperties)) {
      const matched = matches(pattern, key) ? child(place, inner, 'patternProperties', pattern) : undefined;
      if (matched !== undefined) found.push(matched);
    }
  }
  if (found.length > 0) return found;
  const rest = child(place, additionalProperties, 'additionalProperties');
  return rest === undefined ? [] : [rest];
}

const anything = (place: SchemaPlace): SchemaPlace => ({ root: place.root, schema: {}, pointer: place.pointer });

function matches(pattern: string, key: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(key);
  } catch {
    return false;
  }
}

function elementPlace(place: SchemaPlace, index: number): readonly SchemaPlace[] {
  const { prefixItems, items } = place.schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  if (index < tuple.length) {
    const found = child(place, tuple[index], Array.isArray(prefixItems) ? 'prefixItems' : 'items', index);
    return found === undefined ? [anything(place)] : [found];
  }
  const rest = Array.isArray(items) ? child(place, place.schema.additionalItems, 'additionalItems') : child(place, items, 'items');
  return rest === undefined ? [] : [rest];
}

/** The places of a path in a value, from the root. */
export function placesAt(schema: JsonSchema, path: JsonPointer): readonly SchemaPlace[] {
  let places: readonly SchemaPlace[] = [rootPlace(schema)];
  for (const key of pointerKeys(path)) {
    const members = memberPlaces(places, key);
    const elements = /^\d{1,9}$/.test(key) ? memberPlaces(places, Number(key)) : [];
    places = [...members, ...elements];
  }
  return places;
}

/** The types that all of several places allow together; undefined when nothing is known of them. */
export function typesAt(places: readonly SchemaPlace[]): ReadonlySet<JsonType> | undefined {
  if (places.length === 0) return undefined;
  const types = new Set<JsonType>();
  for (const place of places) for (const type of allowedTypes(place)) types.add(type);
  return types;
}

/** At a place that one plain closed object schema describes, every declared key is among `keys`: no further key could come. */
export function leavesNoKey(places: readonly SchemaPlace[], keys: readonly string[]): boolean {
  const [place, other] = places;
  if (place === undefined || other !== undefined) return false;
  const schema = followed(place)?.schema;
  if (schema === undefined || ['anyOf', 'oneOf', 'allOf', 'if', 'patternProperties', '$ref'].some((word) => Object.hasOwn(schema, word)))
    return false;
  if (schema.additionalProperties !== false && schema.unevaluatedProperties !== false) return false;
  const present = new Set(keys);
  return isJsonObject(schema.properties) && Object.keys(schema.properties).every((key) => present.has(key));
}

/** The root declares every one of `keys` itself. */
export function declaresKeys(schema: JsonSchema, keys: readonly string[]): boolean {
  return keys.every((key) => memberPlaces([rootPlace(schema)], key).some((place) => place.pointer.endsWith(`/properties/${key}`)));
}
