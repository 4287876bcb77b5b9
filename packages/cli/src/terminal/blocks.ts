import Table from 'cli-table3';

const borders = ['top', 'bottom', 'left', 'right', 'mid', 'middle'];
const crossings = ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const chars = Object.fromEntries([...borders, ...crossings].map((name) => [name, '']));

/** Rows of cells in columns without lines around them; cells wrap at words within their column's width. */
export function blocks(colWidths: number[], rows: readonly string[][]): string {
  const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 1 };
  const table = new Table({ colWidths, wordWrap: true, chars, style });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
