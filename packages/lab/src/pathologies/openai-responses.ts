import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply } from '../answer.ts';
import { serviceHeaders } from '../wires/openai-chat.ts';
import { eventBlock, numbered, type ResponsesEvent } from '../wires/openai-responses/events.ts';
import { jsonReply } from '../wires/wire.ts';
import { blocksOf, content, cutAtLastColon, firstHalf, streamOfBlocks } from './build.ts';
import { type Apply, type Pathology, type PathologyContext, type PathologyWire, row } from './pathology.ts';

const responses: readonly PathologyWire[] = ['openai-responses'];

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});

function parsedData(block: string): ResponsesEvent {
  const value = JSON.parse(block.slice(block.indexOf('data: ') + 'data: '.length)) as ResponsesEvent;
  return value;
}

/** The events that the answer would have had. */
const eventsOf = (answer: LabAnswer, context: PathologyContext): readonly ResponsesEvent[] => blocksOf(answer, context).map(parsedData);

/** The response object that the answer would have had. */
function responseOf(answer: LabAnswer, { wire, request, frame }: PathologyContext): JsonObject {
  const [body] = wire.whole(answer, request, frame).chunks;
  return JSON.parse(Buffer.from(body ?? '{}').toString()) as JsonObject;
}

const isTerminal = ({ type }: ResponsesEvent): boolean => type === 'response.completed' || type === 'response.incomplete';

const streamOfEvents = (events: readonly ResponsesEvent[], { frame }: PathologyContext): LabReply =>
  streamOfBlocks(events.map(eventBlock), frame);

const wholeOf = (body: JsonObject, { frame }: PathologyContext): LabReply => ({ raw: jsonReply(200, body, serviceHeaders(frame)) });

/** The answer with its last response object changed, whole or streamed. */
function ending(
  answer: LabAnswer,
  context: PathologyContext,
  change: (response: JsonObject) => JsonObject,
  type: ResponsesEvent['type'],
): LabReply {
  if (!context.request.stream) return wholeOf(change(responseOf(answer, context)), context);
  const events = eventsOf(answer, context).map((event) =>
    isTerminal(event) ? { ...event, type, response: change(objectOf(event.response)) } : event,
  );
  return streamOfEvents(events, context);
}

/** The server stops in the middle and says so with a good status. */
const failed: Apply = (answer, context) => {
  const fail = (response: JsonObject): JsonObject => ({
    ...response,
    status: 'failed',
    output: [],
    usage: null,
    error: { code: 'server_error', message: 'The server had an error while processing your request.' },
  });
  if (!context.request.stream) return wholeOf(fail(responseOf(answer, context)), context);
  const response = fail(responseOf(answer, context));
  const events = [...firstHalf(answer, context).map(parsedData), { type: 'response.failed', response }];
  return streamOfEvents(numbered(events), context);
};

/** The limit cuts the text, and the server says so. */
const incomplete: Apply = (answer) => {
  const text = cutAtLastColon(answer.text ?? '');
  return text === undefined ? undefined : content(answer, { text, finish: 'length' });
};

/** The limit cuts the text, and the server calls it complete. */
const silentCut: Apply = (answer, context) => {
  const limit = context.request.maxOutputTokens;
  const text = answer.finish === 'length' ? answer.text : cutAtLastColon(answer.text ?? '');
  if (limit === undefined || text === undefined || text === null) return undefined;
  const cut: LabAnswer = { ...answer, text, finish: 'stop', usage: { inputTokens: 20, outputTokens: limit } };
  return ending(cut, context, (response) => ({ ...response, status: 'completed', incomplete_details: null }), 'response.completed');
};

/** The events of a translated server: no number, no index. */
const bareEvents: Apply = (answer, context) => {
  const bare = ({
    sequence_number: _number,
    output_index: _output,
    content_index: _content,
    summary_index: _summary,
    ...event
  }: ResponsesEvent): ResponsesEvent => event as ResponsesEvent;
  return streamOfEvents(eventsOf(answer, context).map(bare), context);
};

const withoutArgumentsDone: Apply = (answer, context) =>
  streamOfEvents(
    eventsOf(answer, context).filter(({ type }) => type !== 'response.function_call_arguments.done'),
    context,
  );

/** C30: llama.cpp. */
export const responsesSilentCut: Pathology = row('C30', 'responses-silent-cut', {
  wires: responses,
  needs: 'json',
  expected: 'typed-failure',
  outcome: 'length is inferred; JSON is not taken for complete',
  applyOn: { 'openai-responses': silentCut },
});

/** What stands in place of an answer in the asked form: the form was not looked at. */
export const formatIgnored: Apply = ({ usage }) => ({ text: 'Sure! The pier is seven, and the tide is low.', usage });

/** D16 to D18. */
export const responsesErrors: readonly Pathology[] = [
  row('D16', 'responses-failed-200', {
    wires: responses,
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'overloaded',
    applyOn: { 'openai-responses': failed },
  }),
  row('D17', 'responses-incomplete', {
    wires: responses,
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'truncated',
    applyOn: { 'openai-responses': incomplete },
  }),
  row('D18', 'responses-no-sequence', {
    wires: responses,
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'tolerated',
    applyOn: { 'openai-responses': bareEvents },
  }),
];

/** D27: llama.cpp. */
export const responsesNoArgumentsDone: Pathology = row('D27', 'responses-no-arguments-done', {
  wires: responses,
  needs: 'tools',
  delivery: 'parts',
  expected: 'tool_calls',
  outcome: 'the call is whole by its item',
  applyOn: { 'openai-responses': withoutArgumentsDone },
});
