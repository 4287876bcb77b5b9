import type { JsonSchema } from '../basics/json-schema.ts';
import type { Issue } from './failure.ts';

/**
 * A schema as the rest of the tower sees it (AC-001): the JSON Schema that is sent, and a synchronous parser that throws on what does not conform.
 * The only thing that counts as a schema; nothing is duck-typed.
 */
export interface SchemaAdapter<Value> {
  readonly jsonSchema: JsonSchema;
  parse(value: unknown): Value;
}

/** A validator's answer. */
export type Validation = { readonly ok: true } | { readonly ok: false; readonly issues: readonly Issue[] };

/** The acceptance schema: decides whether a value counts, and never changes it (SG-061). Synchronous. */
export interface Gate {
  /** The schema's input side. */
  readonly jsonSchema: JsonSchema;
  /** Called only on values within the depth bound. */
  validate(value: unknown): Validation;
}

/** A gate whose accepted values are then transformed, once, by `parse` (defaults, dates, codecs). */
export interface OutputSchema<Value> extends Gate, SchemaAdapter<Value> {}
