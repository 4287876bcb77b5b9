import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { isSchema } from '../../conforms.ts';
import { fieldSet } from './fault.ts';

const openApiKeywords = fieldSet(
  'type format title description nullable enum items minItems maxItems properties required propertyOrdering minProperties maxProperties minimum ' +
    'maximum minLength maxLength pattern example anyOf default',
);

/** Whether a JSON Schema field holds one. What the service does not support in it, it ignores. */
export const jsonSchemaFault = (schema: JsonValue): string | undefined =>
  isJsonObject(schema) && isSchema(schema as JsonObject) ? undefined : 'the schema is not a valid JSON Schema';

interface Place {
  readonly value: JsonValue;
  readonly path: string;
}

/** Why a schema in the OpenAPI form is refused: unknown keywords, keywords beside `anyOf`, an object of no properties, a list of nothing. */
export function openApiFault(root: JsonValue, place: string): string | undefined {
  const open: Place[] = [{ value: root, path: place }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { value, path } = here;
    if (!isJsonObject(value)) return `Invalid value at '${path}' (Schema)`;
    const schema = value as JsonObject;
    for (const keyword of Object.keys(schema))
      if (!openApiKeywords.has(keyword)) return `Invalid JSON payload received. Unknown name "${keyword}" at '${path}': Cannot find field.`;
    if (schema.anyOf !== undefined && Object.keys(schema).length > 1)
      return `* GenerateContentRequest.${path}: when using any_of, it must be the only field set\n`;
    if (Array.isArray(schema.type)) return `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type)`;
    const type = typeof schema.type === 'string' ? schema.type.toLowerCase() : undefined;
    const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties as JsonObject) : [];
    if (type === 'object' && schema.properties !== undefined && properties.length === 0)
      return `* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type\n`;
    if (type === 'array' && schema.items === undefined) return `* GenerateContentRequest.${path}.items: missing field.\n`;
    if (schema.enum !== undefined && !(Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string')))
      return `Invalid value at '${path}.enum' (TYPE_STRING)`;
    if (schema.items !== undefined) open.push({ value: schema.items, path: `${path}.items` });
    if (Array.isArray(schema.anyOf))
      for (const [index, one] of schema.anyOf.entries()) open.push({ value: one, path: `${path}.any_of[${index}]` });
    for (const [key, one] of properties) open.push({ value: one, path: `${path}.properties[${key}]` });
  }
  return undefined;
}

/** A schema in the OpenAPI form as JSON Schema. Recursion is on bodies whose depth was looked at. */
export function fromOpenApi(value: JsonValue): JsonObject {
  const { type, nullable, items, properties, anyOf, propertyOrdering: _order, example: _example, ...rest } = value as JsonObject;
  const name = typeof type === 'string' ? type.toLowerCase() : undefined;
  const limits = Object.entries(rest).map(([keyword, limit]) =>
    /^m(?:in|ax)/.test(keyword) && typeof limit === 'string' ? [keyword, Number(limit)] : [keyword, limit],
  );
  return {
    ...(name === undefined ? {} : { type: nullable === true ? [name, 'null'] : name }),
    ...(Object.fromEntries(limits) as JsonObject),
    ...(nullable === true && Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {}),
    ...(items === undefined ? {} : { items: fromOpenApi(items) }),
    ...(isJsonObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties as JsonObject).map(([key, one]) => [key, fromOpenApi(one)])) }
      : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(fromOpenApi) } : {}),
  };
}
