/** White space that an answer in JSON may hold in one run, in characters. Models that are held to JSON may write it to the end of their output. */
export const longestWhiteSpace = 512;

/** The white space that an answer ends with so far. */
export interface TrailingSpace {
  chars: number;
  /** It was looked at, and stands in a string: the rest of the answer is not watched, so that looking stays linear. */
  inString: boolean;
}

/** Counts a piece of the answer. One look at its last character in the usual case. */
export function countSpace(trailing: TrailingSpace, piece: string): void {
  let start = piece.length;
  while (start > 0 && isSpace(piece.charCodeAt(start - 1))) start -= 1;
  trailing.chars = start === 0 ? trailing.chars + piece.length : piece.length - start;
}

/** The answer ends in more white space than it may hold, and outside its strings, where it means nothing. `answer` is called once at most. */
export function isRunaway(trailing: TrailingSpace, answer: () => string): boolean {
  if (trailing.chars <= longestWhiteSpace || trailing.inString) return false;
  trailing.inString = endsInString(answer());
  return !trailing.inString;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function endsInString(text: string): boolean {
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c && inString) at += 1;
  }
  return inString;
}
