import { childPointer, isJsonObject, type JsonPointer, type JsonSchema, resolveReference } from '@vouch/contracts';
import type { DroppedKeyword, PlacedSchema } from './schema-walk.ts';
import { annotations, typesOf } from './strict-keywords.ts';
import { combine, type SchemaView } from './strict-view.ts';

/** A schema as the subset has it. */
export interface GenerateContentFit {
  readonly schema: JsonSchema;
  readonly dropped: readonly DroppedKeyword[];
}

/** A reference of the fitted schema, and the definition that it stands in. */
interface Reference {
  readonly from: string;
  readonly to: string;
  /** On the way to it stands a property that may be left out. */
  readonly optional: boolean;
  readonly pointer: JsonPointer;
  /** As it goes out. */
  readonly node: { [keyword: string]: unknown };
}

interface Fitting {
  readonly root: JsonSchema;
  readonly dropped: Map<string, DroppedKeyword>;
  /** Names of referenced schemas, by the place where they stand. */
  readonly names: Map<JsonPointer, string>;
  readonly waiting: PlacedSchema[];
  readonly references: Reference[];
}

/** Where a schema stands while it is fitted. */
interface Way {
  readonly definition: string;
  readonly optional: boolean;
}

const body = '';

/**
 * Fits a schema within `schemaLimits`, without dangling references, to what the generateContent wire reads of JSON Schema: constants become enums,
 * `allOf` is merged, what the wire does not know is dropped and reported, and so is a recursion through required properties alone, which it refuses.
 * Nothing is closed and nothing made nullable. Recursion is on the schema's own nesting, never through a `$ref`.
 */
export function fitGenerateContent(root: JsonSchema, wrapUnder: string | undefined): GenerateContentFit {
  const fitting: Fitting = { root, dropped: new Map(), names: new Map(), waiting: [], references: [] };
  const start = resolveReference(root, root, '') ?? { schema: root, pointer: '' };
  const fitted = fitNode(fitting, start, { definition: body, optional: false });
  const definitions: (readonly [string, JsonSchema])[] = [];
  // The list grows while it is read.
  for (const next of fitting.waiting) {
    const definition = fitting.names.get(next.pointer) ?? '';
    definitions.push([definition, fitNode(fitting, next, { definition, optional: false })]);
  }
  openCircles(fitting);
  const $defs = definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  const dropped = [...fitting.dropped.values()];
  if (wrapUnder === undefined) return { schema: { ...fitted, ...$defs }, dropped };
  const properties = { [wrapUnder]: fitted };
  return { schema: { type: 'object', properties, required: [wrapUnder], additionalProperties: false, ...$defs }, dropped };
}

function drop(fitting: Fitting, pointer: JsonPointer, keyword: string): void {
  fitting.dropped.set(`${pointer} ${keyword}`, { pointer, keyword });
}

/** Opens every circle that passes through required properties alone: there any object stands in place of the reference. */
function openCircles(fitting: Fitting): void {
  const needs = new Map<string, Set<string>>();
  for (const { from, to, optional } of fitting.references) if (!optional) needs.set(from, (needs.get(from) ?? new Set()).add(to));
  const reaches = (start: string, goal: string): boolean => {
    const seen = new Set([start]);
    for (const here of seen) {
      if (here === goal) return true;
      for (const next of needs.get(here) ?? []) seen.add(next);
    }
    return false;
  };
  for (const { from, to, optional, pointer, node } of fitting.references) {
    if (optional || from === body || !reaches(to, from)) continue;
    needs.get(from)?.delete(to);
    delete node.$ref;
    node.type = 'object';
    drop(fitting, pointer, '$ref');
  }
}

