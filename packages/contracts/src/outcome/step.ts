import type { JsonValue } from '../basics/json.ts';
import type { JsonSchema } from '../basics/json-schema.ts';
import type { MessageInput } from '../conversation/message.ts';
import type { CallMetadata, FinishReason, ModelPart, WithheldPart } from '../conversation/part.ts';
import type { ThinkingBlock, ThinkingOptions } from '../conversation/thinking.ts';
import type { ToolChoice, ToolDescriptor } from '../conversation/tool.ts';
import type { Usage } from '../conversation/usage.ts';
import type { ReasoningEffort } from '../endpoint/capabilities.ts';
import type { Failure } from './failure.ts';
import type { Gate } from './schema.ts';
import type { FitUndo } from './transport.ts';
import type { LossGrade, WireReport } from './wire-report.ts';

/** A response format in the neutral form. */
export type ResponseFormat =
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonSchema; readonly strict: boolean }
  | { readonly type: 'json_object' };

/** Sampling and time of a call. Milliseconds. */
export interface SignalOptions {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly reasoningEffort?: ReasoningEffort;
  readonly parallelToolCalls?: boolean;
  /** Thinking on, as said, or off. Absent: as the model does by itself. Refused before sending where the model cannot (TH-006, TH-016). */
  readonly thinking?: ThinkingOptions | false;
  /** Asks for prompt caching where the wire has a mark for it, and for how long. Absent: as the endpoint does by itself. */
  readonly promptCache?: '5m' | '1h';
  /** Aborts every verb, its network and its tools (SG-037). */
  readonly signal?: AbortSignal;
  readonly timeout?: {
    /** From the call to its end. Default none. */
    readonly total?: number;
    /** To the response's first byte. Default 60 000. */
    readonly firstByte?: number;
    /** Between bytes. Default 60 000. */
    readonly idle?: number;
  };
  readonly network?: {
    /** Retries after 408, 409, 429, 5xx and resets, never after output began. Default 2. */
    readonly retries?: number;
    /** The longest wait before a retry; a longer Retry-After fails instead. Default 60 000. */
    readonly maxDelay?: number;
  };
  /** Body fields of the provider's own; they win over nothing that the library sets (a clash is a configuration failure). */
  readonly extraBody?: { readonly [field: string]: JsonValue };
}

/** What a step must produce. */
export interface StepOutput {
  readonly accept: Gate;
  /** The declared tool that carries the final answer. */
  readonly outputTool?: string;
  /** What schema-fit did to the sent schema, to be undone on the answer. */
  readonly envelope?: FitUndo;
}

/** One model call (SG-008). */
export interface StepRequest {
  readonly messages: readonly MessageInput[];
  readonly tools?: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  /** Turns routing on. */
  readonly output?: StepOutput;
  readonly responseFormat?: ResponseFormat;
  /** Merged over the client's options, field by field. */
  readonly options?: SignalOptions;
  /**
   * Give what the provider sent, for a thinking handler: each decoded chunk of a stream as an event, and the whole as the result's `providerRef`
   * (TH-021). Default false.
   */
  readonly providerChunks?: boolean;
}

/** A tool call of a turn. */
export interface StepToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed; the raw text where it does not parse (the tool's schema then refuses it). */
  readonly args: unknown;
  /** The arguments as the model wrote them. */
  readonly argsText: string;
}

/** What a response turned out to be (SG-060). Callers switch on `kind` and never parse text. */
export type StepOutcome =
  | { readonly kind: 'tool_calls'; readonly calls: readonly StepToolCall[] }
  | { readonly kind: 'output'; readonly value: JsonValue; readonly loss: LossGrade }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly truncated?: true };

/** The result of one model call. */
export interface StepResult {
  readonly content: string;
  readonly thinking: readonly ThinkingBlock[];
  /** Every call of the turn, declared or not. */
  readonly toolCalls: readonly StepToolCall[];
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly refusal?: string;
  readonly metadata: Omit<CallMetadata, 'type'>;
  /** The assistant message of this turn, carries included, as it must go back. */
  readonly parts: readonly ModelPart[];
  /** Carries of earlier turns that this request left out, and why (TH-015). */
  readonly withheld: readonly Omit<WithheldPart, 'type'>[];
  /** Absent only for a turn of free text, without `output` and without calls. */
  readonly outcome?: StepOutcome;
  readonly wire?: WireReport;
  readonly requestDigest: string;
  /**
   * The provider's whole decoded response, put together where it was streamed, for a thinking handler's `normalize`. Only with `providerChunks`, and
   * not enumerable: JSON, a log and a copy by spread do not hold it (TH-018, TH-021).
   */
  readonly providerRef?: unknown;
}

/** The events of one model call; the last is `done`, unless it was aborted: then there is none and nothing throws (sig-S8, sig-S14). */
export type StepStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly id?: string; readonly name?: string; readonly argsText: string }
  /** One decoded chunk of a stream; a response that was asked for whole has none. */
  | { readonly type: 'provider_chunk'; readonly chunk: unknown }
  | { readonly type: 'done'; readonly result: StepResult };
