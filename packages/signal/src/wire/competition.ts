import type { FailureReason, Issue, JsonValue, LossGrade, SalvagedCall, StepToolCall } from '@vouch/contracts';
import { plainToolName } from './dialects/call-shape.ts';
import { type Evaluated, isToolName, type Passing, type PassingCall, readingLoss, type TextContract } from './evaluate.ts';
import { sameValue } from './json/equality.ts';
import { type Finding, worseLoss } from './json/reader.ts';
import { decodeRelaxed } from './json/relaxed-json.ts';
import { addCandidate, addEdit, addNote, locate, type Trace } from './report.ts';
import { isBlank } from './scan.ts';
import { closesElsewhere, isJoined } from './text/neighbours.ts';
import type { Scan } from './text/scanner.ts';

/** What one text turned out to be. */
export type TextVerdict =
  | { readonly kind: 'output'; readonly value: JsonValue; readonly loss: LossGrade; readonly rung: string; readonly trace: Trace }
  | { readonly kind: 'calls'; readonly calls: readonly StepToolCall[]; readonly loss: LossGrade; readonly trace: Trace }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      readonly issues: readonly Issue[];
      readonly salvaged?: JsonValue;
      readonly salvagedCalls?: readonly SalvagedCall[];
      readonly note?: string;
      readonly trace: Trace;
    };

type Failed = Extract<TextVerdict, { kind: 'failed' }>;

const lossAccepted = {
  exact: ['none'],
  repaired: ['none', 'noise', 'reencoded'],
  lossy: ['none', 'noise', 'reencoded', 'truncated'],
} as const;

export function fail(
  trace: Trace,
  reason: FailureReason,
  message: string,
  more: Partial<Omit<Failed, 'kind' | 'reason' | 'trace'>> = {},
): Failed {
  return { kind: 'failed', reason, message, issues: [], trace, ...more };
}

/** What the ladder gathered from a text. */
export interface Gathered {
  readonly contract: TextContract;
  readonly trace: Trace;
  readonly scan: Scan;
  readonly outputs: Passing[];
  readonly calls: { readonly start: number; readonly bare: boolean; readonly calls: readonly PassingCall[] }[];
  readonly cutCalls: Extract<Evaluated, { kind: 'cut-call' }>[];
  readonly opens: Extract<Evaluated, { kind: 'open' }>[];
  readonly failures: Extract<Evaluated, { kind: 'failed' }>[];
  /** Passing candidates of strategies, in order. */
  readonly offered: { readonly strategy: string; readonly prefersLast: boolean; readonly passing: Passing }[];
  overLimit: boolean;
}

export function decide(gathered: Gathered): TextVerdict {
  const { scan, contract, trace, cutCalls, calls } = gathered;
  if (scan.tooDeep) return fail(trace, 'limit_exceeded', `a value is nested deeper than the limit of ${contract.maxDepth}`);
  if (scan.tooMany) return fail(trace, 'limit_exceeded', 'more candidates or calls than are kept');
  if (gathered.overLimit) return fail(trace, 'limit_exceeded', `more than ${contract.maxCandidates} candidates`);
  if (cutCalls.length > 0) return cutTurn(gathered);
  if (contract.finish === 'unknown' && !contract.terminated)
    return truncated(gathered, 'the stream ended without a finish reason or a terminal mark');
  const accepted = acceptedOutputs(gathered);
  const lastEnd = Math.max(-1, ...accepted.map((passing) => passing.start), ...calls.map((call) => call.start));
  if (gathered.opens.some((open) => open.start > lastEnd)) return truncated(gathered, 'the text ends inside a value');
  if ((accepted.length > 0 || calls.length > 0) && scan.opened >= 0 && isBlank(trace.text, scan.opened, trace.text.length))
    return truncated(gathered, 'the text ends where another value has only begun');
  if (scan.lost !== undefined) return lost(gathered, scan.lost.why);
  if (contract.prose === 'refused' && scan.removed.some((removed) => removed.mechanism === 'prose')) {
    return fail(trace, 'invalid_json', 'text stands beside the arguments');
  }
  if (calls.length > 0) return takeCalls(gathered, accepted);
  if (accepted.length === 0) return nothingPasses(gathered);
  return takeOutput(gathered, accepted);
}

