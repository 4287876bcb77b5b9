/** A secret shorter than this is no secret, and replacing it would garble every text. */
const shortestSecret = 4;

/** `text` with every secret, plain, JSON-escaped or URL-encoded, replaced by `[redacted]` (SG-038). */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue;
    for (const spelling of spellingsOfOne(secret)) clean = clean.replaceAll(spelling, '[redacted]');
  }
  return clean;
}

/** Whether a text of a value whose JSON this is may hold a secret. JSON writes a surrogate by its neighbour, so with one in the secret anything may. */
function mayHold(json: string | undefined, secrets: readonly string[]): boolean {
  if (json === undefined) return true;
  return spellingsOf(secrets).some((spelling) => /[\ud800-\udfff]/.test(spelling) || json.includes(JSON.stringify(spelling).slice(1, -1)));
}

const spellings = new WeakMap<readonly string[], readonly string[]>();

function spellingsOf(secrets: readonly string[]): readonly string[] {
  const known = spellings.get(secrets) ?? secrets.filter(({ length }) => length >= shortestSecret).flatMap(spellingsOfOne);
  spellings.set(secrets, known);
  return known;
}

/** Plain, JSON-escaped and URL-encoded. */
const spellingsOfOne = (secret: string): readonly string[] => [
  ...new Set([secret, JSON.stringify(secret).slice(1, -1), urlEncoded(secret)]),
];

/** A value of JSON with every text in it redacted; the same object where there is nothing to hide. */
export function redactJson<Value>(value: Value, secrets: readonly string[]): Value {
  if (spellingsOf(secrets).length === 0 || !mayHold(JSON.stringify(value), secrets)) return value;
  let found = false;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'string') return member;
    const clean = redact(member, secrets);
    found ||= clean !== member;
    return clean;
  });
  // What JSON gave back has the shape of what it was given.
  return found ? (JSON.parse(text) as Value) : value;
}

function urlEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

const shownFields = ['code', 'errno', 'syscall', 'status'] as const;
const longestCauseChain = 5;

/**
 * What may stand as the `cause` of an error that users see: a copy of name, message, stack and error code, with secrets replaced. A copy and not the
 * original, because SDK and fetch errors carry request headers and whole bodies as fields.
 */
export function scrubCause(error: unknown, secrets: readonly string[]): Error | undefined {
  const chain: Error[] = [];
  for (let here: unknown = error; here instanceof Error && chain.length < longestCauseChain; here = here.cause) chain.push(here);
  let inner: Error | undefined;
  for (const original of chain.reverse()) {
    const copy = new Error(redact(original.message, secrets).slice(0, 500), inner === undefined ? undefined : { cause: inner });
    copy.name = redact(original.name, secrets);
    copy.stack = redact(original.stack ?? '', secrets).slice(0, 4_000);
    for (const field of shownFields) {
      const value: unknown = Reflect.get(original, field);
      if (typeof value === 'number' || (typeof value === 'string' && value.length < 100)) {
        Object.assign(copy, { [field]: typeof value === 'string' ? redact(value, secrets) : value });
      }
    }
    inner = copy;
  }
  return inner;
}
