import { boundText, childPointer, type Issue, isJsonObject, pointerKeys, previewValue, textLimits, thrownMessage } from '@vouch/contracts';

/** What a list of issues may hold: what is over is counted in a last issue, never listed. */
const issueLimits = {
  /** Issues of one value. */
  issues: 32,
  /** Nested unions that are opened. */
  unionDepth: 6,
  /** Listed values of an enumeration. */
  values: 20,
  /** Keys of a path; no value that reaches a validator is nested as deep. */
  keys: 1_000,
} as const;

type Raw = { readonly [key: string]: unknown };
type Key = string | number;

/** One issue on its way: where, which rule, what would have passed. */
interface Found {
  readonly keys: readonly Key[];
  readonly code: string;
  readonly expected: string;
  /** As the validator tells it; else it is looked up. */
  readonly received?: string;
}

/**
 * A validator's own issues as `Issue`s (SG-081): paths as JSON pointers, the received value looked up in `input`, every text bounded. Unions are
 * flattened: the branch that the discriminator names, or each branch's issues marked `option 2 of 3`. At most `issueLimits.issues`, then one
 * issue `more_issues`. Reads the shapes that Standard Schema libraries give, by structure.
 */
export function issuesOf(raw: readonly unknown[], input: unknown): readonly Issue[] {
  const found: Found[] = [];
  let unread = 0;
  for (const entry of raw) {
    if (found.length >= issueLimits.issues) unread += 1;
    else found.push(...flatten(entry, [], input, 0));
  }
  const listed = found.slice(0, issueLimits.issues).map((issue) => finish(issue, input));
  const more = unread + Math.max(0, found.length - issueLimits.issues);
  if (more === 0) return listed;
  return [...listed, { path: '', code: 'more_issues', expected: 'no further issues', received: `${more} more issues` }];
}

/** The issues that a thrown error carries, or the error itself as one issue. */
export function issuesOfError(error: unknown, input: unknown): readonly Issue[] {
  try {
    const list = isJsonObject(error) ? ((error as Raw).issues ?? (error as Raw).errors) : undefined;
    if (Array.isArray(list) && list.length > 0) return issuesOf(list, input);
  } catch {
    // Issues that cannot be read say nothing; that the value was refused stands.
  }
  const said = error instanceof Error ? thrownMessage(error) : '';
  const message = said === '' ? 'a value that the schema accepts' : said;
  return [finish({ keys: [], code: 'invalid', expected: message }, input)];
}

function finish(issue: Found, input: unknown): Issue {
  let pointer = '';
  for (const key of issue.keys) pointer = childPointer(pointer, key);
  return {
    path: boundText(pointer, textLimits.message).text,
    code: boundText(issue.code, textLimits.preview).text,
    expected: boundText(issue.expected, textLimits.preview).text,
    received: issue.received === undefined ? previewValue(valueAt(input, issue.keys)) : boundText(issue.received, textLimits.preview).text,
  };
}

function flatten(raw: unknown, prefix: readonly Key[], input: unknown, depth: number): readonly Found[] {
  if (!isRecord(raw)) return [{ keys: prefix, code: 'invalid', expected: 'a value that the schema accepts' }];
  const keys = [...prefix, ...pathOf(raw)];
  if (Array.isArray(raw.keys) && raw.keys.length > 0) return unknownKeys(raw, keys);
  if (depth < issueLimits.unionDepth) {
    const branches = branchesOf(raw);
    if (branches !== undefined) return flattenBranches(branches, keys, input, depth + 1);
    // Two shapes of one list: issues relative to the union, or (beside `data`, which makes them whole) absolute ones.
    if (Array.isArray(raw.issues) && raw.issues.length > 0) return flattenList(raw.issues, keys, input, depth + 1);
    if (Array.isArray(raw.errors) && raw.errors.length > 0) return flattenList(raw.errors, [], input, depth + 1);
  }
  // Only a finished issue, with a pointer, tells what was received in words meant for reading.
  const told = typeof raw.path === 'string' && typeof raw.received === 'string' && raw.received !== '' ? { received: raw.received } : {};
  return [{ keys, ...ruleOf(raw, keys, input), ...told }];
}

function flattenList(list: readonly unknown[], prefix: readonly Key[], input: unknown, depth: number): readonly Found[] {
  const found = list.slice(0, issueLimits.issues).flatMap((entry) => flatten(entry, prefix, input, depth));
  return list.length < 2 ? found : found.map((issue) => ({ ...issue, expected: `one option: ${issue.expected}` }));
}

/** The branches of a union whose issues come branch by branch. */
function branchesOf(raw: Raw): readonly (readonly unknown[])[] | undefined {
  const { errors } = raw;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  return errors.every((branch): branch is unknown[] => Array.isArray(branch)) ? errors : undefined;
}

