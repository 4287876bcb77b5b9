import { childPointer, isJsonObject, type JsonPointer, type JsonSchema, resolveReference } from '@vouch/contracts';
import type { PlacedSchema } from './schema-walk.ts';
import { areExclusive } from './strict-alternatives.ts';
import { closedProperties } from './strict-closing.ts';
import { type Alternatives, alternativesOf, fitReference, flat, keywordsOf, onlyType, type StrictFit, soleBranch } from './strict-fit.ts';
import { annotations, typesOf } from './strict-keywords.ts';
import { beyond, drop, type Fitting, notStrict, wordsOf } from './strict-state.ts';
import { at, combine, type SchemaView } from './strict-view.ts';

/** Limits of the subset's compiler. It documents 24 optional properties, and is known to fail from 11 on. */
const limits = { optional: 10, unions: 16 } as const;

interface Counted extends Fitting {
  optional: number;
  unions: number;
}

/**
 * Fits a schema within `schemaLimits`, without dangling references and circles, to the subset that the Messages wire compiles: objects are closed,
 * optional properties stay optional, `oneOf` becomes `anyOf`, bounds and lengths are dropped and reported. Recursion is on its own nesting, never
 * through a `$ref`. A schema that the subset cannot say cannot be sent at all: the wire has no looser form.
 */
export function fitMessages(root: JsonSchema, wrapUnder: string | undefined): StrictFit {
  const fitting: Counted = {
    root,
    madeNullable: new Set(),
    dropped: new Map(),
    names: new Map(),
    waiting: [],
    rootStands: wrapUnder === undefined,
    properties: 0,
    chars: 0,
    enumValues: 0,
    optional: 0,
    unions: 0,
  };
  const body = fitNode(fitting, resolveReference(root, root, '') ?? { schema: root, pointer: '' });
  const definitions: (readonly [string, JsonSchema])[] = [];
  for (let next = fitting.waiting.shift(); next !== undefined && fitting.unfit === undefined; next = fitting.waiting.shift())
    definitions.push([fitting.names.get(next.pointer) ?? '', fitNode(fitting, next)]);
  if (fitting.optional > limits.optional)
    beyond(fitting, `${fitting.optional} optional properties, over the ${limits.optional} that compile.`);
  if (fitting.unions > limits.unions) beyond(fitting, `${fitting.unions} alternatives of types, over the ${limits.unions} that compile.`);
  if (fitting.unfit !== undefined) return fitting.unfit;
  const dropped = [...fitting.dropped.values()];
  const why = dropped.length === 0 ? [] : [`The endpoint’s subset lacks ${keywordsOf(dropped)}; the gate still enforces them.`];
  const $defs = definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  if (wrapUnder === undefined) return { kind: 'fitted', schema: { ...body, ...$defs }, undo: { madeNullable: [] }, dropped, why };
  const schema = { type: 'object', properties: { [wrapUnder]: body }, required: [wrapUnder], additionalProperties: false, ...$defs };
  return { kind: 'fitted', schema, undo: { rootKey: wrapUnder, madeNullable: [] }, dropped, why };
}

function fitNode(fitting: Counted, placed: PlacedSchema): JsonSchema {
  if (fitting.unfit !== undefined) return {};
  if (typeof placed.schema.$ref === 'string') return fitReference(fitting, placed);
  const sole = soleBranch(placed);
  if (sole !== undefined) return fitNode(fitting, sole);
  const view = combine(fitting.root, placed);
  if (typeof view === 'string') return notStrict(fitting, view);
  const alternatives = alternativesOf(view);
  if (alternatives !== undefined) return fitAlternatives(fitting, view, alternatives);
  const types = typesOf(flat(view));
  const [type] = types;
  if (type === undefined) return notStrict(fitting, `The schema at ${at(view)} accepts any value.`);
  if (types.length > 1) fitting.unions += 1;
  if (view.keywords.has('const') || view.keywords.has('enum')) return fitValues(fitting, view, types);
  if (types.length === 1) return fitTyped(fitting, view, type);
  if (!types.includes('object') && !types.includes('array')) return { ...fitScalar(fitting, view), type: [...types] };
  return { anyOf: types.map((one) => fitTyped(fitting, onlyType(view, one), one)) };
}

function fitAlternatives(fitting: Counted, view: SchemaView, { keyword, branches, pointer }: Alternatives): JsonSchema {
  const exclusive = keyword === 'anyOf' || areExclusive(fitting.root, branches);
  for (const [other, { pointer: from }] of view.keywords) {
    const repeated = other === 'type' || annotations.has(other);
    if (!repeated && (other !== keyword || !exclusive)) drop(fitting, from, other);
  }
  if (view.required.size > 0) drop(fitting, view.pointer, 'required');
  fitting.unions += 1;
  return { ...wordsOf(view), anyOf: branches.map((branch, index) => fitChild(fitting, branch, childPointer(pointer, index))) };
}

function fitChild(fitting: Counted, schema: unknown, pointer: JsonPointer): JsonSchema {
  if (isJsonObject(schema)) return fitNode(fitting, { schema, pointer });
  return notStrict(fitting, `The schema at ${pointer} is ${schema === false ? 'false: nothing passes it' : 'true: it accepts any value'}.`);
}

