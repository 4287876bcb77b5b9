import type { Message } from '../conversation/message.ts';
import type { FinishReason, WithheldPart } from '../conversation/part.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Failure } from './failure.ts';
import type { WireReport } from './wire-report.ts';

/** One tool execution of a run. */
export interface ToolCallRecord {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly outcome: 'succeeded' | 'failed' | 'cancelled';
  readonly durationMs: number;
}

/** What is known of a run beside its response. */
export interface SignalMeta {
  readonly provider: string;
  readonly model: string;
  readonly finish: FinishReason;
  readonly usage: Usage;
  readonly durationMs: number;
  /** Corrections sent; network retries are not counted here. */
  readonly retries: number;
  readonly toolCalls: readonly ToolCallRecord[];
  /** One report per model call that was routed, in order. */
  readonly wire: readonly WireReport[];
  /** What of earlier turns the requests left out, as reasoning of another model, and why; in order (TH-015). */
  readonly withheld: readonly Omit<WithheldPart, 'type'>[];
  /** SHA-256 of each request's neutral form, in order. */
  readonly requests: readonly string[];
}

/** A conforming value, the messages so far, and what is known of the run. */
export interface SignalResult<Value> {
  readonly response: Value;
  readonly history: readonly Message[];
  readonly meta: SignalMeta;
}

/** `tryComplete`'s answer (SG-081). */
export type TryResult<Value> = ({ readonly ok: true } & SignalResult<Value>) | { readonly ok: false; readonly failure: Failure };

/** The events of a run; the last is `done` or `error` (SG-081). */
export type StreamEvent<Value> =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly id?: string; readonly name?: string; readonly argsText: string }
  /**
   * The run takes up a call that the model made. `args` as the model wrote them: the tool's schema has not judged them yet, so a `tool_end` with
   * outcome `failed` may follow although the tool never ran, as for a tool that does not exist. Each has one `tool_end`, unless the reader leaves.
   */
  | { readonly type: 'tool_start'; readonly callId: string; readonly name: string; readonly args: unknown }
  /** The call ended; calls that run at once each end when they end. `result`: what the tool returned, or what the model is told instead. */
  | {
      readonly type: 'tool_end';
      readonly callId: string;
      readonly name: string;
      readonly result: unknown;
      readonly outcome: ToolCallRecord['outcome'];
    }
  /** Everything that this attempt showed is void. */
  | { readonly type: 'retry'; readonly reason: string; readonly attempt: number }
  | ({ readonly type: 'done' } & SignalResult<Value>)
  | { readonly type: 'error'; readonly failure: Failure };
