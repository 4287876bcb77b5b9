import { isJsonObject, type JsonSchema, namedTypes, resolveReference } from '@vouch/contracts';

/** The kinds of JSON values. */
export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

interface Level {
  /** Of the open container; undefined where nothing is known. */
  readonly schema: JsonSchema | undefined;
  /** Of the member that comes next, in an object. */
  member: JsonSchema | undefined;
  /** Elements begun, in an array. */
  elements: number;
}

/** What a schema says of the value being read, along the open path. */
export interface Expectation {
  readonly root: JsonSchema | undefined;
  readonly levels: Level[];
}

/** Expects a value of `jsonSchema`; without it, any. */
export function createExpectation(jsonSchema: JsonSchema | undefined): Expectation {
  return { root: jsonSchema, levels: [] };
}

function nextSchema({ root, levels }: Expectation): JsonSchema | undefined {
  const level = levels[levels.length - 1];
  if (level === undefined) return root;
  const { schema } = level;
  if (schema === undefined || level.member !== undefined) return level.member;
  const listed: unknown = Array.isArray(schema.prefixItems) ? schema.prefixItems[level.elements] : undefined;
  const element = listed ?? schema.items;
  return isJsonObject(element) ? (element as JsonSchema) : undefined;
}

/** The schema itself, where it is one and not a choice among several. */
function plainSchema({ root }: Expectation, schema: JsonSchema | undefined): JsonSchema | undefined {
  const found = root === undefined || schema === undefined ? undefined : resolveReference(root, schema, '')?.schema;
  return found === undefined || ['anyOf', 'oneOf', 'allOf', 'if'].some((keyword) => found[keyword] !== undefined) ? undefined : found;
}

/** The next value may be of this kind. */
export function mayBe(expectation: Expectation, kind: ValueKind): boolean {
  const types = namedTypes(plainSchema(expectation, nextSchema(expectation)) ?? {});
  return types.length === 0 || types.includes(kind) || (kind === 'number' && types.includes('integer'));
}

/** The next value began; as a container it is entered. */
export function begin(expectation: Expectation, kind: ValueKind): void {
  const schema = plainSchema(expectation, nextSchema(expectation));
  const level = expectation.levels[expectation.levels.length - 1];
  if (level !== undefined) level.elements += 1;
  if (kind === 'object' || kind === 'array') expectation.levels.push({ schema, member: undefined, elements: 0 });
}

/** The innermost container ended. */
export function end(expectation: Expectation): void {
  expectation.levels.pop();
}

/** The next member's name; false for one that the schema does not name beside those it names: it is an envelope's, or will be dropped. */
export function mayHaveKey({ levels }: Expectation, key: string): boolean {
  const level = levels[levels.length - 1];
  const schema = level?.schema;
  if (level === undefined || schema === undefined) return true;
  const { properties, additionalProperties: rest } = schema;
  const named = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  const others = rest === true || isJsonObject(rest) || isJsonObject(schema.patternProperties) || !isJsonObject(properties);
  const member = named ?? (schema.patternProperties === undefined ? rest : undefined);
  level.member = isJsonObject(member) ? (member as JsonSchema) : {};
  return named !== undefined || others;
}
