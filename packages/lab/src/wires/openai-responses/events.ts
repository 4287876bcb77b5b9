import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import { cutText } from '../../random.ts';
import type { Frame } from '../wire.ts';
import { outputItems, responseObject, tokenLogprob } from './answer.ts';
import type { Seal } from './seal.ts';

/** The longest fragment of a stream, in UTF-16 units. */
const longestFragment = 9;

/** One event of a stream, before it has its number. */
export type ResponsesEvent = JsonObject & { readonly type: string };

/** One event with its `event` line. */
export const eventBlock = (event: ResponsesEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The events with their sequence numbers, from 0. */
export const numbered = (events: readonly ResponsesEvent[]): readonly ResponsesEvent[] =>
  events.map(({ type, sequence_number: _old, ...rest }, index) => ({ type, sequence_number: index, ...rest }));

/** The events of an answer, in the order of the wire. */
export function answerEvents(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): readonly ResponsesEvent[] {
  const opening = responseObject(answer, request, frame);
  const output = outputItems(answer, request, frame, seal);
  const response = responseObject(answer, request, frame, output);
  return [
    { type: 'response.created', response: opening },
    { type: 'response.in_progress', response: opening },
    ...output.flatMap((item, index) => itemEvents(item, index, { answer, request, frame })),
    { type: response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response },
  ];
}

interface Context {
  readonly answer: LabAnswer;
  readonly request: LabChatRequest;
  readonly frame: Frame;
}

function itemEvents(item: JsonObject, index: number, context: Context): readonly ResponsesEvent[] {
  const at = { item_id: String(item.id), output_index: index };
  const shell: JsonObject = {
    ...item,
    ...(item.type === 'reasoning' ? { summary: [] } : { status: 'in_progress' }),
    ...(item.type === 'message' ? { content: [] } : {}),
    ...(item.type === 'function_call' ? { arguments: '' } : {}),
  };
  // The encrypted content comes with the item's end alone.
  const { encrypted_content: _sealed, ...head } = shell;
  const grown =
    item.type === 'reasoning'
      ? summaryEvents(item, at, context)
      : item.type === 'message'
        ? contentEvents(item, at, context)
        : callEvents(item, at, context);
  return [
    { type: 'response.output_item.added', output_index: index, item: head },
    ...grown,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

type Place = { readonly item_id: string; readonly output_index: number };

const fragments = (text: string, { frame }: Context): readonly string[] => cutText(text, longestFragment, frame.random);

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).flatMap((entry) => (isJsonObject(entry) ? [entry as JsonObject] : [])) : [];

function summaryEvents(item: JsonObject, place: Place, context: Context): readonly ResponsesEvent[] {
  return listOf(item.summary).flatMap((part, index): readonly ResponsesEvent[] => {
    const at = { ...place, summary_index: index };
    const text = String(part.text);
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...fragments(text, context).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ];
  });
}

function contentEvents(item: JsonObject, place: Place, context: Context): readonly ResponsesEvent[] {
  return listOf(item.content).flatMap((part, index): readonly ResponsesEvent[] => {
    const at = { ...place, content_index: index };
    const refuses = part.type === 'refusal';
    const text = String(refuses ? part.refusal : part.text);
    const empty = refuses ? { ...part, refusal: '' } : { ...part, text: '', logprobs: [] };
    const tokens = refuses || !context.request.logprobs ? undefined : context.answer.logprobs;
    const said: readonly ResponsesEvent[] = refuses
      ? fragments(text, context).map((delta) => ({ type: 'response.refusal.delta', ...at, delta }))
      : tokens === undefined
        ? fragments(text, context).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }))
        : tokens.map((entry) => ({ type: 'response.output_text.delta', ...at, delta: entry.token, logprobs: [tokenLogprob(entry)] }));
    return [
      { type: 'response.content_part.added', ...at, part: empty },
      ...said,
      refuses
        ? { type: 'response.refusal.done', ...at, refusal: text }
        : { type: 'response.output_text.done', ...at, text, logprobs: part.logprobs ?? [] },
      { type: 'response.content_part.done', ...at, part },
    ];
  });
}

function callEvents(item: JsonObject, place: Place, context: Context): readonly ResponsesEvent[] {
  const text = String(item.arguments);
  return [
    ...fragments(text, context).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, name: String(item.name), arguments: text },
  ];
}
