import type { JsonSchema, Validation } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { PlainSchema } from '../../src/index.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });

/** A plain JSON Schema with a validator that no one here wrote. */
export function ajvSchema(jsonSchema: JsonSchema): PlainSchema {
  const check = ajv.compile(jsonSchema);
  return {
    jsonSchema,
    validate(value): Validation {
      if (check(value)) return { ok: true };
      const issues = (check.errors ?? []).map(({ instancePath, keyword, message }) => ({
        path: instancePath,
        code: keyword,
        expected: message ?? '',
        received: '',
      }));
      return { ok: false, issues };
    },
  };
}
