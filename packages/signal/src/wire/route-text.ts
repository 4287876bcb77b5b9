import { type AttemptSource, isJsonObject, type JsonValue } from '@vouch/contracts';
import { decide, fail, type Gathered, type TextVerdict } from './competition.ts';
import { endsInBegunCall } from './dialects/begun-call.ts';
import { callsOf } from './dialects/call-shape.ts';
import { type Evaluated, evaluateCandidate, evaluateItems, type TextContract } from './evaluate.ts';
import { sameValue } from './json/equality.ts';
import { parseStrict } from './json/exactness.ts';
import { type DecodedValue, decodeRelaxed } from './json/relaxed-json.ts';
import { addCandidate, makeTrace, type Trace } from './report.ts';
import { isBlank, skipSpace, skipSpaceBack } from './scan.ts';
import { scanText } from './text/scan-text.ts';
import type { Candidate, Scan } from './text/scanner.ts';

/** Reads one text by the ladder: a strict parse, then every candidate and call that one scan finds. Linear; pure; never throws. */
export function routeText(text: string, source: AttemptSource, contract: TextContract): TextVerdict {
  const trace = makeTrace(text, source);
  if (text.length > contract.maxChars) {
    return fail(trace, 'limit_exceeded', `the text has ${text.length} characters, and the limit is ${contract.maxChars}`);
  }
  return cleanText(text, contract, trace) ?? climb(text, contract, trace);
}

/** The rung that nearly every response takes: one parse, one scan of the four checks, the gate. Undefined leaves the text to the ladder. */
function cleanText(text: string, contract: TextContract, trace: Trace): TextVerdict | undefined {
  const { gate, undo, finish, terminated } = contract;
  if (gate === undefined || undo?.rootKey !== undefined) return undefined;
  const parsed = parseStrict(text, contract.maxDepth);
  if (parsed === undefined) return undefined;
  const { value, excessDepth, isExact } = parsed;
  if (excessDepth > 0) {
    return fail(trace, 'limit_exceeded', `the value is nested ${excessDepth} deep, and the limit is ${contract.maxDepth}`);
  }
  if (!isExact) return undefined;
  if (typeof value === 'number' && finish !== 'stop' && finish !== 'tool_calls') return undefined;
  if (finish === 'unknown' && !terminated) return undefined;
  if (isJsonObject(value) && isSpecial(value, contract)) return undefined;
  if (Array.isArray(value) && contract.declared.size > 0 && callsOf(value) !== undefined) return undefined;
  if (!gate.validate(value).ok) return undefined;
  return { kind: 'output', value, loss: 'none', rung: 'parse', trace };
}

/** A value that may be a call, or the schema itself. */
function isSpecial(value: { readonly [key: string]: JsonValue }, contract: TextContract): boolean {
  if (contract.declared.size > 0 && callsOf(value) !== undefined) return true;
  return sameValue(value, contract.gate?.jsonSchema);
}

function climb(text: string, contract: TextContract, trace: Trace): TextVerdict {
  const isDeclared = (name: string): boolean => contract.declared.has(name) || name === contract.exitTool;
  const scan = withInvisible(scanText(text, { isDeclared, maxDepth: contract.maxDepth }), text);
  const gathered: Gathered = {
    contract,
    trace,
    scan,
    outputs: [],
    calls: [],
    cutCalls: [],
    opens: [],
    failures: [],
    offered: [],
    overLimit: false,
  };
  gatherCalls(gathered);
  gatherCandidates(gathered);
  gatherStrategies(gathered, text);
  gatherBegunCall(gathered);
  return decide(gathered);
}

/** Invisible characters at either end are no white space of JSON: dropping them is an edit. */
function withInvisible(scan: Scan, text: string): Scan {
  const start = skipSpace(text, 0, text.length);
  const end = skipSpaceBack(text, text.length, start);
  const ends = [
    { mechanism: 'invisible', start: 0, end: start },
    { mechanism: 'invisible', start: end, end: text.length },
  ].filter((span) => /[^ \t\n\r]/.test(text.slice(span.start, span.end)));
  return ends.length === 0 ? scan : { ...scan, removed: [...scan.removed, ...ends] };
}

