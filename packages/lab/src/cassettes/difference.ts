import { boundMessage, childPointer, isJsonObject, type JsonPointer, type JsonValue } from '@vouch/contracts';
import type { LoadedCassette } from './directory.ts';
import { redacted } from './redact.ts';
import type { MatchedRequest } from './request.ts';

/** One place at which two requests differ; a side that is absent has nothing there. */
export interface Difference {
  readonly pointer: JsonPointer;
  readonly recorded?: JsonValue;
  readonly came?: JsonValue;
}

/** A recorded request to look at. */
export interface Recorded extends LoadedCassette {
  readonly matched: MatchedRequest;
}

/** How many differences are told apart; requests with more are equally far. */
const mostDifferences = 1_000;
/** How many recordings are compared, newest names last. */
const mostCompared = 500;
/** Characters of a value that a message shows. */
const shown = 60;

/** The recording with the fewest differences, and the first of them in the order of the recorded request; undefined when nothing is recorded. */
function nearest(
  came: MatchedRequest,
  recordings: readonly Recorded[],
): { readonly recording: Recorded; readonly difference: Difference } | undefined {
  let best: { readonly recording: Recorded; readonly differences: readonly Difference[] } | undefined;
  for (const recording of recordings.slice(0, mostCompared)) {
    const differences = differencesOf(recording.matched, came);
    if (best === undefined || differences.length < best.differences.length) best = { recording, differences };
  }
  const difference = best?.differences[0];
  return best === undefined || difference === undefined ? undefined : { recording: best.recording, difference };
}

/** At most 1000 differences, first ones first. Iterative: depth is no concern. */
function differencesOf(recorded: MatchedRequest, came: MatchedRequest): readonly Difference[] {
  const found: Difference[] = [];
  const work: Difference[] = [{ pointer: '', recorded: asJson(recorded), came: asJson(came) }];
  for (let here = work.pop(); here !== undefined && found.length < mostDifferences; here = work.pop()) {
    const members = membersOf(here);
    if (members === undefined) {
      if (here.recorded !== here.came) found.push(here);
    } else work.push(...members.reverse());
  }
  return found;
}

/** The body stands for what it is: JSON, text or bytes. */
function asJson({ method, path, query, body }: MatchedRequest): JsonValue {
  return { method, path, query, body: isJsonObject(body) ? (Object.values(body)[0] ?? null) : body };
}

/** The members of both sides, when both are objects or both are lists. */
function membersOf({ pointer, recorded, came }: Difference): Difference[] | undefined {
  const lists = Array.isArray(recorded) && Array.isArray(came);
  if (!lists && !(isJsonObject(recorded) && isJsonObject(came))) return undefined;
  const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(came))];
  return [...new Set([...left.keys(), ...right.keys()])].map((key) => {
    const [here, there] = [left.get(key), right.get(key)];
    return {
      pointer: childPointer(pointer, key),
      ...(here === undefined ? {} : { recorded: here as JsonValue }),
      ...(there === undefined ? {} : { came: there as JsonValue }),
    };
  });
}

/** What a miss says (SG-101): why, the nearest recording, the first difference with both sides, what to do. At most 500 characters. */
export function missMessage(came: MatchedRequest, recordings: readonly Recorded[], given: readonly string[], directory: string): string {
  const request = `${came.method} ${came.path}`;
  if (given.length > 0) {
    const which =
      given.length === 1 ? `the recorded answer to this ${request} was` : `all ${given.length} recorded answers to this ${request} were`;
    return boundMessage(`Cassette miss: ${which} given already (${given.at(-1)} was the last). Record again, or ask once for each answer.`);
  }
  const near = nearest(came, recordings);
  if (near === undefined)
    return boundMessage(`Cassette miss: nothing answers ${request}, for ${directory} holds no cassette. Record first.`);
  const { pointer, recorded, came: other } = near.difference;
  const [expected, arrived] = sides(recorded, other);
  const asked = near.recording.matched.path.includes(redacted) ? 'request' : request;
  return boundMessage(
    `Cassette miss: nothing answers this ${asked}. Nearest is ${near.recording.name}; first difference at ${pointer}: recorded ${expected}, came ${arrived}. Send what was recorded, or record again.`,
  );
}

/** Both values in few characters; of two texts, the part around the first character that differs. */
function sides(recorded: JsonValue | undefined, came: JsonValue | undefined): readonly [string, string] {
  // What stands where a secret was taken out may be that secret.
  if (JSON.stringify(recorded)?.includes(redacted))
    return [brief(recorded), 'another value (replay with the secrets that were given when it was recorded)'];
  if (typeof recorded !== 'string' || typeof came !== 'string') return [brief(recorded), brief(came)];
  let same = 0;
  while (same < recorded.length && recorded[same] === came[same]) same += 1;
  const from = same < shown / 2 ? 0 : same - 20;
  return [part(recorded, from), part(came, from)];
}

function part(text: string, from: number): string {
  return `${from > 0 ? '…' : ''}${JSON.stringify(text.slice(from, from + shown))}${from + shown < text.length ? '…' : ''}`;
}

function brief(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return part(value, 0);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return `an object with ${part(Object.keys(value).slice(0, 5).join(', '), 0)}`;
  return String(value);
}
