import { type Fault, faults, type Pathology, type PathologyWire, pathologies } from '@vouch/lab';
import { blocks } from '../terminal/blocks.ts';

/** The wires on which the lab can show a pathology. */
export function servedWires({ wires, apply, applyOn }: Pathology): readonly PathologyWire[] {
  return wires.filter((wire) => apply !== undefined || applyOn?.[wire] !== undefined);
}

/** The catalogue as JSON lines, for `--json`: `{ pathology }` each, then `{ fault }` each. */
export function catalogueJson(): string {
  const rows = pathologies.map((pathology) => {
    const { apply: _bytes, applyOn: _ownBytes, ...row } = pathology;
    return { pathology: { ...row, servedOn: servedWires(pathology) } };
  });
  return [...rows, ...faults.map((fault) => ({ fault }))].map((line) => JSON.stringify(line)).join('\n');
}

/** The catalogue for people: at most 80 columns. */
export function catalogueText(): string {
  const served = pathologies.filter((pathology) => servedWires(pathology).length > 0);
  const unserved = pathologies.length - served.length;
  return [
    'Pathologies: what the answer says. --pathology ID[:RATE]',
    'Behind the title stands where one shows; behind the arrow, what a correct client',
    `gives.${unserved === 0 ? '' : ` Not served, and only in --list --json: ${unserved}.`}`,
    '',
    blocks([6, 74], served.map(pathologyCells)),
    '',
    'Faults: how the answer is delivered. --fault ID[=N][:RATE]',
    '',
    blocks([21, 59], faults.map(faultCells)),
  ].join('\n');
}

const deliveries = { whole: 'whole answers only', parts: 'streams only' } as const;
const needs = { tools: 'calls', text: 'texts', json: 'JSON texts' } as const;

function pathologyCells(pathology: Pathology): string[] {
  const { id, title, delivery, needs: need, expected, outcome } = pathology;
  const wires = servedWires(pathology);
  const where = [
    ...(need === 'any' ? [] : [needs[need]]),
    ...(delivery === 'both' ? [] : [deliveries[delivery]]),
    ...(wires.includes('openai-chat') ? [] : [`wire ${wires.join(', ')}`]),
  ];
  return [id, `${title}${where.length === 0 ? '' : ` (${where.join('; ')})`}\n→ ${expected}: ${outcome}`];
}

function faultCells({ id, title, delivery, parameter, expected, outcome }: Fault): string[] {
  const result =
    expected.whole === expected.parts || delivery !== 'both' ? expected.parts : `${expected.whole}, streamed ${expected.parts}`;
  const number =
    parameter === undefined ? [] : [`N: ${parameter.meaning}${parameter.default === undefined ? '' : `; default ${parameter.default}`}`];
  return [id, [`${title}${delivery === 'both' ? '' : ` (${deliveries[delivery]})`}`, ...number, `→ ${result}: ${outcome}`].join('\n')];
}
