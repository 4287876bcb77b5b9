import { boundText, type Clock, isThenable, type StepToolCall, type ToolCallRecord, textLimits, thrownMessage } from '@vouch/contracts';
import { cancelledToolResult, failedToolResult, invalidArgumentsResult } from '../transport/protocol.ts';
import type { Tool } from './define-tool.ts';

/** What a call came to: the record, what the model is told, and the error of a tool that ends the run by failing. */
export interface ToolOutcome {
  readonly record: ToolCallRecord;
  readonly text: string;
  readonly fatal?: { readonly error: unknown };
}

/** What tools run under. */
export interface ToolScope {
  readonly tools: readonly Tool[];
  readonly clock: Clock;
  /** Aborts the tools and the wait for them. */
  readonly signal: AbortSignal;
}

const mostNamesShown = 20;
const mostIssuesShown = 20;

/**
 * Runs one call (SG-080): its arguments are gated by the tool's schema, transformed once, and executed. Every failure becomes a bounded text for the
 * model; only a tool marked `fatal` ends the run. An abort does not wait for a tool that ignores its signal.
 */
export async function runToolCall(call: StepToolCall, scope: ToolScope): Promise<ToolOutcome> {
  const { clock, signal, tools } = scope;
  if (signal.aborted) return cancelledCall(call);
  const startedAt = clock.now();
  const failed = (text: string): ToolOutcome => outcome(call, 'failed', text, text, clock.now() - startedAt);
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    const names = tools.slice(0, mostNamesShown).map(({ name }) => name);
    return failed(failedToolResult(call.name, `unknown tool; known: ${names.join(', ')}`));
  }
  const verdict = tool.inputSchema.validate(call.args);
  if (!verdict.ok) {
    return failed(boundText(invalidArgumentsResult(call.name, verdict.issues.slice(0, mostIssuesShown)), textLimits.evidence).text);
  }
  try {
    // A copy: what a tool does to its input must not show in the record of the call.
    const executed = tool.execute(tool.inputSchema.parse(structuredClone(call.args)), { signal });
    const result = isThenable(executed) ? await untilAbort(executed, signal) : executed;
    return outcome(call, 'succeeded', result, resultText(result), clock.now() - startedAt);
  } catch (error) {
    if (signal.aborted) return cancelledCall(call, clock.now() - startedAt);
    const told = failed(failedToolResult(call.name, thrownMessage(error)));
    return tool.fatal === true ? { ...told, fatal: { error } } : told;
  }
}

/** The outcome of a call that did not run, or did not end, because the run was stopped (SG-055). */
export function cancelledCall(call: StepToolCall, durationMs = 0): ToolOutcome {
  const text = cancelledToolResult(call.name);
  return outcome(call, 'cancelled', text, text, durationMs);
}

/** The same promises, first the one that settles first. */
export function asTheyEnd<Value>(promises: readonly Promise<Value>[]): readonly Promise<Value>[] {
  const places: ((ended: Promise<Value>) => void)[] = [];
  const inOrder = promises.map(() => new Promise<Value>((resolve) => places.push(resolve)));
  let settled = 0;
  for (const promise of promises) {
    const take = (): void => {
      places[settled]?.(promise);
      settled += 1;
    };
    promise.then(take, take);
  }
  // A reader that leaves early hears of none after that, and no rejection of those is unhandled.
  for (const promise of inOrder) promise.catch(() => undefined);
  return inOrder;
}

function outcome(call: StepToolCall, how: ToolCallRecord['outcome'], result: unknown, text: string, durationMs: number): ToolOutcome {
  return { record: { callId: call.id, name: call.name, args: call.args, result, outcome: how, durationMs }, text };
}

function resultText(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
}

function untilAbort(work: PromiseLike<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work).then(resolve, reject).finally(settle);
  });
}
