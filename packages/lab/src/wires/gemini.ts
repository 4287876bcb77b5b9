import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { RawReply } from '../answer.ts';
import { endingOf, responseObject, wireAnswer } from './gemini/answer.ts';
import { answerEvents, eventBlock } from './gemini/events.ts';
import { readGenerateRequest, readPath } from './gemini/request.ts';
import { createSeal } from './gemini/seal.ts';
import { jsonReply, type LabWire, type WireRefusal } from './wire.ts';

/**
 * The generateContent wire. It keeps nothing: its thought signatures it knows again by the lab's seed, and a history in which one is altered, misplaced
 * or missing where it must be is refused as the service refuses it.
 */
export function gemini(seed: number): LabWire {
  const seal = createSeal(seed);
  return {
    id: 'gemini',
    takes: (path) => readPath(path) !== undefined,
    read: (body, target) => readGenerateRequest(body, target, seal),
    whole(answer, request, frame) {
      const said = wireAnswer(answer, request, frame, seal);
      return jsonReply(200, responseObject(said.parts, endingOf(answer, said, request), frame), jsonHeaders);
    },
    parts(answer, request, frame) {
      const events = answerEvents(answer, request, frame, seal);
      return request.asList === true ? listReply(events) : eventReply(events.map(eventBlock));
    },
    refuse: (refusal) => jsonReply(errorStatus(refusal), errorBody(refusal), jsonHeaders),
    models: (modelId, { path }) => modelsReply(path, modelId),
  };
}

const jsonHeaders = { 'content-type': 'application/json; charset=UTF-8' } as const;

/** A stream of the given blocks. */
export const eventReply = (blocks: readonly string[]): RawReply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream', 'content-disposition': 'attachment' },
  chunks: blocks,
  ending: 'end',
});

/** A stream as one JSON list, an object at a time. */
export const listReply = (events: readonly JsonObject[]): RawReply => ({
  status: 200,
  headers: jsonHeaders,
  chunks: [...events.map((event, place) => `${place === 0 ? '[' : ',\r\n'}${JSON.stringify(event, null, 2)}`), ']'],
  ending: 'end',
});

const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** A wrong key is a bad request here, and none is a caller whom nobody knows. */
const errorStatus = ({ status, code }: WireRefusal): number => (status !== 401 ? status : code === 'invalid_api_key' ? 400 : 403);

/** The wire's error body. */
function errorBody(refusal: WireRefusal): JsonObject {
  const code = errorStatus(refusal);
  const status = statusWords[code] ?? 'UNKNOWN';
  if (refusal.status !== 401) return { error: { code, message: refusal.message, status } };
  if (code === 403) {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    return { error: { code, message, status } };
  }
  const details: readonly JsonValue[] = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ];
  return { error: { code, message: 'API key not valid. Please pass a valid API key.', status, details } };
}

function modelsReply(path: string, id: string): RawReply | undefined {
  const name = `models/${id}`;
  const supportedGenerationMethods = ['generateContent', 'streamGenerateContent'];
  const model = { name, version: '001', displayName: id, inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, supportedGenerationMethods };
  if (path === '/v1beta/models') return jsonReply(200, { models: [model] }, jsonHeaders);
  return path === `/v1beta/${name}` ? jsonReply(200, model, jsonHeaders) : undefined;
}
