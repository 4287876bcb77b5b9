import type { JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import type { HttpSettings } from '../../net/http.ts';
import { CallTimeoutError, ProviderError, transportError, unreadableError } from '../../net/provider-error.ts';
import type { ProviderRequest } from '../adapter.ts';
import { errorInside, type GoodAnswer } from './error-inside.ts';
import type { WireEvent, WireEvents } from './events.ts';
import { ifReady } from './if-ready.ts';
import { createProviderParts, type Reassembly } from './provider-parts.ts';

/** An open response: its events, who reads them, and what it was answered with. */
export interface ResponseSource {
  readonly events: WireEvents;
  readonly reader: ResponseReader;
  readonly answer: GoodAnswer;
  readonly release: () => Promise<void>;
  /** Given before anything else, such as what the request left out. */
  readonly opening: readonly ModelPart[];
}

/** Reads the events of one response. */
export interface ResponseReader {
  /** `raw`: the event's source text, where there is one. Throws a `ProviderError` for what contradicts itself. */
  read(event: JsonObject, raw: string | undefined): readonly ModelPart[];
  /** The error that the event holds, as a body that `providerErrorFrom` reads. */
  failure(event: JsonObject): JsonValue | undefined;
  /** What was held back, carries, and what is known of the call. `terminated`: the wire's terminal mark came. */
  end(terminated: boolean): readonly ModelPart[];
  /** Text, reasoning, a refusal or a call came. */
  began(): boolean;
  /** The wire said why the answer ended: a finish reason, or a terminal event of its own. */
  finished(): boolean;
  /** The answer is whole should the body end here, though more may come: a wire without a terminal mark says so. A stall is no error then. */
  complete?(): boolean;
  /** On a wire whose terminal mark is the body's own (`[DONE]`, the end of a whole answer). Without it the mark is `finished()`. */
  readonly late?: LateEvents;
}

/** What still counts after the body's mark. */
export interface LateEvents {
  /** Whether what has already arrived behind the mark is to be read. */
  wanted(): boolean;
  take(event: JsonObject): void;
  /** What is missing of an answer that ended without output; undefined when it is one all the same. */
  missing(): string | undefined;
}

/** What the reading of a response needs besides its events. */
export interface ResponseReading {
  /** Puts a streamed response together; made only where the provider's own data is asked for. */
  readonly reassembly: () => Reassembly;
  readonly request: ProviderRequest;
  readonly settings: HttpSettings;
  readonly signal: AbortSignal;
}

type Parts = readonly ModelPart[];
const noMore: IteratorResult<Parts> = { done: true, value: undefined };

/**
 * Reads one response to its terminal mark, however it ends. Past the mark nothing is waited for, so a connection that stays open is released. Output
 * without a mark is a cut answer and no error; an end before any output is thrown, as a lost connection (SG-035). An error comes after the parts of
 * what was read before it. No generator: each costs every delta turns of the queue.
 */
export function readResponse(open: () => Promise<ResponseSource>, reading: ResponseReading): AsyncIterableIterator<Parts> {
  const { signal } = reading;
  let opened: { readonly source: ResponseSource; readonly turn: TurnOfEvents } | undefined;
  let failure: { readonly error: unknown } | undefined;
  let over = false;

  const close = (): void => {
    over = true;
    opened?.source.release().catch(ignore);
    opened?.source.events.end().catch(ignore);
  };
  /** The last parts, and the error that comes after them, if any. */
  const endWith = (thrown: { readonly error: unknown } | undefined, parts: ModelPart[]): void => {
    close();
    if (thrown !== undefined) signal.throwIfAborted();
    if (opened === undefined) throw thrown?.error;
    const { turn } = opened;
    failure = thrown === undefined || turn.isEnd(thrown.error) ? undefined : thrown;
    for (const part of turn.end(failure === undefined && turn.isTerminated())) parts.push(part);
  };
  const next = async (): Promise<IteratorResult<Parts>> => {
    if (failure !== undefined) {
      const { error } = failure;
      failure = undefined;
      throw error;
    }
    if (over) return noMore;
    const parts: ModelPart[] = [];
    try {
      if (opened === undefined) {
        const source = await open();
        opened = { source, turn: turnOfEvents(source.reader, source.answer, reading) };
        if (source.opening.length > 0) return { done: false, value: source.opening };
      }
      const { source, turn } = opened;
      while (!turn.isComplete()) {
        const pending = source.events.next();
        const events = turn.isDone() ? await ifReady(pending) : await pending;
        if (events === undefined) break;
        signal.throwIfAborted();
        turn.take(events, parts);
        if (parts.length > 0 && !turn.isComplete()) return { done: false, value: parts };
      }
      turn.checkOutput();
      endWith(undefined, parts);
    } catch (error) {
      endWith({ error }, parts);
    }
    return { done: false, value: parts };
  };
  const end = async (): Promise<IteratorResult<Parts>> => {
    failure = undefined;
    close();
    return noMore;
  };
  const iterator: AsyncIterableIterator<Parts> = { next, return: end, [Symbol.asyncIterator]: () => iterator };
  return iterator;
}

const ignore = (): void => undefined;

interface TurnOfEvents {
  take(events: readonly WireEvent[], parts: ModelPart[]): void;
  /** The body's own mark came. */
  isDone(): boolean;
  /** The wire's terminal mark came. */
  isTerminated(): boolean;
  /** Nothing more is read. */
  isComplete(): boolean;
  /** The error only says that the connection ended, and what came before it counts. */
  isEnd(error: unknown): boolean;
  /** Throws when nothing came: no success, whatever the mark says (SG-035). */
  checkOutput(): void;
  end(terminated: boolean): Parts;
}

function turnOfEvents(reader: ResponseReader, answer: GoodAnswer, { request, settings, reassembly }: ResponseReading): TurnOfEvents {
  const { late } = reader;
  const provider = request.providerChunks === true ? createProviderParts(request.delivery, reassembly()) : undefined;
  let done = false;
  const takeObject = (event: WireEvent & { readonly kind: 'object' }, parts: ModelPart[]): void => {
    provider?.take(event.value, parts);
    for (const part of reader.read(event.value, event.raw)) parts.push(part);
    const found = reader.failure(event.value);
    if (found !== undefined) throw errorInside(found, answer, { secrets: settings.secrets, now: settings.clock.now() });
  };
  const isTerminated = (): boolean => (late === undefined ? reader.finished() : done);
  return {
    take(events, parts) {
      for (const event of events) {
        if (event.kind === 'done') done = true;
        else if (done) {
          if (event.kind === 'object') late?.take(event.value);
        } else if (event.kind === 'error') throw event.error;
        else takeObject(event, parts);
        if (late === undefined && (done || reader.finished())) return;
      }
    },
    isDone: () => done,
    isTerminated,
    isComplete: () => (late === undefined ? done || reader.finished() : done && !late.wanted()),
    isEnd(error) {
      // A stall after the finish is no matter.
      if (error instanceof CallTimeoutError) return error.which === 'idle' && (done || reader.finished() || reader.complete?.() === true);
      return error instanceof ProviderError && error.fault.cause === 'transport' && (done || reader.finished() || reader.began());
    },
    checkOutput() {
      if (reader.finished() || reader.began()) return;
      const facts = { secrets: settings.secrets, ...(answer.status === undefined ? {} : { status: answer.status }) };
      if (!done) throw transportError('The response ended before it began.', settings.secrets, facts);
      const missing = late === undefined ? 'The response holds no output.' : late.missing();
      if (missing !== undefined) throw unreadableError('parse', missing, facts);
    },
    end: provider === undefined ? reader.end : (terminated) => [...reader.end(terminated), ...provider.end()],
  };
}
