import type { JsonSchema } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { boundedMap } from './bounded-map.ts';

type Check = (value: unknown) => boolean;

// Compiling the dialect's own schema takes milliseconds: once, not per request.
let ofSchemas: Ajv2020 | undefined;
const compiled = boundedMap<Check>(200);

/** A dialect that Ajv2020 does not hold would make it throw. */
const undated = (schema: JsonSchema): JsonSchema => Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema'));

/** The schema is one, by the schema of its dialect (2020-12). */
export function isSchema(schema: JsonSchema): boolean {
  ofSchemas ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  return ofSchemas.validateSchema(undated(schema)) === true;
}

/** A value passes a JSON Schema, formats included. A schema that cannot be compiled passes nothing. */
export function conforms(schema: JsonSchema, value: unknown): boolean {
  const key = JSON.stringify(schema);
  const check = compiled.get(key) ?? compile(schema);
  compiled.set(key, check);
  return check(value);
}

function compile(schema: JsonSchema): Check {
  // An instance for each schema, so that two with the same $id do not meet.
  const validator = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  addFormats.default(validator);
  try {
    const validate = validator.compile(undated(schema));
    return (value) => validate(value) === true;
  } catch {
    return () => false;
  }
}
