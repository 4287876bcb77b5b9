import { configurationError } from '@vouch/contracts';
import type { AdapterFactory, ChatAdapterId } from './adapter.ts';

const loaders: { readonly [Id in ChatAdapterId]?: () => Promise<AdapterFactory> } = {
  'anthropic-messages': async () => (await import('./anthropic-messages.ts')).anthropicMessages,
  gemini: async () => (await import('./gemini.ts')).gemini,
  'openai-chat': async () => (await import('./openai-chat.ts')).openaiChat,
  ollama: async () => (await import('./ollama.ts')).ollama,
  'openai-responses': async () => (await import('./openai-responses.ts')).openaiResponses,
};

/** The adapter of a wire, loaded when it is first needed. Throws a configuration failure for an id that no wire has. */
export async function loadAdapter(id: string): Promise<AdapterFactory> {
  const load = Object.hasOwn(loaders, id) ? loaders[id as ChatAdapterId] : undefined;
  if (load === undefined) {
    throw configurationError('E_CONFIGURATION', `There is no adapter "${id.slice(0, 100)}". Known: ${Object.keys(loaders).join(', ')}.`);
  }
  return load();
}
