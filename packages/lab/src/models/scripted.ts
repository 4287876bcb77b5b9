import type { LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { replyFault } from './reply-fault.ts';

/** What a model may know besides the request. */
export interface LabModelContext {
  /** The lab's seed. */
  readonly seed: number;
  /** 0 for the first request that reached a model, 1 for the second, … in order of arrival. */
  readonly index: number;
}

/** A fake model: a function of the request. What it throws becomes a 500 with its message. `modelId` and `fingerprint` are what answers carry. */
export interface LabModel {
  (request: LabChatRequest, context: LabModelContext): LabReply | Promise<LabReply>;
  /** Named by `/v1/models` and by answers; absent: answers name the model that the request named. */
  readonly modelId?: string;
  readonly fingerprint?: string;
}

/**
 * A model that gives the listed replies in order of arrival, or what the function gives. A request past the end of the list is answered by a 500 that
 * says so, and that asks not to be retried. Throws `TypeError` for a list with an entry that is no reply, and for what is neither list nor function.
 */
export function scripted(
  replies: readonly LabReply[] | ((request: LabChatRequest, context: LabModelContext) => LabReply | Promise<LabReply>),
): LabModel {
  if (typeof replies === 'function') return (request, context) => replies(request, context);
  if (!Array.isArray(replies)) throw new TypeError('scripted takes a list of replies, or a function that gives one');
  for (const [index, reply] of replies.entries()) {
    const fault = replyFault(reply);
    if (fault !== undefined) throw new TypeError(`reply ${index} of the script is no reply: ${fault}`);
  }
  const held = `${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}`;
  let next = 0;
  return () => {
    const reply = replies[next];
    next += 1;
    if (reply === undefined) throw new Error(`the script is over: the script holds ${held}, and this is request ${next}`);
    return reply;
  };
}
