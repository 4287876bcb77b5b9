import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';

/** Deeper values do not pass the wire, whose servers read a hundred levels in all. */
const deepestValue = 64;

/** The value is nested too deeply to be sent on this wire. Without recursion. */
export function isTooDeep(root: JsonValue): boolean {
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (typeof here.value !== 'object' || here.value === null) continue;
    if (here.depth > deepestValue) return true;
    for (const value of Object.values(here.value)) open.push({ value, depth: here.depth + 1 });
  }
  return false;
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Arguments as the object that the wire wants: nothing is `{}`; what is no object, or too deep, stands under `value`. */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = parsed(text);
  if (value === null) return {};
  if (value === undefined) return { value: text };
  return isJsonObject(value) ? (value as JsonObject) : { value };
}

/** A tool's result as the object that the wire wants. An object whose text would change by that, such as one with long numbers, goes as text. */
export function responseObject(text: string, outcome: 'succeeded' | 'failed' | 'cancelled'): JsonObject {
  if (outcome !== 'succeeded') return { error: text };
  const value = /^\s*\{/.test(text) ? parsed(text) : undefined;
  return isJsonObject(value) && JSON.stringify(value) === text ? (value as JsonObject) : { result: text };
}
