import { childPointer, type FitUndo, isJsonObject, type JsonPointer, type JsonSchema, resolveReference } from '@vouch/contracts';
import type { DroppedKeyword, PlacedSchema } from './schema-walk.ts';
import { admitsNull, areExclusive, makeNullable } from './strict-alternatives.ts';
import { closedProperties } from './strict-closing.ts';
import { annotations, typeOfKeyword, typesOf } from './strict-keywords.ts';
import { beyond, checkTotals, drop, type Fitting, keptOf, notStrict, strictLimits, type Unfit, valuesOf, wordsOf } from './strict-state.ts';
import { at, combine, type SchemaView } from './strict-view.ts';

/** A schema in the strict subset; or why it cannot be there; or the limit that it passes. */
export type StrictFit =
  | {
      readonly kind: 'fitted';
      readonly schema: JsonSchema;
      readonly undo: FitUndo;
      readonly dropped: readonly DroppedKeyword[];
      readonly why: readonly string[];
    }
  | Unfit;

/** Fits a schema within `schemaLimits` and without dangling references to the strict subset; recursion is on its own nesting, never through a `$ref`. */
export function fitStrict(root: JsonSchema, wrapUnder: string | undefined): StrictFit {
  const fitting: Fitting = {
    root,
    madeNullable: new Set(),
    dropped: new Map(),
    names: new Map(),
    waiting: [],
    rootStands: wrapUnder === undefined,
    properties: wrapUnder === undefined ? 0 : 1,
    chars: wrapUnder?.length ?? 0,
    enumValues: 0,
  };
  const placed = resolveReference(root, root, '') ?? { schema: root, pointer: '' };
  const body = fitNode(fitting, placed, wrapUnder === undefined ? 1 : 2);
  const definitions: (readonly [string, JsonSchema])[] = [];
  for (let next = fitting.waiting.shift(); next !== undefined && fitting.unfit === undefined; next = fitting.waiting.shift()) {
    definitions.push([fitting.names.get(next.pointer) ?? '', fitNode(fitting, next, 1)]);
  }
  checkTotals(fitting);
  if (wrapUnder === undefined && body.type !== 'object') notStrict(fitting, 'The root is not one object.');
  if (fitting.unfit !== undefined) return fitting.unfit;
  const dropped = [...fitting.dropped.values()];
  const why = dropped.length === 0 ? [] : [`The strict subset lacks ${keywordsOf(dropped)}; the gate still enforces them.`];
  const madeNullable = [...fitting.madeNullable];
  const $defs = definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  if (wrapUnder === undefined) return { kind: 'fitted', schema: { ...body, ...$defs }, undo: { madeNullable }, dropped, why };
  const schema = { type: 'object', properties: { [wrapUnder]: body }, required: [wrapUnder], additionalProperties: false, ...$defs };
  return { kind: 'fitted', schema, undo: { rootKey: wrapUnder, madeNullable }, dropped, why };
}

/** The keywords that were dropped, each once, as a sentence names them. */
export function keywordsOf(dropped: readonly DroppedKeyword[]): string {
  return [...new Set(dropped.map(({ keyword }) => keyword))].slice(0, 20).join(', ');
}

function fitNode(fitting: Fitting, placed: PlacedSchema, level: number): JsonSchema {
  if (fitting.unfit !== undefined) return {};
  if (typeof placed.schema.$ref === 'string') return fitReference(fitting, placed);
  const sole = soleBranch(placed);
  if (sole !== undefined) return fitNode(fitting, sole, level);
  const view = combine(fitting.root, placed);
  if (typeof view === 'string') return notStrict(fitting, view);
  const alternatives = alternativesOf(view);
  if (alternatives !== undefined) return fitAlternatives(fitting, view, alternatives, level);
  const types = typesOf(flat(view));
  if (types.length === 0) return notStrict(fitting, `The schema at ${at(view)} accepts any value.`);
  if (types.length === 1 || !types.some((type) => type === 'object' || type === 'array')) return fitTyped(fitting, view, types, level);
  return { anyOf: types.map((type) => fitTyped(fitting, onlyType(view, type), [type], level)) };
}

/** `{ allOf: [schema] }` with words only: how some generators put a description beside a reference. */
export function soleBranch({ schema, pointer }: PlacedSchema): PlacedSchema | undefined {
  const [branch, second] = Array.isArray(schema.allOf) ? schema.allOf : [];
  if (!isJsonObject(branch) || second !== undefined) return undefined;
  const plain = Object.keys(schema).every((keyword) => keyword === 'allOf' || annotations.has(keyword));
  return plain ? { schema: branch, pointer: `${pointer}/allOf/0` } : undefined;
}

