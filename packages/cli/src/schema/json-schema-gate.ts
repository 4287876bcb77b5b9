import { childPointer, type Gate, type Issue, isJsonObject, type JsonSchema, previewValue, type Validation } from '@vouch/contracts';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { UsageError } from '../usage-error.ts';

/** Issues that one validation lists; the rest is left out. */
const mostIssues = 50;
/** Unknown formats that are taken as annotations before a schema counts as broken. */
const mostUnknownFormats = 50;

type Validator = Pick<Ajv, 'compile' | 'addFormat'>;

const options: Options = {
  allErrors: true,
  verbose: true,
  // An unknown keyword is an annotation, as JSON Schema says; the meta-schema still finds wrong keywords' values.
  strict: false,
  addUsedSchema: false,
  logger: false,
};

function withFormats<Kind extends Validator>(ajv: Kind): Kind {
  (formats as unknown as (target: unknown) => void)(ajv);
  return ajv;
}

const drafts: readonly { readonly name: RegExp; readonly make: () => Validator }[] = [
  { name: /draft-0[67]\/schema/, make: () => withFormats(new Ajv(options)) },
  { name: /2019-09\/schema/, make: () => withFormats(new Ajv2019(options)) },
  { name: /2020-12\/schema/, make: () => withFormats(new Ajv2020(options)) },
];

/** Turns JSON Schemas into gates, one validator per draft for all of them. Throws `UsageError` for a schema that is none. */
export type GateMaker = (jsonSchema: JsonSchema) => Gate;

/**
 * A gate maker on Ajv with formats (SG-054): 2020-12 unless `$schema` names draft-06, draft-07 or 2019-09. A format that Ajv does not know is taken
 * as an annotation, and `warn` hears of it.
 */
export function createGateMaker(warn: (message: string) => void = () => undefined): GateMaker {
  const made = new Map<number, Validator>();
  return (jsonSchema) => {
    const validate = compile(validatorFor(made, jsonSchema), jsonSchema, warn);
    return {
      jsonSchema,
      validate(value): Validation {
        if (validate(value)) return { ok: true };
        return { ok: false, issues: (validate.errors ?? []).slice(0, mostIssues).map(toIssue) };
      },
    };
  };
}

function validatorFor(made: Map<number, Validator>, jsonSchema: JsonSchema): Validator {
  const named = jsonSchema.$schema;
  const found = typeof named === 'string' ? drafts.findIndex((draft) => draft.name.test(named)) : 2;
  if (found < 0)
    throw new UsageError(`the schema names an unknown draft: ${previewValue(named)}`, 'use 2020-12, 2019-09, draft-07 or draft-06');
  const known = made.get(found);
  if (known !== undefined) return known;
  const validator = drafts[found]?.make() ?? new Ajv2020(options);
  made.set(found, validator);
  return validator;
}

function compile(validator: Validator, jsonSchema: JsonSchema, warn: (message: string) => void): ReturnType<Validator['compile']> {
  for (let unknownFormats = 0; ; unknownFormats += 1) {
    try {
      const validate = validator.compile(jsonSchema);
      if ('$async' in validate) throw new UsageError('the schema is asynchronous ($async); a gate must answer at once');
      return validate;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const format = /^unknown format "([^"]+)"/.exec(message)?.[1];
      if (format === undefined || unknownFormats >= mostUnknownFormats) {
        throw new UsageError(`the JSON Schema is not valid: ${message}`, 'mend the schema; nothing was sent');
      }
      validator.addFormat(format, true);
      warn(`format "${format}" is not known and checks nothing`);
    }
  }
}

function toIssue(error: ErrorObject): Issue {
  const place = (key: unknown): string => (typeof key === 'string' ? childPointer(error.instancePath, key) : error.instancePath);
  const { params, keyword } = error;
  switch (keyword) {
    case 'required':
      return { path: place(params.missingProperty), code: keyword, expected: 'a value', received: 'nothing' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = params.additionalProperty ?? params.unevaluatedProperty;
      const extra = isJsonObject(error.data) && typeof key === 'string' ? error.data[key] : undefined;
      return { path: place(key), code: keyword, expected: 'no such property', received: previewValue(extra) };
    }
    case 'enum':
      return issue(error, `one of ${previewValue(params.allowedValues)}`);
    case 'const':
      return issue(error, previewValue(params.allowedValue));
    case 'type':
      return issue(error, Array.isArray(params.type) ? params.type.join(' or ') : String(params.type));
    default:
      return issue(error, error.message ?? keyword);
  }
}

function issue(error: ErrorObject, expected: string): Issue {
  return { path: error.instancePath, code: error.keyword, expected, received: previewValue(error.data) };
}
