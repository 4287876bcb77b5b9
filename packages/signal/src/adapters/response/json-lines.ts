import { defaultMaxEventBytes, limitError } from '../../net/limit.ts';
import { createTextDecoding } from '../../net/utf8.ts';
import type { WireEvent } from './events.ts';

/** What the reading of lines needs. */
export interface JsonLinesOptions {
  /** The events of one line; undefined when it is not JSON. */
  readonly line: (text: string) => readonly WireEvent[] | undefined;
  /** The events of a text that is not one value a line. */
  readonly text: (text: string) => readonly WireEvent[];
  /** The longest line. Default 32 MiB; a longer one is kind `limit`. */
  readonly maxLineBytes: number | undefined;
  /** The longest text that is not one value a line; a longer one is kind `limit`. */
  readonly maxTextBytes: number;
}

/** Reads a body of one JSON value a line while it comes. */
export interface JsonLines {
  push(bytes: Uint8Array): readonly WireEvent[];
  end(): readonly WireEvent[];
}

/**
 * Lines end at `\n` alone; a `\r` before it and empty lines mean nothing, and the last line needs no end. From a line that is not JSON on, the rest is
 * kept and read as one text at the end: an object that is spread over lines, or a cut or broken one. Linear, wherever the bytes are cut.
 */
export function createJsonLines({ line, text: readText, maxLineBytes = defaultMaxEventBytes, maxTextBytes }: JsonLinesOptions): JsonLines {
  const decoding = createTextDecoding();
  let held: string[] = [];
  let heldLength = 0;
  let isText = false;
  const hold = (text: string): void => {
    if (text === '') return;
    held.push(text);
    heldLength += text.length;
    // A character is at least a byte for each of its units, so no shorter line is refused.
    if (isText && heldLength > maxTextBytes) throw limitError('The response body', maxTextBytes);
    if (!isText && heldLength > maxLineBytes) throw limitError('A line of the response', maxLineBytes);
  };
  const takeHeld = (): string => {
    const text = held.join('');
    held = [];
    heldLength = 0;
    return text;
  };
  const take = (into: WireEvent[], text: string): void => {
    for (let at = 0; at < text.length; ) {
      const end = isText ? -1 : text.indexOf('\n', at);
      hold(end === -1 ? text.slice(at) : text.slice(at, end));
      if (end === -1) return;
      at = end + 1;
      const whole = takeHeld();
      if (whole.trim() === '') continue;
      const events = line(whole);
      if (events !== undefined) for (const event of events) into.push(event);
      else {
        isText = true;
        hold(`${whole}\n`);
      }
    }
  };
  const collect = (act: (into: WireEvent[]) => void): readonly WireEvent[] => {
    const events: WireEvent[] = [];
    try {
      act(events);
    } catch (error) {
      events.push({ kind: 'error', error });
    }
    return events;
  };
  return {
    push: (bytes) => collect((into) => take(into, decoding.push(bytes).text)),
    end: () =>
      collect((into) => {
        take(into, decoding.end());
        const rest = takeHeld();
        if (rest.trim() === '') return;
        const events = isText ? undefined : line(rest);
        for (const event of events ?? readText(rest)) into.push(event);
      }),
  };
}
