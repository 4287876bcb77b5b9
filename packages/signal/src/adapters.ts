export type {
  AdapterEndpoint,
  AdapterFactory,
  ChatAdapter,
  ChatAdapterId,
  ProviderAdapter,
  ProviderRequest,
  ProviderStreamDelta,
} from './adapters/adapter.ts';
export { loadAdapter } from './adapters/load.ts';
export { openaiChat } from './adapters/openai-chat.ts';
