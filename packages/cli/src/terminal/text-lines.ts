import { cellText, oneLine } from './one-line.ts';
import { startWithin, textWidth } from './text-width.ts';

/** A text on at most `mostLines` lines of `columns`, broken behind spaces, hyphens and commas; what stands behind the last line becomes an ellipsis. */
export function linesWithin(text: string, columns: number, mostLines: number): readonly string[] {
  const lines: string[] = [];
  let rest = oneLine(text);
  while (rest !== '' && lines.length < mostLines - 1 && textWidth(rest) > columns) {
    const whole = startWithin(rest, columns);
    const next = rest[whole.length] ?? ' ';
    const behindBreak = /^.*[\s,/_-]/s.exec(whole)?.[0] ?? '';
    // A line that ends where a word does needs no earlier break; one without a break is cut inside its word.
    const line = /\s/.test(next) || behindBreak === '' ? whole : behindBreak;
    lines.push(line.trimEnd());
    rest = rest.slice(Math.max(1, line.length)).trimStart();
  }
  return rest === '' ? lines : [...lines, cellText(rest, columns)];
}
