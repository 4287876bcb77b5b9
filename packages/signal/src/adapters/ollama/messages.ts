import {
  assertNever,
  configurationError,
  type ImageSource,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
  type WithheldPart,
} from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { replayThinking } from '../../reasoning/ollama.ts';

/** A conversation in the wire's form. */
export interface WireMessages {
  readonly messages: readonly JsonObject[];
  /** The source text of each call's arguments: encoding them anew would lose the digits of long numbers. */
  readonly sources: ReadonlyMap<JsonValue, string>;
  /** Carries that are left out. */
  readonly withheld: readonly WithheldPart[];
}

type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { readonly type: Type }>;

const partsOf = <Type extends MessagePart['type']>(message: Message, type: Type): readonly PartOf<Type>[] =>
  message.parts.filter((part): part is PartOf<Type> => part.type === type);

const textOf = (message: Message): string => message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The messages of a request. A neutral tool message with several results becomes several. */
export function wireMessages(given: readonly Message[], source: CarrySource): WireMessages {
  const withheld: WithheldPart[] = [];
  const sources = new Map<JsonValue, string>();
  const messages = given.flatMap((message): readonly JsonObject[] => {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: textOf(message) }];
      case 'user':
        return [...results(message), ...userMessage(message)];
      case 'assistant':
        return [assistantMessage(message, source, { withheld, sources })];
      case 'tool':
        return results(message);
      default:
        return assertNever(message.role);
    }
  });
  return { messages, withheld, sources };
}

/** Older servers tell results apart by the name and their order, newer ones by the id. */
const results = (message: Message): readonly JsonObject[] =>
  partsOf(message, 'tool-result').map(({ name, callId, text }) => ({ role: 'tool', tool_name: name, tool_call_id: callId, content: text }));

function userMessage(message: Message): readonly JsonObject[] {
  const images = partsOf(message, 'image');
  if (images.length === 0 && message.parts.length > 0 && partsOf(message, 'text').length === 0) return [];
  return [
    { role: 'user', content: textOf(message), ...(images.length === 0 ? {} : { images: images.map(({ source }) => imageData(source)) }) },
  ];
}

/** The bytes of an image, without what a data address says before them. */
function imageData(source: ImageSource): string {
  if (source.type === 'base64') return source.data;
  const data = /^data:[^,]{0,200};base64,/i.exec(source.url);
  if (data !== null) return source.url.slice(data[0].length);
  throw configurationError(
    'E_CONFIGURATION',
    'The /api/chat wire takes images by their bytes alone, and one was given by its address. Give its bytes (base64).',
  );
}

interface Notes {
  readonly withheld: WithheldPart[];
  readonly sources: Map<JsonValue, string>;
}

/** Order inside an assistant message is not the wire's: thinking, text and calls have a field each. */
function assistantMessage(message: Message, source: CarrySource, { withheld, sources }: Notes): JsonObject {
  const calls = partsOf(message, 'tool-call');
  const replayed = replayThinking(message, source);
  withheld.push(...replayed.withheld);
  const refusals = partsOf(message, 'refusal').map((part) => part.text);
  return {
    role: 'assistant',
    content: textOf(message) + refusals.join(''),
    ...(replayed.thinking === undefined ? {} : { thinking: replayed.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => wireCall(call, index, sources)) }),
  };
}

const wireCall = (call: PartOf<'tool-call'>, index: number, sources: Map<JsonValue, string>): JsonObject => ({
  id: call.callId,
  function: { index, name: call.name, arguments: argumentsObject(call, sources) },
});

/** The arguments as the object that the wire wants: encoded twice they mean the same, and those that are none go back in one. */
function argumentsObject({ arguments: text }: PartOf<'tool-call'>, sources: Map<JsonValue, string>): JsonObject {
  if (text === '') return {};
  const once = parsed(text);
  const source = typeof once === 'string' ? once : text;
  const value = typeof once === 'string' ? parsed(once) : once;
  if (!isJsonObject(value)) return { arguments: text };
  sources.set(value, source);
  return value as JsonObject;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
