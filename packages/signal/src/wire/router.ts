import {
  type AcceptPolicy,
  boundText,
  type Failure,
  type FinishReason,
  type FitUndo,
  type Gate,
  makeFailure,
  type Rejection,
  type ResponseWireStrategy,
  type StepOutcome,
  type ToolDescriptor,
  textLimits,
  type WireReport,
} from '@vouch/contracts';
import type { TextVerdict } from './competition.ts';
import { plainToolName } from './dialects/call-shape.ts';
import { isArgumentsKey, type TextContract } from './evaluate.ts';
import { makeTrace, wireReport } from './report.ts';
import { routeCalls } from './route-calls.ts';
import { routeText } from './route-text.ts';
import { isBlank } from './scan.ts';

/** A tool call as the assembler left it. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The arguments' JSON text as written; `''` for none. */
  readonly argsText: string;
}

/** One response, assembled from its parts. */
export interface WireResponse {
  readonly content: string;
  readonly calls: readonly WireCall[];
  readonly finish: FinishReason;
  /** The wire's terminal mark came. False = the stream was cut. */
  readonly terminated: boolean;
  /** The provider's own refusal text. */
  readonly refusal?: string;
  /** The model spent tokens on reasoning (for the note `reasoning_budget`). */
  readonly reasoned?: boolean;
}

/** What a response must meet, and what may be done for it. */
export interface RouteContract {
  /** Absent: a turn without declared calls is free text, and `routeResponse` gives it back as `output` of the string. */
  readonly gate?: Gate;
  /** Every tool of the request, the exit tool included. */
  readonly declared: readonly ToolDescriptor[];
  readonly exitTool?: string;
  /** Default `repaired`. */
  readonly accept?: AcceptPolicy;
  readonly envelope?: FitUndo;
  readonly strategies?: readonly ResponseWireStrategy[];
  readonly limits?: Partial<WireLimits>;
  /** Default true; false switches the `suspect_escape` check off, noted (SG-070). */
  readonly checkSuspectEscapes?: boolean;
  /** Ids for calls that came without one. */
  readonly newCallId: () => string;
}

/** Bounds of the work on one response; passing one is `limit_exceeded`. */
export interface WireLimits {
  /** UTF-16 units of text. Default 16 Mi. */
  readonly maxChars: number;
  /** Nesting. Default 512. */
  readonly maxDepth: number;
  /** Candidates that are gated. Default 64. */
  readonly maxCandidates: number;
}

/** An outcome and how it came about. */
export interface Routed {
  readonly outcome: StepOutcome;
  readonly wire: WireReport;
}

const defaultLimits: WireLimits = { maxChars: 16 * 1_024 * 1_024, maxDepth: 512, maxCandidates: 64 };

/** Sole keys that hold the answer and are none of it (SG-071). */
const envelopeKeys: readonly string[] = [
  'output',
  'result',
  'response',
  'data',
  'answer',
  'json',
  'arguments',
  'parameters',
  'parameter',
  '$PARAMETER_NAME',
  'input',
  'properties',
];

const noTools: ReadonlyMap<string, ToolDescriptor> = new Map();

/**
 * Classifies one response (SG-060): calls of declared tools, an output that passes the gate, or a failure with evidence. Pure; linear in the text;
 * never throws on any input. Evidence: at most 4,000 characters of the attempt, issues by pointer, and the complete part of a cut value of up to
 * 64 Ki characters.
 */
export function routeResponse(response: WireResponse, contract: RouteContract): Routed {
  const stopped = stoppedResponse(response);
  if (stopped !== undefined) return stopped;
  const text = textContract(contract, response.finish, response.terminated);
  if (response.calls.length > 0) return routedTurn(response, text);
  if (contract.gate === undefined) return freeText(response, text);
  return routed(routeText(response.content, 'content', text), response.finish);
}

