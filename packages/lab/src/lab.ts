import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { sequentialIds } from '@vouch/contracts';
import type { RawReply } from './answer.ts';
import type { PathologyRate } from './draw.ts';
import { answerer } from './exchange.ts';
import type { FaultRate } from './faults/fault.ts';
import { faultById } from './faults.ts';
import { reader } from './models/reader.ts';
import { rules } from './models/rules.ts';
import { type LabModel, scripted } from './models/scripted.ts';
import { pathologyById } from './pathologies.ts';
import { isOwnHost, keyFault, targetOf } from './server/access.ts';
import { checkPause, checkSeed, refuseUnknown } from './server/check-options.ts';
import { exchangeHandler } from './server/handle-exchanges.ts';
import { listen } from './server/listen.ts';
import { openExchanges } from './server/open-exchanges.ts';
import { mostBodyBytes, readBody } from './server/read-body.ts';
import { type LabRequest, type LabRequestEntry, type LabRequestMatch, requestLog } from './server/request-log.ts';
import type { LabDelays } from './server/write-reply.ts';
import { labWires } from './wires/all.ts';
import { openaiChat } from './wires/openai-chat.ts';
import type { LabTarget, LabWire, WireRefusal } from './wires/wire.ts';

/** How the lab stands and what it shows. */
export interface LabOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default: `reader()`. */
  readonly model?: LabModel;
  /** Ids of the catalogue with the share of the requests, 0 to 1, to which each is applied where it fits. Default: none. */
  readonly pathologies?: readonly { readonly id: string; readonly rate: number }[];
  /**
   * Ids of the faults with the share of the requests, 0 to 1, to which each is applied where it fits; at most one a request, besides a pathology.
   * `parameter` is the fault's own number. Default: none.
   */
  readonly faults?: readonly { readonly id: string; readonly rate: number; readonly parameter?: number }[];
  /** Decides every draw, id and timestamp: a safe integer. Default 1. */
  readonly seed?: number;
  /** When given, requests with another key, or none, get a 401. */
  readonly apiKey?: string;
  /** Pauses on every response. Default: none. */
  readonly delays?: LabDelays;
  /** Keep connections open between requests. Default false: each ends with its response, so that `openSockets()` counts what a client left open. */
  readonly keepAlive?: boolean;
  /** Milliseconds since the epoch, for the one fault that says a date, and for durations. Default: the system's. */
  readonly now?: () => number;
  /** Called at the end of each exchange. It must not throw. */
  readonly onRequest?: (request: LabRequest) => void;
}

/** A running lab. */
export interface Lab {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** The origin and `/v1`: what a client of the chat wire takes as its base URL. */
  readonly baseUrl: string;
  /** The last 10 000 requests that fit, oldest first, as they stand now. Bodies of 64 MiB in all are kept; older ones are forgotten. */
  requests(match?: LabRequestMatch): readonly LabRequest[];
  /** Connections that are open now, also those that carried no request: some clients open one ahead. */
  openSockets(): number;
  /**
   * Resolves when every exchange has ended and, unless `keepAlive` is set, every connection that carried one is closed: never while a client holds
   * one open. What a test of leaks awaits.
   */
  idle(): Promise<void>;
  /** Ends every connection and stops listening. A reply that is not written whole is broken off, so that no client takes it for ended. */
  close(): Promise<void>;
}

const logLimits = { entries: 10_000, bodyBytes: 64 * 1024 * 1024 };

