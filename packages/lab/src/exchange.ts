import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { completeAnswer, type LabAnswer, type RawReply } from './answer.ts';
import { boundedMap } from './bounded-map.ts';
import type { LabChatRequest } from './chat-request.ts';
import { drawFault, drawPathology, type PathologyRate } from './draw.ts';
import type { FaultContext, FaultRate } from './faults/fault.ts';
import { replyFault } from './models/reply-fault.ts';
import type { LabModel } from './models/scripted.ts';
import { type Random, seededRandom } from './random.ts';
import { targetOf } from './server/access.ts';
import type { LabRequestEntry } from './server/request-log.ts';
import type { Frame, LabWire } from './wires/wire.ts';

/** What answers requests. */
export interface AnswererOptions {
  readonly model: LabModel;
  readonly seed: number;
  readonly rates: readonly PathologyRate[];
  readonly faults: readonly FaultRate[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly wires: readonly LabWire[];
}

/** Turns a request's bytes into a reply. */
export interface Answerer {
  /** The wire that takes requests at this path. */
  wireOf(path: string): LabWire | undefined;
  /** Writes the entry's body, id, wire, model, applied pathologies and fault. */
  reply(wire: LabWire, request: IncomingMessage, bytes: Uint8Array, entry: LabRequestEntry): Promise<RawReply>;
}

const mostRemembered = 10_000;
/** Of the answers that are owed to next tries: UTF-16 units. */
const mostOwedUnits = 16 * 1024 * 1024;
/** Timestamps are drawn from the 30 days that begin here. */
const firstSecond = 1_790_000_000;
const secondsDrawn = 30 * 24 * 3_600;

/**
 * Answers by the model, then by at most one pathology, then by at most one fault. Each request has its own random sources, made of the seed, its body
 * and how often that body came before: so draws do not depend on the order in which concurrent requests arrive.
 */
export function answerer(options: AnswererOptions): Answerer {
  const { model, seed, wires } = options;
  const timesSeen = boundedMap<number>(mostRemembered);
  const answer = answering(options);
  return {
    wireOf: (path) => wires.find((wire) => wire.takes(path.replace(/\?.*$/, ''))),
    async reply(wire, request, bytes, entry) {
      const target = targetOf(request);
      const digest = createHash('sha256').update(`${wire.id}\n${target.path}\n`).update(bytes).digest('hex');
      const times = timesSeen.get(digest) ?? 0;
      timesSeen.set(digest, times + 1);
      const random = seededRandom(`${seed}/${digest}/${times}`);
      entry.id = `req_${random.letters(32)}`;
      entry.wire = wire.id;
      const text = new TextDecoder().decode(bytes);
      const body = decode(text);
      entry.body = body ?? (text === '' ? undefined : text);
      const refusal = bodyFault(request, body);
      if (refusal !== undefined) return wire.refuse(refusal);
      const read = wire.read(body as JsonObject, target);
      if ('refusal' in read) return wire.refuse(read.refusal);
      entry.model = read.request.model;
      // A source of its own, so that faults do not change what the answer says.
      const faultRandom = seededRandom(`${seed}/${digest}/${times}/fault`);
      return answer({ wire, request: read.request, digest, frame: frameOf(entry.id, model, read.request, random), faultRandom, entry });
    },
  };
}

/** One accepted request on its way to a reply. */
interface Exchange {
  readonly wire: LabWire;
  readonly request: LabChatRequest;
  readonly digest: string;
  readonly frame: Frame;
  readonly faultRandom: Random;
  readonly entry: LabRequestEntry;
}

/** What the next try of a request gets: no fault, and where it is kept the answer of the same model call. */
interface Owed {
  readonly reply?: LabAnswer | { readonly raw: RawReply };
  /** A pathology that a retry mends was shown: no other is drawn. */
  readonly clean: boolean;
}

/** Asks the model and draws; remembers what a spoiled first try owes to the next. */
function answering(options: AnswererOptions): (exchange: Exchange) => Promise<RawReply> {
  const { faults, now } = options;
  const owed = boundedMap<Owed>(mostRemembered, { most: mostOwedUnits, of: unitsOf });
  const askModel = asking(options);
  return async (exchange) => {
    const { wire, request, digest, entry } = exchange;
    const kept = owed.get(digest);
    owed.delete(digest);
    const drawn = kept === undefined ? drawFault(faults, request, exchange.faultRandom) : undefined;
    const context = drawn === undefined ? undefined : faultContext(drawn, exchange, now());
    if (drawn?.fault.answer === 'none' && context !== undefined) {
      entry.fault = drawn.fault.id;
      if (drawn.fault.tries === 'first') owed.set(digest, { clean: false });
      return drawn.fault.reply(context);
    }
    const said = kept?.reply ?? (await askModel(exchange));
    if (said instanceof Error) {
      entry.modelError = said.message;
      return modelFailure(wire, said);
    }
    const spoken = 'raw' in said ? { reply: said.raw, clean: false } : speak(options.rates, said, exchange, kept?.clean ?? false);
    const delivered = context === undefined || drawn?.fault.answer === 'none' ? undefined : drawn?.fault.apply(spoken.reply, context);
    if (drawn !== undefined && delivered !== undefined) entry.fault = drawn.fault.id;
    if (spoken.clean || (delivered !== undefined && drawn?.fault.tries === 'first')) owed.set(digest, { reply: said, clean: spoken.clean });
    return delivered ?? spoken.reply;
  };
}

/** The answer in the wire's words, spoiled by at most one pathology. `clean`: the next try must show none. */
function speak(
  rates: readonly PathologyRate[],
  answer: LabAnswer,
  { wire, request, frame, entry }: Exchange,
  clean: boolean,
): { readonly reply: RawReply; readonly clean: boolean } {
  const spoiled = clean
    ? undefined
    : drawPathology(rates, answer, { request, frame, wire, path: entry.path.replace(/\?.*$/, '') }, frame.random);
  if (spoiled === undefined) return { reply: say(wire, answer, request, frame), clean: false };
  entry.applied = [spoiled.pathology.id];
  const owesClean = spoiled.pathology.tries === 'first';
  if ('raw' in spoiled.reply) return { reply: spoiled.reply.raw, clean: owesClean };
  // The limit was kept before; what a pathology adds is not cut again.
  const { maxOutputTokens: _kept, ...unlimited } = request;
  return { reply: say(wire, completeAnswer(spoiled.reply, unlimited, frame.random), request, frame), clean: owesClean };
}

/** Asks the model and fills the defaults of what it says; what it throws is given back. */
function asking({ model, seed }: AnswererOptions): (exchange: Exchange) => Promise<LabAnswer | { readonly raw: RawReply } | Error> {
  let modelCalls = 0;
  return async ({ request, frame }) => {
    const index = modelCalls;
    modelCalls += 1;
    try {
      const reply = await model(request, { seed, index });
      const fault = replyFault(reply);
      if (fault !== undefined) return new TypeError(`what it gave is no reply: ${fault}`);
      return 'raw' in reply ? reply : completeAnswer(reply, request, frame.random);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
}

function faultContext({ fault, parameter }: FaultRate, { wire, entry, faultRandom }: Exchange, now: number): FaultContext {
  return {
    wire,
    path: entry.path.replace(/\?.*$/, ''),
    parameter: parameter ?? fault.parameter?.default,
    random: faultRandom,
    now,
  };
}

function unitsOf({ reply }: Owed): number {
  if (reply === undefined) return 0;
  if ('raw' in reply) return reply.raw.chunks.reduce((units, chunk) => units + chunk.length, 0);
  const calls = reply.toolCalls.reduce((units, call) => units + call.arguments.length, 0);
  return calls + (reply.text?.length ?? 0) + (reply.reasoning?.length ?? 0) + (reply.refusal?.length ?? 0);
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
