import { type Fault, faultById, faults, type Pathology, pathologies, pathologyById } from '@vouch/lab';
import { oneLine } from '../terminal/one-line.ts';
import { UsageError } from '../usage-error.ts';
import { servedWires } from './catalogue.ts';

/** A pathology that was asked for. */
export interface PathologySpec {
  readonly id: string;
  readonly rate: number;
}

/** A fault that was asked for. */
export interface FaultSpec extends PathologySpec {
  readonly parameter?: number;
}

const hint = 'see: vouch lab --list';

/** Reads `ID` or `ID:RATE`; the rate is 1 when none is given. Throws `UsageError`. */
export function readPathologySpec(text: string): PathologySpec {
  const { name, rate } = splitRate(text, '--pathology');
  const pathology = pathologyById(name) ?? pathologyById(name.toUpperCase());
  if (pathology === undefined) throw new UsageError(`no pathology is called ${quoted(name)}${near(name, pathologies)}`, hint);
  if (servedWires(pathology).length === 0)
    throw new UsageError(`the pathology ${pathology.id} (${pathology.title}) is only listed: no answer can show it`, hint);
  return { id: pathology.id, rate };
}

/** Reads `ID`, `ID=N`, `ID:RATE` or `ID=N:RATE`. Throws `UsageError`. */
export function readFaultSpec(text: string): FaultSpec {
  const { name: left, rate } = splitRate(text, '--fault');
  const cut = left.indexOf('=');
  const name = cut < 0 ? left : left.slice(0, cut);
  const fault = faultById(name) ?? faultById(name.toLowerCase());
  if (fault === undefined) throw new UsageError(`no fault is called ${quoted(name)}${near(name, faults)}`, hint);
  return cut < 0 ? { id: fault.id, rate } : { id: fault.id, rate, parameter: readParameter(left.slice(cut + 1), fault) };
}

function readParameter(text: string, { id, parameter }: Fault): number {
  if (parameter === undefined) throw new UsageError(`the fault ${id} takes no number, and ${quoted(text)} is given`, hint);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < parameter.least || value > parameter.most) {
    const bounds = `a whole number from ${parameter.least} to ${parameter.most}`;
    throw new UsageError(`the number of the fault ${id} must be ${bounds} (${parameter.meaning}), and is ${quoted(text)}`, hint);
  }
  return value;
}

function splitRate(text: string, option: string): { readonly name: string; readonly rate: number } {
  const cut = text.indexOf(':');
  if (cut < 0) return { name: text, rate: 1 };
  const given = text.slice(cut + 1);
  const rate = Number(given);
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(given) || rate > 1) {
    throw new UsageError(
      `the rate in ${option} ${quoted(text)} must be a number from 0 to 1`,
      `such as ${option} ${text.slice(0, cut)}:0.5`,
    );
  }
  return { name: text.slice(0, cut), rate };
}

const quoted = (text: string): string => `"${oneLine(text, 60)}"`;

const mostSuggested = 3;

/** What may have been meant, by id or by title. */
function near(word: string, rows: readonly (Pick<Pathology, 'id' | 'title'> | Pick<Fault, 'id' | 'title'>)[]): string {
  const wanted = word.toLowerCase().slice(0, 60);
  const ranked = rows
    .map(({ id, title }) => ({
      id,
      title,
      distance: Math.min(distanceOf(wanted, id.toLowerCase()), distanceOf(wanted, title.toLowerCase())),
    }))
    .filter(({ id, title, distance }) => {
      const allowed = Math.max(1, Math.floor(Math.min(wanted.length, Math.max(id.length, title.length)) / 3));
      return distance <= allowed || (wanted.length > 2 && `${id} ${title}`.toLowerCase().includes(wanted));
    })
    .sort((left, right) => left.distance - right.distance)
    .slice(0, mostSuggested);
  return ranked.length === 0 ? '' : `; near it: ${ranked.map(({ id, title }) => `${id} (${title})`).join(', ')}`;
}

/** Edits from one word to the other. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_unused, index) => index);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
