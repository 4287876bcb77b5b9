export type {
  AdapterEndpoint,
  AdapterFactory,
  ChatAdapter,
  ChatAdapterId,
  ProviderAdapter,
  ProviderRequest,
  ProviderStreamDelta,
} from './adapters/adapter.ts';
export { anthropicMessages } from './adapters/anthropic-messages.ts';
export { gemini } from './adapters/gemini.ts';
export { loadAdapter } from './adapters/load.ts';
export { ollama } from './adapters/ollama.ts';
export { openaiChat } from './adapters/openai-chat.ts';
export { openaiResponses } from './adapters/openai-responses.ts';
