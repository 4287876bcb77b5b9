import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { collectText } from '../../net/body.ts';
import { htmlSummary } from '../../net/error-body.ts';
import type { HttpResponse, HttpSettings } from '../../net/http.ts';
import { transportError, unreadableError } from '../../net/provider-error.ts';
import { decodeSse, type SseEvent } from '../../net/sse.ts';
import { errorInside } from './errors.ts';
import { splitJsonValues } from './json-slice.ts';

/** One event of a response, however it was framed. */
export type WireEvent =
  | { readonly kind: 'object'; readonly value: JsonObject; readonly raw: string | undefined }
  /** The `[DONE]` mark, or the end of a body that is one whole answer. */
  | { readonly kind: 'done' };

/** What the reading of events may use. */
export interface EventContext {
  readonly settings: HttpSettings;
  readonly signal: AbortSignal;
}

/** Bytes kept of the beginning of a body, for the case that it makes no sense. */
const headBytes = 2_000;

/**
 * The events of a body with a good status. Decided by the first byte and not by the content type, which gateways get wrong (S14): JSON (one object,
 * an array, or one object a line), an event stream, or a web page.
 */
export async function* readEvents(response: HttpResponse, context: EventContext): AsyncGenerator<WireEvent> {
  const { secrets } = context.settings;
  const body = await peek(response.chunks());
  const status = response.status;
  if (body.first === '') throw transportError('The provider answered with an empty body.', secrets, { status });
  if (body.first === '{' || body.first === '[')
    yield* jsonEvents(await collectText(body.chunks, context.settings.maxBodyBytes), response, context);
  else if (body.first === '<') {
    const page = await collectText(body.chunks, context.settings.maxBodyBytes);
    throw unreadableError('config', `The address answers with a web page (${htmlSummary(page)}), not with a model. Check the base URL.`, {
      secrets,
      status,
      text: page,
    });
  } else yield* streamEvents(body, response, context);
}

interface PeekedBody {
  /** The first character that is no white space; `''` when there is none. */
  readonly first: string;
  /** The beginning of what was read so far, about `headBytes` long. */
  head(): string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

async function peek(source: AsyncIterable<Uint8Array>): Promise<PeekedBody> {
  const iterator = source[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let head = '';
  const decoder = new TextDecoder();
  while (head.trimStart() === '') {
    const next = await iterator.next();
    if (next.done === true) break;
    seen.push(next.value);
    // White space alone is a heartbeat: it is passed over, not collected.
    head = head.trimStart() + decoder.decode(next.value.subarray(0, headBytes), { stream: true });
  }
  const first = head.trimStart().slice(0, 1);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* seen;
      for (;;) {
        const next = await iterator.next();
        if (next.done === true) return;
        if (head.length < headBytes) head += decoder.decode(next.value.subarray(0, headBytes), { stream: true });
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { first, head: () => head.slice(0, headBytes), chunks: chunks() };
}

function* jsonEvents(text: string, response: HttpResponse, context: EventContext): Generator<WireEvent> {
  const { secrets } = context.settings;
  const status = response.status;
  const whole = parse(text);
  if (whole !== undefined) {
    const objects = (Array.isArray(whole.value) ? whole.value : [whole.value]) as readonly JsonValue[];
    for (const value of objects)
      if (isJsonObject(value)) yield { kind: 'object', value: value as JsonObject, raw: Array.isArray(whole.value) ? undefined : text };
    yield { kind: 'done' };
    return;
  }
  const values = splitJsonValues(text.replace(/^\uFEFF/, ''));
  for (const [position, piece] of values.entries()) {
    const read = parse(piece);
    if (read !== undefined && isJsonObject(read.value)) {
      yield { kind: 'object', value: read.value as JsonObject, raw: piece };
      continue;
    }
    if (position < values.length - 1) throw unreadableError('parse', 'The response is not JSON.', { secrets, status, text });
    throw transportError('The response ended inside its JSON.', secrets, { status });
  }
}

async function* streamEvents(body: PeekedBody, response: HttpResponse, context: EventContext): AsyncGenerator<WireEvent> {
  const { settings, signal } = context;
  const maxEventBytes = settings.maxEventBytes;
  let any = false;
  const options = { signal, bareErrors: true, ...(maxEventBytes === undefined ? {} : { maxEventBytes }) };
  for await (const event of decodeSse(body.chunks, options)) {
    for (const read of eventValues(event, response, context)) {
      any = true;
      yield read;
    }
  }
  if (any || /^\uFEFF?(?::|(?:data|event|id|retry)\b)/m.test(body.head())) return;
  throw unreadableError('parse', 'The response is neither an event stream nor JSON.', {
    secrets: settings.secrets,
    status: response.status,
    text: body.head(),
  });
}

function eventValues(event: SseEvent, response: HttpResponse, context: EventContext): readonly WireEvent[] {
  const text = event.data.trim();
  const answer = { status: response.status, header: response.header };
  const faults = { secrets: context.settings.secrets, now: context.settings.clock.now() };
  if (text.replace(/^"|"$/g, '') === '[DONE]') return [{ kind: 'done' }];
  if (text === '' || event.event === 'ping' || text === 'ping') return [];
  const whole = parse(text);
  const failed = event.event === 'error' || (whole === undefined && text.toLowerCase() === 'error');
  if (failed) throw errorInside(whole?.value ?? text, answer, faults);
  if (whole !== undefined) return isJsonObject(whole.value) ? [{ kind: 'object', value: whole.value as JsonObject, raw: text }] : [];
  // A proxy may have put several objects into one event.
  const pieces = splitJsonValues(text).map((piece) => ({ piece, read: parse(piece) }));
  const objects = pieces.flatMap(({ piece, read }): readonly WireEvent[] =>
    read !== undefined && isJsonObject(read.value) ? [{ kind: 'object', value: read.value as JsonObject, raw: piece }] : [],
  );
  if (objects.length === pieces.length || event.unterminated === true) return objects;
  throw unreadableError('parse', 'An event of the response is not JSON.', { secrets: faults.secrets, status: response.status, text });
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) as JsonValue };
  } catch {
    return undefined;
  }
}
