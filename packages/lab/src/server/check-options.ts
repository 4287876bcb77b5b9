/**
 * Refuses members that nothing would read, such as a misspelt option: ignored, it would make a test show less than it says. Members that are
 * undefined count too. Throws `TypeError`, with what may be meant.
 */
export function refuseUnknown<T extends object>(value: T, known: Readonly<Record<keyof T, true>>, subject: string): void {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new TypeError(`${subject} has no ${JSON.stringify(unknown.slice(0, 60))}, but ${Object.keys(known).join(', ')}`);
}

/** Refuses a seed that is not a safe integer: a NaN would draw as every other NaN. Throws `RangeError`. */
export function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`the seed must be a whole number that a double holds exactly, and is ${seed}`);
}

/** The longest pause of a timer, in milliseconds. */
const mostPauseMs = 2 ** 31 - 1;

/** Refuses a pause that a timer would take for another. Throws `RangeError`. */
export function checkPause(name: string, ms: number | undefined): void {
  if (ms === undefined || (ms >= 0 && ms <= mostPauseMs)) return;
  throw new RangeError(`${name} must be milliseconds from 0 to ${mostPauseMs}, and is ${ms}`);
}
