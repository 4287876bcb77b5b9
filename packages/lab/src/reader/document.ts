import { type Meaning, readMeaning } from './match.ts';
import { type FoundTable, isRule, type Table, tableAt } from './tables.ts';

/** `Label: value`, or the same without a colon (`soft`), which counts only where the label is exactly a name. */
export interface Fact {
  readonly label: string;
  readonly meaning: Meaning;
  readonly value: string;
  readonly soft: boolean;
}

/** One item of a list: its text, and the facts inside it. */
interface Item {
  readonly text: string;
  readonly section: Section;
}

/** A part of a document under its heading; the whole document has the heading `''`. */
export interface Section {
  readonly heading: string;
  readonly meaning: Meaning;
  readonly facts: readonly Fact[];
  readonly tables: readonly { readonly heading: Meaning; readonly table: Table }[];
  readonly lists: readonly { readonly heading: Meaning; readonly items: readonly Item[] }[];
  readonly sections: readonly Section[];
  /** The lines of this section and of those inside it. */
  readonly text: string;
}

/** Characters that are read; the rest of a longer document is not. */
const mostDocumentCharacters = 400_000;
/** Sections inside sections, deeper ones are read as text. */
const deepestSection = 6;

/** Longer lines are no headings and no order lines; bounds the work of their patterns. */
const longestHeading = 300;

