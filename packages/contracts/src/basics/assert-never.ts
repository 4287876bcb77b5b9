/** Ends a switch over a union: a new member breaks the build here, and a value from outside the types throws a `TypeError` naming its kind, never its content. */
export function assertNever(value: never): never {
  const shown: unknown = value;
  const kind = typeof shown === 'string' ? shown.slice(0, 40) : typeof shown;
  throw new TypeError(`unexpected member of a closed union: ${kind}`);
}
