import type { LabRequest } from '@vouch/lab';
import type { Paint } from '../terminal/cli-io.ts';
import { cellText } from '../terminal/one-line.ts';

/** What `--json` says of a request: no headers and no body, which may hold what is private. */
export function requestFacts(request: LabRequest): object {
  const { id, method, path, wire, model, status, applied, fault, modelError, durationMs, clientClosedEarly } = request;
  return {
    id,
    method,
    path: cellText(path, 300),
    wire: wire ?? null,
    model: model === undefined ? null : cellText(model, 200),
    status,
    pathology: applied[0] ?? null,
    fault: fault ?? null,
    modelError: modelError === undefined ? null : cellText(modelError, 200),
    durationMs: durationMs ?? null,
    clientClosedEarly,
  };
}

/** One line for people. */
export function requestLine(request: LabRequest, paint: Paint): string {
  const { method, path, model, status, applied, fault, modelError, durationMs = 0, clientClosedEarly } = request;
  const shown = [...applied, ...(fault === undefined ? [] : [fault])].join(' + ');
  const isFine = status >= 200 && status < 400;
  const reason = isFine ? 'as it is' : modelError === undefined ? 'refused' : cellText(modelError, 120);
  const colour = isFine ? paint.green : paint.red;
  return [
    `${method} ${cellText(path, 60)}`,
    cellText(model ?? '–', 40),
    colour(status === 0 ? 'no head' : String(status)),
    shown === '' ? paint.dim(reason) : paint.yellow(shown),
    `${durationMs} ms`,
    ...(clientClosedEarly ? ['closed by the client'] : []),
  ].join('  ');
}

/** Counts what was answered. */
export interface LabTally {
  count(request: LabRequest): void;
  summary(): LabSummary;
}

/** What a lab did. */
export interface LabSummary {
  readonly requests: number;
  /** Neither a pathology nor a fault, and a status below 400. */
  readonly asTheyAre: number;
  /** Refused, or failed, without a pathology or a fault. */
  readonly refused: number;
  /** Times by id. */
  readonly pathologies: { readonly [id: string]: number };
  readonly faults: { readonly [id: string]: number };
}

/** A tally at zero. */
export function createTally(): LabTally {
  let requests = 0;
  let asTheyAre = 0;
  let refused = 0;
  const pathologies = new Map<string, number>();
  const faults = new Map<string, number>();
  const add = (counts: Map<string, number>, id: string): void => {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  };
  return {
    count({ applied, fault, status }) {
      requests += 1;
      for (const id of applied) add(pathologies, id);
      if (fault !== undefined) add(faults, fault);
      if (applied.length > 0 || fault !== undefined) return;
      if (status > 0 && status < 400) asTheyAre += 1;
      else refused += 1;
    },
    summary: () => ({ requests, asTheyAre, refused, pathologies: Object.fromEntries(pathologies), faults: Object.fromEntries(faults) }),
  };
}

/** The summary as one line. */
export function summaryLine({ requests, asTheyAre, refused, pathologies, faults }: LabSummary): string {
  const counts = (name: string, times: { readonly [id: string]: number }): readonly string[] => {
    const words = Object.entries(times).map(([id, count]) => `${id} ×${count}`);
    return words.length === 0 ? [] : [`${name}: ${words.join(', ')}`];
  };
  return [
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    `${asTheyAre} as they are`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...counts('pathologies', pathologies),
    ...counts('faults', faults),
  ].join('; ');
}
