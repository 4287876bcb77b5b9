import type { JsonValue } from '../basics/json.ts';
import type { ThinkingBlock } from './thinking.ts';

/** How far a piece of text may be believed (AC-071). */
export type Trust = 'system' | 'developer' | 'user' | 'tool' | 'external';

/** Who put a piece into a message, and why. */
export type Origin =
  | { readonly kind: 'caller' }
  | { readonly kind: 'system-prompt' }
  | { readonly kind: 'schema-prompt' }
  | { readonly kind: 'correction'; readonly attempt: number }
  | { readonly kind: 'model'; readonly provider: string; readonly model: string }
  | { readonly kind: 'tool'; readonly callId: string; readonly invocationId?: string }
  | { readonly kind: 'fragment'; readonly fragmentId: string; readonly sourceId: string };

/**
 * Opaque provider data that must travel back unchanged (TH-014). Keyed by the item or call that it belongs to, never by adjacency, and bound to
 * the endpoint and model that gave it. In a trace it is a length and a digest, never itself.
 */
export interface Carry {
  /** The call by its id, or the provider's item: the `blockId` of the parts that show it. */
  readonly owner: { readonly kind: 'item' | 'call'; readonly id: string };
  /** Which carry rule reads it, such as `reasoning-content`. */
  readonly shape: string;
  readonly provider: string;
  readonly model: string;
  readonly data: JsonValue;
}

/** Where an image comes from. */
export type ImageSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string };

/** What every part of a message has. */
export interface PartBase {
  /** Stable: the same piece keeps its id in every request, trace and checkpoint. */
  readonly id: string;
  readonly origin: Origin;
  readonly trust: Trust;
  readonly carry?: readonly Carry[];
}

/** One piece of a message; the order of pieces is the order of the conversation. */
export type MessagePart = PartBase &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly source: ImageSource }
    | { readonly type: 'thinking'; readonly block: ThinkingBlock }
    | { readonly type: 'refusal'; readonly text: string }
    | {
        readonly type: 'tool-call';
        readonly callId: string;
        readonly name: string;
        /** The arguments as the model wrote them: JSON text. */
        readonly arguments: string;
      }
    | {
        readonly type: 'tool-result';
        readonly callId: string;
        readonly name: string;
        /** What the model sees. */
        readonly text: string;
        readonly outcome: 'succeeded' | 'failed' | 'cancelled';
      }
  );

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** One message: ordered parts (AC-009). */
export interface Message {
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
  /** A correction or schema prompt of the library's own: `.history()` drops it (SG-055). */
  readonly internal?: true;
}

/** A piece of a user's message as one writes it by hand. */
export type ContentPart = { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly source: ImageSource };

/** A message as one writes it by hand; ids, origin and trust are added when it enters. A full `Message` passes unchanged. */
export type MessageInput =
  | Message
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      /** `args` is the JSON text of the arguments. */
      readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string };

/** The text parts of a message, joined. */
export function textOf(message: Message): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
