import { configurationError, type MessageInput, sequentialIds, toMessages } from '@vouch/contracts';
import { countable, estimateTokens, tokensPerMessage } from './step/estimate.ts';

export { estimateTokens } from './step/estimate.ts';

/** A count, and whether it is one. */
export interface TokenCount {
  readonly tokens: number;
  /** False = an estimate. */
  readonly exact: boolean;
}

/** A tokenizer that the user installed, for the model's own vocabulary. */
export interface Tokenizer {
  /** The tokens of a text. */
  encode(text: string): { readonly length: number };
  /** What the model's chat format adds. Without it a count of messages is not exact. */
  readonly overhead?: { readonly perMessage: number; readonly perReply: number };
}

/** How to count. */
export interface CountOptions {
  readonly tokenizer?: Tokenizer;
}

/**
 * Counts the tokens of a text or of messages (SG-085). With a tokenizer a text is exact, and messages of text alone are exact when the tokenizer
 * states its overhead; images and tool calls are always estimated (256 and 8 tokens, plus the call's texts), as is everything without a tokenizer
 * (by kind of character, and 4 a message). Throws `E_CONFIGURATION` for a tokenizer without `encode` and for malformed messages.
 */
export function countTokens(input: string | readonly MessageInput[], options?: CountOptions): TokenCount {
  const tokenizer = options?.tokenizer;
  if (tokenizer !== undefined && typeof tokenizer.encode !== 'function') {
    throw configurationError('E_CONFIGURATION', 'The tokenizer has no encode function. Give an object with encode(text).');
  }
  const tokensOf = (text: string): number => (tokenizer === undefined ? estimateTokens(text) : tokenizer.encode(text).length);
  if (typeof input === 'string') return { tokens: tokensOf(input), exact: tokenizer !== undefined };
  const overhead = tokenizer?.overhead;
  const messages = toMessages(input, sequentialIds());
  let tokens = overhead?.perReply ?? 0;
  let exact = overhead !== undefined;
  for (const message of messages) {
    tokens += overhead?.perMessage ?? tokensPerMessage;
    for (const part of message.parts) {
      const { texts, fixed } = countable(part);
      if (part.type !== 'text') exact = false;
      tokens += fixed;
      for (const text of texts) tokens += tokensOf(text);
    }
  }
  return { tokens, exact };
}
