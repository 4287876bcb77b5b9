import { childPointer, isJsonObject, type JsonSchema } from '@vouch/contracts';
import { at, type SchemaView } from './strict-view.ts';

/** The properties of an object that can be closed without losing values that the caller asked for; or why it cannot. */
export function closedProperties(view: SchemaView): SchemaView['properties'] | string {
  const pattern = view.keywords.get('patternProperties')?.value;
  if (isJsonObject(pattern) && Object.keys(pattern).length > 0) return `The object at ${at(view)} has keys by pattern.`;
  const missing = [...view.required].find((key) => !view.properties.has(key));
  const rest = view.keywords.get('additionalProperties') ?? view.keywords.get('unevaluatedProperties');
  const names = view.keywords.get('propertyNames')?.value;
  const listed =
    isJsonObject(names) && Array.isArray((names as JsonSchema).enum) ? ((names as JsonSchema).enum as readonly unknown[]) : undefined;
  if (rest !== undefined && isJsonObject(rest.value) && listed !== undefined && view.properties.size === 0) {
    const keys = listed.map(String);
    // Only when each key must come: an optional one would need a nullable schema of its own, and they all share this one.
    if (!keys.every((key) => view.required.has(key))) return `The object at ${at(view)} is a record whose keys may be missing.`;
    const pointer = childPointer(rest.pointer, 'additionalProperties');
    return new Map(keys.map((key) => [key, { schema: rest.value, pointer }]));
  }
  if (rest !== undefined && rest.value !== false) return `The object at ${at(view)} is open to further keys.`;
  if (missing !== undefined) return `The object at ${at(view)} requires the key ${missing} without describing it.`;
  if (conditionalKeys(view).some((key) => !view.properties.has(key)))
    return `The object at ${at(view)} describes keys under conditions only.`;
  if (rest === undefined && view.properties.size === 0) return `The object at ${at(view)} names no keys.`;
  return view.properties;
}

/** The keys that alternatives and conditions beside the properties speak of; `*` where they cannot be told at a look. */
function conditionalKeys(view: SchemaView): readonly string[] {
  const branches = ['anyOf', 'oneOf', 'if', 'then', 'else'].flatMap((keyword) => view.keywords.get(keyword)?.value ?? []);
  const dependent = view.keywords.get('dependentSchemas')?.value;
  const all = [...branches, ...(isJsonObject(dependent) ? Object.values(dependent) : [])].filter(isJsonObject) as readonly JsonSchema[];
  return all.flatMap((branch) => {
    if (['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'].some((keyword) => Object.hasOwn(branch, keyword))) return ['*'];
    const required = Array.isArray(branch.required) ? branch.required.map(String) : [];
    return [...required, ...(isJsonObject(branch.properties) ? Object.keys(branch.properties) : [])];
  });
}
