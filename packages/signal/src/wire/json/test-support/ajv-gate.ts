import type { Gate, Issue, JsonSchema } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const known = new Map<string, Gate>();

/** A gate over Ajv, for tests. */
export function ajvGate(jsonSchema: JsonSchema): Gate {
  const key = JSON.stringify(jsonSchema);
  const found = known.get(key);
  if (found !== undefined) return found;
  const validate = ajv.compile(jsonSchema);
  const gate: Gate = {
    jsonSchema,
    validate: (value) => {
      if (validate(value)) return { ok: true };
      const issues = (validate.errors ?? []).map(
        (error): Issue => ({ path: error.instancePath, code: error.keyword, expected: error.message ?? '', received: '' }),
      );
      return { ok: false, issues };
    },
  };
  known.set(key, gate);
  return gate;
}

/** An object schema of these properties, closed and all required unless said. */
export function objectSchema(
  properties: JsonSchema,
  options: { readonly required?: readonly string[]; readonly open?: true } = {},
): JsonSchema {
  return {
    type: 'object',
    properties,
    required: options.required ?? Object.keys(properties),
    ...(options.open === true ? {} : { additionalProperties: false }),
  };
}
