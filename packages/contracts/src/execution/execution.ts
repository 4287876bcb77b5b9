import type { Clock } from '../basics/clock.ts';
import type { MaybePromise } from '../basics/maybe-promise.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Budget, RemainingBudget } from './budget.ts';
import type { Invocation } from './receipt.ts';

/** Whose diagnostics these are: one identity per execution, its parent the one that made it. */
export interface DiagnosticScope {
  readonly id: string;
  readonly name: string;
  readonly parentId?: string;
}

/** What callbacks see of an execution (AC-004). */
export interface ExecutionContext {
  readonly executionId: string;
  /** Aborts at the caller's abort, at the deadline, and when the scope itself is cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; absent = none. */
  readonly deadline?: number;
  /** What is left of the budgets. */
  remaining(): RemainingBudget;
  readonly diagnostics: DiagnosticScope;
  /** Stable per call over retries and resume. */
  readonly idempotencyKey: string;
}

/** What a tool's callbacks see beside that (AC-004). */
export interface OperationContext<App> extends ExecutionContext {
  readonly app: App;
  readonly toolId: string;
  readonly invocationId: string;
}

/** The receipts of an execution and its children, in start order. */
export interface ReceiptLog extends Iterable<Invocation> {
  entries(): readonly Invocation[];
}

/** What one model call needs from the budgets, said before it is made (AC-014). */
export interface ModelCallPlan {
  /** `provider/model`. */
  readonly target: string;
  readonly stageId?: string;
  readonly inputChars: number;
  readonly maxOutputTokens?: number;
}

/** What a running model call is given. */
export interface ModelCallScope {
  readonly context: ExecutionContext;
  /** Counts output as it comes; throws at the first character over the budget. */
  countOutput(chars: number): void;
  /** States what the provider said of the call, for the receipt. */
  report(facts: { readonly usage?: Usage; readonly model?: string; readonly repair?: Invocation['repair'] }): void;
}

/** One request's scope (AC-003). */
export interface Execution {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly deadline?: number;
  readonly clock: Clock;
  readonly context: ExecutionContext;
  readonly receipts: ReceiptLog;
  readonly diagnostics: DiagnosticScope;
  /** Shares deadline, budgets, signal and receipts; has a diagnostic identity of its own, whose parent is this one. */
  child(name: string): Execution;
  /** The one way to a model (AC-014): checks the budgets, gives `run` a signal and an output counter, writes the receipt. */
  modelCall<Result>(plan: ModelCallPlan, run: (scope: ModelCallScope) => Promise<Result>): Promise<Result>;
  /** Every model and tool call passes here; by default it calls. Durable execution replaces this one function. */
  perform<Result>(id: string, call: () => MaybePromise<Result>): Promise<Result>;
  cancel(reason?: unknown): void;
  /** Releases timers and listeners. Idempotent. */
  dispose(): void;
}

/** What `createExecution` takes. */
export interface ExecutionOptions {
  readonly id?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
  readonly budget?: Budget;
  readonly clock?: Clock;
  readonly name?: string;
}
