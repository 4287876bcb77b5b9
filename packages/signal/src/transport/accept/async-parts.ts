const mostNodes = 5_000;

/** Keys of a definition that deciding a value never runs. */
const unused = new Set(['reverseTransform']);

/**
 * Some function that a schema is made of was written `async`. Found by looking, because running it is not harmless: a library that tries synchronously
 * first abandons the promise, and its rejection then ends the process. Looks at up to 5 000 parts; what returns promises otherwise is found by
 * running. True also for schemas that say `async: true` themselves.
 */
export function hasAsyncPart(schema: unknown): boolean {
  const seen = new Set<unknown>();
  const stack: unknown[] = [definitionOf(schema)];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (isAsyncFunction(part)) return true;
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    if (seen.size >= mostNodes) return false;
    seen.add(part);
    for (const [key, value] of entriesOf(part)) {
      if (key === 'async' && value === true) return true;
      if (!unused.has(key) && value !== undefined && value !== null) stack.push(definitionOf(value));
    }
  }
  return false;
}

/** A schema object carries its parsing methods too, asynchronous ones among them; its definition holds only what it was made of. */
function definitionOf(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const internals = (part as { readonly _zod?: { readonly def?: unknown } })._zod;
  return internals?.def ?? part;
}

function isAsyncFunction(part: unknown): boolean {
  return typeof part === 'function' && Object.prototype.toString.call(part) === '[object AsyncFunction]';
}

function entriesOf(part: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(part);
  } catch {
    // A lazy part that cannot be made yet.
    return [];
  }
}
