import { isJsonObject, type JsonSchema, resolveReference } from '@vouch/contracts';
import { typesOf } from './strict-keywords.ts';

/** At most one branch can hold: their types differ, or a required property of all has a different constant in each. */
export function areExclusive(root: JsonSchema, branches: readonly unknown[]): boolean {
  const resolved = branches.map((branch) => (isJsonObject(branch) ? (resolveReference(root, branch, '')?.schema ?? {}) : {}));
  const types = resolved.flatMap((branch) => typesOf(branch));
  const typed = resolved.every((branch) => typesOf(branch).length > 0);
  if (typed && new Set(types).size === types.length && !(types.includes('number') && types.includes('integer'))) return true;
  const keys = Object.keys(isJsonObject(resolved[0]?.properties) ? resolved[0].properties : {});
  return keys.some((key) => {
    const constants = resolved.map((branch) => constantOf(branch, key));
    return constants.every((value) => value !== undefined) && new Set(constants).size === constants.length;
  });
}

function constantOf(schema: JsonSchema, key: string): string | undefined {
  const property = isJsonObject(schema.properties) ? (schema.properties as JsonSchema)[key] : undefined;
  if (!isJsonObject(property) || !Array.isArray(schema.required) || !schema.required.includes(key)) return undefined;
  return Object.hasOwn(property, 'const') ? JSON.stringify((property as JsonSchema).const) : undefined;
}

/** The caller's own schema takes null, so that a null in an answer may be meant. */
export function admitsNull(root: JsonSchema, schema: JsonSchema): boolean {
  const seen = new Set<JsonSchema>();
  const stack: JsonSchema[] = [schema];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const here = resolveReference(root, next, '')?.schema;
    if (here === undefined || seen.has(here)) continue;
    seen.add(here);
    if (Object.hasOwn(here, 'const') ? here.const === null : typesOf(here).includes('null')) return true;
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const branches = here[keyword];
      if (Array.isArray(branches)) stack.push(...branches.filter(isJsonObject));
    }
  }
  return false;
}

/** The fitted schema, taking null too. */
export function makeNullable(schema: JsonSchema): JsonSchema {
  const scalar = typeof schema.type === 'string' && schema.type !== 'object' && schema.type !== 'array';
  const plain = scalar && !Object.hasOwn(schema, 'enum') && !Object.hasOwn(schema, 'const');
  if (plain) return { ...schema, type: [schema.type, 'null'] };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }] };
}
