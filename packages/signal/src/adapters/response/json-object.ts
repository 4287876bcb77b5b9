import type { JsonObject, JsonValue } from '@vouch/contracts';

/** A JSON value as a plain object; `{}` for any other. */
export const objectOr = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
