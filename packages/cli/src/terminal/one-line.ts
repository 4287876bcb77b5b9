import { boundText } from '@vouch/contracts';
import { startWithin, textWidth } from './text-width.ts';

// C0, DEL, C1, bidirectional overrides and line separators: what could move a cursor or disguise a line.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Text for one line of a terminal: runs of control and direction characters become one space, so no document can steer the terminal. Cut to `limit` UTF-16 units, by default 500. */
export function oneLine(text: string, limit = 500): string {
  return boundText(text.replace(unprintable, ' ').trim(), limit).text;
}

/** As `oneLine`, cut to at most `columns` of a terminal with an ellipsis. */
export function cellText(text: string, columns: number): string {
  const line = text.replace(unprintable, ' ').trim();
  return textWidth(line) <= columns ? line : `${startWithin(line, columns - 1)}…`;
}
