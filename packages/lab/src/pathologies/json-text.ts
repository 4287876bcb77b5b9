import { isJsonObject, type JsonValue } from '@vouch/contracts';

const strings = /"(?:[^"\\]|\\.)*"/g;

/** Leaves that are tried before a value is given up. */
const mostLeaves = 50;

/** The same value with one leaf changed, so that `accepts` still takes it; undefined when no leaf can be changed so. */
export function alterLeaf(root: JsonValue | undefined, accepts: (value: JsonValue) => boolean): JsonValue | undefined {
  if (root === undefined) return undefined;
  const open: (readonly (string | number)[])[] = [[]];
  let tried = 0;
  for (let path = open.shift(); path !== undefined && tried < mostLeaves; path = open.shift()) {
    const value = at(root, path);
    if (typeof value === 'object' && value !== null) {
      const here = path;
      open.push(...Object.keys(value).map((key) => [...here, Array.isArray(value) ? Number(key) : key]));
      continue;
    }
    tried += 1;
    const other = otherLeaf(value);
    const altered = other === undefined ? undefined : replaced(root, path, other);
    if (altered !== undefined && accepts(altered)) return altered;
  }
  return undefined;
}

function otherLeaf(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  return typeof value === 'boolean' ? !value : undefined;
}

function at(root: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let here: JsonValue | undefined = root;
  for (const key of path) {
    if (Array.isArray(here)) here = here[Number(key)];
    else here = isJsonObject(here) ? here[String(key)] : undefined;
  }
  return here;
}

function replaced(root: JsonValue, path: readonly (string | number)[], value: JsonValue): JsonValue {
  const copy = structuredClone(root);
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = at(copy, path.slice(0, -1)) as Record<string | number, JsonValue>;
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON text with the letters of its first string, and every surrogate, written as escapes: the same value. Undefined without a letter to escape. */
export function escapeLetters(text: string): string | undefined {
  let done = false;
  const escaped = text.replace(strings, (string) => {
    const changed = string.replace(/\\.|[\ud800-\udfff]|[A-Za-z]/g, (unit) =>
      unit.length > 1 || (done && !/[\ud800-\udfff]/.test(unit)) ? unit : escapeOf(unit),
    );
    done ||= changed !== string;
    return changed;
  });
  return done ? escaped : undefined;
}

/** JSON text whose strings hold their line ends and tabs raw; undefined when they hold none. */
export function rawControls(text: string): string | undefined {
  const raw: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t' };
  const changed = text.replace(strings, (string) => string.replace(/\\./g, (pair) => raw[pair] ?? pair));
  return changed === text ? undefined : changed;
}

/** JSON text whose integers are written with an exponent, and with a stray line end: the same value. Undefined without an integer. */
export function exponents(text: string): string | undefined {
  const changed = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    /^-?\d+$/.test(token) ? `${token}e0` : token,
  );
  return changed === text ? undefined : changed.replace(/}$/, '\n}');
}

/** The deepest nesting of brackets in JSON text. */
export function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const bracket of text.replace(strings, '').replace(/[^[\]{}]/g, '')) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
