import { anthropicMessages } from './anthropic-messages.ts';
import { gemini } from './gemini.ts';
import { ollama } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { LabWire } from './wire.ts';

/** Every wire that the lab serves. What a wire issues and must know again it makes of the seed. */
export const labWires = (seed: number): readonly LabWire[] => [
  openaiChat,
  openaiResponses(seed),
  gemini(seed),
  anthropicMessages(seed),
  ollama,
];
