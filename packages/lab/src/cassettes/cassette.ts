import type { JsonValue } from '@vouch/contracts';

/** The mark by which a file says that it is a cassette. */
export const cassetteFormat = 'vouch-cassette';
/** The version that is written; files of another one are refused. */
export const cassetteVersion = 1;

/** Bytes as they stand in a cassette: JSON for requests, text where it is UTF-8 by itself, else base64. */
export type RecordedBytes = { readonly text: string } | { readonly base64: string };

/** What was asked. Nothing in it is a credential. */
export interface RecordedRequest {
  readonly method: string;
  /** Origin, path and query; without user, password, fragment and the query members that hold keys. The origin is not matched. */
  readonly url: string;
  /** For the reader; headers are not matched. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: no body. */
  readonly body?: { readonly json: JsonValue } | RecordedBytes;
}

/** One piece of a body, as it came. */
export type RecordedChunk = RecordedBytes & {
  /** Milliseconds since the piece before, or since the head. */
  readonly afterMs: number;
};

/** A network error in the words of the platform. */
export interface RecordedError {
  readonly message: string;
  /** Such as `ECONNRESET`; absent where the error had none. */
  readonly code?: string;
}

/** `complete`: the body came to its end. `broken`: it broke off with an error. `left`: the client stopped reading. */
export type RecordedEnding =
  | { readonly kind: 'complete' }
  | { readonly kind: 'broken'; readonly afterMs: number; readonly error: RecordedError }
  | { readonly kind: 'left' };

/** What came back. */
export interface RecordedResponse {
  /** Milliseconds from the request to the head. */
  readonly afterMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the response had no body at all, not even an empty one. */
  readonly chunks?: readonly RecordedChunk[];
  readonly ending: RecordedEnding;
}

/** One exchange on the wire (SG-101). A file holds one, as JSON that people can read and compare. */
export interface Cassette {
  readonly format: typeof cassetteFormat;
  readonly version: typeof cassetteVersion;
  readonly request: RecordedRequest;
  /** A response, or the error in place of one. */
  readonly response: RecordedResponse | { readonly afterMs: number; readonly error: RecordedError };
}

/** A directory or file of cassettes cannot be used. The message names what was expected, what is there and what to do. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  readonly code = 'E_CASSETTE' as const;
  /** The file or directory. */
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(`${file}: ${message}`, options);
    this.file = file;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes in their readable form: text where they are UTF-8 from the first to the last, else base64. Both give the same bytes back. */
export function recordedBytes(bytes: Uint8Array): RecordedBytes {
  try {
    return { text: strictUtf8.decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}

/** The bytes of their readable form. */
export function bytesOf(recorded: RecordedBytes): Uint8Array<ArrayBuffer> {
  return new Uint8Array('text' in recorded ? Buffer.from(recorded.text, 'utf8') : Buffer.from(recorded.base64, 'base64'));
}

/** How deep objects and lists of JSON may lie in each other, so that whatever walks them has stack enough. */
export const deepestJson = 300;

/** `text`, of JSON, holds nothing deeper than `deepestJson`. */
export function isShallow(text: string): boolean {
  let depth = 0;
  for (const character of withoutStrings(text)) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > deepestJson) return false;
  }
  return true;
}

/** JSON without what stands in quotes. A loop and no pattern: one text may be the whole of a long body. */
export function withoutStrings(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    pieces.push(text.slice(at, open < 0 ? undefined : open));
    if (open < 0) return pieces.join('');
    at = endOfString(text, open) + 1;
  }
}

/** Where the string that opens at `open` closes; the text's length when it does not. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return close;
  }
  return text.length;
}
