import {
  boundMessage,
  configurationError,
  type Issue,
  isJsonObject,
  isThenable,
  type JsonSchema,
  makeFailure,
  type OutputSchema,
  type SchemaAdapter,
  SignalError,
  thrownMessage,
  type Validation,
} from '@vouch/contracts';
import { hasAsyncPart } from './accept/async-parts.ts';
import { issuesOf, issuesOfError } from './accept/issues.ts';
import { sampleValue } from './accept/sample-value.ts';
import { convertSchema, type JsonSchemaConverter } from './accept/schema-conversion.ts';
import { exceedsSchemaLimits, schemaLimits } from './fit/schema-walk.ts';

/** What a Standard Schema's `validate` answers. */
export type StandardResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly unknown[] };

/** A Standard Schema v1, as far as it is read here. With `jsonSchema` (Standard JSON Schema v1) it is a schema by itself. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | PromiseLike<StandardResult<Output>>;
    readonly jsonSchema?: JsonSchemaConverter;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** A Standard Schema whose library gives no JSON Schema, and the JSON Schema of its input side. */
export interface SchemaPair<Output = unknown> {
  readonly standard: StandardSchema<Output>;
  readonly jsonSchema: JsonSchema;
}

/** Plain JSON Schema and a validator for it, such as a wrapped Ajv (SG-054). `parse` transforms accepted values; without it they pass unchanged. */
export interface PlainSchema<Output = unknown> {
  readonly jsonSchema: JsonSchema;
  /** Called only on values within the depth bound. */
  validate(value: unknown): Validation;
  parse?(value: unknown): Output;
}

/** Everything that `.schema()` takes (SG-054). */
export type SchemaInput<Output = unknown> = StandardSchema<Output> | SchemaPair<Output> | PlainSchema<Output> | SchemaAdapter<Output>;

/** The type of the value that a schema gives after its transforms: its output side. `unknown` for plain JSON Schema without `parse`. */
export type InferOutput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Schema extends { readonly standard: infer Standard }
    ? InferOutput<Standard>
    : Schema extends { parse(value: unknown): infer Output }
      ? Output
      : Schema extends PlainSchema<infer Output>
        ? Output
        : unknown;

/** An output schema, and what its JSON Schema could not say. */
export interface ConvertedSchema<Output> extends OutputSchema<Output> {
  readonly notes: readonly string[];
}

const converted = new WeakMap<object, ConvertedSchema<unknown>>();

/** What a Standard Schema's validation gave for the objects that it took, by the schema: it validates and transforms in one. */
const acceptedBy = new WeakMap<object, WeakMap<object, unknown>>();

/**
 * `output.parse` of a value that `output.validate` has just taken, without a second run of the library when the first gave the result. Only for a
 * value that nobody could change since; each result is given once.
 */
export function parseAccepted<Value>(output: OutputSchema<Value>, value: unknown): Value {
  const accepted = typeof value === 'object' && value !== null ? acceptedBy.get(output) : undefined;
  if (accepted === undefined || !accepted.has(value as object)) return output.parse(value);
  const result = accepted.get(value as object);
  accepted.delete(value as object);
  // What this schema's own validation gave.
  return result as Value;
}

/**
 * A caller's schema as the rest of signal uses it (SG-053, SG-054): JSON Schema of the input side, a gate, and a parser. Converted once per
 * schema object. A Standard Schema's own code is tried on three sample values here, to find asynchronous parts before a model call is paid for.
 * Throws `E_UNSUPPORTED_SCHEMA` for what is no schema, has no JSON Schema, or is asynchronous; `validate` and `parse` throw it too when an
 * asynchronous part shows only then. `validate` throws nothing else; `parse` throws `E_INVALID_OUTPUT` for what does not conform.
 */
export function toOutputSchema<Schema extends SchemaInput>(schema: Schema): ConvertedSchema<InferOutput<Schema>> {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) throw notASchema();
  const known = converted.get(schema) ?? readable(() => convert(schema));
  converted.set(schema, known);
  // The cache forgets the type that the caller's schema object carries.
  return known as ConvertedSchema<InferOutput<Schema>>;
}

