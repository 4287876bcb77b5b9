import { abortAfterMs, type PeerClient } from './client.ts';
import type { Cell, Line } from './run-all.ts';
import type { Case } from './scenario.ts';
import { describeOutcome, type Verdict, verdicts } from './verdict.ts';

/** What a run was. */
export interface RunFacts {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Names and versions of the packages. */
  readonly releases: readonly string[];
  readonly node: string;
  readonly seed: number;
  readonly draws: number;
  readonly deadlineMs: number;
}

/** The verdicts in words. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  right: 'right',
  failed: 'typed failure',
  crash: 'untyped exception',
  hang: 'hang',
  wrong: 'silently wrong',
};

/** A verdict as the document says it; what came of a silently wrong one, and on how many draws when not on all. */
function cellText(cell: Cell): string {
  const what = cell.verdict === 'wrong' ? `: ${cell.result.outcome.kind === 'nothing' ? 'nothing' : cell.result.outcome.kind}` : '';
  const mark = cell.verdict === 'right' ? '' : '**';
  return `${mark}${verdictWords[cell.verdict]}${what}${mark}${cell.count < cell.draws ? ` (${cell.count} of ${cell.draws})` : ''}`;
}

const delivered = ({ delivery }: Case): string => (delivery === 'whole' ? 'whole' : 'stream');
const expectedWords = { value: 'value', tool_calls: 'tool calls', 'typed-failure': 'typed failure' } as const;
const tableRow = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [tableRow(head), tableRow(head.map(() => '---')), ...rows.map(tableRow)].join('\n');
const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

/** The rows of the last tables: the part of the document that a later run is compared with. */
export function verdictRows(lines: readonly Line[]): readonly string[] {
  return lines.map(({ it, cells }) => tableRow([it.id, it.title, delivered(it), expectedWords[it.expected], ...cells.map(cellText)]));
}

/** Those rows under their heads. */
export function verdictTable(clients: readonly PeerClient[], lines: readonly Line[]): string {
  const heads = ['', 'title', 'delivery', 'expected', ...clients.map(({ title }) => title)];
  return [table(heads, []), ...verdictRows(lines)].join('\n');
}

/** Those rows out of a document's lines, without the share of the draws. */
export function comparable(rows: readonly string[]): readonly string[] {
  return rows
    .filter((row) => /^\| (?:[A-Z]\d+|[a-z-]+) \| [^|]* \| (?:whole|stream) \|/.test(row))
    .map((row) => row.replace(/ \(\d+ of \d+\)/g, ''));
}

/** How many cases came to each verdict, for each client. */
export function counts(clients: readonly PeerClient[], lines: readonly Line[]): readonly (readonly [Verdict, readonly number[]])[] {
  return verdicts.map((verdict) => [
    verdict,
    clients.map((_client, column) => lines.filter(({ cells }) => cells[column]?.verdict === verdict).length),
  ]);
}

/** The whole document. */
export function conformanceDocument(clients: readonly PeerClient[], lines: readonly Line[], facts: RunFacts): string {
  const titles = clients.map(({ title }) => title);
  const pathologies = lines.filter(({ it }) => it.kind === 'pathology');
  const faults = lines.filter(({ it }) => it.kind === 'fault');
  const ids = (some: readonly Line[]): number => new Set(some.map(({ it }) => it.id)).size;
  const countTable = (some: readonly Line[]): string =>
    table(
      [`${some.length} cases`, ...titles],
      counts(clients, some).map(([verdict, numbers]) => [verdictWords[verdict], ...numbers.map(String)]),
    );
  const caseTable = (some: readonly Line[]): string => verdictTable(clients, some);
  return `${[
    '# What clients make of a damaged wire',
    `Written by \`npm run conformance:peers\` on ${facts.date}; do not edit. ${facts.releases.join(', ')}, Node ${facts.node}. Seed ${facts.seed}, ${facts.draws} draws for each case.`,
    `A server that speaks the chat wire shows each of ${ids(pathologies)} pathologies, which are ways in which real services spoil, bend or lose an answer (\`docs/requirements/pathologies.md\` and \`sse.md\`, those that show on this wire), and each of ${ids(faults)} faults of servers and connections. Each comes in a whole answer and in a streamed one where it can be in both: ${lines.length} cases. Each case goes through each client. The tables count cases by their verdict.`,
    '**Pathologies**',
    countTable(pathologies),
    '**Faults**',
    countTable(faults),
    '## What the words mean',
    meanings,
    '## What to keep in mind',
    list(caveats(clients, lines)),
    '## How a case goes',
    list(method(facts)),
    '## How each client is called',
    clients.map(({ title, calls }) => `**${title}**\n\n${list(calls)}`).join('\n\n'),
    '## What came instead',
    'One line for each case that is not right, from the first draw with that verdict. The AI SDK with middleware is named only where it said something else than without.',
    table(
      ['', 'delivery', 'client', 'verdict', 'what the caller got'],
      lines.flatMap((line) => missedRows(clients, line)),
    ),
    '## Every pathology',
    caseTable(pathologies),
    '## Every fault',
    caseTable(faults),
  ].join('\n\n')}\n`;
}

/** One row for each client that is not right; a variant of a client is left out where it says the same as the client before it. */
function missedRows(clients: readonly PeerClient[], { it, cells }: Line): readonly (readonly string[])[] {
  return cells.flatMap((cell, column) => {
    const said = describeOutcome(cell.result.outcome);
    const before = cells[column - 1];
    const repeats = clients[column]?.variant === true && before !== undefined && describeOutcome(before.result.outcome) === said;
    if (cell.verdict === 'right' || repeats) return [];
    return [[it.id, delivered(it), clients[column]?.title ?? '', verdictWords[cell.verdict], `\`${said.replaceAll('`', "'")}\``]];
  });
}

