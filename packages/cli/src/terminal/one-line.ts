import { boundText } from '@vouch/contracts';

// C0, DEL, C1, bidirectional overrides and line separators: what could move a cursor or disguise a line.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Text for one line of a terminal: runs of control and direction characters become one space, so no document can steer the terminal. Cut to `limit` UTF-16 units, by default 500. */
export function oneLine(text: string, limit = 500): string {
  return boundText(text.replace(unprintable, ' ').trim(), limit).text;
}

/** As `oneLine`, cut to a table cell's width with an ellipsis. */
export function cellText(text: string, limit: number): string {
  const line = text.replace(unprintable, ' ').trim();
  if (line.length <= limit) return line;
  const last = line.charCodeAt(limit - 2);
  return `${line.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 2 : limit - 1)}…`;
}