/** Keywords that can add keys or items to what a reference leads to. */
const additions = new Set([
  'properties',
  'required',
  'patternProperties',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
]);

/** A reference, its target named and queued to be fitted; what stands beside it is dropped and reported. */
export function fitReference(fitting: Fitting, placed: PlacedSchema): JsonSchema {
  const target = resolveReference(fitting.root, placed.schema, placed.pointer);
  if (target === undefined) return notStrict(fitting, `The $ref at ${at(placed)} leads nowhere.`);
  for (const keyword of Object.keys(placed.schema)) {
    if (keyword === '$ref' || annotations.has(keyword)) continue;
    // Closing the target would shut out what these add to it; any other constraint only narrows.
    if (additions.has(keyword)) return notStrict(fitting, `The $ref at ${at(placed)} has ${keyword} beside it.`);
    drop(fitting, placed.pointer, keyword);
  }
  if (target.pointer === '' && fitting.rootStands) return { $ref: '#' };
  const known = fitting.names.get(target.pointer);
  if (known !== undefined) return { $ref: `#/$defs/${known}` };
  const name = freeName(fitting, target.pointer);
  fitting.names.set(target.pointer, name);
  fitting.chars += name.length;
  fitting.waiting.push(target);
  return { $ref: `#/$defs/${name}` };
}

function freeName(fitting: Fitting, pointer: JsonPointer): string {
  const last =
    pointer
      .slice(pointer.lastIndexOf('/') + 1)
      .replace(/[^A-Za-z0-9_-]/g, '_')
      .slice(0, 60) || 'root';
  const taken = new Set(fitting.names.values());
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? last : `${last}_${count}`;
    if (!taken.has(name)) return name;
  }
}

/** Every keyword of a view as one schema; properties as they stand. */
export function flat(view: SchemaView): JsonSchema {
  const entries: [string, unknown][] = [...view.keywords].map(([keyword, { value }]) => [keyword, value]);
  if (view.properties.size > 0) entries.push(['properties', {}]);
  if (view.required.size > 0) entries.push(['required', []]);
  return Object.fromEntries(entries);
}

/** The view with what is about one type alone. */
export function onlyType(view: SchemaView, type: string): SchemaView {
  const keywords = new Map([...view.keywords].filter(([keyword]) => [undefined, type].includes(typeOfKeyword(keyword))));
  const objectOnly = type === 'object' ? {} : { properties: new Map(), required: new Set<string>() };
  return { ...view, keywords, ...objectOnly };
}

/** The branches of a schema that consists of alternatives. */
export interface Alternatives {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly branches: readonly unknown[];
  readonly pointer: JsonPointer;
}

/** The alternatives of a schema that consists of them; beside properties, items or values they only narrow, and may be dropped. */
export function alternativesOf(view: SchemaView): Alternatives | undefined {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const found = view.keywords.get(keyword);
    if (found === undefined || !Array.isArray(found.value) || found.value.length === 0) continue;
    if (view.properties.size > 0 || ['items', 'prefixItems', 'enum', 'const'].some((other) => view.keywords.has(other))) return undefined;
    return { keyword, branches: found.value, pointer: childPointer(found.pointer, keyword) };
  }
  return undefined;
}

function fitAlternatives(fitting: Fitting, view: SchemaView, alternatives: Alternatives, level: number): JsonSchema {
  const { keyword, branches, pointer } = alternatives;
  const exclusive = keyword === 'anyOf' || areExclusive(fitting.root, branches);
  for (const [other, { pointer: from }] of view.keywords) {
    const repeated = other === 'type' || annotations.has(other);
    if (!repeated && (other !== keyword || !exclusive)) drop(fitting, from, other);
  }
  if (view.required.size > 0) drop(fitting, view.pointer, 'required');
  const anyOf = branches.map((branch, index) => fitChild(fitting, branch, childPointer(pointer, index), level));
  return { ...wordsOf(view), anyOf };
}

function fitChild(fitting: Fitting, schema: unknown, pointer: JsonPointer, level: number): JsonSchema {
  if (isJsonObject(schema)) return fitNode(fitting, { schema, pointer }, level);
  return notStrict(fitting, `The schema at ${pointer} is ${schema === false ? 'false: nothing passes it' : 'true: it accepts any value'}.`);
}

