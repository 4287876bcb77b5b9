import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';

/** A tool call written as a JSON object. */
export interface ShapedCall {
  readonly name: string;
  /** The arguments as written: usually an object, or the JSON text of one. */
  readonly args: JsonValue;
  readonly id?: string;
  /** Where the arguments stand in the object. */
  readonly path: readonly string[];
}

const nameKeys = ['name', 'tool_name', 'tool', 'function_name', 'recipient_name', 'function', 'action'] as const;
const argumentKeys = [
  'arguments',
  'parameters',
  'args',
  'input',
  'tool_input',
  'tool_arguments',
  'action_input',
  'params',
  'kwargs',
] as const;
/** Members of a call that are no data. */
const fixedKeys: ReadonlySet<string> = new Set(['type', 'id', 'index', 'call_id', 'tool_call_id', 'status', 'role']);
const listKeys = ['tool_calls', 'tool_uses', 'function_calls', 'calls'] as const;
const wrapperKeys: ReadonlySet<string> = new Set(['function_call', 'functionCall', 'tool_call', 'toolCall']);
const maxCalls = 128;

const idOf = (value: JsonObject): { readonly id: string } | undefined => {
  const id = value.id ?? value.call_id ?? value.tool_call_id;
  return typeof id === 'string' && id !== '' && id !== 'pending' ? { id } : undefined;
};

/** The name without a namespace or a leaked control token: `functions.find` and `find<|channel|>x` are `find`. */
export function plainToolName(name: string): string {
  const cut = name.indexOf('<|');
  const bare = (cut < 0 ? name : name.slice(0, cut)).trim().replace(/:\d+$/, '');
  return bare.replace(/^(?:functions|default_api|tools|tool)\./, '');
}

function oneCall(value: JsonObject, path: readonly string[]): ShapedCall | undefined {
  const keys = Object.keys(value).filter((key) => !fixedKeys.has(key));
  // The wire shape {"type":"function","function":{"name":…,"arguments":…}}, whose arguments may stand beside the inner object.
  if (isJsonObject(value.function)) {
    const inner = value.function;
    const beside = keys.filter((key) => key !== 'function');
    if (typeof inner.name !== 'string' || beside.length > 1) return undefined;
    const [key] = beside;
    const id = idOf(value);
    if (key === undefined) return withId(oneCall(inner, [...path, 'function']), id);
    const args = value[key];
    if (!isArgumentKey(key) || args === undefined || Object.keys(inner).length !== 1) return undefined;
    return { name: inner.name, args, path: [...path, key], ...id };
  }
  const [only] = keys;
  if (keys.length === 1 && only !== undefined && wrapperKeys.has(only)) {
    const inner = value[only];
    return isJsonObject(inner) ? oneCall(inner, [...path, only]) : undefined;
  }
  if (keys.length !== 2) return undefined;
  const nameKey = nameKeys.find((key) => keys.includes(key) && typeof value[key] === 'string');
  const argumentKey = keys.find((key) => key !== nameKey && isArgumentKey(key));
  if (nameKey === undefined || argumentKey === undefined) return undefined;
  const args = value[argumentKey];
  if (args === undefined || (!isJsonObject(args) && typeof args !== 'string' && args !== null)) return undefined;
  return { name: value[nameKey] as string, args, path: [...path, argumentKey], ...idOf(value) };
}

const withId = (call: ShapedCall | undefined, id: { readonly id: string } | undefined): ShapedCall | undefined =>
  call === undefined ? undefined : { ...call, ...id };

const isArgumentKey = (key: string): boolean => (argumentKeys as readonly string[]).includes(key);

/**
 * The calls that a value is, in order; undefined when it is none. Exactly the known keys: a sibling that is data makes it data (SG-071). A list is
 * calls only if every element is one.
 */
export function callsOf(value: JsonValue): readonly ShapedCall[] | undefined {
  if (Array.isArray(value)) return callList(value, []);
  if (!isJsonObject(value)) return undefined;
  for (const key of listKeys) {
    const list = value[key];
    const others = Object.keys(value).filter((other) => other !== key && !(other === 'content' && isEmptyContent(value[other])));
    if (Array.isArray(list) && others.every((other) => fixedKeys.has(other))) return callList(list, [key]);
  }
  const call = oneCall(value, []);
  return call === undefined ? undefined : [call];
}

/** A call without arguments, which only a call wrapper tells from data. */
export function soleNameOf(value: JsonValue): readonly ShapedCall[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const [key, other] = Object.keys(value).filter((name) => !fixedKeys.has(name));
  const name = key === undefined ? undefined : value[key];
  if (other !== undefined || typeof name !== 'string' || !(nameKeys as readonly string[]).includes(key ?? '')) return undefined;
  return [{ name, args: null, path: [], ...idOf(value) }];
}

const isEmptyContent = (value: JsonValue | undefined): boolean => value === null || value === '';

function callList(list: readonly JsonValue[], path: readonly string[]): readonly ShapedCall[] | undefined {
  if (list.length === 0 || list.length > maxCalls) return undefined;
  const calls: ShapedCall[] = [];
  for (const [index, item] of list.entries()) {
    const call = isJsonObject(item) ? oneCall(item, [...path, String(index)]) : undefined;
    if (call === undefined) return undefined;
    calls.push(call);
  }
  return calls;
}

/** The name and arguments of a call whose end is missing, as far as they came. */
export function openCallOf(value: JsonValue | undefined): { readonly name: string; readonly args: JsonValue } | undefined {
  const object = Array.isArray(value) ? value.at(-1) : value;
  if (!isJsonObject(object)) return undefined;
  for (const key of listKeys) {
    const list = object[key];
    if (Array.isArray(list)) return openCallOf(list);
  }
  const inner = isJsonObject(object.function) ? object.function : isJsonObject(object.function_call) ? object.function_call : object;
  const nameKey = nameKeys.find((key) => typeof inner[key] === 'string');
  if (nameKey === undefined) return undefined;
  const argumentKey = argumentKeys.find((key) => Object.hasOwn(inner, key) || Object.hasOwn(object, key));
  const args = argumentKey === undefined ? undefined : (inner[argumentKey] ?? object[argumentKey]);
  return { name: inner[nameKey] as string, args: args ?? {} };
}