const blank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
const indentOf = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
const bullet = /^\s*(?:[-*•+–]|\d{1,3}[.)])\s+(?=\S)/;
const factPattern = /^\s*(?:[-*•]\s+)?(?:\*\*|__)?([\p{L}#][^:|]{0,48}?)(?:\*\*|__)?\s*:(?!\/\/)(?:\*\*|__)?(?:\s+|$)(.*)$/u;
const markdownHeading = /^(#{1,6})\s+(.+?)\s*#*$/;
// Words between bars: a line of bars alone is a rule.
const barHeading = /^\s*(?:[=~*-]{2,}\s*([\p{L}\p{N}("'„#].*?)\s*[=~*-]{2,}|\[([\p{L}][^\]]*)\])\s*$/u;

/** Reads a text into sections, facts, tables and lists. */
export function readDocument(text: string): Section {
  return readLines('', text.slice(0, mostDocumentCharacters).replace(/\r\n?/g, '\n').split('\n'), 0);
}

interface Draft {
  readonly facts: Fact[];
  readonly tables: Section['tables'][number][];
  readonly lists: Section['lists'][number][];
  readonly sections: Section[];
}

function readLines(heading: string, lines: readonly string[], depth: number): Section {
  const draft: Draft = { facts: [], tables: [], lists: [], sections: [] };
  let blockHeading = '';
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    // A rule under a heading leaves it the heading of what follows.
    if (blank(line) || isRule(line)) {
      at += 1;
      continue;
    }
    const table = tableAt(lines, at);
    if (table !== undefined) addTable(draft, blockHeading, table);
    const list = table === undefined ? listAt(lines, at, depth) : undefined;
    if (list !== undefined) draft.lists.push({ heading: readMeaning(blockHeading), items: list.items });
    if (table !== undefined || list !== undefined) {
      at += table?.lines ?? list?.lines ?? 1;
      blockHeading = '';
      continue;
    }
    const inner = depth < deepestSection ? sectionAt(lines, at) : undefined;
    if (inner !== undefined) {
      draft.sections.push(readLines(inner.heading, lines.slice(inner.from, inner.to), depth + 1));
      at = inner.to;
      blockHeading = '';
      continue;
    }
    const facts = factsOf(line);
    draft.facts.push(...facts);
    blockHeading = facts.some((fact) => !fact.soft) ? '' : line.trim().replace(/:$/, '');
    at += 1;
  }
  return { heading, meaning: readMeaning(heading), ...draft, text: lines.join('\n') };
}

/** Rows that sum up are facts of the table's section, not rows. */
function addTable(draft: Draft, heading: string, { table }: FoundTable): void {
  const rows: (readonly string[])[] = [];
  for (const row of table.rows) {
    const filled = row.filter((cell) => cell !== '');
    const [label = '', value = ''] = filled;
    const sums = filled.length === 2 && row.length > 2 && /total|sum|gesamt|netto|tax|vat|mwst|steuer/i.test(label);
    if (sums) draft.facts.push({ label, meaning: readMeaning(label), value, soft: false });
    else if (filled.length > 0) rows.push(row);
  }
  draft.tables.push({ heading: readMeaning(heading), table: { columns: table.columns, rows } });
}

interface Span {
  readonly heading: string;
  readonly from: number;
  readonly to: number;
}

/** The section whose heading stands at `at`: `# Heading`, `== Heading ==`, `Heading:` over lines, or a short line over facts. */
function sectionAt(lines: readonly string[], at: number): Span | undefined {
  const line = lines[at] ?? '';
  const markdown = markdownHeading.exec(line);
  if (markdown !== null) {
    const level = markdown[1]?.length ?? 1;
    const to = endOf(lines, at + 1, (other) => (markdownHeading.exec(other)?.[1]?.length ?? 7) <= level);
    return { heading: markdown[2] ?? '', from: at + 1, to };
  }
  const bar = line.length > longestHeading ? null : barHeading.exec(line);
  if (bar !== null)
    return {
      heading: bar[1] ?? bar[2] ?? '',
      from: at + 1,
      to: endOf(lines, at + 1, (other) => other.length <= longestHeading && barHeading.test(other)),
    };
  const from = isRule(lines[at + 1] ?? '') ? at + 2 : at + 1;
  const next = lines[from];
  if (blank(next) || next === undefined) return undefined;
  const colon = factPattern.exec(line);
  const indent = indentOf(line);
  if (colon !== null && colon[2] === '') {
    const heading = colon[1] ?? '';
    if (indentOf(next) > indent) return { heading, from, to: endOf(lines, from, (other) => !blank(other) && indentOf(other) <= indent) };
    return bullet.test(next) || tableAt(lines, from) !== undefined ? undefined : { heading, from, to: endOf(lines, from, blank) };
  }
  const isShort = line.trim().split(/\s+/).length <= 5 && !/[.,;!?:]$/.test(line.trim()) && !/\d/.test(line);
  const opens = colon === null && isShort && blank(lines[at - 1]) && factPattern.exec(next)?.[2] !== undefined && !bullet.test(next);
  return opens ? { heading: line.trim(), from, to: endOf(lines, from, blank) } : undefined;
}

function endOf(lines: readonly string[], from: number, ends: (line: string) => boolean): number {
  let to = from;
  while (to < lines.length && !ends(lines[to] ?? '')) to += 1;
  return to;
}

/** A list with the lines that belong to its items: those that are indented deeper than the bullet. */
function listAt(
  lines: readonly string[],
  start: number,
  depth: number,
): { readonly items: readonly Item[]; readonly lines: number } | undefined {
  if (!bullet.test(lines[start] ?? '')) return undefined;
  const indent = indentOf(lines[start] ?? '');
  const items: Item[] = [];
  let at = start;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const blankBetween = blank(line) && bullet.test(lines[at + 1] ?? '');
    if (blankBetween) {
      at += 1;
      continue;
    }
    if (!bullet.test(line) || indentOf(line) !== indent) break;
    const to = endOf(lines, at + 1, (other) => blank(other) || indentOf(other) <= indent);
    items.push(readItem(line.replace(bullet, '').trim(), lines.slice(at + 1, to), depth));
    at = to;
  }
  return items.length === 0 ? undefined : { items, lines: at - start };
}

function readItem(text: string, more: readonly string[], depth: number): Item {
  if (more.length > 0 && depth < deepestSection) {
    // Brought to the left, so that the first line's facts and those below it stand side by side.
    const least = Math.min(...more.map(indentOf));
    const section = readLines('', [text, ...more.map((line) => line.slice(least))], depth + 1);
    return { text: factPattern.test(text) ? text : [text, ...more.map((line) => line.trim())].join(' '), section };
  }
  return { text, section: { heading: '', meaning: readMeaning(''), facts: inlineFacts(text), tables: [], lists: [], sections: [], text } };
}

const order =
  /^(\d+(?:[.,]\d+)?)\s*(?:x|×|\*|pcs\.?|Stk\.?|Stück)\s+(.+?)(?:(?:\s*@\s*|\s+(?:à|at|zu je|je)\s+)([^=]*\d[^=]*?))?(?:\s*(?:=|–|-|:)\s*([^=]*\d[^=]*))?$/iu;

/** The facts inside one line of a list: `2 x Widget @ 3.50 = 7.00`, or `Widget, qty: 2, price: 3.50`. */
function inlineFacts(text: string): readonly Fact[] {
  const ordered = text.length > longestHeading ? null : order.exec(text);
  if (ordered !== null) {
    const [, quantity, description, price, amount] = ordered;
    const named = { quantity, description, 'unit price': price, amount };
    return Object.entries(named).flatMap(([label, value]) => (value === undefined ? [] : [fact(label, value, false)]));
  }
  const pieces = text.split(/[,;|]\s+/);
  const facts = pieces.flatMap((piece) => {
    const pair = factPattern.exec(piece) ?? /^([\p{L}][\w ]{0,30})=(.+)$/u.exec(piece);
    return pair?.[2] ? [fact(pair[1] ?? '', pair[2], false)] : [];
  });
  const [lead = ''] = pieces;
  return facts.length > 0 && !factPattern.test(lead) && !lead.includes('=') ? [fact('description', lead, false), ...facts] : facts;
}

function fact(label: string, value: string, soft: boolean): Fact {
  return { label: label.trim(), meaning: readMeaning(label), value: value.trim(), soft };
}

/** Every fact of one line; several when wide gaps, tabs or bars part them. */
function factsOf(line: string): readonly Fact[] {
  const pieces = line.split(/\s{3,}|\t|\s\|\s/).filter((piece) => piece.trim() !== '');
  const several = pieces.length > 1 && pieces.every((piece) => factPattern.exec(piece)?.[2]);
  if (several) return pieces.flatMap((piece) => factsOf(piece.trim()));
  const pair = factPattern.exec(line);
  if (pair !== null) return pair[2] === undefined || pair[2] === '' ? [] : [fact(pair[1] ?? '', pair[2], false)];
  return softFacts(line);
}

const longestSoftLabel = 3;

/** `Invoice number INV-7`: every way to part the first words from the rest, when the rest holds a digit or an address. */
function softFacts(line: string): readonly Fact[] {
  const words = line.trim().split(/\s+/);
  if (words.length > 8 || !/^\p{L}/u.test(words[0] ?? '')) return [];
  const facts: Fact[] = [];
  for (let count = 1; count <= Math.min(longestSoftLabel, words.length - 1); count += 1) {
    const value = words.slice(count).join(' ');
    if (/[\d@]/.test(value)) facts.push(fact(words.slice(0, count).join(' '), value, true));
  }
  return facts;
}
