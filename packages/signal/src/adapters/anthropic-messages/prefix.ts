import type { JsonObject, WithheldPart } from '@vouch/contracts';
import type { SentThought } from '../../reasoning/messages-blocks.ts';
import { emptyPrefix, extendByBlock, extendByValue, extendPrefix, type PrefixState, prefixStamp } from '../../reasoning/prefix.ts';
import { withhold } from '../../reasoning/withheld.ts';
import type { WireMessage } from './messages.ts';

/** A request of a model that takes thinking back only after what it was given after. */
export interface BoundRequest {
  readonly tools: readonly JsonObject[];
  readonly system: readonly JsonObject[];
  readonly messages: readonly WireMessage[];
  /** The thinking in `messages`. */
  readonly thoughts: readonly SentThought[];
}

/** The messages that such a model takes. */
export interface BoundMessages {
  readonly messages: readonly WireMessage[];
  readonly withheld: readonly WithheldPart[];
  /** Of all that stands before the answer. */
  readonly prefix: PrefixState;
}

/**
 * Leaves out the thinking of every message before which something is another now than when it was given: the system text, a tool, an earlier message,
 * or what its own message said before it. All of a message's thinking goes or none: the service takes no part of it. Thinking without its stamp may
 * be in the same case, and stays out as `incomplete` (TH-015).
 */
export function boundMessages({ tools, system, messages, thoughts }: BoundRequest): BoundMessages {
  const known = new Map(thoughts.map((thought) => [thought.block, thought]));
  const withheld: WithheldPart[] = [];
  const kept: WireMessage[] = [];
  let prefix = extendPrefix(emptyPrefix, String(tools.length));
  for (const tool of tools) prefix = extendByValue(prefix, tool);
  for (const block of system) prefix = extendByBlock(prefix, 'system', block);
  for (const message of messages) {
    const thinking: SentThought[] = [];
    let reason: WithheldPart['reason'] | undefined;
    for (const block of message.content) {
      const thought = known.get(block);
      prefix = extendByBlock(prefix, message.role, block);
      if (thought === undefined) continue;
      thinking.push(thought);
      if (thought.prefix === undefined) reason ??= 'incomplete';
      else if (thought.prefix !== prefixStamp(prefix)) reason = 'prefix-changed';
    }
    if (reason === undefined) {
      kept.push(message);
      continue;
    }
    for (const { part, shape } of thinking) withhold(withheld, part, [{ shape }], reason);
    const content = message.content.filter((block) => !known.has(block));
    if (content.length > 0) kept.push({ role: message.role, content });
  }
  return { messages: kept, withheld, prefix };
}
