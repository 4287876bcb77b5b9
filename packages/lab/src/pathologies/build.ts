import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabContent, LabReply, RawReply } from '../answer.ts';
import {
  choiceChunk,
  completion,
  completionChunks,
  dataEvent,
  doneEvent,
  errorBody,
  serviceHeaders,
  withUsage,
} from '../wires/openai-chat.ts';
import { eventStream, type Frame, jsonReply } from '../wires/wire.ts';
import type { PathologyContext } from './pathology.ts';

/** The answer as content, with changes; text that was null stays out. */
export function content(answer: LabAnswer, changes: LabContent): LabContent {
  const { text, ...rest } = answer;
  return { ...rest, ...(text === null ? {} : { text }), ...changes };
}

/** The answer's calls written as text instead of called. */
export function asText(answer: LabAnswer, text: string): LabContent {
  return content(answer, { text, toolCalls: [], finish: 'stop' });
}

/** One call of an answer. */
export type AnswerCall = LabAnswer['toolCalls'][number];

/** The only call of an answer; undefined when it has none, or several. */
export function onlyCall(answer: LabAnswer): AnswerCall | undefined {
  return answer.toolCalls.length === 1 ? answer.toolCalls[0] : undefined;
}

/** The arguments of a call as an object; undefined when they are none. */
export function argumentsOf(call: AnswerCall): JsonObject | undefined {
  const value = parsed(call.arguments);
  return isJsonObject(value) ? value : undefined;
}

/** The JSON of a text; undefined when it is none. */
export function parsed(text: string | null): JsonValue | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}

/** The answer with every call's arguments rewritten. */
export function rewriteArguments(answer: LabAnswer, rewrite: (text: string) => string): LabContent {
  return content(answer, { toolCalls: answer.toolCalls.map((call) => ({ ...call, arguments: rewrite(call.arguments) })) });
}

/** A text cut right after its last colon, so that what is missing cannot be guessed; undefined without a colon. */
export function cutAtLastColon(text: string): string | undefined {
  const at = text.lastIndexOf(':');
  return at < 0 ? undefined : text.slice(0, at + 1);
}

/** A 400 of a server that checks the model's output itself and shows what it refused. */
export function refusedOutput(message: string, code: string, failedGeneration: string | undefined): RawReply {
  const generation = failedGeneration === undefined ? {} : { failed_generation: failedGeneration };
  return jsonReply(400, { error: { message, type: 'invalid_request_error', code, ...generation } });
}

/** An error of the wire's own form. */
export function errorReply(
  status: number,
  message: string,
  type: string,
  code: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): LabReply {
  const reply = jsonReply(status, errorBody({ status, message, type, ...(code === null ? {} : { code }) }));
  return { raw: { ...reply, headers: { ...reply.headers, ...headers } } };
}

/** A body that is not JSON. */
export function textReply(status: number, type: string, text: string, headers: Readonly<Record<string, string>> = {}): LabReply {
  const bytes = Buffer.from(text);
  return {
    raw: {
      status,
      headers: { 'content-type': type, 'content-length': String(bytes.byteLength), ...headers },
      chunks: [bytes],
      ending: 'end',
    },
  };
}

/** The whole completion with its message changed. */
export function wholeWith(answer: LabAnswer, { request, frame }: PathologyContext, change: (message: JsonObject) => JsonObject): LabReply {
  const body = completion(answer, request, frame);
  const choices = Array.isArray(body.choices) ? body.choices : [];
  const changed = choices.map((choice: JsonValue) =>
    isJsonObject(choice) && isJsonObject(choice.message) ? { ...choice, message: change(choice.message) } : choice,
  );
  return { raw: jsonReply(200, { ...body, choices: changed }, serviceHeaders(frame)) };
}

/** A stream of the given chunks and `[DONE]`. */
export function streamOf(chunks: readonly JsonObject[], frame: Frame, changes: Partial<RawReply> = {}): LabReply {
  return { raw: { ...eventStream([...chunks.map(dataEvent), doneEvent], serviceHeaders(frame)), ...changes } };
}

/** A stream of the given blocks, as they are. */
export function streamOfBlocks(blocks: readonly (string | Uint8Array)[], frame: Frame, changes: Partial<RawReply> = {}): LabReply {
  return { raw: { ...eventStream([], serviceHeaders(frame)), chunks: blocks, ...changes } };
}

/** The chunks that the answer would have had. */
export function chunksOf(answer: LabAnswer, { request, frame }: PathologyContext): readonly JsonObject[] {
  return completionChunks(answer, request, frame);
}

/** The blocks that the answer would have had on its wire, the terminal mark last. */
export function blocksOf(answer: LabAnswer, { wire, request, frame }: PathologyContext): readonly string[] {
  return wire.parts(answer, request, frame).chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()));
}

/** The answer's chunks with the one choice of each changed. */
export function mapChoices(
  answer: LabAnswer,
  context: PathologyContext,
  change: (choice: JsonObject, place: number) => JsonObject,
): readonly JsonObject[] {
  return chunksOf(answer, context).map((chunk, place) => {
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
    return isJsonObject(choice) ? { ...chunk, choices: [change(choice, place)] } : chunk;
  });
}

/** The delta of a choice. */
export function deltaOf(choice: JsonObject): JsonObject {
  return isJsonObject(choice.delta) ? choice.delta : {};
}

/** A stream of a role chunk, the given deltas, the finish and what the request asked of usage. */
export function deltaStream(
  answer: LabAnswer,
  context: PathologyContext,
  deltas: readonly JsonObject[],
  finish: string | null = answer.finish,
): LabReply {
  const { request, frame } = context;
  const chunks = [choiceChunk(frame, { role: 'assistant', content: null }), ...deltas.map((delta) => choiceChunk(frame, delta))];
  const ended = finish === null ? chunks : [...chunks, choiceChunk(frame, {}, finish)];
  return streamOf(withUsage(ended, answer, request, frame), frame);
}

/** Cuts a stream after the first half of what it says, at least one part of it: what comes before must have been output. */
export function firstHalf(answer: LabAnswer, context: PathologyContext): readonly string[] {
  const blocks = blocksOf(answer, context);
  const said = blocks.flatMap((block, place) => (speaks.test(block) ? [place] : []));
  // The first chunk of the chat wire says only who speaks.
  const middle = Math.max(1, Math.ceil(said.length / 2) - 1);
  return blocks.slice(0, (said[Math.min(middle, said.length - 1)] ?? 0) + 1);
}

/** A block that adds to what is said: on the chat wire one without a finish, elsewhere a delta, parts, or a line before the last. */
const speaks = /"finish_reason":null|"done":false|"content":\{"parts":|"type":"[a-z_.]*[._]?delta"/;
