import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { WireRefusal } from '../wire.ts';

/** A 400 in the wire's words. */
export const invalid = (message: string): WireRefusal => ({ status: 400, message });

/** A 400 about one field of the request. */
export const invalidField = (place: string, text: string): WireRefusal => invalid(`* GenerateContentRequest.${place}: ${text}\n`);

/** The words for a value of the wrong type. */
export function wrongValue(place: string, type: string, value: JsonValue | undefined): WireRefusal {
  return invalid(`Invalid value at '${place}' (${type}), ${(JSON.stringify(value) ?? 'null').slice(0, 200)}`);
}

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/**
 * An object of the request with its field names in one spelling: the wire takes `snake_case` too. Fields that it does not have are refused, and so is
 * what is no object.
 */
export function readFields(
  value: JsonValue | undefined,
  known: ReadonlySet<string>,
  place: string,
): { readonly fields: JsonObject } | { readonly refusal: WireRefusal } {
  if (!isJsonObject(value)) return { refusal: wrongValue(place, 'Message', value) };
  const fields: { [name: string]: JsonValue } = {};
  for (const [name, one] of Object.entries(value as JsonObject)) {
    const field = camelCase(name);
    if (!known.has(field)) {
      const where = place === '' ? '' : ` at '${place}'`;
      return { refusal: invalid(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`) };
    }
    // A field that is null is a field that is not there.
    if (one !== null) fields[field] = one;
  }
  return { fields };
}

/** The names of a message's fields. */
export const fieldSet = (names: string): ReadonlySet<string> => new Set(names.split(' '));
