import { assertNever, type ChatDialect, type JsonObject, type Message, type MessagePart, sha256 } from '@vouch/contracts';
import { type CarrySource, replayedReasoning } from '../../reasoning/chat-reasoning.ts';

/** The shape under which a call's vendor fields are carried. */
export const callExtrasShape = 'chat-call-extras';

type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { readonly type: Type }>;

const partsOf = <Type extends MessagePart['type']>(message: Message, type: Type): readonly PartOf<Type>[] =>
  message.parts.filter((part): part is PartOf<Type> => part.type === type);

const joinedText = (message: Message): string =>
  partsOf(message, 'text')
    .map((part) => part.text)
    .join('');

/** The messages of a request in the wire's form. A neutral tool message with several results becomes several. */
export function wireMessages(messages: readonly Message[], dialect: ChatDialect, source: CarrySource): readonly JsonObject[] {
  const callId = dialect.toolCallIds === 'verbatim' ? (id: string) => id : nineAlphanumeric();
  const reasoning = replayedReasoning(messages, dialect, source);
  return messages.flatMap((message, position): readonly JsonObject[] => {
    switch (message.role) {
      case 'system':
        return [{ role: dialect.systemRole, content: joinedText(message) }];
      case 'user':
        return [...results(message, callId), ...userMessage(message)];
      case 'assistant':
        return [assistantMessage(message, callId, reasoning.get(position) ?? {}, source)];
      case 'tool':
        return results(message, callId);
      default:
        return assertNever(message.role);
    }
  });
}

function results(message: Message, callId: (id: string) => string): readonly JsonObject[] {
  return partsOf(message, 'tool-result').map((part) => ({ role: 'tool', tool_call_id: callId(part.callId), content: part.text }));
}

function userMessage(message: Message): readonly JsonObject[] {
  const shown = message.parts.filter((part) => part.type === 'text' || part.type === 'image');
  if (shown.length === 0 && message.parts.length > 0) return [];
  if (!shown.some((part) => part.type === 'image')) return [{ role: 'user', content: joinedText(message) }];
  const content = shown.map((part): JsonObject => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const url = part.source.type === 'url' ? part.source.url : `data:${part.source.mediaType};base64,${part.source.data}`;
    return { type: 'image_url', image_url: { url } };
  });
  return [{ role: 'user', content }];
}

function assistantMessage(message: Message, callId: (id: string) => string, reasoning: JsonObject, source: CarrySource): JsonObject {
  const calls = partsOf(message, 'tool-call');
  const refusals = partsOf(message, 'refusal').map((part) => part.text);
  const text = joinedText(message) + refusals.join('');
  const extras = callExtras(message, source);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wireCall(call, callId, extras.get(call.callId))) }),
    ...reasoning,
  };
}

/** What each call carries of this provider's own, by the call's id. */
function callExtras(message: Message, source: CarrySource): ReadonlyMap<string, JsonObject> {
  const extras = new Map<string, JsonObject>();
  for (const { shape, owner, provider, model, data } of message.parts.flatMap((part) => part.carry ?? [])) {
    if (shape !== callExtrasShape || owner.kind !== 'call' || provider !== source.provider || model !== source.model) continue;
    if (!extras.has(owner.id)) extras.set(owner.id, data as JsonObject);
  }
  return extras;
}

function wireCall(call: PartOf<'tool-call'>, callId: (id: string) => string, extras: JsonObject | undefined): JsonObject {
  return {
    id: callId(call.callId),
    type: 'function',
    // Servers that decode the arguments refuse an empty text; it means the same.
    function: { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments },
    ...extras,
  };
}

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Maps foreign call ids to nine letters and digits: the same id always to the same, two ids of a request never to one (B36). */
function nineAlphanumeric(): (id: string) => string {
  const mapped = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = mapped.get(id);
    if (known !== undefined) return known;
    let candidate = id;
    for (let salt = 0; !/^[a-zA-Z0-9]{9}$/.test(candidate) || taken.has(candidate); salt += 1)
      candidate = digestId(salt === 0 ? id : `${id}#${salt}`);
    mapped.set(id, candidate);
    taken.add(candidate);
    return candidate;
  };
}

function digestId(id: string): string {
  const digest = sha256(id);
  let text = '';
  for (let at = 0; at < 9; at += 1) text += alphanumerics[Number.parseInt(digest.slice(at * 4, at * 4 + 4), 16) % alphanumerics.length];
  return text;
}
