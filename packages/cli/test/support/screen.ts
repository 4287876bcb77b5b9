/** A terminal as far as drawings need one: lines, a cursor that moves, and erasing. It neither wraps nor scrolls. */
export interface Screen {
  write(text: string): void;
  /** From the top to the last line that is not empty; ends are without spaces. */
  lines(): readonly string[];
}

// A control sequence, or one character.
const parts = /\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/gu;

/** An empty screen. Throws for a sequence that it does not know. */
export function createScreen(): Screen {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    rows[row] ??= [];
    return rows[row] as string[];
  };
  const control = (parameter: string, letter: string): void => {
    const count = Math.max(1, Number(parameter.replace('?', '')) || 1);
    if (letter === 'A') row = Math.max(0, row - count);
    else if (letter === 'B') row += count;
    else if (letter === 'G') column = count - 1;
    else if (letter === 'K') rows[row] = parameter === '2' ? [] : line().slice(0, column);
    else if (letter !== 'm' && parameter !== '?2026') throw new Error(`unknown: ESC [ ${parameter} ${letter}`);
  };
  return {
    write(text) {
      for (const [part, parameter, letter] of text.matchAll(parts)) {
        if (letter !== undefined) control(parameter ?? '', letter);
        else if (part === '\n') [row, column] = [row + 1, 0];
        else if (part === '\r') column = 0;
        else {
          const cells = line();
          for (let index = cells.length; index < column; index += 1) cells[index] = ' ';
          cells[column] = part;
          column += 1;
        }
      }
    },
    lines() {
      const texts = Array.from(rows, (cells) => (cells ?? []).join('').trimEnd());
      return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
    },
  };
}
