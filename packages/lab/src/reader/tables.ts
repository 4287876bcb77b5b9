import { dateIn } from './values.ts';

/** Rows of cells under headers. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table that begins at a line, and how many lines it takes. */
export interface FoundTable {
  readonly table: Table;
  readonly lines: number;
}

type Splitter = (line: string) => readonly string[] | undefined;

/** Longer lines are no rules; bounds the work of the pattern. */
const longestRule = 400;

/** A line of dashes or equals signs, with or without the bars of a table. */
export const isRule = (line: string): boolean => line.length <= longestRule && /^[\s|:+=-]*[-=]{2,}[\s|:+=-]*$/.test(line);

const byPipes: Splitter = (line) => {
  const trimmed = line.trim();
  const pipes = trimmed.split('|').length - 1;
  if (pipes < 1 || (pipes < 2 && !trimmed.startsWith('|'))) return undefined;
  const cells = trimmed
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/);
  return cells.length < 2 ? undefined : cells.map((cell) => cell.replaceAll('\\|', '|').trim());
};

const byTabs: Splitter = (line) => (line.includes('\t') && line.trim() !== '' ? line.split('\t').map((cell) => cell.trim()) : undefined);

const byGaps: Splitter = (line) => {
  const cells = line.trim().split(/ {2,}/);
  return cells.length < 2 ? undefined : cells;
};

const byDelimiter =
  (delimiter: ',' | ';'): Splitter =>
  (line) => {
    const cells: string[] = [];
    let cell = '';
    let quoted = false;
    for (const character of line) {
      if (character === '"') quoted = !quoted;
      else if (character === delimiter && !quoted) {
        cells.push(cell.trim());
        cell = '';
      } else cell += character;
    }
    return cells.length < 2 ? undefined : [...cells, cell.trim()];
  };

/** Headers name things: no numbers, no sentences, no `label: value`. */
const isHeader = (cells: readonly string[]): boolean =>
  cells.filter((cell) => cell !== '').length > 1 && cells.every((cell) => cell.length <= 40 && !/[:.!?]$|:\s|^[-+(]?\d/.test(cell));

/** The table that begins at `start`: pipes, tabs, aligned columns, `;` or `,` with a header line, or log lines. */
export function tableAt(lines: readonly string[], start: number): FoundTable | undefined {
  return (
    splitTable(lines, start, byPipes) ??
    splitTable(lines, start, byTabs) ??
    splitTable(lines, start, byGaps) ??
    splitTable(lines, start, byDelimiter(';')) ??
    splitTable(lines, start, byDelimiter(',')) ??
    logTable(lines, start)
  );
}

function splitTable(lines: readonly string[], start: number, split: Splitter): FoundTable | undefined {
  const columns = split(lines[start] ?? '');
  if (columns === undefined || !isHeader(columns)) return undefined;
  const rows: (readonly string[])[] = [];
  let next = start + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (isRule(line)) continue;
    const cells = split(line);
    // Aligned rows may leave cells out; only pipes and tabs show where.
    const fits =
      cells !== undefined && (split === byPipes || split === byTabs ? cells.length <= columns.length : cells.length === columns.length);
    if (!fits) break;
    rows.push(columns.map((_, index) => cells[index] ?? ''));
  }
  return rows.length === 0 ? undefined : { table: { columns, rows }, lines: next - start };
}

const levels = /^\s*[[(<]?(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|FATAL)[\])>]?:?\s+/i;

interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly component: string;
  readonly message: string;
  readonly pairs: readonly (readonly [string, string])[];
}

function logLine(line: string): LogLine | undefined {
  const stamp = dateIn(line.slice(0, 40));
  if (stamp?.time === undefined || !/^[[(]?$/.test(line.slice(0, stamp.start).trim())) return undefined;
  const after = line.slice(stamp.end).replace(/^\s*[\])]?\s*/, '');
  const level = levels.exec(after);
  const rest = level === null ? after : after.slice(level[0].length);
  const component = /^(?:\[([\w./:-]+)\]|([\w./-]+):)\s+/.exec(rest);
  const message = component === null ? rest : rest.slice(component[0].length);
  const pairs = [...message.matchAll(/(?<!\S)([A-Za-z][\w.]*)=("[^"]*"|\S+)/g)].map(
    (pair) => [pair[1] ?? '', (pair[2] ?? '').replace(/^"|"$/g, '')] as const,
  );
  return {
    time: `${stamp.date}T${stamp.time}`,
    level: level?.[1] ?? '',
    component: component?.[1] ?? component?.[2] ?? '',
    message: message.trim(),
    pairs,
  };
}

function logTable(lines: readonly string[], start: number): FoundTable | undefined {
  const found: LogLine[] = [];
  for (let next = start; next < lines.length; next += 1) {
    const line = logLine(lines[next] ?? '');
    if (line === undefined) break;
    found.push(line);
  }
  if (found.length === 0) return undefined;
  const names = [...new Set(found.flatMap((line) => line.pairs.map(([name]) => name)))];
  const rows = found.map((line) => {
    const pairs = new Map(line.pairs);
    return [line.time, line.level, line.component, line.message, ...names.map((name) => pairs.get(name) ?? '')];
  });
  return { table: { columns: ['timestamp', 'level', 'component', 'message', ...names], rows }, lines: found.length };
}
