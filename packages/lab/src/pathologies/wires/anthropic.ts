import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply, LabThinking } from '../../answer.ts';
import { messagesHeaders } from '../../wires/anthropic-messages/answer.ts';
import { messagesError } from '../../wires/anthropic-messages/errors.ts';
import { eventBlock, type MessagesEvent } from '../../wires/anthropic-messages/events.ts';
import { jsonReply } from '../../wires/wire.ts';
import { blocksOf, content, cutAtLastColon, firstHalf, streamOfBlocks } from '../build.ts';
import { type Apply, type Pathology, type PathologyContext, type Row, row } from '../pathology.ts';

const messagesRow = (id: string, title: string, apply: Apply, rest: Omit<Row, 'apply' | 'applyOn' | 'wires'>): Pathology =>
  row(id, title, { wires: ['anthropic-messages'], applyOn: { 'anthropic-messages': apply }, ...rest });

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});

const parsedData = (block: string): MessagesEvent => JSON.parse(block.slice(block.indexOf('data: ') + 'data: '.length)) as MessagesEvent;

/** The events that the answer would have had. */
const eventsOf = (answer: LabAnswer, context: PathologyContext): readonly MessagesEvent[] => blocksOf(answer, context).map(parsedData);

const streamOf = (blocks: readonly string[], { frame }: PathologyContext): LabReply =>
  streamOfBlocks(blocks, frame, { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...messagesHeaders(frame) } });

const streamOfEvents = (events: readonly MessagesEvent[], context: PathologyContext): LabReply => streamOf(events.map(eventBlock), context);

/** The message that the answer would have been. */
function messageOf(answer: LabAnswer, { wire, request, frame }: PathologyContext): JsonObject {
  const [body] = wire.whole(answer, request, frame).chunks;
  return JSON.parse(Buffer.from(body ?? '{}').toString()) as JsonObject;
}

const wholeOf = (body: JsonObject, { frame }: PathologyContext): LabReply => ({ raw: jsonReply(200, body, messagesHeaders(frame)) });

/** The stream of the answer with each event changed, into one, several or none. */
const changing =
  (
    change: (event: MessagesEvent, place: number) => readonly MessagesEvent[],
    before: (answer: LabAnswer) => LabAnswer = (answer) => answer,
  ): Apply =>
  (answer, context) =>
    streamOfEvents(eventsOf(before(answer), context).flatMap(change), context);

const thinkingFirst =
  (thinking: LabThinking) =>
  (answer: LabAnswer): LabAnswer => ({ ...answer, thinking: [thinking] });

const thought = 'The tide is low, so the pier should be free.';

const isDelta = (event: MessagesEvent, type: string): boolean =>
  event.type === 'content_block_delta' && objectOf(event.delta).type === type;

const isCallStart = (event: MessagesEvent): boolean =>
  event.type === 'content_block_start' && objectOf(event.content_block).type === 'tool_use';

const splitSignature = changing(
  (event) => {
    if (!isDelta(event, 'signature_delta')) return [event];
    const signature = String(objectOf(event.delta).signature);
    const half = Math.ceil(signature.length / 2);
    return [signature.slice(0, half), signature.slice(half)].map((piece) => ({
      ...event,
      delta: { type: 'signature_delta', signature: piece },
    }));
  },
  thinkingFirst({ text: thought }),
);

/** Thinking before each call, and at the beginning. */
const interleaved: Apply = (answer) =>
  content(answer, {
    thinking: [{ text: thought }, ...answer.toolCalls.map((_call, beforeCall) => ({ text: `Call ${beforeCall + 1} then.`, beforeCall }))],
  });

const withoutFragments: Apply = (answer, context) => {
  if (answer.toolCalls.some((call) => call.arguments !== '{}')) return undefined;
  const kept = context.frame.random.below(2) === 0;
  return changing((event) => (isDelta(event, 'input_json_delta') && !kept ? [] : [event]))(answer, context);
};

const inputInStart: Apply = (answer, context) => {
  const inputs = answer.toolCalls.map((call) => JSON.parse(call.arguments) as JsonValue);
  let call = -1;
  return changing((event) => {
    if (isDelta(event, 'input_json_delta')) return [];
    if (!isCallStart(event)) return [event];
    call += 1;
    return [{ ...event, content_block: { ...objectOf(event.content_block), input: inputs[call] ?? {} } }];
  })(answer, context);
};

