import type { JsonObject, SignalOptions } from '@vouch/contracts';
import type { WireMessage } from './messages.ts';

/** The parts of a request that the server may keep, in the order in which it reads them. */
export interface CachedParts {
  readonly tools: readonly JsonObject[];
  readonly system: readonly JsonObject[];
  readonly messages: readonly WireMessage[];
}

/**
 * Marks what the server may keep: everything to the last tool, to the last system block and to the last block of the conversation. Three of the four
 * marks that the wire allows; on no thinking, where it allows none.
 */
export function withCacheMarks(
  { tools, system, messages }: CachedParts,
  promptCache: NonNullable<SignalOptions['promptCache']>,
): CachedParts {
  const mark: JsonObject = { type: 'ephemeral', ...(promptCache === '5m' ? {} : { ttl: promptCache }) };
  const marked = (blocks: readonly JsonObject[], at = blocks.length - 1): readonly JsonObject[] =>
    blocks.map((block, index) => (index === at ? { ...block, cache_control: mark } : block));
  const last = messages.length - 1;
  return {
    tools: marked(tools),
    system: marked(system),
    messages: messages.map((message, index) =>
      index === last ? { ...message, content: marked(message.content, message.content.findLastIndex(takesMark)) } : message,
    ),
  };
}

const takesMark = ({ type, cache_control: own }: JsonObject): boolean =>
  type !== 'thinking' && type !== 'redacted_thinking' && own === undefined;
