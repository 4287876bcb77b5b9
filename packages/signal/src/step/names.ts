import { configurationError, previewValue } from '@vouch/contracts';

/** An option's value as a message quotes it: JSON, and numbers that JSON cannot say by their names. */
export const shownOption = (value: unknown): string =>
  typeof value === 'number' || value === undefined ? String(value) : previewValue(value);

/**
 * Throws `E_CONFIGURATION` for the first member of `given` that is set and is none of `known`, and names the nearest of `known` and `elsewhere`.
 * `elsewhere`: paths of names that belong inside another option, such as `timeout.total`. `what`: what `given` is, in words.
 */
export function refuseUnknownNames(what: string, given: object, known: readonly string[], elsewhere: readonly string[] = []): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue;
    const near = nearestName(name, [...known, ...elsewhere]);
    const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`;
    throw configurationError('E_CONFIGURATION', `${shownOption(name)} is none of ${what}. ${hint}`);
  }
}

const mostEdits = 2;
const longestName = 64;

/** The candidate that is most like `name`: two letters off at most, or one written out in part. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const asked = plain(name);
  if (asked.length > longestName) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceOf(asked, plain(candidate.slice(candidate.indexOf('.') + 1)));
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

function distanceOf(asked: string, known: string): number | undefined {
  const edits = isSwapped(asked, known) ? 1 : editDistance(asked, known);
  if (edits <= Math.min(mostEdits, Math.floor(known.length / 3))) return edits;
  const [short, long] = asked.length < known.length ? [asked, known] : [known, asked];
  const begins = short.length > 2 && long.startsWith(short);
  const omits = short.length * 2 >= long.length && isSubsequence(short, long);
  return begins || omits ? mostEdits + long.length - short.length : undefined;
}

/** Two neighbouring letters in the other order: one slip, whatever the name's length. */
function isSwapped(asked: string, known: string): boolean {
  if (asked.length !== known.length) return false;
  const at = [...asked].findIndex((letter, index) => letter !== known[index]);
  return at >= 0 && asked[at] === known[at + 1] && asked[at + 1] === known[at] && asked.slice(at + 2) === known.slice(at + 2);
}

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
