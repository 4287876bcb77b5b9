import { createHash } from 'node:crypto';
import { type JsonSchema, sequentialIds } from '@vouch/contracts';
import { prepareRequest, type SchemaInput, toOutputSchema } from '@vouch/signal';
import type { ChosenModel } from '../model/model-choice.ts';
import type { ExtractOptions } from './options.ts';

/** The key of a document's text: the same text asked in the same way has the same key, in every process. */
export type KeyOf = (text: string) => string;

/**
 * What an answer depends on, as far as it can be known: the document, the schema as JSON Schema and who validates, the model and its address, the
 * words and the format of the request, and the options that change the answer. A module's own checks and transforms cannot be seen: they are
 * in the key only by the JSON Schema that the module's schema converts to.
 */
export function createKeys(model: ChosenModel, schema: SchemaInput, options: ExtractOptions): KeyOf {
  const { instruction, accept, seed, maxOutputTokens } = options;
  const { validate, jsonSchema: given } = toOutputSchema(schema);
  // The order of a schema's members is no part of what it says.
  const jsonSchema = JSON.parse(canonicalJson(given)) as JsonSchema;
  const { capabilities } = model.client.describe();
  // The prompts have no version of their own, so the request as it is made stands for them.
  const request =
    capabilities === undefined
      ? undefined
      : prepareRequest({ output: { jsonSchema, validate }, tools: [], capabilities, ids: sequentialIds() });
  const run = digest({
    version: 1,
    schema: jsonSchema,
    validator: validatorOf(schema),
    model: model.label,
    address: model.address,
    request,
    options: { instruction, accept, seed, maxOutputTokens },
  });
  return (text) => digest({ run, document: createHash('sha256').update(text).digest('hex') });
}

function validatorOf(schema: SchemaInput): string {
  if ('~standard' in schema) return `standard ${schema['~standard'].vendor}`;
  if ('standard' in schema) return `standard ${schema.standard['~standard'].vendor}`;
  return 'validate' in schema ? 'json-schema' : 'adapter';
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** JSON with the members of every object in the order of their names. Schemas are bounded in depth before they come here. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
