import { assertNever, type JsonObject, type Message, type MessagePart, type ResponsesDialect, type WithheldPart } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { type ReplayedPart, replayMessage } from '../../reasoning/responses-items.ts';

/** A conversation in the wire's form. */
export interface WireInput {
  /** System text that stands before everything else, where the dialect has it in a field of its own. */
  readonly instructions?: string;
  readonly input: readonly JsonObject[];
  /** Carries that are left out. */
  readonly withheld: readonly WithheldPart[];
}

type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { readonly type: Type }>;

const textOf = (message: Message): string => message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The items of a conversation. A neutral tool message with several results becomes several. */
export function wireInput(messages: readonly Message[], dialect: ResponsesDialect, source: CarrySource): WireInput {
  const leading = dialect.systemRole === 'instructions' ? messages.findIndex(({ role }) => role !== 'system') : 0;
  const count = leading === -1 ? messages.length : leading;
  const instructions = messages.slice(0, count).map(textOf).join('\n\n');
  // The field holds what comes first; system text in between keeps its place.
  const role = dialect.systemRole === 'instructions' ? 'system' : dialect.systemRole;
  const withheld: WithheldPart[] = [];
  const input = messages.slice(count).flatMap((message): readonly JsonObject[] => {
    switch (message.role) {
      case 'system':
        return [{ role, content: textOf(message) }];
      case 'user':
        return [...outputs(message), ...userMessage(message)];
      case 'assistant':
        return assistantItems(message, dialect, source, withheld);
      case 'tool':
        return outputs(message);
      default:
        return assertNever(message.role);
    }
  });
  return { ...(instructions === '' ? {} : { instructions }), input, withheld };
}

function outputs(message: Message): readonly JsonObject[] {
  return message.parts.flatMap((part) =>
    part.type === 'tool-result' ? [{ type: 'function_call_output', call_id: part.callId, output: part.text }] : [],
  );
}

function userMessage(message: Message): readonly JsonObject[] {
  const shown = message.parts.filter((part): part is PartOf<'text'> | PartOf<'image'> => part.type === 'text' || part.type === 'image');
  if (shown.length === 0 && message.parts.length > 0) return [];
  if (!shown.some((part) => part.type === 'image')) return [{ role: 'user', content: textOf(message) }];
  const content = shown.map((part): JsonObject => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    const url = part.source.type === 'url' ? part.source.url : `data:${part.source.mediaType};base64,${part.source.data}`;
    return { type: 'input_image', image_url: url, detail: 'auto' };
  });
  return [{ role: 'user', content }];
}

/** What the model said, item by item: as it came where that may go back, else written anew. */
function assistantItems(message: Message, dialect: ResponsesDialect, source: CarrySource, withheld: WithheldPart[]): readonly JsonObject[] {
  const replayed = replayMessage(message, source, { store: dialect.store });
  withheld.push(...replayed.withheld);
  const items: JsonObject[] = [];
  let said: JsonObject[] = [];
  const flush = (): void => {
    if (said.length > 0) items.push({ type: 'message', role: 'assistant', content: said });
    said = [];
  };
  for (const one of replayed.parts) {
    const text = writtenText(one);
    if (text !== undefined && one.before.length === 0) {
      said.push(text);
      continue;
    }
    if (one.before.length > 0 || one.own !== undefined || one.part.type === 'tool-call') flush();
    items.push(...one.before);
    if (one.own !== undefined) items.push(one.own);
    else if (text !== undefined) said.push(text);
    else if (one.part.type === 'tool-call') items.push(wireCall(one.part));
  }
  flush();
  return items;
}

/** A text or refusal that has no item of its own; empty text says nothing. */
function writtenText({ part, own }: ReplayedPart): JsonObject | undefined {
  if (own !== undefined || (part.type !== 'text' && part.type !== 'refusal') || part.text === '') return undefined;
  return part.type === 'text' ? { type: 'output_text', text: part.text, annotations: [] } : { type: 'refusal', refusal: part.text };
}

const wireCall = (call: PartOf<'tool-call'>): JsonObject => ({
  type: 'function_call',
  call_id: call.callId,
  name: call.name,
  // Servers that decode the arguments refuse an empty text; it means the same.
  arguments: call.arguments === '' ? '{}' : call.arguments,
});
