import type { JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import type { HttpSettings } from '../../net/http.ts';
import { CallTimeoutError, ProviderError, transportError, unreadableError } from '../../net/provider-error.ts';
import type { ProviderRequest } from '../adapter.ts';
import { errorInside, type GoodAnswer } from './error-inside.ts';
import type { WireEvent } from './events.ts';

/** An open response: its events, and what it was answered with. */
export interface ResponseSource {
  readonly events: AsyncIterable<readonly WireEvent[]>;
  readonly answer: GoodAnswer;
  readonly release: () => Promise<void>;
  /** Given before anything else, such as what the request left out. */
  readonly opening: readonly ModelPart[];
}

/** Reads the events of one response of a wire that marks its end by an event of its own. */
export interface ResponseReader {
  /** `raw`: the event's source text, where there is one. Throws a `ProviderError` for what contradicts itself. */
  read(event: JsonObject, raw: string | undefined): readonly ModelPart[];
  /** The error that the event holds, as a body that `providerErrorFrom` reads. */
  failure(event: JsonObject): JsonValue | undefined;
  /** What was held back, carries, and what is known of the call. */
  end(terminated: boolean): readonly ModelPart[];
  /** Text, reasoning, a refusal or a call came. */
  began(): boolean;
  /** The wire's terminal mark came: nothing more is waited for. */
  finished(): boolean;
  /** The answer is whole should the body end here, though more may come: a wire without a terminal mark says so. A stall is no error then. */
  complete?(): boolean;
}

/** What the reading of a response needs besides its events. */
export interface ResponseReading {
  readonly reader: (answer: GoodAnswer) => ResponseReader;
  readonly request: ProviderRequest;
  readonly settings: HttpSettings;
  readonly signal: AbortSignal;
}

/**
 * Reads one response to its terminal mark, however it ends. Past the mark nothing is waited for, so a connection that stays open is released. Output
 * without a mark is a cut answer and no error; an end before any output is thrown, as a lost connection (SG-035).
 */
export async function* readResponse(open: () => Promise<ResponseSource>, reading: ResponseReading): AsyncGenerator<readonly ModelPart[]> {
  const { settings, signal } = reading;
  const source = await open();
  const reader = reading.reader(source.answer);
  const iterator = source.events[Symbol.asyncIterator]();
  try {
    if (source.opening.length > 0) yield source.opening;
    let ended = false;
    while (!ended && !reader.finished()) {
      const batch = await iterator.next();
      if (batch.done === true) break;
      signal.throwIfAborted();
      const taken = takeBatch(batch.value, reader, source, reading);
      ended = taken.ended;
      if (taken.parts.length > 0) yield taken.parts;
      if (taken.failure !== undefined) throw taken.failure.error;
    }
    if (!reader.finished() && !reader.began()) throw nothingCame(ended, settings, source.answer.status);
  } catch (error) {
    signal.throwIfAborted();
    if (!isEnd(error, reader)) {
      yield reader.end(false);
      throw error;
    }
  } finally {
    await source.release();
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
  yield reader.end(reader.finished());
}

interface Taken {
  readonly parts: readonly ModelPart[];
  /** The body says that it is over. */
  readonly ended: boolean;
  readonly failure?: { readonly error: unknown };
}

function takeBatch(events: readonly WireEvent[], reader: ResponseReader, source: ResponseSource, reading: ResponseReading): Taken {
  const { request, settings } = reading;
  const parts: ModelPart[] = [];
  for (const event of events) {
    if (event.kind === 'done') return { parts, ended: true };
    if (event.kind === 'error') return { parts, ended: false, failure: event };
    if (request.providerChunks === true) parts.push(providerPart(event.value, request));
    try {
      for (const part of reader.read(event.value, event.raw)) parts.push(part);
    } catch (error) {
      // What stood before it in the same bytes has been read, and counts.
      return { parts, ended: false, failure: { error } };
    }
    const failure = reader.failure(event.value);
    if (failure !== undefined) {
      const context = { secrets: settings.secrets, now: settings.clock.now() };
      return { parts, ended: false, failure: { error: errorInside(failure, source.answer, context) } };
    }
    if (reader.finished()) break;
  }
  return { parts, ended: false };
}

const providerPart = (value: JsonObject, request: ProviderRequest): ModelPart =>
  request.delivery === 'whole' ? { type: 'provider-response', response: value } : { type: 'provider-chunk', chunk: value };

/** Nothing came: no success, whatever the mark says (SG-035). */
function nothingCame(ended: boolean, { secrets }: HttpSettings, status: number | undefined): ProviderError {
  const facts = { secrets, ...(status === undefined ? {} : { status }) };
  if (!ended) return transportError('The response ended before it began.', secrets, facts);
  return unreadableError('parse', 'The response holds no output.', facts);
}

/** The error only says that the connection ended: after output it is a cut answer. A stall counts only after a whole one. */
function isEnd(error: unknown, reader: ResponseReader): boolean {
  if (error instanceof CallTimeoutError) return error.which === 'idle' && reader.complete?.() === true;
  return error instanceof ProviderError && error.fault.cause === 'transport' && (reader.finished() || reader.began());
}
