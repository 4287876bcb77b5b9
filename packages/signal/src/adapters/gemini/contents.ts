import {
  configurationError,
  type GenerateContentDialect,
  type JsonObject,
  type Message,
  type MessagePart,
  type WithheldPart,
} from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { type ReplayedPart, replayMessage } from '../../reasoning/gemini-parts.ts';
import { argumentsObject, responseObject } from './struct.ts';

/** A conversation in the wire's form. */
export interface WireContents {
  readonly systemInstruction?: JsonObject;
  readonly contents: readonly JsonObject[];
  /** Carries that are left out. */
  readonly withheld: readonly WithheldPart[];
}

type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { readonly type: Type }>;

/** What the writing of a conversation rests on. */
export interface ContentsContext {
  readonly dialect: Pick<GenerateContentDialect, 'foreignSignature'>;
  readonly source: CarrySource;
  /** The model refuses a first call without a signature, or may. */
  readonly signs: boolean;
}

/** The call ids of one model turn, in order, with the ids that the wire knows them by. */
interface AskedCall {
  readonly callId: string;
  readonly wireId: string | undefined;
}

const textParts = (message: Message): readonly JsonObject[] =>
  message.parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [{ text: part.text }] : []));

/**
 * The contents of a conversation. The results of one turn's calls are one content with nothing beside them, in the order of the calls, as the server
 * asks; a call goes by an id only where the server gave it one. Throws a configuration failure for system text after the conversation has begun, for
 * which the wire has no place, and for a conversation of nothing else.
 */
export function wireContents(messages: readonly Message[], context: ContentsContext): WireContents {
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const count = leading === -1 ? messages.length : leading;
  const system = messages.slice(0, count).flatMap(textParts);
  const withheld: WithheldPart[] = [];
  const contents: JsonObject[] = [];
  let asked: readonly AskedCall[] = [];
  let results: PartOf<'tool-result'>[] = [];
  const add = (role: 'user' | 'model', parts: readonly JsonObject[]): void => {
    if (parts.length === 0) return;
    if (results.length > 0) contents.push({ role: 'user', parts: resultParts(results, asked) });
    results = [];
    contents.push({ role, parts });
  };
  for (const message of messages.slice(count)) {
    if (message.role === 'system') {
      throw configurationError(
        'E_CONFIGURATION',
        'System text stands after the conversation has begun: the generateContent wire has no place for it. Put it first, or into a user message.',
      );
    }
    for (const part of message.parts) if (part.type === 'tool-result') results.push(part);
    if (message.role === 'user') add('user', userParts(message));
    if (message.role !== 'assistant') continue;
    const turn = modelParts(message, context);
    withheld.push(...turn.withheld);
    add('model', turn.parts);
    if (turn.asked.length > 0) asked = turn.asked;
  }
  if (results.length > 0) contents.push({ role: 'user', parts: resultParts(results, asked) });
  if (contents.length === 0) {
    throw configurationError('E_CONFIGURATION', 'The generateContent wire needs a message besides the system text. Add a user message.');
  }
  return { ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }), contents, withheld };
}

function resultParts(results: readonly PartOf<'tool-result'>[], asked: readonly AskedCall[]): readonly JsonObject[] {
  const places = new Map(asked.map(({ callId }, place) => [callId, place]));
  const placeOf = ({ callId }: PartOf<'tool-result'>): number => places.get(callId) ?? asked.length;
  return [...results]
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map((result) => {
      const wireId = asked[placeOf(result)]?.wireId;
      const id = wireId === undefined ? {} : { id: wireId };
      return { functionResponse: { ...id, name: result.name, response: responseObject(result.text, result.outcome) } };
    });
}

const mediaTypes: { readonly [extension: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
};

function userParts(message: Message): readonly JsonObject[] {
  return message.parts.flatMap((part): readonly JsonObject[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
    if (part.type !== 'image') return [];
    const { source } = part;
    if (source.type === 'base64') return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
    const inline = /^data:([^;,]{1,100});base64,/i.exec(source.url);
    if (inline !== null) return [{ inlineData: { mimeType: inline[1] ?? '', data: source.url.slice(inline[0].length) } }];
    const extension = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(source.url)?.[1]?.toLowerCase() ?? '';
    const mimeType = Object.hasOwn(mediaTypes, extension) ? mediaTypes[extension] : undefined;
    return [{ fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } }];
  });
}

interface ModelTurn {
  readonly parts: readonly JsonObject[];
  readonly asked: readonly AskedCall[];
  readonly withheld: readonly WithheldPart[];
}

/** What the model said, part by part: as it came where that may go back, else written anew. Thoughts go back only where they are signed. */
function modelParts(message: Message, { dialect, source, signs }: ContentsContext): ModelTurn {
  const replayed = replayMessage(message, source);
  const parts: JsonObject[] = [];
  const asked: AskedCall[] = [];
  for (const one of replayed.parts) {
    parts.push(...one.before);
    const written = writtenPart(one);
    if (one.part.type === 'tool-call' && written !== undefined) {
      // The server asks for the first call's signature alone, and never for one that it did not give.
      const needs = asked.length === 0 && signs && (one.own === undefined || replayed.lostSignature);
      const signed = needs && written.thoughtSignature === undefined && dialect.foreignSignature !== undefined;
      parts.push(signed ? { ...written, thoughtSignature: dialect.foreignSignature ?? '' } : written);
      const call = written.functionCall as JsonObject;
      asked.push({ callId: one.part.callId, wireId: typeof call.id === 'string' && call.id !== '' ? call.id : undefined });
    } else if (written !== undefined) parts.push(written);
    parts.push(...one.after);
  }
  return { parts, asked, withheld: replayed.withheld };
}

function writtenPart({ part, own }: ReplayedPart): JsonObject | undefined {
  if (part.type === 'tool-call') {
    const args = argumentsObject(part.arguments);
    if (own === undefined) return { functionCall: { name: part.name, args } };
    const call = own.functionCall as JsonObject;
    const had = Object.hasOwn(call, 'args') || Object.keys(args).length > 0;
    return { ...own, functionCall: { ...call, ...(had ? { args } : {}) } };
  }
  if (own !== undefined) return own;
  return (part.type === 'text' || part.type === 'refusal') && part.text !== '' ? { text: part.text } : undefined;
}
