import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply } from '../../answer.ts';
import { eventReply, listReply } from '../../wires/gemini.ts';
import { jsonReply } from '../../wires/wire.ts';
import { blocksOf, content, firstHalf, onlyCall, streamOfBlocks } from '../build.ts';
import { type Apply, listedRow, type Pathology, type PathologyContext, type Row, row } from '../pathology.ts';
import { membersOf, pythonLiteral } from '../rejected-calls.ts';

const geminiRow = (id: string, title: string, apply: Apply, rest: Omit<Row, 'apply' | 'applyOn' | 'wires'>): Pathology =>
  row(id, title, { wires: ['gemini'], applyOn: { gemini: apply }, ...rest });

const eventText = (value: JsonObject): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

const parsedEvent = (block: string): JsonObject => JSON.parse(block.replace(/^data: /, '')) as JsonObject;

/** The response objects that the answer would have had: the events of a stream, or the one whole answer. */
function responsesOf(answer: LabAnswer, context: PathologyContext): readonly JsonObject[] {
  const { wire, request, frame } = context;
  if (request.stream) return blocksOf(answer, { ...context, request: { ...request, asList: false } }).map(parsedEvent);
  const [body] = wire.whole(answer, request, frame).chunks;
  return [JSON.parse(Buffer.from(body ?? '{}').toString()) as JsonObject];
}

function replyOf(responses: readonly JsonObject[], { request }: PathologyContext): LabReply {
  const [whole = {}] = responses;
  return { raw: request.stream ? eventReply(responses.map(eventText)) : jsonReply(200, whole) };
}

/** One response object in place of the answer. */
const only =
  (response: (answer: LabAnswer, context: PathologyContext) => JsonObject | undefined): Apply =>
  (answer, context) => {
    const made = response(answer, context);
    return made === undefined ? undefined : replyOf([made], context);
  };

/** One candidate that ended for this reason, said nothing, and used this many tokens to think. */
const silent = (finishReason: string, candidate: JsonObject = {}, thoughtsTokenCount = 0): JsonObject => ({
  candidates: [{ ...candidate, finishReason, index: 0 }],
  usageMetadata: {
    promptTokenCount: 20,
    ...(thoughtsTokenCount === 0 ? {} : { thoughtsTokenCount }),
    totalTokenCount: 20 + thoughtsTokenCount,
  },
});

const candidateOf = ({ candidates }: JsonObject): JsonObject => {
  const [candidate] = Array.isArray(candidates) ? (candidates as readonly JsonValue[]) : [];
  return isJsonObject(candidate) ? (candidate as JsonObject) : {};
};

const withParts = (response: JsonObject, parts: readonly JsonValue[]): JsonObject => ({
  ...response,
  candidates: [{ ...candidateOf(response), content: { role: 'model', parts } }],
});

/** The answer with every part of it changed. */
function mapParts(answer: LabAnswer, context: PathologyContext, change: (part: JsonObject) => JsonObject): LabReply {
  const changed = responsesOf(answer, context).map((response) => {
    const { content: said } = candidateOf(response);
    if (!isJsonObject(said) || !Array.isArray(said.parts)) return response;
    return withParts(
      response,
      said.parts.map((part: JsonValue) => (isJsonObject(part) ? change(part as JsonObject) : part)),
    );
  });
  return replyOf(changed, context);
}

const withoutIds: Apply = (answer, context) =>
  mapParts(answer, context, (part) => {
    if (!isJsonObject(part.functionCall)) return part;
    const { id: _id, ...call } = part.functionCall as JsonObject;
    return { ...part, functionCall: call };
  });

/** The wire leaves empty arguments out by itself. */
const withoutArguments: Apply = (answer) =>
  answer.toolCalls.some((call) => call.arguments.replaceAll(/\s/g, '') === '{}') ? content(answer, {}) : undefined;

const blocked = only(() => ({
  promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] },
  usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
}));

/** The model wrote Python, which the service does not read. */
const malformed = only((answer, { frame }) => {
  const call = onlyCall(answer);
  const members = call === undefined ? undefined : membersOf(call.arguments);
  if (call === undefined || members === undefined) return undefined;
  const written = members.map(([name, value]) => `${name}=${pythonLiteral(value)}`).join(', ');
  const finishMessage = `Malformed function call: print(default_api.${call.name}(${written}))`;
  return silent('MALFORMED_FUNCTION_CALL', { ...(frame.random.below(2) === 0 ? { content: {} } : {}), finishMessage });
});

