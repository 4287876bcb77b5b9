import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { type ChunkReads, collectText } from '../../net/body.ts';
import { htmlSummary } from '../../net/error-body.ts';
import type { HttpResponse, HttpSettings } from '../../net/http.ts';
import { defaultMaxBodyBytes } from '../../net/limit.ts';
import { transportError, unreadableError } from '../../net/provider-error.ts';
import { createSseParser, type SseEvent } from '../../net/sse.ts';
import { errorInside } from './error-inside.ts';
import { createJsonLines } from './json-lines.ts';
import { splitJsonValues } from './json-slice.ts';

/** One event of a response, however it was framed. */
export type WireEvent =
  | { readonly kind: 'object'; readonly value: JsonObject; readonly raw: string | undefined }
  /** The `[DONE]` mark, or the end of a body that is one whole answer. */
  | { readonly kind: 'done' }
  /** The body makes no sense from here on, or is an error. What stood before it in the same bytes has been given. */
  | { readonly kind: 'error'; readonly error: unknown };

/** What the reading of events may use. */
export interface EventContext {
  readonly settings: HttpSettings;
  /** A body that begins with an object is one object a line, each read as it comes. Default false: it is one text. */
  readonly lines?: boolean;
}

const byteOrderMark = 0xfeff;
const openingBrace = 0x7b;
const openingBracket = 0x5b;

/** Characters kept of the beginning of a body, for the case that it makes no sense. */
const headChars = 2_000;

/** The events of a body, as many at a time as came in one piece. */
export interface WireEvents {
  /** The next events, at least one; undefined at the end. Throws what ended the body, once. */
  next(): Promise<readonly WireEvent[] | undefined>;
  /** Ends the connection, if the body has not ended by itself. Idempotent. */
  end(): Promise<void>;
}

/**
 * The events of a body with a good status. Decided by the first byte and not by the content type, which gateways get wrong (S14): JSON (one object, an
 * array, or one object a line), an event stream, or a web page. No generator: each costs every chunk turns of the queue.
 */
export function readEvents(response: HttpResponse, context: EventContext): WireEvents {
  const reads = response.open();
  let begun: Begun | undefined;
  let over = false;
  const next = async (): Promise<readonly WireEvent[] | undefined> => {
    if (over) return undefined;
    try {
      if (begun === undefined) {
        begun = await begin(reads, response, context);
        over = begun.stream === undefined;
        if (over || begun.events.length > 0) return begun.events;
      }
      const { stream, head } = begun;
      for (;;) {
        const bytes = await reads.read();
        if (bytes === undefined) {
          over = true;
          return stream?.end(head?.text() ?? '');
        }
        head?.note(bytes);
        const events = stream?.push(bytes);
        if (events !== undefined && events.length > 0) return events;
      }
    } catch (error) {
      over = true;
      await reads.end();
      throw error;
    }
  };
  return { next, end: reads.end };
}

/** What the beginning of a body told. Without a stream its events are all. */
interface Begun {
  readonly events: readonly WireEvent[];
  readonly stream?: StreamReader;
  readonly head?: Head;
}

async function begin(reads: ChunkReads, response: HttpResponse, context: EventContext): Promise<Begun> {
  const { secrets, maxBodyBytes } = context.settings;
  const { status } = response;
  const bytes = await reads.read();
  // A whole answer, as most begin: nothing else of it is looked at here.
  if (bytes !== undefined && isJsonStart(bytes[0]) && context.lines !== true)
    return { events: jsonEvents(await collectText(reads, maxBodyBytes, [bytes]), response, context) };
  const head = createHead();
  for (let next = bytes; ; next = await reads.read()) {
    if (next === undefined) throw transportError('The provider answered with an empty body.', secrets, { status });
    head.take(next);
    if (head.first() !== '') break;
  }
  const first = head.first();
  const lines = context.lines === true && first === '{';
  if (!lines && (first === '{' || first === '['))
    return { events: jsonEvents(await collectText(reads, maxBodyBytes, head.taken), response, context) };
  if (first === '<') {
    // White space before it is kept or not as the bytes were cut, so none is shown.
    throw webPage((await collectText(reads, maxBodyBytes, head.taken)).trimStart(), { secrets, status });
  }
  const stream = lines ? lineReader(response, context) : createStreamReader(response, context);
  return { events: head.taken.flatMap(stream.push), stream, head };
}

function webPage(text: string, facts: { readonly secrets: readonly string[]; readonly status: number }): Error {
  const message = `The address answers with a web page (${htmlSummary(text)}), not with a model. Check the base URL.`;
  return unreadableError('config', message, { ...facts, text });
}

const isJsonStart = (byte: number | undefined): boolean => byte === openingBrace || byte === openingBracket;

interface Head {
  take(bytes: Uint8Array): void;
  /** Looks at bytes that came after those that were taken. */
  note(bytes: Uint8Array): void;
  /** What was taken. */
  readonly taken: readonly Uint8Array[];
  /** The first character that is no white space; `''` when none has come. */
  first(): string;
  /** The beginning of what was read so far. */
  text(): string;
}