function fitNode(fitting: Fitting, placed: PlacedSchema, way: Way): JsonSchema {
  if (typeof placed.schema.$ref === 'string') return fitReference(fitting, placed, way);
  const whole = combine(fitting.root, placed);
  const view = typeof whole === 'string' ? withoutAllOf(fitting, placed) : whole;
  const alternatives = ['anyOf', 'oneOf'].find((keyword) => Array.isArray(view.keywords.get(keyword)?.value));
  if (alternatives !== undefined && view.properties.size === 0) return fitAlternatives(fitting, view, alternatives, way);
  if (view.keywords.has('const') || view.keywords.has('enum')) return fitValues(fitting, view);
  const types = typesOf(Object.fromEntries([...view.keywords].map(([keyword, { value }]) => [keyword, value])));
  const named = view.properties.size > 0 && types.length === 0 ? ['object'] : types;
  const [only] = named;
  const kept = keptOf(fitting, view, way);
  return { ...wordsOf(view), ...(only === undefined ? {} : { type: named.length === 1 ? only : [...named] }), ...kept };
}

/** Branches that contradict each other are left to the gate. */
function withoutAllOf(fitting: Fitting, { schema, pointer }: PlacedSchema): SchemaView {
  const { allOf: _branches, ...rest } = schema;
  drop(fitting, pointer, 'allOf');
  const view = combine(fitting.root, { schema: rest, pointer });
  return typeof view === 'string' ? { pointer, keywords: new Map(), properties: new Map(), required: new Set() } : view;
}

function fitReference(fitting: Fitting, placed: PlacedSchema, { definition, optional }: Way): JsonSchema {
  const target = resolveReference(fitting.root, placed.schema, placed.pointer);
  // Beside a reference nothing else is read.
  for (const keyword of Object.keys(placed.schema))
    if (keyword !== '$ref' && !annotations.has(keyword)) drop(fitting, placed.pointer, keyword);
  if (target === undefined) return {};
  const known = fitting.names.get(target.pointer);
  const name = known ?? freeName(fitting, target.pointer);
  if (known === undefined) {
    fitting.names.set(target.pointer, name);
    fitting.waiting.push(target);
  }
  const node = { $ref: `#/$defs/${name}` };
  fitting.references.push({ from: definition, to: name, optional, pointer: placed.pointer, node });
  return node;
}

function freeName(fitting: Fitting, pointer: JsonPointer): string {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_');
  const stem = last.slice(0, 60) || 'root';
  const taken = new Set(fitting.names.values());
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? stem : `${stem}_${count}`;
    if (!taken.has(name)) return name;
  }
}

function wordsOf(view: SchemaView): JsonSchema {
  const words = ['title', 'description'].flatMap((keyword) => {
    const value = view.keywords.get(keyword)?.value;
    return typeof value === 'string' ? [[keyword, value] as const] : [];
  });
  return Object.fromEntries(words);
}

function fitAlternatives(fitting: Fitting, view: SchemaView, keyword: string, way: Way): JsonSchema {
  const found = view.keywords.get(keyword);
  const branches = (found?.value ?? []) as readonly unknown[];
  for (const [other, { pointer }] of view.keywords)
    if (other !== keyword && other !== 'type' && !annotations.has(other)) drop(fitting, pointer, other);
  if (view.required.size > 0) drop(fitting, view.pointer, 'required');
  const pointer = childPointer(found?.pointer ?? view.pointer, keyword);
  return { ...wordsOf(view), anyOf: branches.map((branch, index) => fitChild(fitting, branch, childPointer(pointer, index), way)) };
}

/** `true` accepts anything, as an empty schema does. */
function fitChild(fitting: Fitting, schema: unknown, pointer: JsonPointer, way: Way): JsonSchema {
  return isJsonObject(schema) ? fitNode(fitting, { schema, pointer }, way) : {};
}