/**
 * Starts a fake provider on loopback (SG-100). The same seed and the same requests give the same bytes, in whatever order they arrive. Bodies over
 * 8 MiB get a 413; a foreign `Host`, or more than one, gets a 403; no CORS header is ever sent. Rejects with `RangeError` for an unknown id of a
 * pathology or a fault, a rate outside 0 to 1, a parameter, seed or pause out of its bounds; with `TypeError` for an option that there is not and a model that is none; and when
 * the port is taken.
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  checkOptions(options);
  const { port = 0, model = reader(), seed = 1, apiKey, delays = {}, keepAlive = false, now = Date.now } = options;
  const log = requestLog(logLimits);
  const exchanges = openExchanges(!keepAlive);
  const rates = readRates(options.pathologies ?? []);
  const wires = labWires(seed);
  const answers = answerer({ model, seed, rates, faults: readFaults(options.faults ?? []), now, wires });
  const closing = createClosing();
  const refuse = (refusal: WireRefusal): RawReply => openaiChat.refuse(refusal);
  const replyTo = async (request: IncomingMessage, entry: LabRequestEntry): Promise<RawReply> => {
    const wire = answers.wireOf(entry.path);
    if (!isOwnHost(request.headersDistinct.host, server.port))
      return refuse({ status: 403, message: 'The lab answers only to its own loopback address.' });
    const body = await readBody(request);
    if (body === 'aborted') {
      entry.clientClosedEarly = true;
      return refuse({ status: 400, message: 'The body ended early.' });
    }
    const key = keyFault(request, apiKey);
    if (key !== undefined) return (wire ?? openaiChat).refuse(key);
    if (body === 'too-long') return refuse({ status: 413, message: `Maximum content size limit (${mostBodyBytes}) exceeded.` });
    if (request.method === 'GET')
      return modelsReply(wires, targetOf(request), model.modelId ?? 'lab-scripted') ?? refuse(unknownPath(request, entry));
    if (wire === undefined) return refuse(unknownPath(request, entry));
    if (request.method !== 'POST') return refuse(wrongMethod(request, entry));
    log.weigh(entry, body.byteLength);
    return answers.reply(wire, request, body, entry);
  };
  const unsendable = (error: unknown): RawReply =>
    refuse({ status: 500, message: `The lab could not send its reply: ${String(error)}`, type: 'server_error' });
  const server = await listen(
    port,
    exchangeHandler({
      log,
      exchanges,
      ids: sequentialIds(),
      delays,
      keepAlive,
      now,
      onRequest: options.onRequest,
      closing: closing.signal,
      replyTo,
      unsendable,
    }),
  );
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests: (match) => log.snapshot(match),
    openSockets: () => server.openSockets(),
    idle: () => exchanges.idle(),
    close() {
      closing.abort();
      exchanges.breakOff();
      return server.close();
    },
  };
}

function createClosing(): AbortController {
  const closing = new AbortController();
  // Every pause of every exchange listens on it, for as long as it lasts.
  setMaxListeners(0, closing.signal);
  return closing;
}

const optionNames: Readonly<Record<keyof LabOptions, true>> = {
  port: true,
  model: true,
  pathologies: true,
  faults: true,
  seed: true,
  apiKey: true,
  delays: true,
  keepAlive: true,
  now: true,
  onRequest: true,
};

function checkOptions(options: LabOptions): void {
  refuseUnknown(options, optionNames, 'startLab');
  for (const entry of options.pathologies ?? []) refuseUnknown(entry, { id: true, rate: true }, 'an entry of `pathologies`');
  for (const entry of options.faults ?? []) refuseUnknown(entry, { id: true, rate: true, parameter: true }, 'an entry of `faults`');
  if (options.seed !== undefined) checkSeed(options.seed);
  if (options.model !== undefined) checkModel(options.model);
  const { delays = {} } = options;
  refuseUnknown(delays, { firstByteMs: true, chunkMs: true }, '`delays`');
  checkPause('firstByteMs', delays.firstByteMs);
  checkPause('chunkMs', delays.chunkMs);
}

/** A maker of models in place of the model would be asked for replies, and give models. */
function checkModel(model: unknown): void {
  if (typeof model !== 'function') throw new TypeError('`model` must be a model, such as reader(), rules() or scripted([…])');
  const makers: ReadonlyMap<unknown, string> = new Map<unknown, string>([
    [reader, 'reader()'],
    [rules, 'rules()'],
    [scripted, 'scripted([…])'],
  ]);
  const call = makers.get(model);
  if (call !== undefined) throw new TypeError(`\`model\` is the function that makes the model, not the model: call it, ${call}`);
}

function wrongMethod(request: IncomingMessage, entry: LabRequestEntry): WireRefusal {
  const message = `Not allowed to ${request.method} on ${entry.path}. (HINT: Perhaps you meant to make a POST request?)`;
  return { status: 405, message };
}

function unknownPath(request: IncomingMessage, entry: LabRequestEntry): WireRefusal {
  return { status: 404, message: `Invalid URL (${request.method} ${entry.path})` };
}

function modelsReply(wires: readonly LabWire[], target: LabTarget, modelId: string): RawReply | undefined {
  for (const wire of wires) {
    const reply = wire.models?.(modelId, target);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

function readRates(rates: readonly { readonly id: string; readonly rate: number }[]): readonly PathologyRate[] {
  return rates.map(({ id, rate }) => {
    const pathology = pathologyById(id);
    if (pathology === undefined) throw new RangeError(`no pathology has the id ${id}`);
    checkRate(id, rate);
    return { pathology, rate };
  });
}

function readFaults(rates: NonNullable<LabOptions['faults']>): readonly FaultRate[] {
  return rates.map(({ id, rate, parameter }) => {
    const fault = faultById(id);
    if (fault === undefined) throw new RangeError(`no fault has the id ${id}`);
    checkRate(id, rate);
    if (parameter === undefined) return { fault, rate };
    const bounds = fault.parameter;
    if (bounds === undefined) throw new RangeError(`${id} takes no parameter`);
    if (!Number.isInteger(parameter) || parameter < bounds.least || parameter > bounds.most) {
      throw new RangeError(`the parameter of ${id} must be a whole number from ${bounds.least} to ${bounds.most}: ${bounds.meaning}`);
    }
    return { fault, rate, parameter };
  });
}

function checkRate(id: string, rate: number): void {
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`the rate of ${id} must be between 0 and 1`);
}
