import {
  type Edit,
  type Failure,
  type JsonValue,
  type LossGrade,
  makeFailure,
  type TryResult,
  type Usage,
  type WireReport,
} from '@vouch/contracts';
import { toPlainJson } from '../schema/plain-json.ts';

/** The repair report of a line: what was done to the response text on the way to the value. */
export interface RepairReport {
  readonly rung?: string;
  readonly loss: LossGrade;
  readonly edits: readonly Edit[];
  readonly notes: readonly string[];
}

/** One line of output. Exactly one of `value` and `failure` is present. `path` comes first: by its beginning a torn line is known as ours. */
export interface DocumentLine {
  readonly path: string;
  readonly value?: JsonValue;
  readonly failure?: Failure;
  /** What was asked, as a digest; absent when nothing was. */
  readonly key?: string;
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

/** Asks the model about the text of one document. */
export type Ask = (text: string, path: string) => Promise<TryResult<unknown>>;

/** A document's text, and the key of what is asked about it. */
export interface KeyedDocument {
  readonly path: string;
  readonly text: string;
  readonly key: string;
}

/** Asks the model about a document and makes its line. Never throws for a document or a provider. */
export async function extractDocument({ path, text, key }: KeyedDocument, model: string, ask: Ask): Promise<DocumentOutcome> {
  const result = await ask(text, path);
  if (!result.ok) return { line: failedLine(path, result.failure, model, key), sent: true };
  const { usage, wire } = result.meta;
  const plain = toPlainJson(result.response);
  const rest = { key, model, usage, ...repairReport(wire.at(-1)) };
  if (plain.ok) return { line: { path, value: plain.value, ...rest }, sent: true };
  const failure = makeFailure('configuration', {
    message: `The schema's own transform made ${plain.what} at "${plain.path}", which a JSON line cannot hold. Export a schema without that transform.`,
    evidence: { usage },
  });
  return { line: { path, failure, ...rest }, sent: true };
}

/** The line of a document that failed. The conversation so far, which is the document itself, stays out. */
export function failedLine(path: string, { history: _document, ...failure }: Failure, model: string, key?: string): DocumentLine {
  const { attempts, usage } = failure.evidence;
  return { path, failure, ...(key === undefined ? {} : { key }), model, usage, ...repairReport(attempts.at(-1)?.wire) };
}

function repairReport(report: WireReport | undefined): { readonly wire?: RepairReport } {
  if (report === undefined) return {};
  const { rung, loss, edits, notes } = report;
  return { wire: { ...(rung === undefined ? {} : { rung }), loss, edits, notes } };
}
