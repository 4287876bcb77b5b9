import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import { vendorFrames } from './usage.ts';

/** The error that an object of a good answer holds, as a body that `providerErrorFrom` reads; undefined when it holds none. */
export function errorIn(value: JsonObject): JsonValue | undefined {
  if (isTruthy(value.error)) return value;
  for (const { error } of vendorFrames(value)) if (error !== undefined && isTruthy(error)) return { error };
  const choices = Array.isArray(value.choices) ? (value.choices as readonly JsonValue[]) : undefined;
  for (const choice of choices ?? []) {
    const { error } = objectOr(choice);
    if (error !== undefined && isTruthy(error)) return { error };
  }
  if (choices !== undefined) return undefined;
  const looksSo =
    value.object === 'error' ||
    value.type === 'error' ||
    value.detail !== undefined ||
    value.errors !== undefined ||
    typeof value.message === 'string' ||
    (typeof value.status_code === 'number' && value.status_code >= 400);
  return looksSo ? value : undefined;
}

const isTruthy = (value: JsonValue | undefined): boolean => Boolean(value) && !(isJsonObject(value) && Object.keys(value).length === 0);
