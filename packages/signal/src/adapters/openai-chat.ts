import type { JsonObject, ModelPart } from '@vouch/contracts';
import { createHttp, type HttpRequest, type HttpSettings } from '../net/http.ts';
import { CallTimeoutError, ProviderError, transportError, unreadableError } from '../net/provider-error.ts';
import {
  type AdapterEndpoint,
  type ChatAdapter,
  endpointOf,
  type ProviderRequest,
  type ProviderStreamDelta,
  type WireEndpoint,
} from './adapter.ts';
import { type ChunkReader, createChunkReader } from './openai-chat/chunks.ts';
import { errorIn } from './openai-chat/errors.ts';
import { serverGaveUp } from './openai-chat/finish.ts';
import { chatBody } from './openai-chat/request.ts';
import { endpointHeaders, endpointUrl } from './request/address.ts';
import { errorInside, type GoodAnswer } from './response/error-inside.ts';
import { readEvents, type WireEvent } from './response/events.ts';
import { readClient, readSdkEvents } from './response/sdk.ts';

/**
 * The wire of OpenAI's Chat Completions and of all that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. A single try. A stream that ends early is no error: it has no `terminated` mark and no finish reason;
 * only one that ends before it began is thrown, as a lost connection.
 */
export function openaiChat(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'openai-chat');
  const client = endpoint.client === undefined ? undefined : readClient(endpoint.client, ['chat', 'completions']);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const address = addressOf(endpoint);
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<Source> => {
    signal.throwIfAborted();
    const body = chatBody(request, endpoint);
    if (create !== undefined) {
      const events = readSdkEvents(create, body, { settings: http.settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined };
    }
    const { url, headers } = address(request.delivery);
    const answer = await http.post({ url, headers, body: JSON.stringify(body), signal });
    return { events: readEvents(answer, http), answer, release: answer.release };
  };
  return {
    kind: 'chat',
    id: 'openai-chat',
    send: (request, { signal }) => readParts(() => open(request, signal), { endpoint, request, settings: http.settings, signal }),
  };
}

type Address = Pick<HttpRequest, 'url' | 'headers'>;

/** Where each delivery goes, worked out when it is first needed: a wrong address is told by the first request. */
function addressOf(endpoint: WireEndpoint<'openai-chat'>): (delivery: ProviderRequest['delivery']) => Address {
  const known: { -readonly [Delivery in ProviderRequest['delivery']]?: Address } = {};
  return (delivery) => {
    known[delivery] ??= { url: endpointUrl(endpoint), headers: endpointHeaders(endpoint, delivery) };
    return known[delivery];
  };
}

interface Source {
  readonly events: AsyncIterable<readonly WireEvent[]>;
  readonly answer: GoodAnswer;
  readonly release: () => Promise<void>;
}

interface Reading {
  readonly endpoint: WireEndpoint<'openai-chat'>;
  readonly request: ProviderRequest;
  readonly settings: HttpSettings;
  readonly signal: AbortSignal;
}

/**
 * Reads one response to its end, however it ends: up to `[DONE]`, and after it what has already arrived, while the usage is not known. A connection
 * that stays open after the mark is released and not waited for. One generator, because each more costs every delta a turn of the queue.
 */