function createHead(): Head {
  const decoder = new TextDecoder();
  const taken: Uint8Array[] = [];
  let text = '';
  const note = (bytes: Uint8Array): void => {
    if (text.length < headChars) text += decoder.decode(bytes.subarray(0, headChars * 4), { stream: true });
  };
  return {
    taken,
    take(bytes) {
      note(bytes);
      text = text.trimStart();
      // A heartbeat of white space may go on for long: it means nothing to any framing, and is not kept.
      if (text !== '' || bytes.some((byte) => byte > 0x20)) taken.push(bytes);
    },
    note,
    first: () => text.slice(0, 1),
    text: () => text.slice(0, headChars),
  };
}

function jsonEvents(text: string, response: HttpResponse, context: EventContext): readonly WireEvent[] {
  const { secrets } = context.settings;
  const status = response.status;
  const whole = parse(text);
  if (whole !== undefined) {
    const listed = Array.isArray(whole.value);
    const values = (listed ? whole.value : [whole.value]) as readonly JsonValue[];
    return [...values.flatMap((value) => objectEvent(value, listed ? undefined : text)), { kind: 'done' }];
  }
  const events: WireEvent[] = [];
  const pieces = splitJsonValues(text.replace(/^\uFEFF/, ''));
  for (const [position, piece] of pieces.entries()) {
    const read = parse(piece);
    const event = read === undefined ? [] : objectEvent(read.value, piece);
    events.push(...event);
    if (event.length > 0) continue;
    const last = position === pieces.length - 1;
    const error = last
      ? transportError('The response ended inside its JSON.', secrets, { status })
      : unreadableError('parse', 'The response is not JSON.', { secrets, status, text });
    return [...events, { kind: 'error', error }];
  }
  return events;
}

const objectEvent = (value: JsonValue, raw: string | undefined): readonly WireEvent[] =>
  isJsonObject(value) ? [{ kind: 'object', value: value as JsonObject, raw }] : [];

interface StreamReader {
  push(bytes: Uint8Array): readonly WireEvent[];
  /** `head`: the beginning of the body, to be shown when nothing in it was an event. */
  end(head: string): readonly WireEvent[];
}

function lineReader(response: HttpResponse, context: EventContext): StreamReader {
  const { maxEventBytes, maxBodyBytes = defaultMaxBodyBytes } = context.settings;
  return createJsonLines({
    line(text) {
      const read = parse(text);
      if (read !== undefined) return objectEvent(read.value, text);
      // A proxy may have put several objects into one line.
      const values = splitJsonValues(text).map((piece) => [parse(piece), piece] as const);
      if (values.some(([value]) => value === undefined)) return undefined;
      return values.flatMap(([value, piece]) => (value === undefined ? [] : objectEvent(value.value, piece)));
    },
    text: (text) => jsonEvents(text, response, context),
    maxLineBytes: maxEventBytes,
    maxTextBytes: maxBodyBytes,
  });
}

function createStreamReader(response: HttpResponse, context: EventContext): StreamReader {
  const { secrets, maxEventBytes } = context.settings;
  let events: WireEvent[] = [];
  let any = false;
  const parser = createSseParser({
    bareErrors: true,
    ...(maxEventBytes === undefined ? {} : { maxEventBytes }),
    onEvent(event) {
      for (const value of eventValues(event, response, context)) events.push(value);
    },
  });
  const collect = (act: () => void): readonly WireEvent[] => {
    events = [];
    try {
      act();
    } catch (error) {
      events.push({ kind: 'error', error });
    }
    any ||= events.length > 0;
    return events;
  };
  return {
    push: (bytes) => collect(() => parser.push(bytes)),
    end: (head) =>
      collect(() => {
        parser.end();
        if (any || events.length > 0 || /^\uFEFF?(?::|(?:data|event|id|retry)\b)/m.test(head)) return;
        throw unreadableError('parse', 'The response is neither an event stream nor JSON.', {
          secrets,
          status: response.status,
          text: head,
        });
      }),
  };
}

function eventValues(event: SseEvent, response: HttpResponse, context: EventContext): readonly WireEvent[] {
  // The usual event, without a look at what else an event may be.
  const isUsual = event.event !== 'error' && event.event !== 'ping' && event.data.charCodeAt(0) === openingBrace;
  const usual = isUsual ? parse(event.data) : undefined;
  if (usual !== undefined) return objectEvent(usual.value, event.data);
  const text = event.data.trim();
  const answer = { status: response.status, header: response.header };
  const faults = { secrets: context.settings.secrets, now: context.settings.clock.now() };
  if (text.replace(/^"|"$/g, '') === '[DONE]') return [{ kind: 'done' }];
  if (text === '' || event.event === 'ping' || text === 'ping') return [];
  const whole = parse(text);
  const failed = event.event === 'error' || (whole === undefined && text.toLowerCase() === 'error');
  if (failed) throw errorInside(whole?.value ?? text, answer, faults);
  if (whole !== undefined) return objectEvent(whole.value, text);
  // A proxy may have put several objects into one event.
  const pieces = splitJsonValues(text);
  const objects = pieces.flatMap((piece) => {
    const read = parse(piece);
    return read === undefined ? [] : objectEvent(read.value, piece);
  });
  if (objects.length === pieces.length || event.unterminated === true) return objects;
  throw unreadableError('parse', 'An event of the response is not JSON.', { secrets: faults.secrets, status: response.status, text });
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text) as JsonValue };
  } catch {
    return undefined;
  }
}
