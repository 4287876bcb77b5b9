import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { isSchema } from '../../conforms.ts';

const mostOptional = 24;
const mostUnions = 16;

const refusedKeywords = [
  'not',
  'if',
  'then',
  'else',
  'prefixItems',
  'contains',
  'uniqueItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const formats: readonly JsonValue[] = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];
/** Look-around, back-references and word boundaries. */
const refusedPattern = /\(\?(?:[=!]|<[=!])|\\[1-9k]|\\b/i;

interface Place {
  readonly schema: JsonObject;
  /** Some `allOf` is around it. */
  readonly inAll: boolean;
}

/** Why the service does not compile a schema, in its own words; undefined when it does. */
export function formatFault(root: JsonObject): string | undefined {
  if (!isSchema(root)) return 'Invalid schema.';
  let optional = 0;
  let unions = 0;
  const open: Place[] = [{ schema: root, inAll: false }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { schema } = here;
    const fault = keywordFault(here);
    if (fault !== undefined) return fault;
    const required: readonly JsonValue[] = Array.isArray(schema.required) ? schema.required : [];
    const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
    optional += names.filter((name) => !required.includes(name)).length;
    if (Array.isArray(schema.anyOf) || (Array.isArray(schema.type) && schema.type.length > 1)) unions += 1;
    open.push(...children(here).reverse());
  }
  if (isRecursive(root)) return 'Circular reference detected in schema definitions.';
  return optional > mostOptional || unions > mostUnions ? 'Schema is too complex for compilation.' : undefined;
}

function keywordFault({ schema, inAll }: Place): string | undefined {
  const { type, $ref: reference, format, pattern, minItems } = schema;
  const name = typeof type === 'string' ? type : 'any';
  if (schema.oneOf !== undefined) return "Schema type 'oneOf' is not supported";
  if (reference !== undefined) {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return 'External $ref is not supported';
    return inAll ? "'$ref' inside 'allOf' is not supported" : undefined;
  }
  if (!['type', 'anyOf', 'allOf', 'enum', 'const'].some((keyword) => schema[keyword] !== undefined))
    return "Schema is missing a 'type' definition";
  const refused = refusedKeywords.find((keyword) => schema[keyword] !== undefined);
  if (refused !== undefined) return `For '${name}' type, property '${refused}' is not supported`;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1)
    return "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
  if (format !== undefined && !formats.includes(format)) return `For 'string' type, format '${String(format)}' is not supported`;
  if (typeof pattern === 'string' && refusedPattern.test(pattern)) return `For 'string' type, pattern '${pattern}' is not supported`;
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const];
  if (values.some((value) => typeof value === 'object' && value !== null)) return "'enum' and 'const' take primitive values alone";
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && schema.additionalProperties !== false
    ? "For 'object' type, 'additionalProperties' must be explicitly set to false"
    : undefined;
}

function children({ schema, inAll }: Place): Place[] {
  const found: Place[] = [];
  const add = (value: JsonValue | undefined, all: boolean): void => {
    if (isJsonObject(value)) found.push({ schema: value, inAll: all });
  };
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const map = schema[keyword];
    if (isJsonObject(map)) for (const value of Object.values(map)) add(value, false);
  }
  add(schema.items, inAll);
  for (const keyword of ['anyOf', 'allOf']) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const value of list) add(value, inAll || keyword === 'allOf');
  }
  return found;
}

/** A definition that leads back to itself. */
function isRecursive(root: JsonObject): boolean {
  const targetOf = (reference: string): JsonValue | undefined => {
    let here: JsonValue | undefined = root;
    for (const step of reference.slice(1).split('/').slice(1))
      here = isJsonObject(here) ? here[decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~')] : undefined;
    return here;
  };
  const leadsTo = (start: string): readonly string[] => {
    const found: string[] = [];
    const open: (JsonValue | undefined)[] = [targetOf(start)];
    for (let here = open.pop(); open.length > 0 || here !== undefined; here = open.pop()) {
      if (typeof here !== 'object' || here === null) continue;
      if (isJsonObject(here) && typeof here.$ref === 'string') found.push(here.$ref);
      if (isJsonObject(here)) {
        const { $defs: _defs, definitions: _definitions, ...rest } = here;
        open.push(...Object.values(rest));
      } else open.push(...(here as readonly JsonValue[]));
    }
    return found;
  };
  const state = new Map<string, 'open' | 'done'>();
  const stack: { readonly reference: string; readonly leaving: boolean }[] = [{ reference: '#', leaving: false }];
  for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
    if (here.leaving) state.set(here.reference, 'done');
    if (state.has(here.reference)) continue;
    state.set(here.reference, 'open');
    stack.push({ reference: here.reference, leaving: true });
    for (const next of leadsTo(here.reference)) {
      if (state.get(next) === 'open') return true;
      stack.push({ reference: next, leaving: false });
    }
  }
  return false;
}
