import { assertNever } from '../basics/assert-never.ts';
import type { IdSource } from '../basics/ids.ts';
import { isJsonObject } from '../basics/json.ts';
import { configurationError } from '../outcome/signal-error.ts';
import type { ContentPart, Message, MessageInput, MessagePart, MessageRole, Origin, PartBase, Trust } from './message.ts';

/** What is added to messages that were written by hand. */
export interface MessageDefaults {
  /** Default `{ kind: 'caller' }`. A tool message always has origin `tool` with its call id. */
  readonly origin?: Origin;
  /** By role. Defaults: system `system`, user and assistant `user` (a caller who writes the assistant's words vouches for them no more than for the user's), tool `tool`. */
  readonly trust?: { readonly [role in MessageRole]?: Trust };
  /** Marks the messages as the library's own, so that `.history()` drops them (SG-055). */
  readonly internal?: true;
}

type HandWritten = Exclude<MessageInput, Message>;

const trustOf = { system: 'system', user: 'user', assistant: 'user', tool: 'tool' } as const satisfies { [role in MessageRole]: Trust };

/**
 * Messages as one writes them by hand, made whole (AC-009): each piece gets an id of `ids('part')`, an origin and a trust. A full `Message` is
 * returned as the same object. Pure but for `ids`. Throws a configuration error for what is no message: an unknown role, no content, a part of another form.
 */
export function toMessages(inputs: readonly MessageInput[], ids: IdSource, defaults: MessageDefaults = {}): readonly Message[] {
  return inputs.map((input, index) => toMessage(input, index, ids, defaults));
}

function toMessage(input: MessageInput, index: number, ids: IdSource, defaults: MessageDefaults): Message {
  const given: unknown = input;
  if (typeof given !== 'object' || given === null) {
    throw configurationError('E_CONFIGURATION', `Message ${index} is no message. Give an object with role and content.`);
  }
  if ('parts' in input) {
    if (Array.isArray(input.parts)) return input;
    throw configurationError('E_CONFIGURATION', `Message ${index} has parts that are no list.`);
  }
  checkInput(input, index);
  const trust = defaults.trust?.[input.role] ?? trustOf[input.role];
  const base = (): PartBase => ({ id: ids('part'), origin: defaults.origin ?? { kind: 'caller' }, trust });
  const message: Message = { role: input.role, parts: partsOf(input, base) };
  return defaults.internal ? { ...message, internal: true } : message;
}

function partsOf(input: HandWritten, base: () => PartBase): readonly MessagePart[] {
  switch (input.role) {
    case 'system':
    case 'user':
      return contentParts(input.content, base);
    case 'assistant': {
      const calls = input.toolCalls ?? [];
      // An assistant message of calls alone has no empty text beside them: some wires refuse an empty block.
      const text = input.content === '' && calls.length > 0 ? [] : contentParts(input.content, base);
      return [
        ...text,
        ...calls.map((call): MessagePart => ({ type: 'tool-call', callId: call.id, name: call.name, arguments: call.args, ...base() })),
      ];
    }
    case 'tool': {
      const { toolCallId: callId, name, content: text } = input;
      return [{ ...base(), origin: { kind: 'tool', callId }, type: 'tool-result', callId, name, text, outcome: 'succeeded' }];
    }
    default:
      return assertNever(input);
  }
}

function contentParts(content: string | readonly ContentPart[], base: () => PartBase): readonly MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, ...base() }];
  return content.map((part): MessagePart => ({ ...base(), ...part }));
}

function isContentPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  const { type, text, source } = part as { readonly [name: string]: unknown };
  return type === 'text' ? typeof text === 'string' : type === 'image' && isJsonObject(source);
}

function checkInput(input: HandWritten, index: number): void {
  const { role, content }: { readonly role: unknown; readonly content: unknown } = input;
  if (typeof role !== 'string' || !Object.hasOwn(trustOf, role)) {
    throw configurationError('E_CONFIGURATION', `Message ${index} has no known role. Use system, user, assistant or tool.`);
  }
  const lists = role === 'system' || role === 'user';
  if (typeof content === 'string') return;
  if (lists && Array.isArray(content)) {
    const wrong = content.findIndex((part) => !isContentPart(part));
    if (wrong === -1) return;
    throw configurationError(
      'E_CONFIGURATION',
      `Part ${wrong} of message ${index} is neither { type: 'text', text } nor { type: 'image', source }.`,
    );
  }
  throw configurationError(
    'E_CONFIGURATION',
    `Message ${index} (${role}) has no content. Give a string${lists ? ' or a list of parts' : ''}.`,
  );
}
