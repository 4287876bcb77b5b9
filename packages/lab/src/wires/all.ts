import { openaiChat } from './openai-chat.ts';
import type { LabWire } from './wire.ts';

/** Every wire that the lab serves. */
export const labWires: readonly LabWire[] = [openaiChat];
