import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabLogprob } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import { cutText } from '../../random.ts';
import type { Frame } from '../wire.ts';

/** The longest fragment of a stream, in UTF-16 units. */
const longestFragment = 9;

/** Nanoseconds for which the lab pretends to work on one token. */
const nanosecondsPerToken = 10_000_000;

/** One object of an answer: a line of a stream, or the whole body. */
function responseLine(frame: Frame, message: JsonObject, rest: JsonObject = { done: false }): JsonObject {
  const created_at = new Date(frame.created * 1_000).toISOString();
  return { model: frame.model, created_at, message: { role: 'assistant', content: '', ...message }, ...rest };
}

/** The wire's word for why the answer ended: calls end with `stop`. */
function doneReason({ finish }: LabAnswer): string {
  return finish === 'tool_calls' ? 'stop' : finish;
}

/** What the last object of an answer says besides its message. */
function ending(answer: LabAnswer): JsonObject {
  const { usage } = answer;
  const duration = (tokens: number): number => tokens * nanosecondsPerToken;
  return {
    done: true,
    done_reason: doneReason(answer),
    total_duration: duration((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) + 1),
    load_duration: nanosecondsPerToken,
    ...(usage === null
      ? {}
      : {
          prompt_eval_count: usage.inputTokens,
          prompt_eval_duration: duration(usage.inputTokens),
          eval_count: usage.outputTokens,
          eval_duration: duration(usage.outputTokens),
        }),
  };
}

/** Why the server could not say the answer: a call whose arguments it cannot parse. One that the limit cut is left out instead. */
export function callFault(answer: LabAnswer): string | undefined {
  const broken = answer.toolCalls.find((call, index) => wireCall(call, index) === undefined);
  if (broken === undefined || answer.finish === 'length') return undefined;
  return `error parsing tool call: raw='${broken.arguments}', err=invalid character in JSON input`;
}

/** A call with its arguments as an object; undefined where they are none. */
function wireCall(call: LabAnswer['toolCalls'][number], index: number): JsonObject | undefined {
  const args = parsed(call.arguments === '' ? '{}' : call.arguments);
  return isJsonObject(args) ? { id: call.id, function: { index, name: call.name, arguments: args as JsonObject } } : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const wireCalls = ({ toolCalls }: LabAnswer): readonly (JsonObject | undefined)[] => toolCalls.map(wireCall);

const textOf = ({ text, refusal }: LabAnswer): string => (text ?? '') + (refusal ?? '');

function logprobsOf(answer: LabAnswer, request: LabChatRequest): readonly LabLogprob[] | undefined {
  return request.logprobs ? answer.logprobs : undefined;
}

const tokenLogprob = ({ token, logprob, top = [] }: LabLogprob): JsonObject => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
  top_logprobs: top.map((one) => ({ ...one, bytes: [...Buffer.from(one.token)] })),
});

/** The body of an answer that is not streamed. */
export function wholeBody(answer: LabAnswer, request: LabChatRequest, frame: Frame): JsonObject {
  const calls = wireCalls(answer).filter((call) => call !== undefined);
  const tokens = logprobsOf(answer, request);
  const message = {
    content: textOf(answer),
    ...(answer.reasoning === undefined ? {} : { thinking: answer.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return responseLine(frame, message, { ...ending(answer), ...(tokens === undefined ? {} : { logprobs: tokens.map(tokenLogprob) }) });
}

/** The objects of a stream, the one with `done: true` last. */
export function answerLines(answer: LabAnswer, request: LabChatRequest, frame: Frame): readonly JsonObject[] {
  const cut = (text: string): readonly string[] => cutText(text, longestFragment, frame.random);
  const thinking = (beforeCall: number | undefined): readonly JsonObject[] =>
    answer.thinking
      .filter((piece) => piece.beforeCall === beforeCall)
      .flatMap(({ text }) => cut(text).map((part) => responseLine(frame, { thinking: part })));
  const tokens = logprobsOf(answer, request);
  const content =
    tokens === undefined
      ? cut(textOf(answer)).map((text) => responseLine(frame, { content: text }))
      : tokens.map((entry) => responseLine(frame, { content: entry.token }, { done: false, logprobs: [tokenLogprob(entry)] }));
  const calls = wireCalls(answer).flatMap((call, index) => [
    ...thinking(index),
    ...(call === undefined ? [] : [responseLine(frame, { tool_calls: [call] })]),
  ]);
  return [...thinking(undefined), ...content, ...calls, responseLine(frame, {}, ending(answer))];
}
