import type { JsonObject } from '../basics/json.ts';
import type { ReasoningEffort, ThinkingMode } from '../endpoint/capabilities.ts';
import { makeFailure, SignalError } from '../outcome/signal-error.ts';

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

const reasonTexts: { readonly [Reason in UnsupportedThinkingReason]: string } = {
  'no-thinking': 'does not think, or cannot stop thinking. Choose another model, or leave thinking out',
  budget:
    'does not take this budget: it is no number that the endpoint accepts, or the endpoint takes none. Leave budget out, or give an effort',
  temperature: 'thinks only at temperature 1. Leave temperature out, or thinking',
  'forced-tool-choice': 'cannot be forced to call a tool while it thinks within a budget. Let it choose, or leave thinking out',
};

/**
 * Thinking was asked of a model or in a way that does not have it: a caller's mistake, of kind `configuration`. Thrown before any request (TH-006,
 * TH-016). `message` is for what the reason alone does not tell.
 */
export class UnsupportedThinkingError extends SignalError {
  override readonly name: string = 'UnsupportedThinkingError';
  readonly provider: string;
  readonly model: string;
  readonly reason: UnsupportedThinkingReason;
  readonly retryable = false;

  constructor(facts: {
    readonly provider: string;
    readonly model: string;
    readonly reason: UnsupportedThinkingReason;
    readonly message?: string;
  }) {
    const { provider, model, reason } = facts;
    const message = facts.message ?? `thinking: "${provider}/${model}" ${reasonTexts[reason]}.`;
    super(makeFailure('configuration', { code: 'E_CONFIGURATION', message, retryable: false }));
    this.provider = provider;
    this.model = model;
    this.reason = reason;
  }
}