/** Routes what a provider's error carried as if it had arrived normally (SG-067). Pure. Every failure has kind `rejected`. */
export function routeRejection(rejection: Rejection & { readonly strategy: string }, contract: RouteContract): Routed {
  const { strategy, name: given, truncated, argsText } = rejection;
  const name = given === undefined ? undefined : plainToolName(given);
  const recovered = { strategy, truncated, ...(name === undefined ? {} : { name }) };
  const finish: FinishReason = truncated ? 'length' : 'error';
  const verdict = rejectionVerdict(rejection, name, textContract(contract, truncated ? 'length' : 'tool_calls', true));
  const issues = rejection.issues ?? [];
  if (verdict.kind === 'failed' && issues.length > 0 && (argsText.trim() === '' || verdict.issues.length === 0)) {
    const isUnsent = verdict.reason === 'empty' || verdict.reason === 'provider_error';
    const reason = isUnsent ? 'schema_mismatch' : verdict.reason;
    return routed({ ...verdict, reason, issues }, finish, { recovered });
  }
  return routed(verdict, finish, { recovered });
}

function rejectionVerdict(rejection: Rejection, name: string | undefined, text: TextContract): TextVerdict {
  const { argsText } = rejection;
  if (isBlank(argsText, 0, argsText.length)) {
    const what = name === undefined ? 'the rejected attempt' : `the rejected call of ${name.slice(0, 64)}`;
    const trace = makeTrace('', 'rejection');
    // Without the attempt the provider's error stands; an attempt that was sent along empty is one.
    return rejection.absent === true
      ? { kind: 'failed', reason: 'provider_error', message: `${what} was not sent along`, issues: [], trace }
      : { kind: 'failed', reason: 'empty', message: `${what} is empty`, issues: [], trace };
  }
  const tool = name === undefined || name === text.exitTool ? undefined : text.declared.get(name);
  if (name === undefined || tool === undefined) return routeText(argsText, 'rejection', text);
  // The call goes the way of a textual one, gated by its tool: written as the object that every dialect means.
  return rejectedCall(argsText, name, tool, text);
}

function rejectedCall(argsText: string, name: string, tool: ToolDescriptor, text: TextContract): TextVerdict {
  const gate: Gate = { jsonSchema: tool.jsonSchema, validate: tool.validate ?? (() => ({ ok: true })) };
  const accept = text.accept === 'exact' ? 'exact' : 'repaired';
  const contract: TextContract = {
    ...text,
    declared: noTools,
    gate,
    exitTool: undefined,
    undo: undefined,
    accept,
    isEnvelope: isArgumentsKey,
    strategies: [],
  };
  const verdict = routeText(argsText, 'rejection', contract);
  if (verdict.kind === 'output' && verdict.rung.startsWith('close')) {
    return { kind: 'failed', reason: 'truncated', message: `the call of ${name} was cut`, issues: [], trace: verdict.trace };
  }
  if (verdict.kind === 'output') {
    const calls = [{ id: text.newCallId(), name, args: verdict.value, argsText }];
    return { kind: 'calls', calls, loss: verdict.loss, trace: verdict.trace };
  }
  if (verdict.kind !== 'failed' || verdict.reason !== 'truncated') return verdict;
  const partial = {
    id: text.newCallId(),
    name,
    args: verdict.salvaged ?? {},
    argsText: boundText(argsText, textLimits.evidence).text,
    complete: false,
  };
  return { ...verdict, message: `the call of ${name} was cut, and was not run`, salvagedCalls: [partial] };
}

/** Finish reasons and refusals that settle a response before its text is looked at (SG-082). */
function stoppedResponse(response: WireResponse): Routed | undefined {
  const { refusal, finish, content } = response;
  const trace = makeTrace(content, 'content');
  const failed = (reason: 'refusal' | 'provider_error', message: string): Routed =>
    routed({ kind: 'failed', reason, message, issues: [], trace }, finish);
  if (refusal !== undefined && refusal.trim() !== '') {
    return failed('refusal', `the model refused: ${boundText(refusal, textLimits.preview).text}`);
  }
  if (finish === 'content_filter') return failed('refusal', 'the provider filtered the answer');
  if (finish === 'error') return failed('provider_error', 'the provider ended the answer with an error');
  return undefined;
}

function routedTurn(response: WireResponse, text: TextContract): Routed {
  const verdict = routeCalls(response, text);
  const isFree = text.gate === undefined && verdict.kind === 'failed' && verdict.reason === 'no_candidate';
  if (isFree && !isBlank(response.content, 0, response.content.length))
    return freeText({ ...response, calls: [] }, { ...text, declared: new Map() });
  return routed(verdict, response.finish);
}

