import { configurationError, isJsonObject, type JsonSchema } from '@vouch/contracts';

/** How a Standard Schema gives its JSON Schema (Standard JSON Schema v1). */
export interface JsonSchemaConverter {
  readonly input: (options: { readonly target: 'draft-2020-12'; readonly libraryOptions?: { readonly [option: string]: unknown } }) => {
    readonly [keyword: string]: unknown;
  };
}

/** A JSON Schema and what it could not say. */
export interface Conversion {
  readonly jsonSchema: JsonSchema;
  /** One sentence per part of the schema that JSON Schema cannot express; the validator still enforces it. */
  readonly notes: readonly string[];
}

/**
 * The input side of a schema as JSON Schema (SG-053): what the model must write, before defaults and transforms. Parts that JSON Schema cannot
 * express become `{}` with a note; coerced dates and big integers become what their coercion reads. Throws `E_UNSUPPORTED_SCHEMA` when nothing
 * can be said of the whole.
 */
export function convertSchema(converter: JsonSchemaConverter): Conversion {
  const notes: string[] = [];
  try {
    return { jsonSchema: asSchema(converter.input({ target: 'draft-2020-12' })), notes };
  } catch (strictError) {
    return convertLeniently(converter, strictError);
  }
}

function convertLeniently(converter: JsonSchemaConverter, strictError: unknown): Conversion {
  const found = new Map<string, string>();
  const reason = strictError instanceof Error ? strictError.message : 'it cannot be expressed in JSON Schema';
  // One option bag for all libraries: each reads its own names and leaves the others.
  const libraryOptions = {
    unrepresentable: 'any',
    errorMode: 'ignore',
    override: (context: unknown) => describePart(context, 'zodSchema', found),
    overrideSchema: (context: unknown) => describePart(context, 'valibotSchema', found),
  };
  let jsonSchema: JsonSchema;
  try {
    jsonSchema = asSchema(converter.input({ target: 'draft-2020-12', libraryOptions }));
  } catch (error) {
    throw configurationError(
      'E_UNSUPPORTED_SCHEMA',
      `This schema has no JSON Schema: ${reason}. Give one beside it: { standard, jsonSchema }.`,
      {
        cause: error,
      },
    );
  }
  const { $schema: _, ...content } = jsonSchema;
  if (Object.keys(content).length === 0) {
    throw configurationError(
      'E_UNSUPPORTED_SCHEMA',
      `Nothing of this schema can be said in JSON Schema: ${reason}. Use a type that JSON has.`,
      {
        cause: strictError,
      },
    );
  }
  const notes = [...found].map(([place, type]) => `${place} (${type}) cannot be expressed in JSON Schema and is sent as any value.`);
  return { jsonSchema, notes: notes.length > 0 ? notes : [`Part of the schema cannot be expressed in JSON Schema: ${reason}.`] };
}

interface PartContext {
  readonly jsonSchema: { [keyword: string]: unknown };
  readonly path?: readonly (string | number)[];
}

/** What a coercion reads: the only parts without a JSON form of which something can still be said. */
const coercions: { readonly [type: string]: { readonly [keyword: string]: unknown } } = {
  date: { type: 'string', format: 'date-time' },
  bigint: { type: 'integer' },
};

/** Called by the library for each part after its conversion; may add to that part's JSON Schema. */
function describePart(context: unknown, key: 'zodSchema' | 'valibotSchema', found: Map<string, string>): undefined {
  if (!isJsonObject(context)) return undefined;
  const { jsonSchema, path } = context as unknown as PartContext;
  const { type, coerce } = definitionOf((context as { readonly [name: string]: unknown })[key]);
  if (!isJsonObject(jsonSchema) || Object.keys(jsonSchema).length > 0 || sayable.has(type)) return undefined;
  if (coerce && Object.hasOwn(coercions, type)) Object.assign(jsonSchema as object, coercions[type]);
  else found.set(path === undefined ? `A part of the schema` : `/${path.join('/')}`, type);
  return undefined;
}

/** Types whose `{}` means what it says, and wrappers whose inner type has been noted already. */
const sayable = new Set([
  'any',
  'unknown',
  'optional',
  'nullable',
  'nullish',
  'default',
  'prefault',
  'nonoptional',
  'readonly',
  'lazy',
  'pipe',
  'catch',
]);

function definitionOf(schema: unknown): { readonly type: string; readonly coerce: boolean } {
  const holder = isJsonObject(schema) ? (schema as { readonly [key: string]: unknown }) : {};
  const internals = isJsonObject(holder._zod) ? (holder._zod as { readonly [key: string]: unknown }).def : holder;
  const definition = isJsonObject(internals) ? (internals as { readonly [key: string]: unknown }) : {};
  return { type: String(definition.type), coerce: definition.coerce === true };
}

function asSchema(value: unknown): JsonSchema {
  if (!isJsonObject(value)) throw new TypeError('the converter gave no object');
  return value;
}
