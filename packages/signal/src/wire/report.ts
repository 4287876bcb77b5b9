import {
  type AttemptSource,
  boundText,
  type CandidateReport,
  type Edit,
  type JsonPointer,
  type LossGrade,
  lazyField,
  pointerKeys,
  textLimits,
  type WireReport,
} from '@vouch/contracts';
import type { DecodeEdit, Position } from './json/reader.ts';

/** What happened to one text, gathered while it is routed. */
export interface Trace {
  readonly text: string;
  readonly source: AttemptSource;
  readonly candidates: CandidateReport[];
  readonly edits: Edit[];
  readonly notes: string[];
  omittedCandidates: number;
  omittedEdits: number;
  omittedNotes: number;
}

const listLimits = { candidates: 32, edits: 256, notes: 32 } as const;

/** An empty trace of a text. */
export function makeTrace(text: string, source: AttemptSource): Trace {
  return { text, source, candidates: [], edits: [], notes: [], omittedCandidates: 0, omittedEdits: 0, omittedNotes: 0 };
}

/** Adds a candidate; beyond 32 they are counted. */
export function addCandidate(trace: Trace, report: CandidateReport): void {
  if (trace.candidates.length < listLimits.candidates) trace.candidates.push(report);
  else trace.omittedCandidates += 1;
}

/** Adds a note, cut to the message limit; beyond 32 they are counted. */
export function addNote(trace: Trace, note: string): void {
  if (trace.notes.length < listLimits.notes)
    trace.notes.push(note.length > textLimits.message ? boundText(note, textLimits.message).text : note);
  else trace.omittedNotes += 1;
}

/** Adds an edit with its bytes before; beyond 256 they are counted. */
export function addEdit(trace: Trace, edit: DecodeEdit): void {
  if (trace.edits.length >= listLimits.edits) {
    trace.omittedEdits += 1;
    return;
  }
  const { mechanism, loss, start, end, path, after } = edit;
  const { text } = trace;
  const kept: Edit = {
    mechanism,
    loss,
    span: { start, end },
    ...(path === undefined ? {} : { path }),
    ...(after === undefined ? {} : { after: boundText(after, textLimits.preview).text }),
  };
  const before = (): string => boundText(text.slice(start, end), textLimits.preview).text;
  if (end - start > textLimits.preview) trace.edits.push(withBefore(kept, before));
  else trace.edits.push(end > start ? { ...kept, before: before() } : kept);
}

/** A long span is digested when it is looked at: spans lie in one another, and digesting each costs more than the repair does. */
const withBefore = /* @__PURE__ */ lazyField<'before', string>('before');

/** Where the value at `path` stood; the nearest container or string that holds it where it has no place of its own. */
export function locate(
  root: Position | undefined,
  path: JsonPointer,
  fallback: { start: number; end: number },
): { start: number; end: number } {
  let here = root;
  if (here === undefined) return fallback;
  for (const key of pointerKeys(path)) {
    const child: Position | undefined = here.children?.get(key);
    if (child === undefined) break;
    here = child;
  }
  return { start: here.start, end: here.end };
}

/** The report of a trace (SG-069). */
export function wireReport(
  trace: Trace,
  facts: { readonly rung?: string; readonly loss: LossGrade; readonly recovered?: WireReport['recovered'] },
): WireReport {
  const { omittedCandidates, omittedEdits, omittedNotes, text, source } = trace;
  const omitted = omittedCandidates + omittedEdits + omittedNotes > 0;
  const { rung, loss, recovered } = facts;
  const { edits, candidates, notes } = trace;
  // Only a text that needs no digest: a failure's evidence holds the longer ones.
  const short = text !== '' && text.length <= textLimits.preview ? boundText(text, textLimits.preview) : undefined;
  if (!omitted && recovered === undefined && rung !== undefined) {
    // What nearly every response gets, in literals: a spread before a new key costs more than the parse of a short answer.
    if (short === undefined) return { source, loss, edits, candidates, notes, rung };
    return { source, loss, edits, candidates, notes, rung, text: short };
  }
  return {
    source,
    loss,
    edits,
    candidates,
    notes,
    ...(rung === undefined ? {} : { rung }),
    ...(omitted ? { omitted: { candidates: omittedCandidates, edits: omittedEdits, notes: omittedNotes } } : {}),
    ...(short === undefined ? {} : { text: short }),
    ...(recovered === undefined ? {} : { recovered }),
  };
}
