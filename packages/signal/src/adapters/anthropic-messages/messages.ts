import { assertNever, type JsonObject, type Message, type MessagePart, type MessagesDialect, type WithheldPart } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { replayBlocks, type SentThought } from '../../reasoning/messages-blocks.ts';
import { imageBlock } from './images.ts';

/** A conversation in the wire's form; each entry of `system` and of a message's `content` is one block. */
export interface WireMessages {
  readonly system: readonly JsonObject[];
  readonly messages: readonly WireMessage[];
  /** The thinking in `messages`. */
  readonly thoughts: readonly SentThought[];
  /** Carries that are left out. */
  readonly withheld: readonly WithheldPart[];
}

/** One message of the wire. */
export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly JsonObject[];
}

type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { readonly type: Type }>;

const textBlock = (text: string): JsonObject => ({ type: 'text', text });

// The service refuses an empty text; it says nothing.
const textBlocks = ({ parts }: Message): readonly JsonObject[] =>
  parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [textBlock(part.text)] : []));

/**
 * The messages of a conversation. The results of a turn's calls and what the user adds to them are one user message, the results first: the service
 * looks for them there. Throws a configuration failure for an image that the endpoint cannot be given.
 */
export function wireMessages(conversation: readonly Message[], dialect: MessagesDialect, source: CarrySource): WireMessages {
  const system: JsonObject[] = [];
  const messages: WireMessage[] = [];
  const withheld: WithheldPart[] = [];
  const thoughts: SentThought[] = [];
  // What answers the calls of the assistant message before.
  let answering: { readonly results: JsonObject[]; readonly rest: JsonObject[] } | undefined;
  const flush = (): void => {
    if (answering !== undefined) add(messages, 'user', [...answering.results, ...answering.rest]);
    answering = undefined;
  };
  for (const message of conversation) {
    switch (message.role) {
      case 'system':
        if (dialect.systemMessages === 'leading' || (messages.length === 0 && answering === undefined)) addAll(system, textBlocks(message));
        else {
          flush();
          add(messages, 'system', textBlocks(message));
        }
        break;
      case 'user':
      case 'tool': {
        const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [resultBlock(part)] : []));
        const shown = message.parts.flatMap((part) => shownBlock(part, dialect));
        if (answering === undefined && results.length === 0) add(messages, 'user', shown);
        else {
          answering ??= { results: [], rest: [] };
          addAll(answering.results, results);
          addAll(answering.rest, shown);
        }
        break;
      }
      case 'assistant': {
        flush();
        const replayed = replayBlocks(message, source);
        addAll(withheld, replayed.withheld);
        addAll(thoughts, replayed.thoughts);
        const content = replayed.blocks.flatMap(({ part, before, own, after }) => [...before, ...saidBlock(part, own), ...after]);
        add(messages, 'assistant', content);
        break;
      }
      default:
        assertNever(message.role);
    }
  }
  flush();
  return { system, messages, thoughts, withheld };
}

/** One by one: the arguments of a call must fit on the stack. */
function addAll<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}

function add(messages: WireMessage[], role: WireMessage['role'], content: readonly JsonObject[]): void {
  if (content.length > 0) messages.push({ role, content });
}

function shownBlock(part: MessagePart, dialect: MessagesDialect): readonly JsonObject[] {
  if (part.type === 'text') return part.text === '' ? [] : [textBlock(part.text)];
  return part.type === 'image' ? [imageBlock(part.source, dialect)] : [];
}

const resultBlock = ({ callId, text, outcome }: PartOf<'tool-result'>): JsonObject => ({
  type: 'tool_result',
  tool_use_id: callId,
  ...(text === '' ? {} : { content: text }),
  ...(outcome === 'succeeded' ? {} : { is_error: true }),
});

/** What the model said in a part: as it came where that may go back, else written anew. */
function saidBlock(part: MessagePart, own: JsonObject | undefined): readonly JsonObject[] {
  if (part.type === 'tool-call') {
    const call: JsonObject = { type: 'tool_use', id: part.callId, name: part.name, ...own, input: inputOf(part) };
    return [call];
  }
  if (own !== undefined) return [own];
  if (part.type !== 'text' && part.type !== 'refusal') return [];
  return part.text === '' ? [] : [textBlock(part.text)];
}

/** The wire takes arguments as an object alone: those that are none go back in one. */
function inputOf({ arguments: text }: PartOf<'tool-call'>): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Written as it is, below.
  }
  return { arguments: text };
}