function fitValues(fitting: Counted, view: SchemaView, types: readonly string[]): JsonSchema {
  const constant = view.keywords.get('const');
  const list = view.keywords.get('enum')?.value;
  const values: readonly unknown[] = constant === undefined ? (Array.isArray(list) ? list : []) : [constant.value];
  if (values.some((value) => typeof value === 'object' && value !== null))
    return notStrict(fitting, `The schema at ${at(view)} lists whole objects or lists.`);
  if (constant !== undefined && list !== undefined) drop(fitting, view.pointer, 'enum');
  dropRest(fitting, view, new Set(['const', 'enum']));
  const [type] = types;
  return {
    ...wordsOf(view),
    ...(types.length === 1 && type !== undefined ? { type } : {}),
    ...(constant === undefined ? { enum: values } : { const: constant.value }),
  };
}

function fitTyped(fitting: Counted, view: SchemaView, type: string): JsonSchema {
  if (type === 'object') return fitObject(fitting, view);
  if (type === 'array') return fitArray(fitting, view);
  return { ...fitScalar(fitting, view), type };
}

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
// The subset's compiler takes no look-around, no back-reference and no word boundary.
const unsupportedPattern = /\(\?(?:[=!]|<[=!])|\\[1-9kbB]|\\[pP]\{/;

function fitScalar(fitting: Counted, view: SchemaView): JsonSchema {
  const format = view.keywords.get('format')?.value;
  const pattern = view.keywords.get('pattern')?.value;
  const kept: JsonSchema = {
    ...(formats.has(format) ? { format } : {}),
    ...(typeof pattern === 'string' && !formats.has(format) && !unsupportedPattern.test(pattern) ? { pattern } : {}),
  };
  dropRest(fitting, view, new Set(Object.keys(kept)));
  return { ...wordsOf(view), ...kept };
}

/** Reports every keyword that does not go out and says something of validity. */
function dropRest(fitting: Counted, view: SchemaView, handled: ReadonlySet<string>): void {
  for (const [keyword, { pointer }] of view.keywords)
    if (keyword !== 'type' && !handled.has(keyword) && !annotations.has(keyword)) drop(fitting, pointer, keyword);
}

function fitObject(fitting: Counted, view: SchemaView): JsonSchema {
  const properties = closedProperties(view);
  if (typeof properties === 'string') return notStrict(fitting, properties);
  const fitted: (readonly [string, JsonSchema])[] = [];
  for (const [key, { schema, pointer }] of properties) {
    const required = view.required.has(key);
    // Nothing passes it, so it may only be left out: closing the object says that.
    if (schema === false && !required) continue;
    if (!required) fitting.optional += 1;
    fitted.push([key, fitChild(fitting, schema, pointer)]);
  }
  dropRest(
    fitting,
    view,
    new Set(['additionalProperties', 'unevaluatedProperties', ...(view.properties.size === 0 ? ['propertyNames'] : [])]),
  );
  return {
    ...wordsOf(view),
    type: 'object',
    properties: Object.fromEntries(fitted),
    required: fitted.flatMap(([key]) => (view.required.has(key) ? [key] : [])),
    additionalProperties: false,
  };
}

function fitArray(fitting: Counted, view: SchemaView): JsonSchema {
  const items = view.keywords.get('items');
  const prefix = Array.isArray(items?.value) ? items : view.keywords.get('prefixItems');
  const least = view.keywords.get('minItems')?.value;
  const bound = typeof least !== 'number' || least < 0 ? {} : { minItems: Math.min(1, least) };
  // More than one is asked for as one; the gate counts.
  const handled = new Set(['items', ...(least === 0 || least === 1 ? ['minItems'] : [])]);
  if (prefix === undefined || !Array.isArray(prefix.value) || prefix.value.length === 0) {
    if (items === undefined) return notStrict(fitting, `The list at ${at(view)} accepts any items.`);
    const fitted = fitChild(fitting, items.value, childPointer(items.pointer, 'items'));
    dropRest(fitting, view, handled);
    return { ...wordsOf(view), type: 'array', items: fitted, ...bound };
  }
  const keyword = prefix === items ? 'items' : 'prefixItems';
  const rest = view.keywords.get(keyword === 'items' ? 'additionalItems' : 'items')?.value;
  if (rest !== false && view.keywords.get('maxItems')?.value !== prefix.value.length)
    return notStrict(fitting, `The tuple at ${at(view)} may have further items.`);
  const pointer = childPointer(prefix.pointer, keyword);
  const members = prefix.value.map((schema, index) => fitChild(fitting, schema, childPointer(pointer, index)));
  const distinct = [...new Map(members.map((schema) => [JSON.stringify(schema), schema])).values()];
  if (distinct.length > 1) fitting.unions += 1;
  drop(fitting, prefix.pointer, keyword);
  dropRest(fitting, view, new Set([...handled, 'prefixItems', 'additionalItems', 'items']));
  const [only] = distinct;
  return { ...wordsOf(view), type: 'array', items: distinct.length === 1 && only !== undefined ? only : { anyOf: distinct }, ...bound };
}