/** What a schema object throws while it is looked at (a getter, a proxy, a value without JSON) is a caller's mistake, and said as one. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SignalError) throw error;
    throw configurationError('E_UNSUPPORTED_SCHEMA', `The schema cannot be read: ${thrownMessage(error)}`, { cause: error });
  }
}

function convert(schema: SchemaInput): ConvertedSchema<unknown> {
  if ('~standard' in schema) return fromStandard(schema);
  if ('standard' in schema) return fromStandard(schema.standard, schema.jsonSchema);
  if (!isJsonObject(schema.jsonSchema)) throw notASchema(isBareJsonSchema(schema) ? bareJsonSchemaMessage : undefined);
  if ('validate' in schema && typeof schema.validate === 'function') return fromPlain(schema);
  if ('parse' in schema && typeof schema.parse === 'function')
    return fromAdapter({ jsonSchema: schema.jsonSchema, parse: schema.parse.bind(schema) });
  throw notASchema(
    '{ jsonSchema } has no validator beside it. Add validate: (value) => ({ ok: true }) or ({ ok: false, issues }), or parse.',
  );
}

const bareJsonSchemaMessage = 'This is bare JSON Schema, and nothing here validates by it. Wrap it: { jsonSchema, validate }.';

const isBareJsonSchema = (schema: object): boolean =>
  ['$schema', 'properties', 'items', 'anyOf', 'oneOf', 'allOf', 'enum', '$ref'].some((word) => Object.hasOwn(schema, word)) ||
  typeof (schema as { readonly type?: unknown }).type === 'string';

function fromStandard(schema: StandardSchema, given?: JsonSchema): ConvertedSchema<unknown> {
  const standard = schema['~standard'];
  if (typeof standard?.validate !== 'function') throw notASchema();
  const conversion = given === undefined ? convertSchema(converterOf(standard)) : { jsonSchema: given, notes: [] };
  checkJson(conversion.jsonSchema);
  const what = `the ${standard.vendor} schema`;
  if (hasAsyncPart(schema)) throw asynchronous(what);
  const validateNow = (value: unknown): StandardResult<unknown> => {
    const result = standard.validate(value);
    if (!isThenable(result)) return result;
    observe(result);
    throw whyPromised(schema, value, what);
  };
  for (const branch of [0, 1, 2]) probe(() => validateNow(sampleValue(conversion.jsonSchema, branch)));
  const accepted = new WeakMap<object, unknown>();
  const output: ConvertedSchema<unknown> = {
    ...conversion,
    validate: (value) =>
      guarded(value, () => {
        const result = validateNow(value);
        if (result.issues === undefined && typeof value === 'object' && value !== null) accepted.set(value, result.value);
        return result.issues;
      }),
    parse(value) {
      const result = validateNow(value);
      if (result.issues !== undefined) throw mismatch(issuesOf(result.issues, value));
      return result.value;
    },
  };
  acceptedBy.set(output, accepted);
  return output;
}

function converterOf(standard: StandardSchema['~standard']): JsonSchemaConverter {
  if (typeof standard.jsonSchema?.input === 'function') return standard.jsonSchema;
  throw configurationError(
    'E_UNSUPPORTED_SCHEMA',
    `This ${standard.vendor} schema gives no JSON Schema. Upgrade the library to a version that does, give one beside it, { standard, jsonSchema }, or wrap it with its library's Standard JSON Schema converter.`,
  );
}

function fromPlain(schema: PlainSchema): ConvertedSchema<unknown> {
  checkJson(schema.jsonSchema);
  const validate = (value: unknown): Validation => guarded(value, () => plainIssues(schema, value));
  return {
    jsonSchema: schema.jsonSchema,
    notes: [],
    validate,
    parse(value) {
      if (schema.parse !== undefined) return synchronous(schema.parse(value), "the schema's parse");
      const verdict = validate(value);
      if (!verdict.ok) throw mismatch(verdict.issues);
      return value;
    },
  };
}

function plainIssues(schema: PlainSchema, value: unknown): readonly unknown[] | undefined {
  const verdict: unknown = synchronous(schema.validate(value), "the schema's validate");
  if (isJsonObject(verdict) && (verdict as { readonly ok?: unknown }).ok === true) return undefined;
  const issues = isJsonObject(verdict) ? (verdict as { readonly issues?: unknown }).issues : undefined;
  if (isJsonObject(verdict) && (verdict as { readonly ok?: unknown }).ok === false && Array.isArray(issues)) return issues;
  throw configurationError('E_UNSUPPORTED_SCHEMA', "The schema's validate must answer { ok: true } or { ok: false, issues }.");
}

function fromAdapter(schema: SchemaAdapter<unknown>): ConvertedSchema<unknown> {
  checkJson(schema.jsonSchema);
  const parse = (value: unknown): unknown => {
    try {
      return synchronous(schema.parse(value), "the schema's parse");
    } catch (error) {
      throw isAsyncComplaint(error) ? asynchronous("the schema's parse", error) : error;
    }
  };
  return {
    jsonSchema: schema.jsonSchema,
    notes: [],
    validate: (value) =>
      guarded(value, () => {
        parse(value);
        return undefined;
      }),
    parse,
  };
}

/** The verdict of a caller's validator. Whatever it throws is a refusal of the value, not a crash; only configuration errors pass. */
function guarded(value: unknown, issuesFound: () => readonly unknown[] | undefined): Validation {
  try {
    const issues = issuesFound();
    return issues === undefined ? { ok: true } : { ok: false, issues: issuesOf(issues, value) };
  } catch (error) {
    if (error instanceof SignalError && error.kind === 'configuration') throw error;
    return { ok: false, issues: error instanceof SignalError ? error.evidence.issues : issuesOfError(error, value) };
  }
}

