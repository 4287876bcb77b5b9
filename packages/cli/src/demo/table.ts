import Table from 'cli-table3';
import type { Paint } from '../terminal/cli-io.ts';
import { cellText } from '../terminal/one-line.ts';
import { linesWithin } from '../terminal/text-lines.ts';
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

const heads = ['document', 'wire', 'the wire sent', 'what became of it', 'verdict'] as const;

// A cell that is longer goes on below. Of a value only the beginning tells something; what the wire sent, and how it was judged, stand whole.
const mostLines = [3, 1, 6, 3, 2] as const;
const wireColumn = 11;
const verdictColumn = { narrow: 10, wide: 16 } as const;
const wideTerminal = 110;
/** The lines between and beside five columns. */
const ruled = 6;

/** Widths of the five columns for a terminal: wire and verdict are fixed, the others share the rest. */
function columnWidths(columns: number): readonly number[] {
  const verdict = columns < wideTerminal ? verdictColumn.narrow : verdictColumn.wide;
  const rest = Math.max(53, columns - ruled - wireColumn - verdict);
  const document = Math.min(31, Math.floor(rest * 0.31));
  const sent = Math.min(34, Math.floor(rest * 0.3));
  return [document, wireColumn, sent, rest - document - sent, verdict];
}

/** The table as text; `columns` is the terminal's width. */
export function demoTable(rows: readonly TableRow[], columns: number, paint: Paint): string {
  const widths = columnWidths(columns);
  const inner = (index: number): number => (widths[index] ?? 12) - 2;
  const table = new Table({
    head: heads.map((head, index) => paint.bold(cellText(head, inner(index)))),
    colWidths: [...widths],
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows)
    table.push(
      cells(row, shortName(row.document)).map((text, index) =>
        linesWithin(text, inner(index), mostLines[index] ?? 1)
          .map(colour(index, row, paint))
          .join('\n'),
      ),
    );
  return table.toString();
}

/** One line for where there is no terminal. */
export function demoLine(row: DemoRow): string {
  const [document, wire, sent, outcome, verdict] = cells(row, row.document);
  return cellText(`${(verdict ?? '').padEnd(14)} ${document} | ${wire} | ${sent} | ${outcome}`, 400);
}

/** The columns are narrow: the ending says nothing here. */
const shortName = (document: string): string => document.replace(/\.txt$/, '');

/** The column is narrow: a wire's last word names it. */
const shortWire = (wire: string): string => wire.replace(/^.*-/, '');

function cells(row: TableRow, name: string): readonly string[] {
  if ('pending' in row) return [name, '', '…', '', ''];
  return [
    name,
    shortWire(row.wire),
    row.applied.length === 0 ? 'a clean answer' : `${row.pathology?.id} ${row.pathology?.title}`,
    `${repairText(row)} → ${'value' in row.outcome ? summarise(row.outcome.value) : failureText(row)}`,
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
  return 'value' in row.outcome ? 'as it came' : 'not guessed';
}

function colour(index: number, row: TableRow, paint: Paint): (text: string) => string {
  if (index < heads.length - 1 || 'pending' in row) return 'pending' in row ? paint.dim : (text) => text;
  if (row.verdict === 'right') return paint.green;
  return row.verdict === 'silently-wrong' ? paint.red : paint.yellow;
}
