import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { completeAnswer, type LabAnswer, type LabReply, type RawReply } from './answer.ts';
import { boundedMap } from './bounded-map.ts';
import type { LabChatRequest } from './chat-request.ts';
import { drawPathology, type PathologyRate } from './draw.ts';
import type { LabModel } from './models/scripted.ts';
import { type Random, seededRandom } from './random.ts';
import type { LabRequestEntry } from './server/request-log.ts';
import type { Frame, LabWire } from './wires/wire.ts';

/** What answers requests. */
export interface AnswererOptions {
  readonly model: LabModel;
  readonly seed: number;
  readonly rates: readonly PathologyRate[];
  readonly wires: readonly LabWire[];
}

/** Turns a request's bytes into a reply. */
export interface Answerer {
  /** The wire that takes requests at this path. */
  wireOf(path: string): LabWire | undefined;
  /** Writes the entry's body, id and applied pathologies. */
  reply(wire: LabWire, request: IncomingMessage, bytes: Uint8Array, entry: LabRequestEntry): Promise<RawReply>;
}

const mostRemembered = 10_000;
/** Timestamps are drawn from the 30 days that begin here. */
const firstSecond = 1_790_000_000;
const secondsDrawn = 30 * 24 * 3_600;

/**
 * Answers by the model, then by at most one pathology. Each request has its own random source, made of the seed, its body and how often that body
 * came before: so draws do not depend on the order in which concurrent requests arrive.
 */
export function answerer(options: AnswererOptions): Answerer {
  const { model, seed, wires } = options;
  const timesSeen = boundedMap<number>(mostRemembered);
  const answer = answering(options);
  return {
    wireOf: (path) => wires.find((wire) => wire.path === path.replace(/\?.*$/, '')),
    async reply(wire, request, bytes, entry) {
      const digest = createHash('sha256').update(`${wire.id}\n`).update(bytes).digest('hex');
      const times = timesSeen.get(digest) ?? 0;
      timesSeen.set(digest, times + 1);
      const random = seededRandom(`${seed}/${digest}/${times}`);
      entry.id = `req_${random.letters(32)}`;
      const text = new TextDecoder().decode(bytes);
      const body = decode(text);
      entry.body = body ?? (text === '' ? undefined : text);
      const refusal = bodyFault(request, body);
      if (refusal !== undefined) return wire.refuse(refusal);
      const read = wire.read(body as JsonObject);
      if ('refusal' in read) return wire.refuse(read.refusal);
      return answer(wire, read.request, digest, frameOf(entry.id, model, read.request, random), entry);
    },
  };
}

type Answering = (wire: LabWire, request: LabChatRequest, digest: string, frame: Frame, entry: LabRequestEntry) => Promise<RawReply>;

/** Asks the model, then draws; remembers what a spoiled first try owes to the next. */
function answering({ model, seed, rates }: AnswererOptions): Answering {
  // The untouched answer, owed to the next try of a request whose first try was spoiled.
  const owed = boundedMap<LabAnswer>(mostRemembered);
  let modelCalls = 0;
  const askModel = async (request: LabChatRequest): Promise<LabReply | Error> => {
    const index = modelCalls;
    modelCalls += 1;
    try {
      return await model(request, { seed, index });
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return async (wire, request, digest, frame, entry) => {
    const kept = owed.get(digest);
    if (kept !== undefined) {
      owed.delete(digest);
      return say(wire, kept, request, frame);
    }
    const reply = await askModel(request);
    if (reply instanceof Error) return modelFailure(wire, reply);
    if ('raw' in reply) return reply.raw;
    const complete = completeAnswer(reply, request, frame.random);
    const spoiled = drawPathology(rates, complete, { request, frame }, frame.random);
    if (spoiled === undefined) return say(wire, complete, request, frame);
    entry.applied = [spoiled.pathology.id];
    if (spoiled.pathology.tries === 'first') owed.set(digest, complete);
    if ('raw' in spoiled.reply) return spoiled.reply.raw;
    // The limit was kept before; what a pathology adds is not cut again.
    const { maxOutputTokens: _kept, ...unlimited } = request;
    return say(wire, completeAnswer(spoiled.reply, unlimited, frame.random), request, frame);
  };
}

function say(wire: LabWire, answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply {
  return request.stream ? wire.parts(answer, request, frame) : wire.whole(answer, request, frame);
}

function frameOf(requestId: string, model: LabModel, request: LabChatRequest, random: Random): Frame {
  return {
    requestId,
    id: `chatcmpl-${random.letters(29)}`,
    created: firstSecond + random.below(secondsDrawn),
    model: model.modelId ?? request.model,
    fingerprint: model.fingerprint ?? 'fp_lab',
    random,
  };
}

function modelFailure(wire: LabWire, error: Error): RawReply {
  const reply = wire.refuse({ status: 500, message: `The lab's model failed: ${error.message}`, type: 'server_error' });
  return { ...reply, headers: { ...reply.headers, 'x-should-retry': 'false' } };
}

function bodyFault(
  request: IncomingMessage,
  body: JsonValue | undefined,
): { readonly status: number; readonly message: string } | undefined {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) {
    const message = `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`;
    return { status: 415, message };
  }
  if (isJsonObject(body)) return undefined;
  const hint =
    "HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON.";
  return { status: 400, message: `We could not parse the JSON body of your request. (${hint})` };
}

function decode(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
