import type { PathologyWire } from '@vouch/lab';
import { messagesDialect, translatedResponsesDialect } from '../../src/registry.ts';
import type { LabProvider } from './pathology-cases.ts';

/** Strategies that a client is told of, because they are for a provider's own form. */
const strategies = ['failed-generation', 'jsonl-lines'] as const;

/** Every chat wire, in the order of the tables, with the settings by which a client reaches a lab over it. */
export const chatWires: readonly { readonly id: PathologyWire; readonly provider: LabProvider }[] = [
  { id: 'openai-chat', provider: { dialect: 'groq', wire: [...strategies] } },
  { id: 'openai-responses', provider: { adapter: 'openai-responses', dialect: translatedResponsesDialect, wire: [...strategies] } },
  { id: 'anthropic-messages', provider: { adapter: 'anthropic-messages', dialect: messagesDialect, wire: [...strategies] } },
  { id: 'gemini', provider: ({ origin }) => ({ adapter: 'gemini', baseUrl: `${origin}/v1beta`, wire: [...strategies] }) },
  { id: 'ollama', provider: ({ origin }) => ({ adapter: 'ollama', baseUrl: origin, wire: [...strategies] }) },
];
