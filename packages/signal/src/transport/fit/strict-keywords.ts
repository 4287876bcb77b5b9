import { isJsonObject, type JsonSchema, type JsonValue, namedTypes } from '@vouch/contracts';

/** Keywords that say nothing of validity: left out without a report, but for those that the subset takes. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'title',
  'description',
]);

const stringFormats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);

// The subset's grammar compiler takes no look-around and no back-reference.
const unsupportedPattern = /\(\?(?:[=!]|<[=!])|\\[1-9k]|\\[pP]\{/;

const kept: { readonly [keyword: string]: (value: unknown, schema: ReadonlyMap<string, { readonly value: unknown }>) => boolean } = {
  multipleOf: isNumber,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minItems: isNumber,
  maxItems: isNumber,
  format: (value) => typeof value === 'string' && stringFormats.has(value),
  // A format says the same in a form that every grammar knows.
  pattern: (value, schema) =>
    typeof value === 'string' && !stringFormats.has(String(schema.get('format')?.value)) && !unsupportedPattern.test(value),
};

/** The keyword stands in the subset, with this value. */
export function isKept(keyword: string, value: unknown, keywords: ReadonlyMap<string, { readonly value: unknown }>): boolean {
  return Object.hasOwn(kept, keyword) && kept[keyword]?.(value, keywords) === true;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

const keywordTypes: { readonly [keyword: string]: string } = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  patternProperties: 'object',
  propertyNames: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  contains: 'array',
  pattern: 'string',
  format: 'string',
  minLength: 'string',
  maxLength: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

/** The one type that a keyword is about; undefined for those about any. */
export function typeOfKeyword(keyword: string): string | undefined {
  return Object.hasOwn(keywordTypes, keyword) ? keywordTypes[keyword] : undefined;
}

/** The types of a schema: those it names, or those of its values, or the one that all its keywords are about. */
export function typesOf(schema: JsonSchema): readonly string[] {
  const named = namedTypes(schema);
  if (named.length > 0) return named;
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : [];
  if (values.length > 0) return [...new Set(values.map((value) => typeOfValue(value as JsonValue)))];
  const about = Object.keys(schema).map(typeOfKeyword);
  return [...new Set(about.filter((type): type is string => type !== undefined))];
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isJsonObject(value) ? 'object' : typeof value;
}
