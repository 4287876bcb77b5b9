import { childPointer, type JsonPointer, type JsonValue } from '@vouch/contracts';

/** A value as JSON, or the place of what JSON cannot say. */
export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: JsonPointer; readonly what: string };

const deepest = 1_000;

/**
 * A schema's transform can make more than JSON holds. Dates become ISO strings, bigints decimal strings, and absent members are left out; anything
 * that `JSON.stringify` would quietly turn into something else (Map, NaN, a class instance) is refused by its place.
 */
export function toPlainJson(value: unknown, path: JsonPointer = '', depth = 0): PlainJson {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return { ok: true, value };
  if (typeof value === 'number') return Number.isFinite(value) ? { ok: true, value } : { ok: false, path, what: String(value) };
  if (typeof value === 'bigint') return { ok: true, value: String(value) };
  if (typeof value !== 'object' || depth > deepest) return { ok: false, path, what: typeof value };
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? { ok: false, path, what: 'an invalid date' } : { ok: true, value: value.toISOString() };
  }
  if (Array.isArray(value)) {
    const elements: JsonValue[] = [];
    for (const [index, element] of value.entries()) {
      const plain = toPlainJson(element, childPointer(path, index), depth + 1);
      if (!plain.ok) return plain;
      elements.push(plain.value);
    }
    return { ok: true, value: elements };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return { ok: false, path, what: `a ${value.constructor?.name ?? 'object'}` };
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const plain = toPlainJson(member, childPointer(path, key), depth + 1);
    if (!plain.ok) return plain;
    members.push([key, plain.value]);
  }
  return { ok: true, value: Object.fromEntries(members) };
}