function lost(gathered: Gathered, why: string): Failed {
  if (gathered.contract.finish === 'length') return truncated(gathered, 'the output limit was reached before a complete value');
  return fail(gathered.trace, 'invalid_json', `the text cannot be read without a guess: ${why}`);
}

/** The passing readings whose loss the caller takes. */
function acceptedOutputs(gathered: Gathered): readonly Passing[] {
  const { contract, trace, outputs, scan } = gathered;
  const grades: readonly LossGrade[] = lossAccepted[contract.accept];
  const offered = gathered.offered.map((offer) => offer.passing);
  return [...outputs, ...offered].filter((passing) => {
    const loss = worseLoss(passing.loss, noiseAround(scan, passing));
    if (grades.includes(loss)) return true;
    addCandidate(trace, { rung: passing.rung, span: { start: passing.start, end: passing.end }, loss, verdict: 'loss_not_accepted' });
    return false;
  });
}

const noiseAround = (scan: Scan, passing: Passing): LossGrade =>
  scan.removed.length > 0 || scan.candidates.some((candidate) => candidate !== passing.candidate) ? 'noise' : 'none';

function takeCalls(gathered: Gathered, accepted: readonly Passing[]): TextVerdict {
  const { contract, trace, calls, scan } = gathered;
  const rival = accepted.find((passing) => !passing.fromCall && passing.candidate?.isPart !== true);
  if (rival !== undefined) return fail(trace, 'ambiguous', 'the text holds a tool call and an output');
  const refused = gathered.failures.find(
    (failure) => failure.reason === 'schema_mismatch' && calls.some((call) => call.start !== failure.start),
  );
  const ordered = calls.toSorted((a, b) => a.start - b.start).flatMap((found) => found.calls);
  for (const call of ordered) {
    // Nothing lossy reaches a tool, whatever the caller takes as an output.
    const finding = refusedFinding(call.findings, { ...contract, accept: 'repaired' }, trace);
    if (finding !== undefined) return fail(trace, finding.reason, findingMessage(finding));
    if (call.unchecked) addNote(trace, `the arguments of ${call.name} were not checked: the tool has no validator`);
    for (const edit of call.edits) addEdit(trace, edit);
    for (const edit of call.readingEdits) addEdit(trace, { ...edit, loss: readingLoss(edit), start: call.start, end: call.end });
  }
  for (const dropped of accepted) addNote(trace, `an output at ${dropped.start} was dropped: declared calls win`);
  if (refused !== undefined && contract.gate === undefined) addNote(trace, 'other text in the turn was dropped');
  for (const removed of scan.removed) addEdit(trace, { ...removed, loss: 'noise' });
  const steps = ordered.map((call) => ({
    id: call.id ?? contract.newCallId(),
    name: call.name,
    args: call.args,
    argsText: JSON.stringify(call.args),
  }));
  return { kind: 'calls', calls: steps, loss: 'reencoded', trace };
}

function takeOutput(gathered: Gathered, accepted: readonly Passing[]): TextVerdict {
  const { contract, trace } = gathered;
  const [first] = accepted as readonly [Passing, ...Passing[]];
  let winner = first;
  const rivals = accepted.filter((passing) => !sameValue(passing.value, first.value));
  if (rivals.length > 0) {
    const last = preferredLast(gathered, accepted);
    if (last === undefined) return isPartOf(accepted) ? touched(gathered) : ambiguous(gathered, accepted);
    addNote(trace, `${last.rung}: of several values that pass, the last was taken, as the caller asked`);
    winner = last;
  }
  if (isJoined(trace.text, gathered.scan, winner, contract.gate) || closesElsewhere(gathered.scan, winner, contract.gate))
    return ambiguous(gathered, accepted);
  const same = accepted.filter((passing) => sameValue(passing.value, winner.value));
  if (same.every((passing) => passing.candidate?.isPart === true)) return touched(gathered);
  if (same.every((passing) => passing.candidate?.isPointer === true))
    return fail(trace, 'invalid_json', 'the only value reads like a source that is pointed at, or a box to tick');
  for (const passing of same) {
    const finding = refusedFinding(passing.findings, contract, trace);
    if (finding !== undefined) return fail(trace, finding.reason, findingMessage(finding));
  }
  if (typeof winner.value === 'number' && contract.finish !== 'stop' && contract.finish !== 'tool_calls') {
    return truncated(gathered, 'a bare number may have been cut');
  }
  const offered = same.find((passing) => gathered.offered.some((offer) => offer.passing === passing));
  return outputVerdict(gathered, winner, offered?.rung);
}

