/** A value that `JSON.parse` can give. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** An RFC 6901 JSON Pointer: `''` is the root, `/items/0/price` a member. Every path in Vouch is one. */
export type JsonPointer = string;

/** `value` is an object and neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The pointer of a child; escapes `~` and `/` as RFC 6901 asks. */
export function childPointer(parent: JsonPointer, key: string | number): JsonPointer {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The unescaped keys of a pointer, root first; `''` gives none. */
export function pointerKeys(pointer: JsonPointer): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
