import type { Carry } from './message.ts';
import type { ThinkingBlock } from './thinking.ts';
import type { Usage } from './usage.ts';

/** Why the model stopped, in the neutral words. `unknown` = the provider gave a reason that nobody knows, or none. `error` = the body was an error. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'unknown';

/** What a block of a response holds. */
export type BlockKind = 'text' | 'thinking' | 'redacted_thinking' | 'function-call' | 'refusal';

/** The log-probability of one token and of its alternatives. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly alternatives: readonly { readonly token: string; readonly logprob: number }[];
}

/** One piece of a function call, exactly as the wire sent it; the assembler gives it identity (SG-034). */
export interface FunctionCallDelta {
  readonly type: 'function-call-delta';
  /** The wire's own index; null where the wire sent none. Not to be trusted. */
  readonly index: number | null;
  readonly id?: string;
  readonly name?: string;
  /** A fragment of the arguments' JSON text. */
  readonly arguments?: string;
  /** `arguments` is the whole text (the wire sent an object, or the call was not streamed). */
  readonly whole?: true;
}

/** What is known of the call as such. Later ones replace the fields that they have. */
export interface CallMetadata {
  readonly type: 'call-metadata';
  readonly finishReason?: FinishReason;
  /** The provider's own word, where it is not the neutral one. */
  readonly providerFinishReason?: string;
  /** The wire's terminal mark came (`[DONE]`, the end of the body of a whole response, a stop event). Without it and without a finish reason the response was cut. */
  readonly terminated?: true;
  readonly usage?: Usage;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  readonly requestId?: string;
}

/** A carry of an earlier turn that was not sent, because the endpoint would refuse it (TH-015). */
export interface WithheldPart {
  readonly type: 'withheld';
  /** The message part that owns it. */
  readonly partId: string;
  readonly shape: string;
  /**
   * It came from another provider, from another model, without what must go with it, its message was edited, or what stands before it is no longer
   * what it was given after.
   */
  readonly reason: 'other-provider' | 'other-model' | 'incomplete' | 'edited' | 'prefix-changed';
}

/** The neutral stream of one model call (AC-009): what every adapter yields, and the only one in the project. */
export type ModelPart =
  | { readonly type: 'text-delta'; readonly text: string; readonly blockId?: string }
  | { readonly type: 'thinking-delta'; readonly text: string; readonly blockId?: string }
  | { readonly type: 'refusal-delta'; readonly text: string; readonly blockId?: string }
  | FunctionCallDelta
  | { readonly type: 'block-start'; readonly kind: BlockKind; readonly index: number }
  | { readonly type: 'block-end'; readonly kind: BlockKind; readonly index: number }
  /** A whole piece of reasoning, at its place. Where a wire gives these, they are the turn's thinking, and the deltas of the same `blockId` only their preview. */
  | { readonly type: 'thinking-block'; readonly blockId: string; readonly block: ThinkingBlock }
  /** Travels back with the block or call that owns it. */
  | { readonly type: 'carry'; readonly carry: Carry }
  | WithheldPart
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenLogprob[] }
  | CallMetadata
  | { readonly type: 'provider-chunk'; readonly chunk: unknown }
  | { readonly type: 'provider-response'; readonly response: unknown };
