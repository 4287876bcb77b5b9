import Table from 'cli-table3';
import type { Paint } from '../terminal/cli-io.ts';
import { cellText } from '../terminal/one-line.ts';
import type { DemoRow } from './run-document.ts';
import { summarise, type Verdict } from './verdict.ts';

/** A row that is there, or the document that is still under way. */
export type TableRow = DemoRow | { readonly document: string; readonly pending: true };

const words: { readonly [Name in Verdict]: string } = {
  right: 'right',
  'typed-failure': 'typed failure',
  missed: 'missed (typed)',
  'silently-wrong': 'SILENTLY WRONG',
};

const heads = ['document', 'the wire sent', 'repaired', 'value, or why none', 'verdict'] as const;

/** Widths of the five columns for a terminal: the last is fixed, the others share the rest. */
function columnWidths(columns: number): readonly number[] {
  const rest = Math.max(60, columns - 6 - 16);
  const document = Math.min(31, Math.floor(rest * 0.24));
  const wire = Math.floor((rest - document) * 0.38);
  const repaired = Math.floor((rest - document) * 0.3);
  return [document, wire, repaired, rest - document - wire - repaired, 16];
}

/** The table as text; `columns` is the terminal's width. */
export function demoTable(rows: readonly TableRow[], columns: number, paint: Paint): string {
  const widths = columnWidths(columns);
  const table = new Table({
    head: heads.map((head, index) => paint.bold(cellText(head, (widths[index] ?? 12) - 2))),
    colWidths: [...widths],
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows)
    table.push(
      cells(row, shortName(row.document)).map((text, index) => colour(index, row, paint)(cellText(text, (widths[index] ?? 12) - 2))),
    );
  return table.toString();
}

/** One line for where there is no terminal. */
export function demoLine(row: DemoRow): string {
  const [document, wire, repaired, value, verdict] = cells(row, row.document);
  return cellText(`${(verdict ?? '').padEnd(14)} ${document} | ${wire} | ${repaired} | ${value}`, 400);
}

/** The columns are narrow: the ending says nothing here. */
const shortName = (document: string): string => document.replace(/\.txt$/, '');

function cells(row: TableRow, name: string): readonly string[] {
  if ('pending' in row) return [name, '…', '', '', ''];
  return [
    name,
    row.applied.length === 0 ? 'a clean answer' : `${row.pathology?.id} ${row.pathology?.title}`,
    repairText(row),
    'value' in row.outcome ? summarise(row.outcome.value) : failureText(row),
    words[row.verdict],
  ];
}

function failureText(row: DemoRow): string {
  if ('value' in row.outcome) return '';
  const { kind, reason, cause, message } = row.outcome.failure;
  const detail = reason === 'provider_error' ? cause : reason === kind ? undefined : reason;
  return `${kind}${detail === undefined ? '' : `/${detail}`}: ${message}`;
}

function repairText(row: DemoRow): string {
  const times = (count: number, one: string, many: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  const done = [
    ...(row.recovered === undefined ? [] : [`taken from the error (${row.recovered})`]),
    ...(row.rung === 'call' ? ['call read from text'] : []),
    ...row.mechanisms,
    ...times(row.networkRetries, 'network retry', 'network retries'),
    ...times(row.corrections, 'correction', 'corrections'),
  ];
  if (done.length > 0) return done.join(', ');
  if (row.applied.length === 0) return '–';
  return 'value' in row.outcome ? 'as it came' : 'not guessed';
}

function colour(index: number, row: TableRow, paint: Paint): (text: string) => string {
  if (index < heads.length - 1 || 'pending' in row) return 'pending' in row ? paint.dim : (text) => text;
  if (row.verdict === 'right') return paint.green;
  return row.verdict === 'silently-wrong' ? paint.red : paint.yellow;
}
