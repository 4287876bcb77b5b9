import { childPointer, isJsonObject, type JsonPointer, type JsonSchema, namedTypes } from '@vouch/contracts';
import type { DroppedKeyword } from './schema-walk.ts';

/** Keywords that the converter overlooks, whatever they say. */
const overlooked: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'multipleOf',
  'uniqueItems',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const ranges: ReadonlySet<string> = /* @__PURE__ */ new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
const formats: ReadonlySet<unknown> = /* @__PURE__ */ new Set(['date', 'time', 'date-time', 'uuid']);

/** A pattern that the converter takes: anchored at both ends, without look-around, back-references and classes by property. */
const isSimple = (pattern: unknown): boolean =>
  typeof pattern === 'string' && pattern.startsWith('^') && /(?<!\\)\$$/.test(pattern) && !/\(\?(?!:)|\\[1-9kbBpP]/.test(pattern);

/** The grammar enforces the keyword, or it says nothing of validity. */
function isTaken(keyword: string, value: unknown, schema: JsonSchema): boolean {
  if (overlooked.has(keyword)) return false;
  if (keyword === 'pattern') return isSimple(value);
  if (keyword === 'format') return formats.has(value);
  // Ranges are digits of whole numbers to it.
  if (ranges.has(keyword))
    return namedTypes(schema).every((type) => type === 'integer') && namedTypes(schema).length > 0 && Number.isInteger(value);
  return true;
}

const maps: ReadonlySet<string> = /* @__PURE__ */ new Set(['properties', '$defs', 'definitions']);
const data: ReadonlySet<string> = /* @__PURE__ */ new Set(['const', 'enum', 'default', 'examples']);

/**
 * A schema without what converters from JSON Schema to a grammar overlook or stumble over: the grammar cannot be made of a pattern that is not
 * anchored, and other keywords are ignored without a word. What was dropped is reported. Only for schemas within `schemaLimits`, since it descends.
 */
export function fitGrammar(schema: JsonSchema): { readonly schema: JsonSchema; readonly dropped: readonly DroppedKeyword[] } {
  const dropped: DroppedKeyword[] = [];
  const fitted = withoutOverlooked(schema, '', dropped);
  return { schema: dropped.length === 0 ? schema : fitted, dropped };
}

function withoutOverlooked(schema: JsonSchema, pointer: JsonPointer, dropped: DroppedKeyword[]): JsonSchema {
  const kept: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const at = childPointer(pointer, keyword);
    if (!isTaken(keyword, value, schema)) dropped.push({ pointer, keyword });
    else if (data.has(keyword)) kept.push([keyword, value]);
    else if (maps.has(keyword) && isJsonObject(value)) {
      const entries = Object.entries(value).map(([key, inner]) => [key, inside(inner, childPointer(at, key), dropped)] as const);
      kept.push([keyword, Object.fromEntries(entries)]);
    } else if (Array.isArray(value))
      kept.push([keyword, value.map((inner: unknown, index) => inside(inner, childPointer(at, index), dropped))]);
    else kept.push([keyword, inside(value, at, dropped)]);
  }
  return Object.fromEntries(kept);
}

const inside = (value: unknown, pointer: JsonPointer, dropped: DroppedKeyword[]): unknown =>
  isJsonObject(value) ? withoutOverlooked(value as JsonSchema, pointer, dropped) : value;