const cutInCall: Apply = (answer) => {
  const last = answer.toolCalls.at(-1);
  const text = last === undefined ? undefined : cutAtLastColon(last.arguments);
  if (last === undefined || text === undefined) return undefined;
  return content(answer, { toolCalls: [...answer.toolCalls.slice(0, -1), { ...last, arguments: text }], finish: 'length' });
};

/** The answer's end changed, whole or streamed. */
function ending(answer: LabAnswer, context: PathologyContext, change: JsonObject): LabReply {
  if (!context.request.stream) return wholeOf({ ...messageOf(answer, context), ...change }, context);
  return changing((event) => (event.type === 'message_delta' ? [{ ...event, delta: { ...objectOf(event.delta), ...change } }] : [event]))(
    answer,
    context,
  ) as LabReply;
}

const refused: Apply = (answer, context) =>
  ending({ ...answer, text: null, toolCalls: [], thinking: [] }, context, {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'bio', explanation: null },
  });

const search: JsonObject = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tide' } };

/** Another block behind the answer's, whole or streamed. */
function withBlock(reply: LabReply, block: JsonObject, context: PathologyContext): LabReply {
  if (!('raw' in reply)) return reply;
  const chunks = reply.raw.chunks.map((chunk) => Buffer.from(chunk).toString());
  if (!context.request.stream) {
    const message = JSON.parse(chunks.join('')) as { readonly content: readonly JsonObject[] };
    return wholeOf({ ...message, content: [...message.content, block] }, context);
  }
  const events = chunks.map(parsedData);
  const index = events.filter(({ type }) => type === 'content_block_start').length;
  const added = [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ];
  return streamOfEvents(
    events.flatMap((event) => (event.type === 'message_delta' ? [...added, event] : [event])),
    context,
  );
}

const paused: Apply = (answer, context) => {
  const text = cutAtLastColon(answer.text ?? '');
  return text === undefined ? undefined : withBlock(ending({ ...answer, text }, context, { stop_reason: 'pause_turn' }), search, context);
};

