import { longestSentence } from './sentences.ts';

/** What a text shows by `Input:` and `Output:` lines. */
export interface Examples {
  readonly shown: readonly { readonly input: string; readonly output: string }[];
  /** The last input whose output is left open: what is asked. */
  readonly asked: string | undefined;
  /** The text without those lines. */
  readonly rest: string;
}

const opening = /^\s*(?:input|eingabe)\s*:\s*(\S.*?)\s*$/i;
const closing = /^\s*(?:output|ausgabe)\s*:\s*(.*?)\s*$/i;
const inOne = /^\s*(?:input|eingabe)\s*:\s*(\S.*?)\s*(?:[,;]|->|=>|→)\s*(?:output|ausgabe)\s*:\s*(\S.*?)\s*$/i;

/** Reads the examples of a text: an input line and the output line behind it, or both on one line. An input without an output is what is asked. */
export function examplesOf(text: string): Examples {
  const shown: { input: string; output: string }[] = [];
  const rest: string[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const short = line.length <= longestSentence;
    const both = short ? inOne.exec(line) : null;
    const input = short ? opening.exec(line)?.[1] : undefined;
    const output = short && open !== undefined ? closing.exec(line)?.[1] : undefined;
    if (both !== null) shown.push({ input: both[1] ?? '', output: both[2] ?? '' });
    else if (input !== undefined) open = input;
    else if (output !== undefined && open !== undefined) {
      if (output === '') continue;
      shown.push({ input: open, output });
      open = undefined;
    } else rest.push(line);
  }
  return { shown, asked: open, rest: rest.join('\n') };
}