function flattenBranches(branches: readonly (readonly unknown[])[], keys: readonly Key[], input: unknown, depth: number): readonly Found[] {
  const chosen = discriminate(branches);
  if (chosen.kind === 'branch') return chosen.branch.flatMap((entry) => flatten(entry, keys, input, depth));
  if (chosen.kind === 'no-branch') {
    return [{ keys: [...keys, chosen.key], code: 'invalid_union_discriminator', expected: oneOf(chosen.values) }];
  }
  return branches.slice(0, issueLimits.issues).flatMap((branch, index) =>
    branch
      .slice(0, issueLimits.issues)
      .flatMap((entry) => flatten(entry, keys, input, depth))
      .map((issue) => ({ ...issue, expected: `option ${index + 1} of ${branches.length}: ${issue.expected}` })),
  );
}

type Discriminated =
  | { readonly kind: 'branch'; readonly branch: readonly unknown[] }
  | { readonly kind: 'no-branch'; readonly key: Key; readonly values: readonly unknown[] }
  | { readonly kind: 'none' };

/** A key tells the branches apart when all of them but one, or all, refuse its value as not their literal. */
function discriminate(branches: readonly (readonly unknown[])[]): Discriminated {
  if (branches.length < 2) return { kind: 'none' };
  const refusals = branches.map(literalRefusals);
  const candidates = new Set(refusals.flatMap((refused) => [...refused.keys()]));
  for (const key of candidates) {
    const open = branches.filter((_, index) => refusals[index]?.has(key) !== true);
    const sole = open[0];
    if (open.length === 1 && sole !== undefined) return { kind: 'branch', branch: sole };
    if (open.length === 0) return { kind: 'no-branch', key, values: refusals.flatMap((refused) => refused.get(key) ?? []) };
  }
  return { kind: 'none' };
}

function literalRefusals(branch: readonly unknown[]): ReadonlyMap<Key, readonly unknown[]> {
  const refused = new Map<Key, readonly unknown[]>();
  for (const entry of branch) {
    if (!isRecord(entry) || !Array.isArray(entry.values)) continue;
    const [key, ...deeper] = pathOf(entry);
    if (key !== undefined && deeper.length === 0) refused.set(key, entry.values);
  }
  return refused;
}

function unknownKeys(raw: Raw, keys: readonly Key[]): readonly Found[] {
  const named = (raw.keys as readonly unknown[]).slice(0, issueLimits.issues);
  return named.map((key) => ({ keys: [...keys, String(key)], code: codeOf(raw), expected: 'no such key' }));
}

function ruleOf(raw: Raw, keys: readonly Key[], input: unknown): { readonly code: string; readonly expected: string } {
  const code = codeOf(raw);
  if (isAbsent(input, keys) && /^(?:invalid_type|required|\w*object\w*)$/.test(code)) {
    const named = code === 'invalid_type' || code === 'required' ? raw.expected : undefined;
    return { code: 'required', expected: typeof named === 'string' ? named : 'a value for this key' };
  }
  return { code, expected: expectationOf(raw) };
}

function codeOf(raw: Raw): string {
  if (typeof raw.code === 'string') return raw.code;
  return typeof raw.type === 'string' ? raw.type : 'invalid';
}

function expectationOf(raw: Raw): string {
  if (Array.isArray(raw.values)) return oneOf(raw.values);
  if (Array.isArray(raw.options)) return oneOf(raw.options);
  const { expected, message } = raw;
  // `never` is a library's word for a key that must not be there.
  if (expected === 'never') return 'no such key';
  if (typeof expected === 'string' && expected !== '') return expected;
  return typeof message === 'string' && message !== '' ? message : 'a value that the schema accepts';
}

function oneOf(values: readonly unknown[]): string {
  const shown = [...new Set(values.slice(0, issueLimits.values).map((value) => previewValue(value)))];
  const more = values.length > issueLimits.values ? `, and ${values.length - issueLimits.values} more` : '';
  return shown.length === 1 && more === '' ? `${shown[0]}` : `one of ${shown.join(', ')}${more}`;
}

function pathOf(raw: Raw): readonly Key[] {
  if (typeof raw.path === 'string') return pointerKeys(raw.path);
  if (raw.path === undefined || raw.path === null || typeof raw.path !== 'object') return [];
  // Array-like and not only arrays: one library's paths are a subclass that loses itself in `map`.
  const { length } = raw.path as ArrayLike<unknown>;
  return Array.from({ ...(raw.path as ArrayLike<unknown>), length: Math.min(length, issueLimits.keys) }, (segment) => {
    const key = isRecord(segment) ? segment.key : segment;
    return typeof key === 'number' ? key : String(key);
  });
}

function valueAt(input: unknown, keys: readonly Key[]): unknown {
  let here: unknown = input;
  for (const key of keys) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as { readonly [key: string | number]: unknown })[key];
  }
  return here;
}

function isAbsent(input: unknown, keys: readonly Key[]): boolean {
  const last = keys.at(-1);
  if (last === undefined) return false;
  const parent = valueAt(input, keys.slice(0, -1));
  return isJsonObject(parent) && !Object.hasOwn(parent, last);
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null;
}