function fitTyped(fitting: Fitting, view: SchemaView, types: readonly string[], level: number): JsonSchema {
  const [type] = types;
  if (types.length === 1 && !view.keywords.has('const') && !view.keywords.has('enum')) {
    if (type === 'object') return fitObject(fitting, view, level);
    if (type === 'array') return fitArray(fitting, view, level);
  }
  if (type === 'object' || type === 'array') return notStrict(fitting, `The schema at ${at(view)} lists whole objects or lists.`);
  const kept = keptOf(fitting, view, new Set(['const', 'enum']));
  return { ...wordsOf(view), type: types.length === 1 ? type : [...types], ...valuesOf(fitting, view), ...kept };
}

function fitObject(fitting: Fitting, view: SchemaView, level: number): JsonSchema {
  if (level > strictLimits.levels) return beyond(fitting, `more than ${strictLimits.levels} levels of nesting, the strict subset's most.`);
  const properties = closedProperties(view);
  if (typeof properties === 'string') return notStrict(fitting, properties);
  fitting.properties += properties.size;
  // Counted before descending: a schema beyond the limits is not worth the walk.
  if (fitting.properties > strictLimits.properties) checkTotals(fitting);
  const fitted: (readonly [string, JsonSchema])[] = [];
  for (const [key, { schema, pointer }] of properties) {
    fitting.chars += key.length;
    const required = view.required.has(key);
    if (schema === false && !required) continue;
    const child = fitChild(fitting, schema, pointer, level + 1);
    const open = required || !isJsonObject(schema) || admitsNull(fitting.root, schema);
    if (!open) fitting.madeNullable.add(pointer);
    fitted.push([key, open ? child : makeNullable(child)]);
  }
  keptOf(
    fitting,
    view,
    new Set(['type', 'additionalProperties', 'unevaluatedProperties', ...(view.properties.size === 0 ? ['propertyNames'] : [])]),
  );
  return {
    ...wordsOf(view),
    type: 'object',
    properties: Object.fromEntries(fitted),
    required: fitted.map(([key]) => key),
    additionalProperties: false,
  };
}

function fitArray(fitting: Fitting, view: SchemaView, level: number): JsonSchema {
  if (level > strictLimits.levels) return beyond(fitting, `more than ${strictLimits.levels} levels of nesting, the strict subset's most.`);
  const handled = new Set(['type', 'items']);
  const items = view.keywords.get('items');
  const prefix = Array.isArray(items?.value) ? items : view.keywords.get('prefixItems');
  if (prefix === undefined || !Array.isArray(prefix.value)) {
    if (items === undefined) return notStrict(fitting, `The list at ${at(view)} accepts any items.`);
    const fitted = fitChild(fitting, items.value, childPointer(items.pointer, 'items'), level + 1);
    return { ...wordsOf(view), type: 'array', items: fitted, ...keptOf(fitting, view, handled) };
  }
  const keyword = prefix === items ? 'items' : 'prefixItems';
  return fitTuple(fitting, view, { keyword, pointer: prefix.pointer, schemas: prefix.value }, level);
}

/** A tuple becomes a list whose items may be any of its members: their order is left to the gate. */
function fitTuple(
  fitting: Fitting,
  view: SchemaView,
  prefix: { readonly keyword: 'items' | 'prefixItems'; readonly pointer: JsonPointer; readonly schemas: readonly unknown[] },
  level: number,
): JsonSchema {
  const { keyword, schemas } = prefix;
  const rest = view.keywords.get(keyword === 'items' ? 'additionalItems' : 'items')?.value;
  if (rest !== false && view.keywords.get('maxItems')?.value !== schemas.length) {
    return notStrict(fitting, `The tuple at ${at(view)} may have further items.`);
  }
  const pointer = childPointer(prefix.pointer, keyword);
  const fitted = schemas.map((schema, index) => fitChild(fitting, schema, childPointer(pointer, index), level + 1));
  const distinct = [...new Map(fitted.map((schema) => [JSON.stringify(schema), schema])).values()];
  drop(fitting, prefix.pointer, keyword);
  const kept = keptOf(fitting, view, new Set(['type', 'items', 'prefixItems', 'additionalItems']));
  const [only] = distinct;
  const items = distinct.length === 1 && only !== undefined ? only : { anyOf: distinct };
  return { ...wordsOf(view), type: 'array', items, maxItems: schemas.length, ...kept };
}
