import { defaultMaxEventBytes, limitError } from './limit.ts';
import { createHeldText, createTextDecoding, utf8Length } from './utf8.ts';

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

const lineFeed = 0x0a;
const space = 0x20;
const colon = 0x3a;
const byteOrderMark = 0xfeff;
/** Bytes of a UTF-16 unit, at most; a surrogate pair has four. */
const mostBytesOfUnit = 3;

/**
 * The one decoder of event streams (SG-033): the WHATWG grammar, over bytes, cut anywhere, in linear time. It goes beyond the grammar in two places
 * where the grammar loses answers: a byte order mark is dropped at every line's start, and an event whose blank line is missing at the end is given,
 * flagged. `id` is kept, `retry` ignored: a POST is never resumed.
 */
export function createSseParser(options: SseParserOptions): SseParser {
  const limit = options.maxEventBytes ?? defaultMaxEventBytes;
  const decoding = createTextDecoding();
  const block = createBlockReader(limit, options);
  const held = createHeldText();
  const withLineFeeds = createLineEnds();
  let heldBytes = 0;

  const hold = (text: string, bytes: number): void => {
    if (text === '') return;
    if (heldBytes + bytes > limit - block.dataBytes()) throw limitError('A line of the response', limit);
    held.add(text);
    heldBytes += bytes;
  };
  const endHeldLine = (text: string, textBytes: number): void => {
    held.add(text);
    const line = held.take();
    const bytes = heldBytes + textBytes;
    heldBytes = 0;
    block.line(line, 0, line.length, () => bytes);
  };
  const read = (text: string, bytes: number): void => {
    const count = byteCounter(text, bytes);
    let end = text.indexOf('\n');
    let at = 0;
    if (end >= 0 && heldBytes > 0) {
      endHeldLine(text.slice(0, end), count(0, end));
      at = end + 1;
      end = text.indexOf('\n', at);
    }
    while (end >= 0) {
      const wasUsual = block.line(text, at, end, count);
      at = wasUsual ? end + 2 : end + 1;
      end = text.indexOf('\n', at);
    }
    if (at < text.length) hold(at === 0 ? text : text.slice(at), count(at, text.length));
  };
  const take = (decoded: string, bytes: number): void => {
    const lines = withLineFeeds(decoded);
    read(lines, bytes - (decoded.length - lines.length));
  };
  return {
    push(chunk) {
      const { text, bytes } = decoding.push(chunk);
      take(text, bytes);
    },
    end() {
      const rest = decoding.end();
      take(rest, rest.length);
      if (heldBytes > 0) read('\n', 1);
      block.dispatch({ unterminated: true });
    },
  };
}

/** Makes every line end a line feed, also where the text is cut between the two of a pair. */
function createLineEnds(): (text: string) => string {
  let afterCarriageReturn = false;
  return (given) => {
    const text = afterCarriageReturn && given.charCodeAt(0) === lineFeed ? given.slice(1) : given;
    if (given !== '') afterCarriageReturn = false;
    if (text.indexOf('\r') < 0) return text;
    // The line has ended; a line feed that belongs to it may come with the next chunk.
    afterCarriageReturn = text.endsWith('\r');
    return text.replace(/\r\n?/g, '\n');
  };
}

/** Gives the bytes of a part of `text`, which has `bytes` in all. */
function byteCounter(text: string, bytes: number): (start: number, end: number) => number {
  return (start, end) => {
    // As many characters as bytes: each is one. Of the longest line the rest is counted, which is shorter.
    if (text.length === bytes) return end - start;
    if ((end - start) * 2 < text.length) return utf8Length(text, start, end);
    return bytes - utf8Length(text, 0, start) - utf8Length(text, end, text.length);
  };
}

/** An event in the form of its fields. The usual ones are written out: joining objects is dear, and this is asked of every event. */
function eventOf(event: string | undefined, data: string, id: string | undefined, flags: Pick<SseEvent, 'unterminated'>): SseEvent {
  if (id !== undefined || flags.unterminated !== undefined)
    return { data, ...(event === undefined ? {} : { event }), ...(id === undefined ? {} : { id }), ...flags };
  return event === undefined ? { data } : { event, data };
}

interface BlockReader {
  /** Bytes of the lines of data that the open block is made of. */
  dataBytes(): number;
  /**
   * Takes a line, which stands in `text` before a line feed; `count` gives its bytes. True when it was a whole event together with the blank line
   * behind it.
   */
  line(text: string, start: number, end: number, count: (start: number, end: number) => number): boolean;
  dispatch(flags: Pick<SseEvent, 'unterminated'>): void;
}

function createBlockReader(limit: number, options: SseParserOptions): BlockReader {
  const { onEvent, bareErrors } = options;
  let data: string | undefined;
  let event: string | undefined;
  let bareError: string | undefined;
  let id: string | undefined;
  let dataBytes = 0;

  const dispatch = (flags: Pick<SseEvent, 'unterminated'>): void => {
    const text = data;
    const named = event;
    const error = bareError;
    data = undefined;
    event = undefined;
    bareError = undefined;
    dataBytes = 0;
    if (text === undefined && error !== undefined) onEvent(eventOf('error', error, id, flags));
    if (text !== undefined && (text !== '' || flags.unterminated === undefined)) onEvent(eventOf(named, text, id, flags));
  };
  const takeData = (value: string, bytes: number): void => {
    data = data === undefined ? value : `${data}\n${value}`;
    dataBytes += bytes;
  };
  const takeField = (line: string, bytes: () => number): void => {
    const { name, value } = fieldOf(line);
    if (name === 'data') takeData(value, bytes());
    else if (name === 'event') event = value;
    else if (name === 'id') id = value.includes('\0') ? id : value;
    else if (name === 'error' && bareErrors === true) bareError = value;
  };
  return {
    dataBytes: () => dataBytes,
    dispatch,
    line(text, from, end, count) {
      const start = text.charCodeAt(from) === byteOrderMark && from < end ? from + 1 : from;
      if (start === end) {
        dispatch({});
        return false;
      }
      if (text.charCodeAt(start) === colon) return false;
      // Counted only where it matters: no character is more than three bytes.
      const mayBeOver = dataBytes + (end - start) * mostBytesOfUnit > limit;
      if (mayBeOver && dataBytes + count(from, end) > limit) throw limitError('A stream event', limit);
      if (isData(text, start)) {
        const value = text.slice(text.charCodeAt(start + 5) === space ? start + 6 : start + 5, end);
        // The usual event: one line of data and the blank line.
        const usual = data === undefined && event === undefined && id === undefined && text.charCodeAt(end + 1) === lineFeed;
        if (usual) {
          bareError = undefined;
          onEvent({ data: value });
        } else takeData(value, count(from, end));
        return usual;
      }
      takeField(text.slice(start, end), () => count(from, end));
      return false;
    },
  };
}

/** A line as a field: without a colon it is a name, and one space before the value is none of it. */
function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const split = line.indexOf(':');
  if (split < 0) return { name: line, value: '' };
  return { name: line.slice(0, split), value: line.slice(line.charCodeAt(split + 1) === space ? split + 2 : split + 1) };
}

/** The line begins with `data:`. Letter by letter, because `startsWith` costs several times as much. */
const isData = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 100 &&
  text.charCodeAt(at + 1) === 97 &&
  text.charCodeAt(at + 2) === 116 &&
  text.charCodeAt(at + 3) === 97 &&
  text.charCodeAt(at + 4) === colon;

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