/** A block, a delta and an event that nobody knows. */
const unknowns: Apply = (answer, context) => {
  const strange: JsonObject = { type: 'new_thing', note: 'low' };
  if (!context.request.stream) {
    const message = messageOf(answer, context);
    return wholeOf({ ...message, content: [strange, ...(message.content as readonly JsonValue[])] }, context);
  }
  const events = eventsOf(answer, context).flatMap((event): readonly MessagesEvent[] => {
    if (typeof event.index !== 'number') return [event];
    const moved = { ...event, index: event.index + 1 };
    const sprout = { type: 'content_block_delta', index: moved.index, delta: { type: 'new_delta', text: 'never shown' } };
    return event.type === 'content_block_start' ? [moved, sprout] : [moved];
  });
  const [first, ...rest] = events;
  const block: readonly MessagesEvent[] = [
    { type: 'content_block_start', index: 0, content_block: strange },
    { type: 'content_block_delta', index: 0, delta: { type: 'new_delta', note: ' tide' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'vibe', message: 'calm' },
  ];
  return streamOfEvents([...(first === undefined ? [] : [first]), ...block, ...rest], context);
};

const refuse =
  (message: string, when: (body: JsonObject) => boolean): Apply =>
  (_answer, { request }) =>
    when(request.body) ? { raw: jsonReply(400, messagesError({ status: 400, message })) } : undefined;

const oneOf = (list: readonly string[], { frame }: PathologyContext): string => list[frame.random.below(list.length)] ?? '';

const forcedTool: Apply = (answer, context) => {
  const message = oneOf(
    [
      'tool_choice: type "tool" and "any" are not supported for this model.',
      'tool_choice forces tool use is not compatible with this model',
    ],
    context,
  );
  const forces = ({ tool_choice: choice }: JsonObject): boolean => ['any', 'tool'].includes(String(objectOf(choice).type));
  return refuse(message, forces)(answer, context);
};

const sampling: Apply = (answer, context) => {
  const message = oneOf(['temperature: Extra inputs are not permitted', 'temperature is deprecated for this model'], context);
  return refuse(message, ({ temperature }) => temperature !== undefined)(answer, context);
};

const ping = eventBlock({ type: 'ping' });

const overloaded = { status: 529, message: 'Overloaded' };

/** E1 to E19. */
export const messagesRows: readonly Pathology[] = [
  messagesRow('E1', 'signature-split', splitSignature, {
    needs: 'json',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the signature joined',
  }),
  messagesRow('E2', 'signature-only', (answer) => content(answer, { thinking: [{ text: '' }] }), {
    needs: 'json',
    expected: 'value',
    outcome: 'kept for replay, no visible reasoning',
  }),
  messagesRow('E3', 'redacted', (answer) => content(answer, { thinking: [{ text: thought, redacted: true }] }), {
    needs: 'json',
    expected: 'value',
    outcome: 'kept in place for replay',
  }),
  messagesRow('E4', 'interleaved', interleaved, { needs: 'tools', expected: 'tool_calls', outcome: 'order kept on replay' }),
  messagesRow('E5', 'tool-no-delta', withoutFragments, {
    needs: 'tools',
    delivery: 'parts',
    expected: 'tool_calls',
    outcome: 'no arguments',
  }),
  messagesRow('E6', 'input-in-start', inputInStart, {
    needs: 'tools',
    delivery: 'parts',
    expected: 'tool_calls',
    outcome: 'the input of the start',
  }),
  messagesRow('E7', 'max_tokens-in-tool', cutInCall, {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'truncated; the call is not run',
  }),
  messagesRow('E8', 'refusal-200', refused, { needs: 'any', expected: 'typed-failure', outcome: 'refused' }),
  messagesRow('E9', 'pause_turn', paused, { needs: 'json', expected: 'typed-failure', outcome: 'resumable' }),
  messagesRow(
    'E10',
    'message_delta-usage-null',
    changing((event) => (event.type === 'message_delta' ? [{ ...event, usage: { output_tokens: 9, input_tokens: null } }] : [event])),
    { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'the input of message_start' },
  ),
  messagesRow('E11', 'unknown-block', unknowns, { needs: 'any', expected: 'value', outcome: 'skipped, kept for replay' }),
  messagesRow(
    'E12',
    'no-event-line',
    (answer, context) =>
      streamOf(
        blocksOf(answer, context).map((block) => block.replace(/^event: .*\n/, '')),
        context,
      ),
    { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'read by data.type' },
  ),
  messagesRow(
    'E13',
    'index-gap',
    changing(
      (event) => (typeof event.index === 'number' ? [{ ...event, index: event.index * 2 }] : [event]),
      thinkingFirst({ text: thought }),
    ),
    { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'tolerated' },
  ),
  messagesRow(
    'E14',
    'missing-message_stop',
    changing((event) => (event.type === 'message_stop' ? [] : [event])),
    { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'the stop reason was given' },
  ),
  // What a run asks for never changes while it runs (SG-007), so nothing is dropped or switched behind the caller's back.
  messagesRow('E15', 'forced-tool-400', forcedTool, {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'a request that the endpoint refuses, in its words',
  }),
  messagesRow(
    'E16',
    'budget-400',
    refuse(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      ({ thinking }) => objectOf(thinking).type === 'enabled',
    ),
    { needs: 'any', expected: 'typed-failure', outcome: 'a request that the endpoint refuses, in its words' },
  ),
  messagesRow('E17', 'sampling-400', sampling, {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'a request that the endpoint refuses, in its words',
  }),
  messagesRow(
    'E18',
    'ping-before-start, ping-inside-block',
    (answer, context) => streamOf([ping, ...blocksOf(answer, context).flatMap((block) => [block, ping])], context),
    { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'ignored' },
  ),
  messagesRow(
    'E19',
    'tool_use-start-without-input',
    changing((event) => {
      if (!isCallStart(event)) return [event];
      const { input: _input, ...block } = objectOf(event.content_block);
      return [{ ...event, content_block: block }];
    }),
    { needs: 'tools', delivery: 'parts', expected: 'tool_calls', outcome: 'the ordinary form' },
  ),
];

/** D4 and D5. */
export const messagesErrors: readonly Pathology[] = [
  messagesRow(
    'D4',
    'anthropic-overloaded-mid',
    (answer, context) => {
      const error = `event: error\ndata: ${JSON.stringify(messagesError(overloaded))}\n\n`;
      return streamOf([...firstHalf(answer, context), error], context);
    },
    { needs: 'any', delivery: 'parts', expected: 'typed-failure', outcome: 'overloaded, partial output attached' },
  ),
  messagesRow('D5', 'anthropic-529', () => ({ raw: jsonReply(529, messagesError(overloaded)) }), {
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'overloaded, retried',
  }),
];