/** The text's signature on an empty part of its own, whole or streamed. */
const emptyPart: Apply = (answer, context) => {
  const signature: JsonObject = { text: '', thoughtSignature: 'c2ln' };
  const responses = responsesOf(answer, context);
  if (!context.request.stream)
    return replyOf(
      responses.map((response) => withParts(response, [{ text: answer.text ?? '' }, signature])),
      context,
    );
  return replyOf([...responses.slice(0, -1), ...responses.slice(-1).map((response) => withParts(response, [signature]))], context);
};

const missingSignature: Apply = (_answer, { request }) => {
  const name = request.messages.flatMap(({ toolCalls }) => toolCalls)[0]?.name ?? request.tools[0]?.name ?? 'find_berth';
  const message = `Function call \`${name}\` in the 2. content block is missing a \`thought_signature\`.`;
  return { raw: jsonReply(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }) };
};

/** Every line end is cut in two. */
const cutLineEnds: Apply = (answer, context) => {
  const text = responsesOf(answer, context).map(eventText).join('');
  return streamOfBlocks(text.split(/(?<=\r)(?=\n)/), context.frame);
};

/** The stream as one JSON list, as it is where `alt=sse` was not asked for or got lost. */
export const jsonList: Apply = (answer, context) => ({ raw: listReply(responsesOf(answer, context)) });

const recited: Apply = (answer) =>
  content(answer, { text: (answer.text ?? '').slice(0, Math.ceil((answer.text ?? '').length / 2)), finish: 'RECITATION' });

const overloadedInside: Apply = (answer, context) => {
  const error = { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } };
  return streamOfBlocks([...firstHalf(answer, context), eventText(error)], context.frame);
};

/** D12: the wait stands in the body, and in no header. */
export const retryInfo: Apply = () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }];
  return { raw: jsonReply(429, { error: { code: 429, message: 'Resource has been exhausted.', status: 'RESOURCE_EXHAUSTED', details } }) };
};

/** D8: the error in a list. */
export const arrayError: Apply = () => ({
  raw: jsonReply(400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }]),
});

/** D15 in the words of this wire. */
export const contextExceeded: Apply = () => {
  const message = 'The input token count (1060000) exceeds the maximum number of tokens allowed (1048576).';
  return { raw: jsonReply(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }) };
};

/** F1 to F14. */
export const geminiRows: readonly Pathology[] = [
  geminiRow('F1', 'call-without-id', withoutIds, { needs: 'tools', expected: 'tool_calls', outcome: 'two made-up ids' }),
  geminiRow('F2', 'args-missing', withoutArguments, { needs: 'tools', expected: 'tool_calls', outcome: 'no arguments' }),
  geminiRow('F3', 'prompt-blocked', blocked, { needs: 'any', expected: 'typed-failure', outcome: 'refused' }),
  geminiRow('F4', 'malformed-call', malformed, { needs: 'tools', expected: 'tool_calls', outcome: 'recovered by a strict parser' }),
  geminiRow(
    'F5',
    'unexpected-tool-call',
    only(() => silent('UNEXPECTED_TOOL_CALL')),
    { needs: 'any', expected: 'typed-failure', outcome: 'no output' },
  ),
  geminiRow(
    'F6',
    'empty-stop',
    only(() => silent('STOP', { content: { role: 'model' } })),
    { needs: 'any', expected: 'typed-failure', outcome: 'an empty response' },
  ),
  geminiRow(
    'F7',
    'thoughts-eat-budget',
    only(() => silent('MAX_TOKENS', { content: { role: 'model' } }, 256)),
    { needs: 'any', expected: 'typed-failure', outcome: 'truncated' },
  ),
  geminiRow('F8', 'signature-on-empty-text', emptyPart, { needs: 'text', expected: 'value', outcome: 'kept for replay' }),
  geminiRow('F9', 'missing-signature-400', missingSignature, {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'never from own history',
  }),
  geminiRow('F10', 'crlf', cutLineEnds, { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'the answer is untouched' }),
  geminiRow('F11', 'json-array-stream', jsonList, { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'read' }),
  geminiRow('F12', 'recitation', recited, { needs: 'text', expected: 'typed-failure', outcome: 'refused' }),
  // A request and no answer: the judge of histories refuses it.
  listedRow('F13', 'response-part-mixing', ['gemini'], 'value', 'never sent'),
  geminiRow('F14', 'mid-stream-503', overloadedInside, {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'overloaded',
  }),
];