/** The values differ only by some that may be parts of a larger one: doubt about these must not make the others the answer. */
function isPartOf(accepted: readonly Passing[]): boolean {
  const whole = accepted.filter((passing) => passing.candidate?.isPart !== true);
  return whole.every((passing) => sameValue(passing.value, whole[0]?.value));
}

function touched({ trace }: Gathered): Failed {
  return fail(trace, 'invalid_json', 'what touches a value reads like the rest of a larger one');
}

/** The last passing offer of a strategy that the caller told to choose it, if that strategy offered every value that passes. */
function preferredLast(gathered: Gathered, accepted: readonly Passing[]): Passing | undefined {
  for (const { strategy, prefersLast } of gathered.offered) {
    if (!prefersLast) continue;
    const offers = gathered.offered.filter((offer) => offer.strategy === strategy).map((offer) => offer.passing);
    if (accepted.every((passing) => offers.some((offer) => sameValue(offer.value, passing.value)))) return offers.at(-1);
  }
  return undefined;
}

function ambiguous({ trace }: Gathered, accepted: readonly Passing[]): Failed {
  for (const { rung, start, end, loss } of accepted) addCandidate(trace, { rung, span: { start, end }, loss, verdict: 'ambiguous' });
  return fail(trace, 'ambiguous', 'several values could be the answer, and they differ');
}

function outputVerdict(gathered: Gathered, winner: Passing, strategyRung: string | undefined): TextVerdict {
  const { trace, scan, contract } = gathered;
  const around = noiseAround(scan, winner);
  const released = winner.findings.some((finding) => finding.reason === 'lossy_value');
  // A number or text that JavaScript cannot hold came out, so content is missing.
  const loss = released ? 'truncated' : worseLoss(winner.loss, around);
  const whole = around === 'none' && winner.rung === 'extract';
  const suffix = [...new Set(winner.readingEdits.map((edit) => edit.mechanism))].map((mechanism) => `+${mechanism}`).join('');
  const rung = `${strategyRung ?? (whole ? 'parse' : winner.rung)}${suffix}`;
  for (const removed of scan.removed) addEdit(trace, { ...removed, loss: 'noise' });
  for (const edit of winner.edits) addEdit(trace, edit);
  trace.omittedEdits += winner.editsOmitted ?? 0;
  recordReadingEdits(trace, winner, contract);
  for (const note of winner.notes) addNote(trace, note);
  addCandidate(trace, { rung, span: { start: winner.start, end: winner.end }, loss, verdict: 'accepted' });
  return { kind: 'output', value: winner.value, loss, rung, trace };
}

/** Envelopes and decoded strings belong to places of the value: a second pass over the winner alone finds where those stood. */
function recordReadingEdits(trace: Trace, winner: Passing, contract: TextContract): void {
  if (winner.readingEdits.length === 0) return;
  const { start, end, candidate } = winner;
  const plain = candidate !== undefined && candidate.layer === undefined;
  const again = plain ? decodeRelaxed(trace.text, start, end, { maxDepth: contract.maxDepth, keepPositions: true }) : undefined;
  const position = again?.kind === 'value' ? again.position : undefined;
  const inner: string[] = [];
  for (const edit of winner.readingEdits) {
    const span = locate(position, `${inner.join('')}${edit.path}`, { start, end });
    addEdit(trace, { mechanism: edit.mechanism, loss: readingLoss(edit), path: edit.path, ...span });
    if (edit.mechanism === 'envelope') inner.push(edit.path);
    else if (edit.mechanism === 'list-brackets') inner.push('/0');
  }
}

function refusedFinding(findings: readonly Finding[], contract: TextContract, trace: Trace): Finding | undefined {
  for (const finding of findings) {
    const isLossy = finding.reason === 'lossy_value' && contract.accept === 'lossy';
    const isUnchecked = finding.reason === 'suspect_escape' && !contract.checkSuspectEscapes;
    if (!isLossy && !isUnchecked) return finding;
    addNote(trace, `${finding.reason} at ${finding.path || 'the root'}: released, as the caller asked`);
  }
  return undefined;
}

