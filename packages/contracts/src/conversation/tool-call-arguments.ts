/** Where a piece of JSON text stands: no parser, only brackets and strings. */
export interface Nesting {
  /** The closers that are still due, outermost first. */
  readonly due: string[];
  inString: boolean;
  escaped: boolean;
  /** A bracket or string was opened. */
  began: boolean;
}

/** Inside a structure or string that has not ended. */
export const isOpen = (nesting: Nesting): boolean => nesting.inString || nesting.due.length > 0;

/** A structure or string began, and all that began has ended. */
export const isClosed = (nesting: Nesting): boolean => nesting.began && !isOpen(nesting);

/** Moves `nesting` on over `text`. In place, because a copy per fragment would cost its depth each time. */
function advance(nesting: Nesting, text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (nesting.inString) {
      if (nesting.escaped) nesting.escaped = false;
      else if (character === '\\') nesting.escaped = true;
      else if (character === '"') nesting.inString = false;
    } else if (character === '"') {
      nesting.inString = true;
      nesting.began = true;
    } else if (character === '{' || character === '[') {
      nesting.due.push(character === '{' ? '}' : ']');
      nesting.began = true;
    } else if (character === nesting.due.at(-1)) nesting.due.pop();
  }
}

/** All that began would have ended, if `text` came next. */
function wouldClose(nesting: Nesting, text: string): boolean {
  const copy = { ...nesting, due: [...nesting.due] };
  advance(copy, text);
  return isClosed(copy);
}

/** The text of JSON without the white space outside its strings. */
export function withoutWhitespace(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/gs, (match) => (match.startsWith('"') ? match : ''));
}

/** The arguments of one call as its fragments add up. */
export interface ArgumentsBuffer {
  /** What is known so far; excludes a fragment that may turn out to be a repetition. */
  text(): string;
  nesting(): Readonly<Nesting>;
  /** Nothing but white space so far. */
  blank(): boolean;
  /** `fragment` repeats all of `text`. */
  repeatedBy(fragment: string): boolean;
  /** Takes a fragment and gives what it adds to `text`. */
  append(fragment: string): string;
  /** No more fragments come: settles what was undecided. */
  finish(): void;
  /** Fragments turned out to be cumulative: each repeats all that came before it (B19). */
  cumulative(): boolean;
}

/**
 * Adds fragments up. A fragment that begins with everything so far may be cumulative, or a nested value that happens to begin alike: it is held back
 * until the next fragment decides, or the end, where the reading whose brackets close wins.
 */
export function createArgumentsBuffer(): ArgumentsBuffer {
  let text = '';
  const nesting: Nesting = { due: [], inString: false, escaped: false, began: false };
  let blank = true;
  let cumulative = false;
  let undecided: string | undefined;

  const extend = (fragment: string): string => {
    text += fragment;
    advance(nesting, fragment);
    if (blank && /\S/.test(fragment)) blank = false;
    return fragment;
  };
  const repeats = (fragment: string, earlier: string): boolean => fragment.length > earlier.length && fragment.startsWith(earlier);
  const becomeCumulative = (fragment: string): string => {
    cumulative = true;
    undecided = undefined;
    return extend(fragment.slice(text.length));
  };

  return {
    text: () => text,
    nesting: () => nesting,
    blank: () => blank,
    repeatedBy: (fragment) => repeats(fragment, text),
    cumulative: () => cumulative,
    append(fragment) {
      if (fragment === '') return '';
      if (cumulative) {
        if (fragment === text) return '';
        return repeats(fragment, text) ? extend(fragment.slice(text.length)) : extend(fragment);
      }
      if (undecided !== undefined) {
        if (repeats(fragment, undecided)) return becomeCumulative(fragment);
        const both = undecided + fragment;
        undecided = undefined;
        return extend(both);
      }
      if (!blank && repeats(fragment, text) && !wouldClose(nesting, fragment)) {
        undecided = fragment;
        return '';
      }
      return extend(fragment);
    },
    finish() {
      if (undecided === undefined) return;
      const fragment = undecided;
      undecided = undefined;
      if (wouldClose(nesting, fragment.slice(text.length))) becomeCumulative(fragment);
      else extend(fragment);
    },
  };
}
