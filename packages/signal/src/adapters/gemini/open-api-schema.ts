import { configurationError, isJsonObject, type JsonObject, type JsonSchema, type JsonValue, resolveReference } from '@vouch/contracts';

/** Deeper schemas, and such that refer to themselves, are refused: this form has no references. */
const deepest = 32;

const copied = [
  'title',
  'description',
  'format',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'default',
] as const;

/**
 * A JSON Schema in the OpenAPI form of older fields: one type, `nullable` for null, references written out, alternatives alone. What the form cannot say
 * is left out and is for the gate to check. Throws a configuration failure for a schema that is recursive, or over 32 levels deep.
 */
export function openApiSchema(root: JsonSchema, what: string): JsonObject {
  return convert(root, { root, what }, 0);
}

interface Conversion {
  readonly root: JsonSchema;
  readonly what: string;
}

function convert(value: unknown, conversion: Conversion, depth: number): JsonObject {
  if (depth > deepest) {
    throw configurationError(
      'E_CONFIGURATION',
      `The schema of ${conversion.what} is recursive, or over ${deepest} levels deep: this endpoint takes schemas without references only.`,
    );
  }
  if (!isJsonObject(value)) return {};
  const schema = value as JsonSchema;
  if (typeof schema.$ref === 'string') {
    const { $ref: _reference, ...beside } = schema;
    const target = resolveReference(conversion.root, schema, '');
    return convert({ ...target?.schema, ...beside }, conversion, depth + 1);
  }
  const branches = alternativesOf(schema);
  if (branches !== undefined) return alternatives(branches, conversion, depth);
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]) as readonly unknown[];
  const nullable = types.includes('null') ? { nullable: true } : {};
  const named = types.filter((type) => type !== 'null' && type !== undefined);
  if (named.length > 1)
    return alternatives(
      types.map((type) => ({ ...schema, type })),
      conversion,
      depth,
    );
  return { ...typed(schema, named[0], conversion, depth), ...nullable };
}

const alternativesOf = (schema: JsonSchema): readonly unknown[] | undefined => {
  const list = schema.anyOf ?? schema.oneOf;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
};

const isNull = (branch: unknown): boolean => isJsonObject(branch) && (branch.type === 'null' || branch.const === null);

/** Nothing may stand beside `anyOf`, so null is said by each of the others. */
function alternatives(branches: readonly unknown[], conversion: Conversion, depth: number): JsonObject {
  const nullable = branches.some(isNull);
  const fitted = branches
    .filter((branch) => !isNull(branch))
    .map((branch) => ({ ...convert(branch, conversion, depth + 1), ...(nullable ? { nullable: true } : {}) }));
  const [only] = fitted;
  return fitted.length === 1 && only !== undefined ? only : { anyOf: fitted };
}

function typed(schema: JsonSchema, type: unknown, conversion: Conversion, depth: number): JsonObject {
  const result: { [keyword: string]: JsonValue } = {};
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const words = Array.isArray(values) && values.every((one) => typeof one === 'string') ? (values as readonly string[]) : undefined;
  const name = typeof type === 'string' ? type : words === undefined ? undefined : 'string';
  if (name !== undefined) result.type = name;
  // The form's enums are of strings alone.
  if (words !== undefined) result.enum = words;
  for (const keyword of copied) if (schema[keyword] !== undefined) result[keyword] = schema[keyword] as JsonValue;
  if (isJsonObject(schema.properties) && Object.keys(schema.properties).length > 0) {
    const entries = Object.entries(schema.properties).map(([key, one]) => [key, convert(one, conversion, depth + 1)] as const);
    result.properties = Object.fromEntries(entries);
    result.propertyOrdering = entries.map(([key]) => key);
    if (Array.isArray(schema.required) && schema.required.length > 0) result.required = schema.required as readonly JsonValue[];
  }
  if (isJsonObject(schema.items)) result.items = convert(schema.items, conversion, depth + 1);
  return result;
}
