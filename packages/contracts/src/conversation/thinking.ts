import type { JsonObject } from '../basics/json.ts';
import type { ReasoningEffort, ThinkingMode } from '../endpoint/capabilities.ts';

/** One piece of a model's reasoning, in response order (TH-001, TH-013). */
export interface ThinkingBlock {
  readonly type: 'thinking' | 'redacted_thinking';
  /** The reasoning text; `''` when redacted. */
  readonly content: string;
  /** The provider's opaque proof; travels back byte for byte (TH-002). */
  readonly signature?: string;
  /** True only on one step of a structured summary (TH-004). */
  readonly summary?: boolean;
  /** Provider facts for debugging; reach no narrative, exporter, log or error (TH-005). */
  readonly providerMeta?: JsonObject;
}

/** How thinking is asked for (TH-016). `budget`: tokens, a positive whole number. `mode`: how a model without a row thinks. */
export interface ThinkingOptions {
  readonly budget?: number;
  readonly effort?: ReasoningEffort;
  readonly mode?: ThinkingMode;
}

/** Turns a provider's own data into thinking blocks. Pure and synchronous (TH-007). */
export interface ThinkingHandler {
  /** Lowercase with dashes. */
  readonly id: string;
  /** The blocks of a whole response; an empty array when there is none. */
  normalize(raw: unknown): readonly ThinkingBlock[];
  /** The thinking text that one wire chunk adds, if any. */
  parseChunk?(chunk: unknown): { readonly thinkingDelta?: string } | undefined;
}

/** Why a request for thinking was refused before sending (TH-016). */
export type UnsupportedThinkingReason = 'no-thinking' | 'budget' | 'temperature' | 'forced-tool-choice';

/** Thinking was asked of a model or in a way that does not have it. Thrown before any request (TH-006, TH-016). */
export class UnsupportedThinkingError extends Error {
  override readonly name = 'UnsupportedThinkingError';
  readonly provider: string;
  readonly model: string;
  readonly reason: UnsupportedThinkingReason;
  readonly retryable = false;

  constructor(facts: { readonly provider: string; readonly model: string; readonly reason: UnsupportedThinkingReason }) {
    super(`${facts.provider}/${facts.model} cannot think as asked (${facts.reason}). Choose another model, or leave thinking out.`);
    this.provider = facts.provider;
    this.model = facts.model;
    this.reason = facts.reason;
  }
}
