import { configurationError, isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';

const clash = (name: string): never => {
  throw configurationError(
    'E_CONFIGURATION',
    `extraBody sets "${name}", which this request sets already. Use the option for it, or leave it out.`,
  );
};

/**
 * The body with the dialect's own fields under it and the caller's beside it. Where several options of a wire share one object or one list, `shared`
 * names it, and a caller's part is added; a field inside that is set already is a configuration failure, as is any other clash.
 */
export function withFields(
  own: JsonObject,
  dialectBody: JsonObject | undefined,
  extraBody: { readonly [field: string]: JsonValue } | undefined,
  shared: ReadonlySet<string> = nothingShared,
): JsonObject {
  const body: { [field: string]: JsonValue } = { ...own };
  for (const [field, value] of Object.entries(dialectBody ?? {})) {
    const set = body[field];
    body[field] = isJsonObject(set) ? { ...objectOr(value), ...objectOr(set) } : (set ?? value);
  }
  for (const [field, value] of Object.entries(extraBody ?? {})) {
    const set = Object.hasOwn(body, field) ? body[field] : undefined;
    if (set === undefined) body[field] = value;
    else if (shared.has(field) && Array.isArray(set) && Array.isArray(value)) body[field] = [...new Set([...set, ...value])];
    else if (shared.has(field) && isJsonObject(set) && isJsonObject(value)) body[field] = joined(field, objectOr(set), objectOr(value));
    else clash(field);
  }
  return body;
}

const nothingShared: ReadonlySet<string> = /* @__PURE__ */ new Set();

function joined(field: string, set: JsonObject, added: JsonObject): JsonObject {
  for (const name of Object.keys(added)) if (Object.hasOwn(set, name)) clash(`${field}.${name}`);
  return { ...set, ...added };
}
