import type { Capabilities, ThinkingMode } from '../endpoint/capabilities.ts';
import type { ExecutionContext } from '../execution/execution.ts';
import type { StepRequest, StepStreamEvent } from '../outcome/step.ts';
import type { Message } from './message.ts';
import type { ModelPart } from './part.ts';
import type { ThinkingHandler } from './thinking.ts';
import type { ToolChoice, ToolDescriptor } from './tool.ts';

/** One request in the neutral form (AC-009). */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Asks for any JSON object. */
  readonly json?: boolean;
  /** Yield `provider-chunk` parts of a stream, and at the end the whole as `provider-response`, too. Default false. */
  readonly providerChunks?: boolean;
}

/** Something that answers chat requests (AC-009). Failures of the provider end the iteration by throwing; abort throws the signal's reason. */
export interface ChatProvider {
  readonly id: string;
  readonly capabilities?: Capabilities;
  stream(request: ChatRequest, context: Pick<ExecutionContext, 'signal'>): AsyncIterable<ModelPart>;
}

/** A chat provider that an agent can use (AC-010, TH-022). Wrappers are spreads. */
export interface LLMProvider extends ChatProvider {
  readonly name: string;
  stepStream(request: StepRequest, options?: { readonly signal?: AbortSignal }): AsyncIterable<StepStreamEvent>;
  readonly thinkingHandler?: ThinkingHandler;
  thinkingMode?(model: string): ThinkingMode | undefined;
}
