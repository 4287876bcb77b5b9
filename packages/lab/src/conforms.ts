import type { JsonSchema } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A value passes a JSON Schema, formats included. A schema that cannot be compiled passes nothing. */
export function conforms(schema: JsonSchema, value: unknown): boolean {
  const validator = new Ajv2020({ strict: false, logger: false });
  addFormats.default(validator);
  try {
    // A dialect that Ajv2020 does not hold would make it throw.
    const undated = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema'));
    return validator.compile(undated)(value) === true;
  } catch {
    return false;
  }
}
