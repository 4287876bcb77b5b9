// Work counted instead of timed: how often each block of our sources ran, and how many characters the engine's own methods went over for them.
import { Session } from 'node:inspector/promises';

/** @typedef {{ readonly blocks: number, readonly chars: number }} Steps blocks: of our code; chars: gone over by methods of the engine, at most */

/** @typedef {(self: string, from: number, found: number) => number} Distance */

/** What a search from `from` on went over at most. @type {Distance} */
const searched = (self, from, found) => Math.max(0, (found < 0 ? self.length : found) - from);

/**
 * The engine's methods with counters in front. Returns what puts the originals back.
 *
 * @param {(chars: number) => void} add
 */
function watchMethods(add) {
  const { slice, indexOf, includes, lastIndexOf, trim, trimStart, trimEnd, replaceAll, split } = String.prototype;
  const { exec, test } = RegExp.prototype;
  const { slice: sliceList, join } = Array.prototype;
  const { parse, stringify } = JSON;
  const whole = (/** @type {(this: string, ...rest: any[]) => any} */ method) =>
    /** @this {string} @param {any[]} rest */ function counted(...rest) {
      add(this.length);
      return method.apply(this, rest);
    };
  Object.assign(String.prototype, {
    /** @this {string} @param {number} start @param {number} end */
    slice(start, end) {
      const piece = slice.call(this, start, end);
      add(piece.length);
      return piece;
    },
    /** @this {string} @param {string} part @param {number} from */
    indexOf(part, from = 0) {
      const found = indexOf.call(this, part, from);
      add(searched(String(this), from, found));
      return found;
    },
    includes: whole(includes),
    lastIndexOf: whole(lastIndexOf),
    trim: whole(trim),
    trimStart: whole(trimStart),
    trimEnd: whole(trimEnd),
    replaceAll: whole(replaceAll),
    split: whole(split),
  });
  Object.assign(RegExp.prototype, {
    /** @this {RegExp} @param {string} text */
    exec(text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = exec.call(this, text);
      // A sticky pattern gives up where it stands; what it may look ahead is bounded in each of ours.
      if (match !== null) add(match.index + match[0].length - from);
      else add(this.sticky ? 1 : Math.max(0, text.length - from));
      return match;
    },
    /** @this {RegExp} @param {string} text */
    test(text) {
      return this.exec(text) !== null;
    },
  });
  Object.assign(Array.prototype, {
    /** @this {unknown[]} @param {number} start @param {number} end */
    slice(start, end) {
      const part = sliceList.call(this, start, end);
      add(part.length);
      return part;
    },
    /** @this {unknown[]} @param {string} separator */
    join(separator) {
      const text = join.call(this, separator);
      add(text.length);
      return text;
    },
  });
  JSON.parse = (text, reviver) => {
    add(text.length);
    return parse(text, reviver);
  };
  JSON.stringify = (/** @type {any[]} */ ...rest) => {
    const text = stringify(.../** @type {[unknown]} */ (rest));
    add(text?.length ?? 0);
    return text;
  };
  return () => {
    Object.assign(String.prototype, { slice, indexOf, includes, lastIndexOf, trim, trimStart, trimEnd, replaceAll, split });
    Object.assign(RegExp.prototype, { exec, test });
    Object.assign(Array.prototype, { slice: sliceList, join });
    Object.assign(JSON, { parse, stringify });
  };
}

/**
 * Makes a counter of the steps of synchronous work, the same at each run: V8 counts every block of the scripts that `isOurs` names.
 *
 * @param {(url: string) => boolean} isOurs
 */
export async function createStepCounter(isOurs) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    /** @param {() => unknown} run @returns {Promise<Steps>} */
    async count(run) {
      // Taking the counts sets them to zero.
      await session.post('Profiler.takePreciseCoverage');
      let chars = 0;
      const restore = watchMethods((more) => {
        chars += more;
      });
      try {
        run();
      } finally {
        restore();
      }
      const { result } = await session.post('Profiler.takePreciseCoverage');
      let blocks = 0;
      for (const script of result) {
        if (!isOurs(script.url)) continue;
        for (const { ranges } of script.functions) for (const range of ranges) blocks += range.count;
      }
      return { blocks, chars };
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
