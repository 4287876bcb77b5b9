import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '@vouch/contracts';
import type { SchemaInput } from '@vouch/signal';
import { createGateMaker } from '../schema/json-schema-gate.ts';
import { loadSchema } from '../schema/schema-file.ts';
import { UsageError } from '../usage-error.ts';
import { demoDocuments } from './plan.ts';

/** A document of `examples/`, its schema, and the answer that its author knows. */
export interface Example {
  readonly document: string;
  readonly text: string;
  readonly schema: SchemaInput;
  readonly answer: JsonValue;
}

// From src/demo and from dist/demo alike.
const examples = new URL('../../../../examples/', import.meta.url);

/** Reads every example of the plan. Throws `UsageError` when they are not there, as outside the repository. */
export async function loadExamples(): Promise<readonly Example[]> {
  const makeGate = createGateMaker();
  const schemas = new Map<string, SchemaInput>();
  const answers = JSON.parse(await read('answers.json')) as { readonly [document: string]: JsonValue };
  const loaded: Example[] = [];
  for (const { document, schema } of demoDocuments) {
    const known = schemas.get(schema) ?? (await schemaOf(schema, makeGate));
    schemas.set(schema, known);
    const answer = answers[document];
    if (answer === undefined) throw new UsageError(`examples/answers.json has no answer for ${document}`, 'add it');
    loaded.push({ document, text: await read(`documents/${document}`), schema: known, answer });
  }
  return loaded;
}

async function schemaOf(name: string, makeGate: ReturnType<typeof createGateMaker>): Promise<SchemaInput> {
  return loadSchema(fileURLToPath(new URL(`schemas/${name}`, examples)), '/', makeGate);
}

async function read(name: string): Promise<string> {
  try {
    return await readFile(new URL(name, examples), 'utf8');
  } catch {
    throw new UsageError(`the example documents are not here (${name} is missing)`, 'run vouch demo inside the repository');
  }
}
