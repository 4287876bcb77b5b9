import type { FinishReason } from '@vouch/contracts';

const words: { readonly [word: string]: FinishReason } = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  error: 'error',
  abort: 'error',
  insufficient_system_resource: 'error',
  network_error: 'error',
};

/** The neutral word for a provider's finish word; `unknown` for one that nobody knows. */
export function finishReasonOf(word: string): FinishReason {
  const key = word.toLowerCase();
  return Object.hasOwn(words, key) ? (words[key] ?? 'unknown') : 'unknown';
}

/** Finish words that say the server gave up: an error that may not come again, whatever the status. */
export const serverGaveUp: ReadonlySet<string> = /* @__PURE__ */ new Set(['insufficient_system_resource', 'network_error']);
