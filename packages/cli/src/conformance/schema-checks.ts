import type { JsonSchema, StepResult } from '@vouch/contracts';
import { createGateMaker } from '../schema/json-schema-gate.ts';
import { askFor, type Check, type Delivery, differs, type Finding, holds, unsound } from './check.ts';

interface SchemaCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly text: string;
}

const object = (properties: { readonly [name: string]: JsonSchema }): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

// Only what every wire's subset takes: each object closed, each property required, no bounds.
const cases: readonly SchemaCase[] = [
  {
    name: 'simple',
    schema: object({ name: { type: 'string' }, age: { type: 'integer' } }),
    text: 'Name: Ada Lovelace\nAge: 36',
  },
  {
    name: 'nested',
    schema: object({
      customer: { type: 'string' },
      address: object({ city: { type: 'string' }, street: { type: 'string' } }),
      items: { type: 'array', items: object({ article: { type: 'string' }, quantity: { type: 'integer' } }) },
    }),
    text: 'Customer: Ada Lovelace\nCity: London\nStreet: St James Square 12\nItems: 2 pencils, 3 notebooks',
  },
  {
    name: 'rich',
    schema: object({
      title: { type: 'string', description: 'The title of the report' },
      priority: { type: 'string', enum: ['low', 'normal', 'high'] },
      score: { type: 'number' },
      isOpen: { type: 'boolean' },
      owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      tags: { type: 'array', items: { type: 'string', enum: ['disk', 'network', 'power'] } },
    }),
    text: 'Title: Disk full\nPriority: high\nScore: 7.5\nIs open: true\nOwner: none\nTags: disk, power',
  },
];

const makeGate = createGateMaker();

function schemaCheck({ name, schema, text }: SchemaCase, delivery: Delivery): Check {
  return {
    id: `schema-${name}-${delivery}`,
    asks: `an answer by a ${name} JSON Schema in the wire's own format, ${delivery}`,
    expects: 'nothing but JSON that conforms, without any repair',
    calls: 1,
    tokens: 300,
    async run(endpoint) {
      const request = askFor(`Give these facts as JSON.\n\n${text}`, {
        responseFormat: { type: 'json_schema', name: `vouch_${name}`, schema, strict: true },
      });
      const result = await endpoint.ask(request, delivery);
      return unsound(result) ?? conformity(result, schema);
    },
  };
}

function conformity({ content, finishReason }: StepResult, schema: JsonSchema): Finding {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return differs(content.trim() === '' ? 'the answer holds no text' : `${content.length} characters that are not JSON`);
  }
  const validation = makeGate(schema).validate(value);
  if (!validation.ok)
    return differs(
      validation.issues
        .slice(0, 3)
        .map(({ path, expected }) => `${path || '(root)'}: not ${expected}`)
        .join('; '),
    );
  return finishReason === 'stop'
    ? holds(`${content.length} characters of conforming JSON`)
    : differs(`it conforms, but finish is ${finishReason}`);
}

/** Structured answers by the wire's schema format. */
export const schemaChecks: readonly Check[] = cases.flatMap((one) => [schemaCheck(one, 'whole'), schemaCheck(one, 'stream')]);