const findingMessages: Readonly<Record<Finding['reason'], string>> = {
  lossy_value: 'a value that JavaScript cannot hold exactly',
  unsafe_key: 'a key that reaches a prototype',
  ambiguous: 'one key came twice with different values',
  suspect_escape: 'an escape that destroyed a backslash',
};

const findingMessage = (finding: Finding): string => `${findingMessages[finding.reason]}, at ${finding.path || 'the root'}`;

/** Longest text whose complete part is put into evidence; beyond it only the attempt's own text is. */
const longestSalvage = 1 << 16;

function truncated(gathered: Gathered, message: string, more: Partial<Failed> = {}): Failed {
  const { trace, opens } = gathered;
  const salvaged = opens.at(-1)?.reading.salvaged;
  const kept = salvaged !== undefined && trace.text.length <= longestSalvage;
  if (salvaged !== undefined && !kept) addNote(trace, 'the complete part is too long for evidence');
  const { issues = [], salvagedCalls, note } = more;
  return fail(trace, 'truncated', message, {
    issues,
    ...(kept ? { salvaged } : {}),
    ...(salvagedCalls === undefined ? {} : { salvagedCalls }),
    ...(note === undefined ? {} : { note }),
  });
}

/** A turn that a cut call spoils: every call goes into the evidence, and none runs (SG-072). */
function cutTurn(gathered: Gathered): Failed {
  const { contract, calls, cutCalls, trace } = gathered;
  const keep = trace.text.length <= longestSalvage;
  const salvagedCalls: SalvagedCall[] = [];
  const add = (name: string, args: JsonValue, complete: boolean, id?: string): void => {
    if (keep && salvagedCalls.length < 64) {
      salvagedCalls.push({ id: id ?? contract.newCallId(), name: name.slice(0, 64), args, argsText: JSON.stringify(args), complete });
    }
  };
  for (const call of calls.flatMap((found) => found.calls)) add(call.name, call.args, true, call.id);
  for (const cut of cutCalls) {
    for (const item of cut.complete) add(item.name, item.args ?? {}, true, item.id);
    add(cut.name ?? '', cut.args ?? {}, false);
  }
  const name = cutCalls.map((cut) => cut.name).find((known) => known !== undefined && isToolName(contract, plainToolName(known)));
  return truncated(gathered, name === undefined ? 'a call was cut' : `the call of ${name.slice(0, 64)} was cut`, { salvagedCalls });
}

function nothingPasses(gathered: Gathered): Failed {
  const { trace, scan, contract, failures, outputs, opens } = gathered;
  const { finish } = contract;
  const cut = finish === 'length';
  if (!scan.hasText && !scan.openReasoning) {
    return cut
      ? truncated(gathered, 'the output limit was reached before any output', { note: 'reasoning_budget' })
      : fail(trace, 'empty', 'the response holds no output');
  }
  const mismatch = failures.filter((failure) => failure.reason !== 'invalid_json');
  const last = mismatch.at(-1);
  // Of several values none is known to be the last.
  const values = scan.candidates.filter((candidate) => candidate.reading.kind === 'value' && !candidate.inReasoning);
  const isWhole = last !== undefined && values.length < 2 && isBlank(trace.text, last.end, trace.text.length);
  if (cut && !isWhole) {
    const note = scan.openReasoning ? { note: 'reasoning_budget' } : {};
    return truncated(gathered, 'the output limit was reached before a complete value', note);
  }
  if (outputs.length > 0 && opens.length === 0) {
    return fail(trace, 'invalid_json', `the text passes only after a repair that the policy "${contract.accept}" does not take`);
  }
  if (opens.length > 0) return truncated(gathered, 'a value does not end');
  return failedCandidates(gathered);
}

/** The reason of the largest span that came close to being an answer. */
function failedCandidates({ trace, failures, scan }: Gathered): Failed {
  const size = (failure: { start: number; end: number }): number => failure.end - failure.start;
  const prose = new Set<number>();
  for (const { start, reading } of scan.candidates) if (reading.kind === 'guess' && reading.proseLike) prose.add(start);
  const real = failures.filter((failure) => failure.reason !== 'invalid_json' || !prose.has(failure.start));
  const [first, ...rest] = real;
  if (first === undefined) return fail(trace, 'no_candidate', 'the text holds nothing that starts to be JSON');
  const largest = rest.reduce((best, failure) => (size(failure) > size(best) ? failure : best), first);
  const { reason, message, issues } = largest;
  return fail(trace, reason, message, { issues });
}
