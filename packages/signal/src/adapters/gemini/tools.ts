import type { GenerateContentDialect, JsonObject, JsonSchema, ToolChoice, ToolDescriptor } from '@vouch/contracts';
import { openApiSchema } from './open-api-schema.ts';

/** Keywords that an object without any property may have and still take no arguments. */
const saysNothing: ReadonlySet<string> = /* @__PURE__ */ new Set([
  '$schema',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
]);

/** The tool takes no arguments: the wire wants no schema at all then. */
function takesNothing(schema: JsonSchema): boolean {
  const { properties = {}, required = [], additionalProperties = false } = schema as JsonObject;
  const empty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return (
    Object.keys(schema).every((keyword) => saysNothing.has(keyword)) &&
    empty(properties) &&
    empty(required) &&
    additionalProperties === false
  );
}

/** The tools as one list of function declarations. Throws a configuration failure for a schema that the dialect's field cannot say. */
export const wireTools = (tools: readonly ToolDescriptor[], dialect: GenerateContentDialect): readonly JsonObject[] => [
  { functionDeclarations: tools.map((tool) => declaration(tool, dialect)) },
];

function declaration({ name, description, jsonSchema }: ToolDescriptor, { toolSchemaField }: GenerateContentDialect): JsonObject {
  const head: JsonObject = { name, description };
  if (takesNothing(jsonSchema)) return head;
  // A JSON Schema is JSON by its definition; its type here is looser.
  if (toolSchemaField === 'parametersJsonSchema') return { ...head, parametersJsonSchema: jsonSchema as JsonObject };
  return { ...head, parameters: openApiSchema(jsonSchema, `tool "${name.slice(0, 100)}"`) };
}

/** The wire's word for a tool choice. */
export function toolConfig(choice: ToolChoice): JsonObject {
  const mode = choice === 'auto' ? 'AUTO' : choice === 'none' ? 'NONE' : 'ANY';
  return { functionCallingConfig: { mode, ...(typeof choice === 'object' ? { allowedFunctionNames: [choice.name] } : {}) } };
}
