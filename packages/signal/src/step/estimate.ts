import type { Message, MessagePart, ToolDescriptor } from '@vouch/contracts';

/** What the chat format adds to each message, in tokens. */
export const tokensPerMessage = 4;
/** What an image is taken for, in tokens: its size in pixels is not known here. */
const tokensPerImage = 256;
/** What a call or a tool's declaration adds beside its text, in tokens. */
const tokensPerCall = 8;

// Tokens per character, fitted to published counts of one current vocabulary: English, code, JSON, and one script each.
const weights = { letter: 0.185, digit: 0.45, mark: 0.5, latin: 0.35, alphabet: 0.32, kanji: 0.85, hangul: 0.62, other: 1.2 } as const;

function weightOf(unit: number): number {
  if (unit < 0x80) {
    if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit <= 32) return weights.letter;
    return unit >= 48 && unit <= 57 ? weights.digit : weights.mark;
  }
  if (unit < 0x250) return weights.latin;
  if (unit < 0x1100) return weights.alphabet;
  if (unit >= 0xac00 && unit <= 0xd7af) return weights.hangul;
  return (unit >= 0x3040 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xffef) ? weights.kanji : weights.other;
}

/** Tokens of a text, estimated by kind of character: within some 15 % on prose and code, worse on emoji and on long digit strings. Linear. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) tokens += weightOf(text.charCodeAt(index));
  return Math.ceil(tokens);
}

/** What counts in one piece of a message: texts, and tokens that no text stands for. */
export function countable(part: MessagePart): { readonly texts: readonly string[]; readonly fixed: number } {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'tool-result':
      return { texts: [part.text], fixed: 0 };
    case 'thinking':
      return { texts: [part.block.content], fixed: 0 };
    case 'image':
      return { texts: [], fixed: tokensPerImage };
    case 'tool-call':
      return { texts: [part.name, part.arguments], fixed: tokensPerCall };
  }
}

/** Tokens of a whole request, estimated. */
export function estimateRequest(messages: readonly Message[], tools: readonly ToolDescriptor[] = []): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += tokensPerMessage;
    for (const { texts, fixed } of message.parts.map(countable)) {
      tokens += fixed;
      for (const text of texts) tokens += estimateTokens(text);
    }
  }
  for (const tool of tools) {
    tokens +=
      tokensPerCall + estimateTokens(tool.name) + estimateTokens(tool.description) + estimateTokens(JSON.stringify(tool.jsonSchema));
  }
  return tokens;
}
