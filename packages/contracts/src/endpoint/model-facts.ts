import type { Fact, ReasoningEffort, ThinkingMode } from './capabilities.ts';

/** What a request to one model must heed besides its capabilities; from the model's row, never from its name. Absent = nobody stated it. */
export interface ModelFacts {
  readonly thinking?: ThinkingMode;
  /** The efforts that a request may ask for; empty = none. */
  readonly reasoningEfforts?: readonly ReasoningEffort[];
  /** The model thinks unless it is told not to, and may not be told. */
  readonly alwaysThinks?: boolean;
  /** Its thinking is taken back only after what it was given after: the same tools, system text and messages. */
  readonly prefixBoundThinking?: boolean;
  /** Takes temperature, topP and the like. `no`: a request with one is refused by the server. */
  readonly samplingParameters?: Fact;
  /** Takes a tool choice that forces a call. */
  readonly forcedToolChoice?: Fact;
  /** Input and output together, in tokens. */
  readonly contextTokens?: number;
  /** The longest output, in tokens. */
  readonly maxOutputTokens?: number;
}
