import type { BoundedText } from '../basics/bounded-text.ts';
import type { JsonPointer } from '../basics/json.ts';
import type { AttemptSource, FailureReason } from './failure.ts';

/**
 * What a repair cost (SG-063). `none`: nothing was done. `noise`: only what is no content was removed. `reencoded`: the same content, spelled
 * otherwise. `truncated`: content is missing, or may be.
 */
export type LossGrade = 'none' | 'noise' | 'reencoded' | 'truncated';

/** Which grades a caller takes: `exact` = none; `repaired` (the default) = none, noise, reencoded; `lossy` = all, marked. */
export type AcceptPolicy = 'exact' | 'repaired' | 'lossy';

/** One change made to a response text on the way to a value. */
export interface Edit {
  /** The mechanism, such as `fence`, `trailing-comma` or `decode-container`. */
  readonly mechanism: string;
  readonly loss: LossGrade;
  /** UTF-16 offsets into the response text that the edit replaced; an insertion has start = end. */
  readonly span: { readonly start: number; readonly end: number };
  /** Where in the value, when the edit belongs to one place of it. */
  readonly path?: JsonPointer;
  /** What stood there, cut to `textLimits.preview`. */
  readonly before?: string;
  /** What it was read as, cut to `textLimits.preview`. */
  readonly after?: string;
}

/** One reading that was considered, and what became of it. */
export interface CandidateReport {
  /** Where it came from: a rung of the ladder, or a strategy's id. */
  readonly rung: string;
  /** UTF-16 offsets into the response text. */
  readonly span: { readonly start: number; readonly end: number };
  readonly loss: LossGrade;
  /** `accepted`, or why it lost. */
  readonly verdict: 'accepted' | FailureReason | 'schema_echo' | 'in_reasoning' | 'loss_not_accepted' | 'duplicate';
}

/** How one response became an outcome (SG-069). Bounded: at most 32 candidates, 256 edits and 32 notes are listed, and `omitted` counts the rest. */
export interface WireReport {
  /** The winner's rung: `parse` for clean JSON; absent for tool calls and failures. */
  readonly rung?: string;
  readonly source: AttemptSource;
  readonly loss: LossGrade;
  readonly edits: readonly Edit[];
  readonly candidates: readonly CandidateReport[];
  readonly notes: readonly string[];
  readonly omitted?: { readonly candidates: number; readonly edits: number; readonly notes: number };
  /** The text that was routed, cut to `textLimits.preview`. */
  readonly text?: BoundedText;
  /** A rejection that carried an attempt was routed like a response (SG-067). */
  readonly recovered?: { readonly strategy: string; readonly name?: string; readonly truncated: boolean };
}