/** Enums are of texts and numbers alone. Null is a type, and so is what else is listed. */
function fitValues(fitting: Fitting, view: SchemaView): JsonSchema {
  const constant = view.keywords.get('const');
  const list = view.keywords.get('enum')?.value;
  const values: readonly unknown[] = constant === undefined ? (Array.isArray(list) ? list : []) : [constant.value];
  for (const [keyword, { pointer }] of view.keywords)
    if (!['const', 'enum', 'type'].includes(keyword) && !annotations.has(keyword)) drop(fitting, pointer, keyword);
  if (constant !== undefined && list !== undefined) drop(fitting, view.pointer, 'enum');
  const said = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const isNullable = values.includes(null);
  const isWhole = said.length + (isNullable ? 1 : 0) === values.length;
  if (!isWhole) drop(fitting, view.pointer, constant === undefined ? 'enum' : 'const');
  const types = [...new Set(values.map(typeOfValue))].filter((type) => type !== 'null');
  const named = types.map((type): JsonSchema => {
    const own = said.filter((value) => typeOfValue(value) === type);
    return isWhole && own.length > 0 ? { type, enum: own } : { type };
  });
  const all = isNullable ? [...named, { type: 'null' }] : named;
  const [only] = all;
  return { ...wordsOf(view), ...(all.length === 1 && only !== undefined ? only : { anyOf: all }) };
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const formats: ReadonlySet<unknown> = new Set(['date-time', 'date', 'time']);

/** The keywords of a schema that the subset has, and the schemas inside; every other one is reported. */
function keptOf(fitting: Fitting, view: SchemaView, way: Way): JsonSchema {
  const kept: { [keyword: string]: unknown } = {};
  for (const [keyword, { value, pointer }] of view.keywords) {
    if (keyword === 'type' || annotations.has(keyword)) continue;
    const place = childPointer(pointer, keyword);
    if (['minItems', 'maxItems', 'minimum', 'maximum'].includes(keyword) && isNumber(value)) kept[keyword] = value;
    else if (keyword === 'format' && formats.has(value)) kept.format = value;
    else if (keyword === 'additionalProperties')
      kept[keyword] = isJsonObject(value) ? fitChild(fitting, value, place, { ...way, optional: true }) : value;
    else if (keyword === 'items' && isJsonObject(value)) kept.items = fitChild(fitting, value, place, way);
    else if (keyword === 'prefixItems' && Array.isArray(value))
      kept.prefixItems = value.map((one, index) => fitChild(fitting, one, childPointer(place, index), way));
    else if (!(keyword === 'items' && value === true)) drop(fitting, pointer, keyword);
  }
  addExclusive(fitting, view, kept);
  if (view.properties.size > 0) Object.assign(kept, propertiesOf(fitting, view, way));
  else if (view.required.size > 0) drop(fitting, view.pointer, 'required');
  return kept;
}

/** Bounds that exclude their own value: of integers the next one, of other numbers the value itself, which the gate refuses. */
function addExclusive(fitting: Fitting, view: SchemaView, kept: { [keyword: string]: unknown }): void {
  const isInteger = view.keywords.get('type')?.value === 'integer';
  for (const [keyword, inclusive, step] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    const found = view.keywords.get(keyword);
    if (found === undefined || !isNumber(found.value) || kept[inclusive] !== undefined) continue;
    const next = found.value + step;
    const exact = isInteger && Number.isSafeInteger(found.value) && Number.isSafeInteger(next);
    kept[inclusive] = exact ? next : found.value;
    if (exact) fitting.dropped.delete(`${found.pointer} ${keyword}`);
  }
}

function propertiesOf(fitting: Fitting, view: SchemaView, way: Way): JsonSchema {
  const fitted: (readonly [string, JsonSchema])[] = [];
  for (const [key, { schema, pointer }] of view.properties) {
    const required = view.required.has(key);
    // Nothing passes it: it is not offered.
    if (schema === false && !required) drop(fitting, view.pointer, 'properties');
    else fitted.push([key, fitChild(fitting, schema, pointer, required ? way : { ...way, optional: true })]);
  }
  const required = fitted.flatMap(([key]) => (view.required.has(key) ? [key] : []));
  // A name that is required and not described is one that the wire does not know.
  if (required.length < view.required.size) drop(fitting, view.pointer, 'required');
  return { properties: Object.fromEntries(fitted), ...(required.length === 0 ? {} : { required }) };
}
