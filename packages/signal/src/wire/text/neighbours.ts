import { type Gate, isJsonObject, type JsonValue } from '@vouch/contracts';
import { bracketShifts } from '../json/bracket-shifts.ts';
import { sameValue } from '../json/equality.ts';
import { isCloser } from '../scan.ts';
import { type Candidate, isCitation, type Scan } from './scanner.ts';

/** The reading that would be the answer. */
export interface Winner {
  readonly value: JsonValue;
  readonly start: number;
  readonly candidate?: Candidate;
}

/** Every value of the text is the one object, and no list of it could be meant: a repeat, not the parts of something. */
function repeatsOne({ candidates, strayClosers }: Scan, winner: Winner, gate: Gate | undefined): boolean {
  if (gate === undefined || strayClosers !== '' || !isJsonObject(winner.value)) return false;
  const values = candidates.map(({ reading }) => (reading.kind === 'value' ? reading.value : undefined));
  return values.every((value) => value !== undefined && sameValue(value, winner.value)) && !gate.validate(values).ok;
}

// A comma after words is prose; after a quote or an opener it stands between two values.
const afterQuoteAndComma = /["'`“”‘’([{]\s*,\s*$/;

/** A comma joins the winner to another value: parts of a list, or of a string that lost its quotes. A citation before an object is neither. */
export function isJoined(text: string, scan: Scan, winner: Winner, gate: Gate | undefined): boolean {
  const { candidates } = scan;
  const index = winner.candidate === undefined ? -1 : candidates.indexOf(winner.candidate);
  const textBetween = (left: Candidate | undefined, right: Candidate | undefined): string | undefined =>
    left === undefined || right === undefined ? undefined : text.slice(left.end, Math.min(right.start, left.end + 64));
  if (index < 0) return false;
  const [before, here, after] = [candidates[index - 1], candidates[index], candidates[index + 1]];
  const [gap, nextGap] = [textBetween(before, here), textBetween(here, after)];
  // A broken value on the same line may be the beginning of this one.
  if (before?.reading.kind === 'guess' && !before.reading.proseLike && gap !== undefined && /^[^\S\n]*,?[^\S\n]*$/.test(gap)) return true;
  // A bracket that touches its end and never closes was torn out of a value.
  if (after?.reading.kind === 'guess' && nextGap === '' && !isCloser(text.charCodeAt(after.end - 1))) return true;
  const mayJoin =
    before !== undefined &&
    here !== undefined &&
    !(isCitation(before) && text.charAt(here.start) === '{') &&
    (before.reading.kind === 'value' || text.charAt(before.start) === text.charAt(here.start));
  if (repeatsOne(scan, winner, gate)) return false;
  // Closers that nothing opened may stand before the comma: the list that both are parts of is deeper then.
  const isComma = (between: string | undefined): boolean => between !== undefined && /^[\s\]}]*,\s*$/.test(between);
  return (mayJoin && isComma(gap)) || isComma(nextGap) || afterQuoteAndComma.test(text.slice(Math.max(0, winner.start - 64), winner.start));
}

/**
 * Brackets that nothing opened follow the winner. They are harmless only where no other reading of them passes: an earlier bracket that came too
 * early, or an opening one that was lost.
 */
export function closesElsewhere({ strayClosers, strayEnd, candidates }: Scan, winner: Winner, gate: Gate | undefined): boolean {
  if (strayClosers === '' || gate === undefined) return false;
  if (candidates.some((other) => other.start > winner.start && other.start < strayEnd && other !== winner.candidate)) return true;
  // Brackets of both kinds have no such reading: they are noise.
  const onlyBraces = !strayClosers.includes(']');
  if (!onlyBraces && strayClosers.includes('}')) return false;
  const shifts = bracketShifts(winner.value, onlyBraces ? 'objects' : 'lists');
  if (shifts === undefined || shifts.some((shift) => gate.validate(shift).ok)) return true;
  if (onlyBraces || strayClosers.length > 8) return false;
  let wrapped: JsonValue = winner.value;
  for (let wraps = 0; wraps < strayClosers.length; wraps += 1) wrapped = [wrapped];
  return gate.validate(wrapped).ok;
}