function gatherCalls(gathered: Gathered): void {
  const { scan, contract } = gathered;
  for (const found of scan.calls) {
    if (found.inReasoning) continue;
    const { parsed, start } = found;
    if (parsed.kind === 'calls') take(gathered, evaluateItems(parsed.items, start, parsed.end, contract, false));
    else if (parsed.kind === 'cut') {
      const { name, args } = parsed;
      take(gathered, {
        kind: 'cut-call',
        start,
        complete: parsed.items,
        ...(name === undefined ? {} : { name }),
        ...(args === undefined ? {} : { args }),
      });
    }
  }
}

function gatherCandidates(gathered: Gathered): void {
  const { scan, contract, trace } = gathered;
  const marked = scan.candidates.some((candidate) => candidate.inAnswer && !candidate.inReasoning);
  const seen = new Set<string>();
  let gated = 0;
  for (const candidate of scan.candidates) {
    const { start, end, reading } = candidate;
    const report = { rung: 'scan', span: { start, end }, loss: reading.kind === 'guess' ? ('none' as const) : reading.loss };
    if (candidate.inReasoning || (marked && !candidate.inAnswer)) {
      addCandidate(trace, { ...report, verdict: 'in_reasoning' });
      continue;
    }
    const slice = trace.text.slice(start, end);
    if (reading.kind === 'value' && seen.has(slice)) {
      addCandidate(trace, { ...report, verdict: 'duplicate' });
      continue;
    }
    seen.add(slice);
    if (reading.kind !== 'guess') gated += 1;
    if (gated > contract.maxCandidates) {
      gathered.overLimit = true;
      return;
    }
    const evaluated = evaluateCandidate(candidate, contract);
    if (evaluated.kind === 'failed') addCandidate(trace, { ...report, verdict: evaluated.verdict });
    if (evaluated.kind === 'open' || evaluated.kind === 'cut-call')
      addCandidate(trace, { ...report, loss: 'truncated', verdict: 'truncated' });
    take(gathered, evaluated);
  }
}

function take(gathered: Gathered, evaluated: Evaluated): void {
  switch (evaluated.kind) {
    case 'output':
      gathered.outputs.push(evaluated.passing);
      return;
    case 'calls':
      gathered.outputs.push(...evaluated.outputs);
      if (evaluated.calls.length > 0) gathered.calls.push(evaluated);
      return;
    case 'cut-call':
      gathered.cutCalls.push(evaluated);
      return;
    case 'open':
      gathered.opens.push(evaluated);
      return;
    default:
      gathered.failures.push(evaluated);
  }
}

/** A call that has only begun at the end of a turn with calls is a cut one: no complete call hides it (SG-072). */
function gatherBegunCall(gathered: Gathered): void {
  const { scan, trace, calls, outputs } = gathered;
  if (scan.openReasoning || (calls.length === 0 && !outputs.some((passing) => passing.fromCall))) return;
  let from = scan.candidates.at(-1)?.end ?? 0;
  for (const { parsed } of scan.calls) {
    const last = parsed.kind === 'calls' ? parsed.items.at(-1)?.end : parsed.end;
    from = Math.max(from, last ?? 0);
  }
  if (endsInBegunCall(trace.text, from)) take(gathered, { kind: 'cut-call', start: from, complete: [] });
}

/** The texts that strategies offer are candidates like any other; each must be one whole value. */
function gatherStrategies(gathered: Gathered, text: string): void {
  const { contract } = gathered;
  for (const strategy of contract.strategies) {
    for (const offer of strategy.candidates(text).slice(0, contract.maxCandidates)) {
      const reading = decodeRelaxed(offer, 0, offer.length, { maxDepth: contract.maxDepth });
      if (reading.kind !== 'value' || !isBlank(offer, reading.end, offer.length)) continue;
      const at = text.indexOf(offer);
      const found = at < 0 ? { start: 0, end: text.length } : { start: at, end: at + offer.length };
      // Edits of an offer that stands in the text are moved to where it stands.
      const edits = reading.edits.map((edit) => ({ ...edit, start: edit.start + found.start, end: edit.end + found.start }));
      const moved: DecodedValue = at < 0 ? { ...reading, edits: [] } : { ...reading, edits };
      const candidate: Candidate = { ...found, inAnswer: false, inReasoning: false, reading: moved };
      const evaluated = evaluateCandidate(candidate, contract);
      if (evaluated.kind !== 'output') continue;
      const passing = { ...evaluated.passing, rung: strategy.id };
      gathered.offered.push({ strategy: strategy.id, prefersLast: strategy.prefer === 'last', passing });
    }
  }
}
