import { defaultMaxEventBytes, limitError } from './limit.ts';
import { createLineSplitter } from './lines.ts';

/** One event of a stream. */
export interface SseEvent {
  /** The last `event` field of the block; absent when there was none. */
  readonly event?: string;
  /** The `data` fields, joined by line feeds. */
  readonly data: string;
  /** The last id of the stream so far. */
  readonly id?: string;
  /** The stream ended before the blank line that ends an event: the data may be cut. */
  readonly unterminated?: true;
}

/** Settings of a parser. */
export interface SseParserOptions {
  /** Bytes of one event's data, or of one line. Default 32 MiB; more throws a `SignalError` of kind `limit`. */
  readonly maxEventBytes?: number;
  /** Gives a block that holds only a bare `error: text` line as an event named `error`. The grammar ignores such lines; some servers fail by them. Default false. */
  readonly bareErrors?: boolean;
  readonly onEvent: (event: SseEvent) => void;
}

/** A push parser of event streams. */
export interface SseParser {
  /** Takes the next bytes, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** The stream has ended: gives a pending event, flagged `unterminated`. */
  end(): void;
}

const colon = 0x3a;

/** The block of fields that is being read. */
interface Block {
  event?: string;
  data: string[];
  dataBytes: number;
  bareError?: string;
}

/**
 * The one decoder of event streams (SG-033): the WHATWG grammar, over bytes, cut anywhere, in linear time. It goes beyond the grammar in two places
 * where the grammar loses answers: a byte order mark is dropped at every line's start, and an event whose blank line is missing at the end is given,
 * flagged. `id` is kept, `retry` ignored: a POST is never resumed.
 */
export function createSseParser(options: SseParserOptions): SseParser {
  const limit = options.maxEventBytes ?? defaultMaxEventBytes;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let block: Block = { data: [], dataBytes: 0 };
  let id: string | undefined;

  const dispatch = (flags: Pick<SseEvent, 'unterminated'>): void => {
    const { event, data, bareError } = block;
    block = { data: [], dataBytes: 0 };
    const text = data.join('\n');
    const rest = { ...(id === undefined ? {} : { id }), ...flags };
    if (data.length > 0) {
      if (text !== '' || flags.unterminated === undefined)
        options.onEvent({ ...(event === undefined ? {} : { event }), data: text, ...rest });
    } else if (bareError !== undefined) options.onEvent({ event: 'error', data: bareError, ...rest });
  };

  const field = (name: string, value: string, bytes: number): void => {
    if (name === 'data') {
      block.data.push(value);
      block.dataBytes += bytes;
    } else if (name === 'event') block.event = value;
    else if (name === 'id') id = value.includes('\0') ? id : value;
    else if (name === 'error' && options.bareErrors === true) block.bareError = value;
  };

  const splitter = createLineSplitter(
    () => limit - block.dataBytes,
    (bytes) => {
      if (bytes[0] === colon) return;
      if (block.dataBytes + bytes.length > limit) throw limitError('A stream event', limit);
      const decoded = decoder.decode(bytes);
      const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
      const split = text.indexOf(':');
      if (text === '') dispatch({});
      else if (split < 0) field(text, '', bytes.length);
      else if (split > 0)
        field(text.slice(0, split), text.slice(text.charCodeAt(split + 1) === 0x20 ? split + 2 : split + 1), bytes.length);
    },
  );

  return {
    push: splitter.push,
    end() {
      splitter.end();
      dispatch({ unterminated: true });
    },
  };
}

/** Settings of `decodeSse`. */
export interface DecodeSseOptions extends Omit<SseParserOptions, 'onEvent'> {
  /** Checked before each event, also between events of one chunk: after an abort nothing more is given and the reason is thrown (AC-102). */
  readonly signal?: AbortSignal;
}

/** The events of a stream of bytes, cut anywhere (SG-033). Ends the source when the iteration is left early. */
export async function* decodeSse(chunks: AsyncIterable<Uint8Array>, options: DecodeSseOptions = {}): AsyncGenerator<SseEvent> {
  let ready: SseEvent[] = [];
  const parser = createSseParser({ ...options, onEvent: (event) => ready.push(event) });
  // Events that were complete before a failure are given before it is thrown.
  const events = (act: () => void): { readonly events: readonly SseEvent[]; readonly failure?: { readonly error: unknown } } => {
    ready = [];
    try {
      act();
      return { events: ready };
    } catch (error) {
      return { events: ready, failure: { error } };
    }
  };
  options.signal?.throwIfAborted();
  for await (const chunk of chunks) {
    const taken = events(() => parser.push(chunk));
    for (const event of taken.events) {
      options.signal?.throwIfAborted();
      yield event;
    }
    options.signal?.throwIfAborted();
    if (taken.failure !== undefined) throw taken.failure.error;
  }
  const rest = events(() => parser.end());
  for (const event of rest.events) {
    options.signal?.throwIfAborted();
    yield event;
  }
  if (rest.failure !== undefined) throw rest.failure.error;
}
