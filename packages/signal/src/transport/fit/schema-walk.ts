import { childPointer, isJsonObject, type JsonPointer, type JsonSchema, resolveReference } from '@vouch/contracts';

/** What a schema may be before it is looked into at all. */
export const schemaLimits = {
  /** Nested JSON containers; a level of schema takes two. */
  nesting: 128,
  /** Subschemas and the lists between them. */
  nodes: 100_000,
} as const;

const schemaMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'] as const;
const singleSchemas = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'additionalItems',
  'contentSchema',
] as const;

/** A schema and where it stands in its root. */
export interface PlacedSchema {
  readonly schema: JsonSchema;
  readonly pointer: JsonPointer;
}

/** A keyword that the sent schema lost; the gate still enforces it. The pointer is into the caller's schema. */
export interface DroppedKeyword {
  readonly pointer: JsonPointer;
  readonly keyword: string;
}

/** The schemas directly inside one; data under `const`, `enum`, `default` and `examples` is not looked at. */
function subschemas({ schema, pointer }: PlacedSchema): readonly PlacedSchema[] {
  const found: PlacedSchema[] = [];
  const add = (value: unknown, at: JsonPointer): void => {
    if (isJsonObject(value)) found.push({ schema: value, pointer: at });
  };
  for (const keyword of schemaMaps) {
    const map = schema[keyword];
    if (!isJsonObject(map)) continue;
    for (const key of Object.keys(map)) add(map[key], childPointer(childPointer(pointer, keyword), key));
  }
  for (const keyword of schemaLists) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const [index, entry] of list.entries()) add(entry, childPointer(childPointer(pointer, keyword), index));
  }
  for (const keyword of singleSchemas) add(schema[keyword], childPointer(pointer, keyword));
  return found;
}

/** True when `value` is nested or sized beyond `schemaLimits`, or contains itself. Iterative: looked at before anything recurses. */
export function exceedsSchemaLimits(value: unknown): boolean {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let nodes = 0;
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (typeof entry.value !== 'object' || entry.value === null) continue;
    nodes += 1;
    if (nodes > schemaLimits.nodes || entry.depth > schemaLimits.nesting) return true;
    for (const child of Object.values(entry.value)) stack.push({ value: child, depth: entry.depth + 1 });
  }
  return false;
}

/** What the transports weigh of a schema. */
export interface SchemaMeasure {
  /** Characters of its minified JSON, `$schema` left out. */
  readonly chars: number;
  /** Some `$ref` leads back to a schema that contains it. */
  readonly recursive: boolean;
  /** Some `$ref` leads nowhere, or out of the document. */
  readonly dangling: boolean;
  /** It is beyond `schemaLimits`; the other fields are then not to be trusted. */
  readonly tooDeep: boolean;
}

const measures = new WeakMap<JsonSchema, SchemaMeasure>();

/** Measures a schema, once per object. */
export function measureSchema(schema: JsonSchema): SchemaMeasure {
  const known = measures.get(schema);
  if (known !== undefined) return known;
  const measure: SchemaMeasure = exceedsSchemaLimits(schema)
    ? { chars: Number.POSITIVE_INFINITY, recursive: false, dangling: false, tooDeep: true }
    : { chars: JSON.stringify(withoutDialect(schema)).length, tooDeep: false, ...referencesOf(schema) };
  measures.set(schema, measure);
  return measure;
}

/** The schema without its root's `$schema`, which no wire wants. */
export function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}

function referencesOf(root: JsonSchema): { readonly recursive: boolean; readonly dangling: boolean } {
  // Depth-first over "refers to", with an explicit stack: a target that is met again while it is open is a circle.
  const stack: { readonly placed: PlacedSchema; readonly leaving: boolean }[] = [{ placed: { schema: root, pointer: '' }, leaving: false }];
  const state = new Map<JsonPointer, 'open' | 'done'>();
  let recursive = false;
  let dangling = false;
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { placed, leaving } = entry;
    if (leaving) state.set(placed.pointer, 'done');
    if (state.has(placed.pointer)) continue;
    state.set(placed.pointer, 'open');
    stack.push({ placed, leaving: true });
    const { targets, lost } = targetsOf(root, placed);
    dangling ||= lost;
    for (const target of targets) {
      recursive ||= state.get(target.pointer) === 'open';
      stack.push({ placed: target, leaving: false });
    }
  }
  return { recursive, dangling };
}

/** Where the references inside a schema lead; definitions count only when something refers to them. */
function targetsOf(root: JsonSchema, start: PlacedSchema): { readonly targets: readonly PlacedSchema[]; readonly lost: boolean } {
  const targets = new Map<JsonPointer, PlacedSchema>();
  let lost = false;
  const stack = [start];
  for (let placed = stack.pop(); placed !== undefined; placed = stack.pop()) {
    if (typeof placed.schema.$ref === 'string') {
      const target = resolveReference(root, placed.schema, placed.pointer);
      if (target === undefined) lost = true;
      else targets.set(target.pointer, target);
    }
    const { $defs: _defs, definitions: _definitions, ...rest } = placed.schema;
    stack.push(...subschemas({ schema: rest, pointer: placed.pointer }));
  }
  return { targets: [...targets.values()], lost };
}
