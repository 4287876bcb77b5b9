/** Text that comes in pieces, made well-formed. */
export interface TextChannel {
  push(text: string): string;
  /** What was held back. */
  end(): string;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Joins surrogate halves that were cut apart, and replaces lone ones by U+FFFD, which no encoder could send on. */
export function createTextChannel(): TextChannel {
  let half = '';
  return {
    push(text) {
      const all = half + text;
      const cut = all !== '' && isHigh(all.charCodeAt(all.length - 1));
      half = cut ? all.slice(-1) : '';
      return wellFormed(cut ? all.slice(0, -1) : all);
    },
    end() {
      const rest = half === '' ? '' : '\uFFFD';
      half = '';
      return rest;
    },
  };
}

// Looked for first: hardly any text has one, and replacing is slow even where there is nothing to replace.
const wellFormed = (text: string): string => (/[\uD800-\uDFFF]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text);