/** A turn without a schema: the text is what the model said, unless it is a call, empty or cut (SG-068, SG-080). */
function freeText(response: WireResponse, text: TextContract): Routed {
  const { content, finish, terminated } = response;
  const trace = makeTrace(content, 'content');
  const failed = (reason: 'empty' | 'truncated', message: string, note?: string): Routed =>
    routed({ kind: 'failed', reason, message, issues: [], trace, ...(note === undefined ? {} : { note }) }, finish);
  if (content.length > text.maxChars) {
    return routed({ kind: 'failed', reason: 'limit_exceeded', message: 'the text is longer than the limit', issues: [], trace }, finish);
  }
  if (isBlank(content, 0, content.length)) {
    return finish === 'length'
      ? failed('truncated', 'the output limit was reached before any output', 'reasoning_budget')
      : failed('empty', 'the response holds no output');
  }
  if (finish === 'unknown' && !terminated) return failed('truncated', 'the stream ended without a finish reason or a terminal mark');
  const calls = text.declared.size === 0 ? undefined : routeText(content, 'content', text);
  if (calls?.kind === 'calls' || (calls?.kind === 'failed' && calls.salvagedCalls !== undefined)) return routed(calls, finish);
  return routed({ kind: 'output', value: content, loss: 'none', rung: 'text', trace }, finish);
}

function textContract(contract: RouteContract, finish: FinishReason, terminated: boolean): TextContract {
  const { gate, exitTool, envelope: undo, limits, newCallId } = contract;
  const title = gate?.jsonSchema.title;
  // One literal of one shape: spreads cost more than all else that a short answer needs.
  return {
    gate,
    exitTool,
    undo,
    maxChars: limits?.maxChars ?? defaultLimits.maxChars,
    maxDepth: limits?.maxDepth ?? defaultLimits.maxDepth,
    maxCandidates: limits?.maxCandidates ?? defaultLimits.maxCandidates,
    isEnvelope: (key) => key === title || key === exitTool || envelopeKeys.includes(key),
    declared: contract.declared.length === 0 ? noTools : new Map(contract.declared.map((tool) => [tool.name, tool])),
    accept: contract.accept ?? 'repaired',
    strategies: contract.strategies ?? [],
    checkSuspectEscapes: contract.checkSuspectEscapes ?? true,
    newCallId,
    finish,
    terminated,
    prose: 'allowed',
  };
}

function routed(verdict: TextVerdict, finish: FinishReason, more: { readonly recovered?: WireReport['recovered'] } = {}): Routed {
  switch (verdict.kind) {
    case 'output': {
      const { value, loss, rung, trace } = verdict;
      return { outcome: { kind: 'output', value, loss }, wire: wireReport(trace, { rung, loss, ...more }) };
    }
    case 'calls': {
      const { calls, loss, trace } = verdict;
      return { outcome: { kind: 'tool_calls', calls }, wire: wireReport(trace, { loss, ...more }) };
    }
    default: {
      const failure = failureOf(verdict, finish, more.recovered !== undefined);
      const isTruncated = verdict.reason === 'truncated';
      const wire = wireReport(verdict.trace, { loss: isTruncated ? 'truncated' : 'none', ...more });
      return { outcome: { kind: 'failed', failure, ...(isTruncated ? { truncated: true as const } : {}) }, wire };
    }
  }
}

function failureOf(verdict: Extract<TextVerdict, { kind: 'failed' }>, finish: FinishReason, isRejection: boolean): Failure {
  const { reason, message, issues, salvaged, salvagedCalls, note, trace } = verdict;
  return makeFailure(reason, {
    message,
    ...(isRejection ? { kind: 'rejected' as const } : {}),
    ...(reason === 'provider_error' && !isRejection ? { cause: 'transport' as const, retryable: true } : {}),
    evidence: {
      issues: issues.slice(0, 64),
      attempt: { source: trace.source, text: boundText(trace.text, textLimits.evidence) },
      finishReason: finish,
      ...(salvaged === undefined ? {} : { salvaged }),
      ...(salvagedCalls === undefined ? {} : { salvagedCalls }),
      ...(note === undefined ? {} : { note }),
    },
  });
}
