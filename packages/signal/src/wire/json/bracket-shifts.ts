import { isJsonObject, type JsonValue } from '@vouch/contracts';
import { setOwn } from './equality.ts';

/** Shifts that are looked at; a value with more places counts as having one that passes. */
const maxShifts = 64;

type Path = readonly (string | number)[];

/**
 * The values that the same text would hold if one of its closing brackets stood too early and the stray one at its end were the true one: each moves
 * what follows a container in its parent into that container. Undefined when there are more than 64. Recursive: call within the depth bound.
 */
export function bracketShifts(root: JsonValue, kind: 'objects' | 'lists'): readonly JsonValue[] | undefined {
  const shifts: JsonValue[] = [];
  let tooMany = false;
  const visit = (value: JsonValue, path: Path): void => {
    if (tooMany || typeof value !== 'object' || value === null) return;
    const keys: readonly (string | number)[] = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
    for (const [at, key] of keys.entries()) {
      const inner = memberOf(value, key);
      const canTake = kind === 'lists' ? Array.isArray(value) && Array.isArray(inner) : isJsonObject(value) && isJsonObject(inner);
      if (canTake && at < keys.length - 1 && !repeatsKey(value, inner, keys.slice(at + 1))) {
        if (shifts.length >= maxShifts) tooMany = true;
        else shifts.push(replaceAt(root, path, shifted(value, keys, at)));
      }
      visit(inner, [...path, key]);
    }
  };
  visit(root, []);
  return tooMany ? undefined : shifts;
}

const memberOf = (value: JsonValue, key: string | number): JsonValue =>
  (value as unknown as Record<string | number, JsonValue>)[key] as JsonValue;

/** The container already has one of the keys that would move into it: the text would repeat that key. */
function repeatsKey(value: JsonValue, inner: JsonValue, keys: readonly (string | number)[]): boolean {
  return !Array.isArray(value) && keys.some((key) => Object.hasOwn(inner as object, key));
}

/** `value` with what follows its member `at` moved into that member. */
function shifted(value: JsonValue, keys: readonly (string | number)[], at: number): JsonValue {
  const inner = memberOf(value, keys[at] as string | number);
  if (Array.isArray(value)) return [...value.slice(0, at), [...(inner as readonly JsonValue[]), ...value.slice(at + 1)]];
  const taken: Record<string, JsonValue> = {};
  for (const key of Object.keys(inner as object)) setOwn(taken, key, memberOf(inner, key));
  for (const key of keys.slice(at + 1)) setOwn(taken, String(key), memberOf(value, key));
  const kept: Record<string, JsonValue> = {};
  for (const key of keys.slice(0, at)) setOwn(kept, String(key), memberOf(value, key));
  setOwn(kept, String(keys[at]), taken);
  return kept;
}

function replaceAt(value: JsonValue, path: Path, replacement: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const next = replaceAt(memberOf(value, key), rest, replacement);
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? next : item));
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(value as object)) setOwn(copy, name, name === key ? next : memberOf(value, name));
  return copy;
}
