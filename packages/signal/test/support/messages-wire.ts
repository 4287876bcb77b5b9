import { type JsonObject, type Message, type SignalOptions, sequentialIds } from '@vouch/contracts';
import { z } from 'zod';
import { createSignal, defineTool, type Signal } from '../../src/index.ts';
import { drain } from './clients.ts';

/** A content block of the Messages wire. */
export type Block = JsonObject & { readonly type: string };

export const thought = (thinking: string, signature: string): Block => ({ type: 'thinking', thinking, signature });
export const hidden = (data: string): Block => ({ type: 'redacted_thinking', data });
export const said = (text: string, more: JsonObject = {}): Block => ({ type: 'text', text, ...more });
export const call = (id: string, input: JsonObject = { pier: 7 }): Block => ({ type: 'tool_use', id, name: 'find_berth', input });

const pieces = (text: string, size: number): readonly string[] => {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
};

/** The events of a block in pieces of `size` UTF-16 units. */
function blockEvents(block: Block, index: number, size: number): readonly JsonObject[] {
  const deltas = (type: string, field: string, text: string): readonly JsonObject[] =>
    pieces(text, size).map((piece) => ({ type: 'content_block_delta', index, delta: { type, [field]: piece } }));
  const [begin, grown] =
    block.type === 'thinking'
      ? [
          { ...block, thinking: '', signature: '' },
          [
            ...deltas('thinking_delta', 'thinking', String(block.thinking)),
            ...deltas('signature_delta', 'signature', String(block.signature)),
          ],
        ]
      : block.type === 'text'
        ? [
            { type: 'text', text: '' },
            [
              ...deltas('text_delta', 'text', String(block.text)),
              ...((block.citations ?? []) as readonly JsonObject[]).map((citation) => ({
                type: 'content_block_delta',
                index,
                delta: { type: 'citations_delta', citation },
              })),
            ],
          ]
        : block.type === 'tool_use' || block.type === 'server_tool_use'
          ? [{ ...block, input: {} }, deltas('input_json_delta', 'partial_json', JSON.stringify(block.input))]
          : [block, []];
  return [{ type: 'content_block_start', index, content_block: begin }, ...grown, { type: 'content_block_stop', index }];
}

/** The bytes of a response, whole or as a stream in pieces of `size` characters. */
export function bytesOf(content: readonly Block[], size: number | undefined): string {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', stop_sequence: null };
  if (size === undefined) return JSON.stringify(message);
  const events: readonly JsonObject[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => blockEvents(block, index, size)),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** A request as it arrived. */
export interface SeenBody extends JsonObject {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

/** A `fetch` that gives these contents in turn, the last one over and over, whole or as a stream in pieces, as the request asks. */
export function messagesServer(...contents: readonly (readonly Block[])[]) {
  const bodies: SeenBody[] = [];
  const urls: string[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as SeenBody;
    const content = contents[Math.min(bodies.length, contents.length - 1)] ?? [];
    bodies.push(body);
    urls.push(String(url));
    return new Response(bytesOf(content, body.stream === true ? 5 : undefined), {
      headers: { 'content-type': body.stream === true ? 'text/event-stream' : 'application/json' },
    });
  };
  return { fetch, bodies, urls };
}

/** The thinking that a request holds. */
export const thinkingIn = ({ messages }: SeenBody): readonly Block[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
  );

/** How an answer is asked for. */
export const deliveries = ['whole', 'stream'] as const;

/** The tool that the calls of these answers are for. */
export const findBerth: ReturnType<typeof defineTool> = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ pier, free: pier > 3 }),
});

/** A client of a model behind the row of the wire's inventor, with this server in its place. */
export const messagesClient = (
  { fetch }: Pick<ReturnType<typeof messagesServer>, 'fetch'>,
  model: string,
  options: SignalOptions = {},
): Signal<string> =>
  createSignal('anthropic', { model, apiKey: 'sk-canary-0123456789', fetch, options, ids: sequentialIds(), maxTurns: 20 });

/** Runs to the end; the history that it leaves, as a store keeps it. */
export async function storedRun(
  client: Signal<string>,
  delivery: (typeof deliveries)[number],
  input = 'Which pier is free?',
): Promise<readonly Message[]> {
  const last = delivery === 'whole' ? await client.complete(input) : (await drain(client.stream(input))).at(-1);
  if (last === undefined || !('history' in last) || last.history === undefined) throw new Error(JSON.stringify(last).slice(0, 400));
  return JSON.parse(JSON.stringify(last.history)) as readonly Message[];
}