async function* readParts(open: () => Promise<Source>, reading: Reading): AsyncGenerator<readonly ProviderStreamDelta[]> {
  const { signal, settings } = reading;
  const source = await open();
  const reader = readerFor(source, reading);
  const iterator = source.events[Symbol.asyncIterator]();
  let done = false;
  try {
    while (!done || reader.usage() === undefined) {
      const next = iterator.next();
      const batch = done ? await ifReady(next) : await next;
      if (batch === undefined || batch.done === true) break;
      signal.throwIfAborted();
      const parts: ModelPart[] = [];
      let failure: Taken['failure'];
      for (const event of batch.value) {
        if (event.kind === 'done') done = true;
        else if (done) takeLate(event, reader);
        else {
          const taken = takeEvent(event, reader, source, reading);
          for (const part of taken.parts) parts.push(part);
          failure = taken.failure;
          if (failure !== undefined) break;
        }
      }
      if (parts.length > 0) yield parts;
      if (failure !== undefined) throw failure.error;
    }
    if (!reader.finished() && !reader.began()) checkEmpty(reader, done, { secrets: settings.secrets, ...statusOf(source) });
  } catch (error) {
    signal.throwIfAborted();
    if (!isEnd(error, reader, done)) {
      yield reader.end(false);
      throw error;
    }
  } finally {
    await source.release();
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
  yield reader.end(done);
}

function readerFor(source: Source, { endpoint, request }: Reading): ChunkReader {
  const header = source.answer.header;
  return createChunkReader({
    dialect: endpoint.dialect,
    source: { provider: endpoint.provider, model: request.model },
    ids: endpoint.ids,
    requestId: header?.('x-request-id') ?? header?.('apim-request-id') ?? header?.('x-generation-id'),
  });
}

/** What comes after the terminal mark cannot undo the answer; its usage still counts. */
function takeLate(event: WireEvent, reader: ChunkReader): void {
  if (event.kind !== 'object') return;
  const { choices: _choices, ...rest } = event.value;
  reader.read(rest, undefined);
}

interface Taken {
  readonly parts: readonly ModelPart[];
  readonly failure?: { readonly error: unknown };
}

function takeEvent(
  event: Exclude<WireEvent, { kind: 'done' }>,
  reader: ChunkReader,
  source: Source,
  { request, settings }: Reading,
): Taken {
  if (event.kind === 'error') return { parts: [], failure: event };
  const read = reader.read(event.value, event.raw);
  const parts = request.providerChunks === true ? [providerPart(event.value, request), ...read] : read;
  const word = reader.finishWord();
  const gaveUp = word !== undefined && serverGaveUp.has(word);
  const failure = errorIn(event.value) ?? (gaveUp ? { error: { message: `The server gave up: ${word}.`, code: word } } : undefined);
  if (failure === undefined) return { parts };
  const context = { secrets: settings.secrets, now: settings.clock.now() };
  return { parts, failure: { error: errorInside(failure, source.answer, context) } };
}

const providerPart = (value: JsonObject, request: ProviderRequest): ModelPart =>
  request.delivery === 'whole' ? { type: 'provider-response', response: value } : { type: 'provider-chunk', chunk: value };

/** Nothing came: no success, whatever the mark says (SG-035). A choice without output is the router's matter. */
function checkEmpty(reader: ChunkReader, done: boolean, facts: { readonly secrets: readonly string[]; readonly status?: number }): void {
  if (!done) throw transportError('The response ended before it began.', facts.secrets, facts);
  if (reader.choices() === 'none') throw unreadableError('parse', 'The response holds no choices.', facts);
}

const statusOf = (source: Source): { readonly status?: number } =>
  source.answer.status === undefined ? {} : { status: source.answer.status };

/** The error only says that the connection ended: after the finish that is no matter, and after output it is a cut answer. A stall counts only after the finish. */
function isEnd(error: unknown, reader: ChunkReader, done: boolean): boolean {
  if (error instanceof CallTimeoutError) return error.which === 'idle' && (done || reader.finished());
  return error instanceof ProviderError && error.fault.cause === 'transport' && (done || reader.finished() || reader.began());
}

/** Turns of the microtask queue: enough for what has arrived to be read, and over in a few milliseconds when nothing has. */
const readyTurns = 20_000;

/** The outcome, if it needs no waiting for the network. */
async function ifReady<T>(promise: Promise<T>): Promise<T | undefined> {
  let settled = false;
  const outcome = promise.then(
    (value) => {
      settled = true;
      return value;
    },
    () => {
      settled = true;
      return undefined;
    },
  );
  for (let turn = 0; turn < readyTurns && !settled; turn += 1) await undefined;
  return settled ? outcome : undefined;
}
