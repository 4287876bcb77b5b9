import type { ModelPart } from '@vouch/contracts';
import { createHttp, type Http } from '../net/http.ts';
import { CallTimeoutError, ProviderError, transportError, unreadableError } from '../net/provider-error.ts';
import type { AdapterEndpoint, ChatAdapter, ProviderRequest, ProviderStreamDelta } from './adapter.ts';
import { type ChunkReader, createChunkReader } from './openai-chat/chunks.ts';
import { errorIn, errorInside, type GoodAnswer } from './openai-chat/errors.ts';
import { readEvents, type WireEvent } from './openai-chat/events.ts';
import { serverGaveUp } from './openai-chat/finish.ts';
import { chatBody, chatHeaders, chatUrl } from './openai-chat/request.ts';
import { readClient, readSdkEvents } from './openai-chat/sdk.ts';

/**
 * The wire of OpenAI's Chat Completions and of all that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. A single try. A stream that ends early is no error: it has no `terminated` mark and no finish reason;
 * only one that ends before it began is thrown, as a lost connection.
 */
export function openaiChat(endpoint: AdapterEndpoint): ChatAdapter {
  const client = endpoint.client === undefined ? undefined : readClient(endpoint.client);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const sdk = client !== undefined && 'sdk' in client ? client.sdk : undefined;
  return {
    kind: 'chat',
    id: 'openai-chat',
    async *send(request, { signal }) {
      signal.throwIfAborted();
      const body = chatBody(request, endpoint);
      if (sdk !== undefined) {
        const events = readSdkEvents(sdk, body, { settings: http.settings, signal });
        yield* readParts({ events, answer: { status: undefined }, release: async () => undefined }, { endpoint, request, http, signal });
        return;
      }
      const response = await http.post({
        url: chatUrl(endpoint),
        headers: chatHeaders(endpoint, request.delivery),
        body: JSON.stringify(body),
        signal,
      });
      try {
        const events = readEvents(response, { settings: http.settings, signal });
        yield* readParts({ events, answer: response, release: response.release }, { endpoint, request, http, signal });
      } finally {
        await response.release();
      }
    },
  };
}

interface Source {
  readonly events: AsyncIterable<WireEvent>;
  readonly answer: GoodAnswer;
  readonly release: () => Promise<void>;
}

interface Reading {
  readonly endpoint: AdapterEndpoint;
  readonly request: ProviderRequest;
  readonly http: Http;
  readonly signal: AbortSignal;
}

/** Reads the events of one response to its end, however it ends. */
async function* readParts(source: Source, reading: Reading): AsyncGenerator<ProviderStreamDelta> {
  const { endpoint, request, http, signal } = reading;
  const header = source.answer.header;
  const reader = createChunkReader({
    dialect: endpoint.dialect,
    source: { provider: endpoint.provider, model: request.model },
    ids: endpoint.ids,
    requestId: header?.('x-request-id') ?? header?.('apim-request-id') ?? header?.('x-generation-id'),
  });
  let done = false;
  try {
    for await (const event of untilDone(source, reader)) {
      signal.throwIfAborted();
      if (event.kind === 'done') done = true;
      else yield* readObject(event, reader, source, reading, done);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isEnd(error, reader, done)) {
      for (const part of reader.end(false)) yield part;
      throw error;
    }
  }
  if (!reader.finished() && !reader.began()) checkEmpty(reader, done, { secrets: http.settings.secrets, ...statusOf(source) });
  yield* reader.end(done);
}

/** Nothing came: no success, whatever the mark says (SG-035). A choice without output is the router's matter. */
function checkEmpty(reader: ChunkReader, done: boolean, facts: { readonly secrets: readonly string[]; readonly status?: number }): void {
  if (!done) throw transportError('The response ended before it began.', facts.secrets, facts);
  if (reader.choices() === 'none') throw unreadableError('parse', 'The response holds no choices.', facts);
}

const statusOf = (source: Source): { readonly status?: number } =>
  source.answer.status === undefined ? {} : { status: source.answer.status };

function* readObject(
  event: Extract<WireEvent, { kind: 'object' }>,
  reader: ChunkReader,
  source: Source,
  { request, http }: Reading,
  done: boolean,
): Generator<ModelPart> {
  if (request.providerChunks === true) {
    yield request.delivery === 'whole'
      ? { type: 'provider-response', response: event.value }
      : { type: 'provider-chunk', chunk: event.value };
  }
  const context = { secrets: http.settings.secrets, now: http.settings.clock.now() };
  const failure = errorIn(event.value);
  // What comes after the terminal mark cannot undo the answer; its usage still counts.
  if (done) {
    reader.read({ usage: event.value.usage ?? null, x_groq: event.value.x_groq ?? null }, undefined);
    return;
  }
  yield* reader.read(event.value, event.raw);
  if (failure !== undefined) throw errorInside(failure, source.answer, context);
  const word = reader.finishWord();
  if (word !== undefined && serverGaveUp.has(word))
    throw errorInside({ error: { message: `The server gave up: ${word}.`, code: word } }, source.answer, context);
}

/** The error only says that the connection ended: after the finish that is no matter, and after output it is a cut answer. A stall counts only after the finish. */
function isEnd(error: unknown, reader: ChunkReader, done: boolean): boolean {
  if (error instanceof CallTimeoutError) return error.which === 'idle' && (done || reader.finished());
  return error instanceof ProviderError && error.fault.cause === 'transport' && (done || reader.finished() || reader.began());
}

/**
 * The events up to `[DONE]`, and what has already arrived after it while the usage is not known. A connection that stays open after the mark is
 * released and not waited for.
 */
async function* untilDone(source: Source, reader: ChunkReader): AsyncGenerator<WireEvent> {
  const iterator = source.events[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      const next = iterator.next();
      const result = done ? await ifReady(next) : await next;
      if (result === undefined || result.done === true) return;
      if (result.value.kind === 'done') done = true;
      yield result.value;
      if (done && reader.usage() !== undefined) return;
    }
  } finally {
    await source.release();
    Promise.resolve(iterator.return?.(undefined)).catch(() => undefined);
  }
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
