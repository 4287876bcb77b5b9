import { type Fault, faults, type Pathology, pathologies } from '@vouch/lab';
import Table from 'cli-table3';

/** The catalogue as data, for `--json`. */
export function catalogueJson(): string {
  return JSON.stringify(
    {
      pathologies: pathologies.map(({ apply, ...row }) => ({ ...row, served: apply !== undefined })),
      faults: faults.map((fault) => JSON.parse(JSON.stringify(fault)) as object),
    },
    null,
    2,
  );
}

/** The catalogue as two tables of at most 120 columns. */
export function catalogueTables(): string {
  const served = pathologies.filter(({ apply }) => apply !== undefined);
  return [
    `Pathologies: what the answer says (--pathology ID[:RATE]). ${pathologies.length - served.length} more belong to other wires: see --list --json.`,
    tableOf(['id', 'what comes', 'shows on', 'right client'], [6, 36, 22, 51], served.map(pathologyCells)),
    'Faults: how it is delivered (--fault ID[=N][:RATE]).',
    tableOf(['id', 'what happens', 'N', 'right client'], [20, 30, 30, 35], faults.map(faultCells)),
  ].join('\n');
}

function tableOf(head: string[], colWidths: number[], rows: readonly string[][]): string {
  const table = new Table({ head, colWidths, wordWrap: true, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  return table.toString();
}

const deliveries = { whole: 'whole answers', parts: 'streams', both: 'both' } as const;

function pathologyCells({ id, title, delivery, needs, expected, outcome }: Pathology): string[] {
  const where = needs === 'any' ? deliveries[delivery] : `${deliveries[delivery]}, ${needs}`;
  return [id, title, where, `${expected}: ${outcome}`];
}

function faultCells({ id, title, delivery, parameter, expected, outcome }: Fault): string[] {
  const result =
    expected.whole === expected.parts || delivery !== 'both' ? expected.parts : `${expected.whole}, streamed ${expected.parts}`;
  const number =
    parameter === undefined ? '–' : `${parameter.meaning}${parameter.default === undefined ? '' : `; default ${parameter.default}`}`;
  return [id, delivery === 'both' ? title : `${title} (${deliveries[delivery]} only)`, number, `${result}: ${outcome}`];
}
