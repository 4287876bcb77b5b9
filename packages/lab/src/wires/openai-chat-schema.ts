import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { isSchema } from '../conforms.ts';

/** What the strict subset refuses by name. */
const refusedKeywords = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'uniqueItems',
];
const mostProperties = 5_000;
const mostLevels = 10;

/**
 * Why the wire refuses a schema, in its own words; undefined when it takes it. `schema`: a response format without strict, any valid JSON Schema;
 * `function`: the root must be an object; `strict`: the strict subset.
 */
export function schemaFault(schema: JsonObject, use: 'schema' | 'function' | 'strict'): string | undefined {
  if (!isSchema(schema)) return `${JSON.stringify(schema).slice(0, 200)} is not valid under any of the given schemas.`;
  if (use === 'schema') return undefined;
  const { type } = schema;
  if (type !== 'object' && (use === 'strict' || (type !== undefined && Object.keys(schema).length > 0))) {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${type === undefined ? '"None"' : JSON.stringify(type)}'.`;
  }
  return use === 'strict' ? strictFault(schema) : undefined;
}

interface Place {
  readonly schema: JsonObject;
  readonly path: readonly string[];
  readonly level: number;
}

function strictFault(root: JsonObject): string | undefined {
  if (root.anyOf !== undefined) return "In context=(), 'anyOf' is not permitted at the root.";
  let properties = 0;
  const open: Place[] = [{ schema: root, path: [], level: 1 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const fault = keywordFault(here.schema, here.path);
    if (fault !== undefined) return fault;
    if (here.level > mostLevels) return `${here.level} levels of nesting exceeds limit of ${mostLevels}.`;
    properties += isJsonObject(here.schema.properties) ? Object.keys(here.schema.properties).length : 0;
    if (properties > mostProperties) return `${properties} object properties exceeds limit of ${mostProperties}.`;
    // Reversed, so that faults come in the order of the text.
    open.push(...children(here).reverse());
  }
  return undefined;
}

function keywordFault(schema: JsonObject, path: readonly string[]): string | undefined {
  const context = `In context=(${path.map((key) => `'${key}'`).join(', ')}${path.length === 1 ? ',' : ''})`;
  const refused = refusedKeywords.find((keyword) => schema[keyword] !== undefined);
  if (refused !== undefined) return `${context}, '${refused}' is not permitted.`;
  const isObject = schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'));
  if (!isObject) {
    const says = ['type', '$ref', 'anyOf', 'enum', 'const'].some((keyword) => schema[keyword] !== undefined);
    return says ? undefined : `${context}, schema must have a 'type' key.`;
  }
  if (schema.additionalProperties !== false) return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
  const required: readonly JsonValue[] = Array.isArray(schema.required) ? schema.required : [];
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const missing = names.find((name) => !required.includes(name));
  if (missing !== undefined) {
    return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const extra = required.find((name) => typeof name === 'string' && !names.includes(name));
  return extra === undefined
    ? undefined
    : `${context}, 'required' is required to be supplied and to be an array including every key in properties. Extra required key '${String(extra)}' supplied.`;
}

function children({ schema, path, level }: Place): Place[] {
  const found: Place[] = [];
  const add = (value: JsonValue | undefined, keys: readonly string[], deeper: number): void => {
    if (isJsonObject(value)) found.push({ schema: value, path: [...path, ...keys], level: level + deeper });
  };
  if (isJsonObject(schema.properties)) for (const [name, value] of Object.entries(schema.properties)) add(value, ['properties', name], 1);
  add(schema.items, ['items'], 1);
  if (Array.isArray(schema.anyOf)) for (const [index, value] of schema.anyOf.entries()) add(value, ['anyOf', String(index)], 0);
  for (const keyword of ['$defs', 'definitions']) {
    const definitions = schema[keyword];
    if (isJsonObject(definitions)) for (const [name, value] of Object.entries(definitions)) add(value, [keyword, name], 1);
  }
  return found;
}
