import {
  type Edit,
  type Failure,
  type JsonValue,
  type LossGrade,
  makeFailure,
  type TryResult,
  type Usage,
  unknownUsage,
  type WireReport,
} from '@vouch/contracts';
import { readDocument } from '../documents/read-document.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { toPlainJson } from './plain-json.ts';

/** The repair report of a line: what was done to the response text on the way to the value. */
export interface RepairReport {
  readonly rung?: string;
  readonly loss: LossGrade;
  readonly edits: readonly Edit[];
  readonly notes: readonly string[];
}

/** One line of output. Exactly one of `value` and `failure` is present. */
export interface DocumentLine {
  readonly path: string;
  readonly value?: JsonValue;
  readonly failure?: Failure;
  readonly model: string;
  readonly usage: Usage;
  /** Absent when no response was routed. */
  readonly wire?: RepairReport;
}

/** What came of one document. */
export interface DocumentOutcome {
  readonly line: DocumentLine;
  /** A request went out for it. */
  readonly sent: boolean;
}

/** Asks the model about one text. */
export type Ask = (text: string) => Promise<TryResult<unknown>>;

/** Reads one document, asks the model, and makes its line. Never throws for a document or a provider. */
export async function extractDocument(
  path: string,
  io: Pick<CliIo, 'stdin' | 'cwd' | 'signal'>,
  model: string,
  ask: Ask,
): Promise<DocumentOutcome> {
  const document = await readDocument(path, io);
  if (!document.ok) {
    const failure = makeFailure(document.reason, { message: document.message });
    return { line: { path, failure, model, usage: unknownUsage }, sent: false };
  }
  const result = await ask(document.text);
  if (!result.ok) return { line: failedLine(path, result.failure, model), sent: true };
  const { usage, wire } = result.meta;
  const plain = toPlainJson(result.response);
  const report = repairReport(wire.at(-1));
  if (plain.ok) return { line: { path, value: plain.value, model, usage, ...report }, sent: true };
  const failure = makeFailure('configuration', {
    message: `The schema's own transform made ${plain.what} at "${plain.path}", which a JSON line cannot hold. Export a schema without that transform.`,
    evidence: { usage },
  });
  return { line: { path, failure, model, usage, ...report }, sent: true };
}

/** The line of a document that failed. The conversation so far, which is the document itself, stays out. */
export function failedLine(path: string, { history: _document, ...failure }: Failure, model: string): DocumentLine {
  const { attempts, usage } = failure.evidence;
  return { path, failure, model, usage, ...repairReport(attempts.at(-1)?.wire) };
}

function repairReport(report: WireReport | undefined): { readonly wire?: RepairReport } {
  if (report === undefined) return {};
  const { rung, loss, edits, notes } = report;
  return { wire: { ...(rung === undefined ? {} : { rung }), loss, edits, notes } };
}