/** Lets only the finding of an asynchronous part out: a sample that is refused, or that breaks the caller's code, proves nothing. */
function probe(attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    if (error instanceof SignalError && error.kind === 'configuration') throw error;
  }
}

/**
 * Why a `validate` answered with a promise. One library does so also when a synchronous rule of the schema threw; its synchronous parser then tells
 * what was thrown, and the value is refused for that.
 */
function whyPromised(schema: StandardSchema, value: unknown, what: string): unknown {
  const { parse } = schema as { readonly parse?: (value: unknown) => unknown };
  if (typeof parse !== 'function') return asynchronous(what);
  try {
    observe(parse.call(schema, value));
  } catch (error) {
    if (!isAsyncComplaint(error)) return error;
  }
  return asynchronous(what);
}

function observe(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => undefined);
}

function synchronous<T>(value: T, what: string): Exclude<T, PromiseLike<unknown>> {
  if (!isThenable(value)) return value as Exclude<T, PromiseLike<unknown>>;
  observe(value);
  throw asynchronous(what);
}

function asynchronous(what: string, cause?: unknown): SignalError {
  const message = `${what} is asynchronous. Schemas decide synchronously: move the asynchronous check after the call.`;
  return configurationError(
    'E_UNSUPPORTED_SCHEMA',
    message[0]?.toUpperCase() + message.slice(1),
    cause === undefined ? undefined : { cause },
  );
}

/** A library's synchronous parser that met a promise says so by its error's class or words. */
function isAsyncComplaint(error: unknown): boolean {
  return error instanceof Error && (/async/i.test(error.constructor.name) || /promise/i.test(error.message)) && !('issues' in error);
}

function mismatch(issues: readonly Issue[]): SignalError {
  const first = issues[0];
  const at = first === undefined || first.path === '' ? 'the value' : first.path;
  const missed =
    first?.received === 'nothing' ? `is missing (expected: ${first.expected})` : `should be ${first?.expected}, but was ${first?.received}`;
  const detail = first === undefined ? '' : `: ${at} ${missed}`;
  return new SignalError(
    makeFailure('schema_mismatch', { message: boundMessage(`The value does not conform${detail}.`), evidence: { issues } }),
  );
}

function checkJson(schema: JsonSchema): void {
  if (!isJsonObject(schema)) throw notASchema();
  // A schema object that contains itself is nested without end, so this finds it too.
  if (!exceedsSchemaLimits(schema)) {
    JSON.stringify(schema);
    return;
  }
  const { nesting, nodes } = schemaLimits;
  throw configurationError(
    'E_UNSUPPORTED_SCHEMA',
    `The JSON Schema is nested over ${nesting} levels, has over ${nodes} parts, or contains itself as an object. Use $defs and $ref.`,
  );
}

function notASchema(message?: string): SignalError {
  return configurationError(
    'E_UNSUPPORTED_SCHEMA',
    message ??
      'This is no schema. Give a Standard Schema with JSON Schema, { standard, jsonSchema }, { jsonSchema, validate }, or { jsonSchema, parse }.',
  );
}
