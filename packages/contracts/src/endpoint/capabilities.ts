/** A measured or documented fact: known to hold, known not to, or nobody has measured it. */
export type Fact = 'yes' | 'no' | 'unmeasured';

/** Facts that hold for every model behind an endpoint; owned by the provider row (SG-020). */
export interface EndpointCapabilities {
  /** Accepts `tools`. */
  readonly nativeTools: Fact;
  /** Accepts a response format of any JSON object. */
  readonly nativeJsonMode: Fact;
  /** Checks tool arguments itself and refuses the whole request when they miss the schema. */
  readonly validatesToolArgs: Fact;
  readonly supportsEmbedding: Fact;
}

/** Facts of one model behind one provider; owned by the model row (SG-020). Shares no field with `EndpointCapabilities`. */
export interface ModelCapabilities {
  /** Honours a JSON Schema response format with rich content. */
  readonly nativeJsonSchema: Fact;
  /** One request may carry tools and a response format. */
  readonly toolsWithStructuredOutput: Fact;
  /** Corrupts nested tool arguments at times. */
  readonly manglesNestedToolArgs: Fact;
  /** Accepts images. */
  readonly multimodal: Fact;
}

/** What a client can rely on: the join of its provider's row and its model's row. */
export type Capabilities = EndpointCapabilities & ModelCapabilities;

/** Every reasoning effort that some provider accepts, least first. */
export const reasoningEfforts = ['none', 'default', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** How a model thinks: by itself, within a token budget that is asked for, or not at all (TH-006). */
export type ThinkingMode = 'adaptive' | 'budget' | 'none';
