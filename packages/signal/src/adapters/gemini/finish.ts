import type { FinishReason } from '@vouch/contracts';

/** Words that are the server's judgement of what was said, or of what was asked. */
const filtered: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'LANGUAGE',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
]);

/** Words that say that the model failed. */
const failed: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
  'NO_IMAGE',
]);

/** The neutral word for a finish reason; the wire has none for calls. A continuation that is not asked for is a cut. */
export function finishReasonOf(word: string, calls: boolean): FinishReason {
  if (word === 'STOP') return calls ? 'tool_calls' : 'stop';
  if (word === 'MAX_TOKENS' || word === 'CONTINUATION') return 'length';
  if (filtered.has(word)) return 'content_filter';
  return failed.has(word) ? 'error' : 'unknown';
}