const meanings = list([
  "**right**: the caller got the model's own answer, or a typed failure where no answer is left to be had",
  "**typed failure**: an error of the client's own classes although the answer could be had. Safe: the caller knows, and can ask again",
  '**untyped exception**: a `SyntaxError`, a `TypeError` or the like, which a caller cannot tell from a bug of the program, or a rejection that reached the process',
  '**hang**: neither a result nor an error within the deadline, although the client was told to give up on silence where it has an option for it',
  "**silently wrong**: a success that is not the model's answer. `nothing`: no value or no call, as when the call stands in the text; `value` and `calls`: others than the model's",
]);

function method({ draws, deadlineMs }: RunFacts): readonly string[] {
  return [
    'A new server and a new client; the model behind the server says the same known answer each time, and the wire spoils it in one way.',
    'Pathologies of calls: two tools are declared, and the calls that the client hands to its caller must be those of the model, names and arguments, in order. All other cases: a structured answer by a JSON Schema made of a zod schema.',
    'What stands for a passing fault spoils the first request only, so that a client that retries gets the answer. All else spoils every request, also those that correct the model.',
    `Many pathologies have several forms, of which the seed draws one. The draws depend on the request's bytes too, which differ between clients; so each case is run under ${draws} seeds, and **the worst verdict counts** (right, typed failure, untyped exception, hang, silently wrong), with its share when it was not all.`,
    'A draw that is not right, and during which the process stood still for more than half a second, is run again, up to five times: on a busy machine timers fire before bytes that had come are read.',
    `The deadline is ${deadlineMs / 1_000} s. The caller of D23 aborts after ${abortAfterMs} ms; all others wait.`,
    'Retries stay at the defaults of each client, and each is told of the same longest silence in its own option.',
  ];
}

function caveats(clients: readonly PeerClient[], lines: readonly Line[]): readonly string[] {
  const own = clients.findIndex(({ id }) => id === 'vouch');
  const better = lines.filter(({ cells }) => cells[own]?.verdict !== 'right' && cells.some(({ verdict }) => verdict === 'right'));
  const equal = lines.filter(({ cells }) => cells.every(({ verdict }) => verdict === 'right'));
  const empty = clients.map(
    ({ title }, column) =>
      `${lines.filter(({ cells }) => cells[column]?.verdict === 'wrong' && cells[column]?.result.outcome.kind === 'nothing').length} (${title})`,
  );
  const named = (some: readonly Line[]): string => [...new Set(some.map(({ it }) => it.id))].join(', ');
  return [
    'The catalogues are what Vouch is built against and tested with, so its column is no surprise. The tables say what the others do on these cases, not how often they happen.',
    'A service that keeps to its own wire shows few of the pathologies. The OpenAI SDK is made for one such service, and promises nothing for others.',
    'The OpenAI SDK is measured by the calls that parse. Its lower-level `create({ stream: true })` ends a cut stream without an error and leaves reading and checking to the caller.',
    'The others do not repair text by themselves. A typed failure is a correct answer of a client that does not; what no client should give is one of the last three verdicts.',
    `Of the silently wrong cases, ${empty.join(', ')} are \`nothing\`: a caller that looks for an empty result can notice them.`,
    better.length === 0
      ? 'There is no case here on which another client is right and Vouch is not. Outside the catalogues there may be.'
      : `Another client is right where Vouch is not on ${better.length} cases: ${named(better)}.`,
    'Vouch makes up to two more requests, which ask the model to correct itself, where the others make one. Where every request is spoiled this changes nothing but the number of requests.',
    `On ${equal.length} of ${lines.length} cases all clients are right.`,
  ];
}
