import { createContext, Script } from 'node:vm';
import { childPointer, type Gate, type Issue, isJsonObject, type JsonSchema, previewValue, type Validation } from '@vouch/contracts';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { UsageError } from '../usage-error.ts';

/** Issues that one validation lists; the rest is left out. */
const mostIssues = 50;

/** Milliseconds of one validation. A pattern such as `^(a+)+$` can take years over one text, and neither Ctrl-C nor a timer comes through meanwhile. */
const longestCheckMs = 10_000;

type Validator = Pick<Ajv, 'compile'>;

const optionsWith = (warn: (message: string) => void): Options => ({
  allErrors: true,
  verbose: true,
  // An unknown keyword is an annotation, as JSON Schema says; the meta-schema still finds wrong keywords' values.
  strict: false,
  addUsedSchema: false,
  logger: {
    log: () => undefined,
    error: () => undefined,
    warn: (message: unknown) => {
      const format = /^unknown format "([^"]+)"/.exec(String(message))?.[1];
      if (format !== undefined) warn(`format "${format}" is not known and checks nothing`);
    },
  },
});

function withFormats<Kind extends Validator>(ajv: Kind): Kind {
  (formats as unknown as (target: unknown) => void)(ajv);
  return ajv;
}

const drafts: readonly { readonly name: RegExp; readonly make: (options: Options) => Validator }[] = [
  { name: /draft-0[67]\/schema/, make: (options) => withFormats(new Ajv(options)) },
  { name: /2019-09\/schema/, make: (options) => withFormats(new Ajv2019(options)) },
  { name: /2020-12\/schema/, make: (options) => withFormats(new Ajv2020(options)) },
];

/** Turns JSON Schemas into gates, one validator per draft for all of them. Throws `UsageError` for a schema that is none. */
export type GateMaker = (jsonSchema: JsonSchema) => Gate;

/**
 * A gate maker on Ajv with formats (SG-054): 2020-12 unless `$schema` names draft-06, draft-07 or 2019-09. A format that Ajv does not know is taken
 * as an annotation, and `warn` hears of it. A check that takes longer than `limitMs` is ended, and its value does not pass.
 */
export function createGateMaker(warn: (message: string) => void = () => undefined, limitMs: number = longestCheckMs): GateMaker {
  const made = new Map<number, Validator>();
  return (jsonSchema) => {
    const validate = compile(validatorFor(made, jsonSchema, optionsWith(warn)), jsonSchema);
    return {
      jsonSchema,
      validate(value): Validation {
        const passes = within(limitMs, () => validate(value));
        if (passes === undefined) return { ok: false, issues: [overdue(limitMs)] };
        if (passes) return { ok: true };
        return { ok: false, issues: (validate.errors ?? []).slice(0, mostIssues).map(toIssue) };
      },
    };
  };
}

const call = new Script('work()');
const room: { work: () => unknown } = { work: () => undefined };
const roomContext = createContext(room);

/** What synchronous work gives; undefined when it had to be ended. */
function within<Result>(limitMs: number, work: () => Result): Result | undefined {
  try {
    room.work = work;
    return call.runInContext(roomContext, { timeout: limitMs }) as Result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    room.work = () => undefined;
  }
}

function overdue(limitMs: number): Issue {
  return {
    path: '',
    code: 'timeout',
    expected: `a value that the schema's patterns can be checked against within ${limitMs / 1_000} s`,
    received: 'one that takes longer',
  };
}

function validatorFor(made: Map<number, Validator>, jsonSchema: JsonSchema, options: Options): Validator {
  const named = jsonSchema.$schema;
  const found = typeof named === 'string' ? drafts.findIndex((draft) => draft.name.test(named)) : 2;
  if (found < 0)
    throw new UsageError(`the schema names an unknown draft: ${previewValue(named)}`, 'use 2020-12, 2019-09, draft-07 or draft-06');
  const known = made.get(found);
  if (known !== undefined) return known;
  const validator = drafts[found]?.make(options) ?? new Ajv2020(options);
  made.set(found, validator);
  return validator;
}

function compile(validator: Validator, jsonSchema: JsonSchema): ReturnType<Validator['compile']> {
  try {
    const validate = validator.compile(jsonSchema);
    if (!('$async' in validate)) return validate;
  } catch (error) {
    const message = error instanceof RangeError ? 'it is nested too deeply' : error instanceof Error ? error.message : String(error);
    throw new UsageError(`the JSON Schema is not valid: ${message}`, 'mend the schema; nothing was sent');
  }
  throw new UsageError('the schema is asynchronous ($async)', 'a gate must answer at once; nothing was sent');
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
