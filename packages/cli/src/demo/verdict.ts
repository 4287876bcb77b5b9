import { isDeepStrictEqual } from 'node:util';
import type { Failure, JsonValue } from '@vouch/contracts';

/**
 * `right`: the known answer, or a typed failure where the damage destroyed it. `missed`: a typed failure although the answer could have been
 * recovered. `silently-wrong`: another value. The last must not exist.
 */
export type Verdict = 'right' | 'typed-failure' | 'missed' | 'silently-wrong';

/** What came of one document. */
export type Outcome = { readonly value: JsonValue } | { readonly failure: Failure };

/** Judges an outcome by the known answer, compared deeply, and by whether the damage left anything to recover. */
export function judge(outcome: Outcome, answer: JsonValue, recoverable: boolean): Verdict {
  if ('value' in outcome) return isDeepStrictEqual(outcome.value, answer) ? 'right' : 'silently-wrong';
  return recoverable ? 'missed' : 'typed-failure';
}

const longestSummary = 3;

/** A value in a few words: its first plain members, and how many entries its lists hold. */
export function summarise(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `${value.length} entries`;
  const members = Object.entries(value);
  const plain = members.filter(([, member]) => typeof member !== 'object');
  const lists = members.filter((member): member is [string, readonly JsonValue[]] => Array.isArray(member[1]));
  const last = plain.length > longestSummary ? plain.slice(-1) : [];
  return [
    ...plain.slice(0, longestSummary - last.length).map(([, member]) => String(member)),
    ...lists.map(([key, list]) => `${list.length} ${key}`),
    ...last.map(([key, member]) => `${key} ${member}`),
  ].join(' · ');
}
