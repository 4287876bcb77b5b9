import { SignalError } from '@vouch/contracts';
import type { LinkedSignal } from './abort.ts';
import type { HttpResponse, HttpSettings } from './http.ts';
import { defaultMaxBodyBytes, limitError } from './limit.ts';
import { CallTimeoutError, transportError } from './provider-error.ts';

/** A response's body, which is read once, under the idle timeout, and gives up every listener and the connection at its end. */
export interface OpenBody extends Pick<HttpResponse, 'open' | 'chunks' | 'text' | 'release'> {
  /** The first `limitBytes` of the body as text; what came before a failure is kept. Never throws. */
  start(limitBytes: number): Promise<string>;
}

/** A stream spends several hundred bytes on a token, a whole body only a few: it may be so many times as long. */
const streamFactor = 4;

type ByteReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** Takes over the body of `response` and the listeners of `link`. */
export function openBody(response: Response, link: LinkedSignal, settings: HttpSettings): OpenBody {
  const reader: ByteReader = response.body?.getReader() ?? emptyReader;
  let ended = false;
  const release = async (): Promise<void> => {
    link.dispose();
    if (ended) return;
    ended = true;
    // Not waited for: a source that never says that it stopped must not hold the call.
    reader.cancel().catch(() => undefined);
  };
  const open = (): ChunkReads =>
    openReads({
      reader,
      link,
      settings,
      release,
      onEnd: () => {
        ended = true;
      },
    });
  const chunks = (): AsyncIterableIterator<Uint8Array> => iterate(open());
  const text = (): Promise<string> => collectText(open(), settings.maxBodyBytes);
  const start = async (limitBytes: number): Promise<string> => {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    const reads = open();
    let left = limitBytes;
    try {
      for (let bytes = await reads.read(); bytes !== undefined && left > 0; bytes = await reads.read()) {
        pieces.push(decoder.decode(bytes.subarray(0, left), { stream: true }));
        left -= bytes.length;
        if (left <= 0) break;
      }
    } catch {
      // The status says what matters; a body that broke off is shown as far as it came.
    }
    await reads.end();
    return pieces.join('');
  };
  return { open, chunks, text, release, start };
}

/** What came `before` and the rest as one text, at most `limitBytes` long (default 64 MiB; more is kind `limit`). */
export async function collectText(
  reads: ChunkReads,
  limitBytes: number = defaultMaxBodyBytes,
  before: readonly Uint8Array[] = [],
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const add = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > limitBytes) throw limitError('The response body', limitBytes);
    pieces.push(bytes);
  };
  try {
    for (const bytes of before) add(bytes);
    for (let bytes = await reads.read(); bytes !== undefined; bytes = await reads.read()) add(bytes);
  } catch (error) {
    await reads.end();
    throw error;
  }
  const [first] = pieces;
  return decoder.decode(pieces.length === 1 && first !== undefined ? first : joined(pieces, size));
}

/** For whole texts alone: those it decodes at once, and the pieces of a stream many times slower. It keeps nothing between them. */
const decoder: TextDecoder = /* @__PURE__ */ new TextDecoder();

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const emptyReader: ByteReader = { read: async () => ({ done: true, value: undefined }), cancel: async () => undefined };

interface ChunkSource {
  readonly reader: ByteReader;
  readonly link: LinkedSignal;
  readonly settings: HttpSettings;
  readonly release: () => Promise<void>;
  /** The body ended by itself. */
  readonly onEnd: () => void;
}

/** The reads of one body. */
export interface ChunkReads {
  /** The next bytes, never none; undefined at the end. Throws what broke the body, once. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the connection, if the body has not ended by itself. Idempotent. */
  end(): Promise<void>;
}

/** The reads of a body, with one timer and one listener for all: a chunk is often one delta. */
function openReads({ reader, link, settings, release, onEnd }: ChunkSource): ChunkReads {
  const limit = (settings.maxBodyBytes ?? defaultMaxBodyBytes) * streamFactor;
  const watch = watchReads(link, settings);
  let size = 0;
  let over = false;

  const end = (): Promise<void> => {
    over = true;
    watch.stop();
    return release();
  };
  const fail = async (error: unknown): Promise<never> => {
    await end();
    if (link.signal.aborted) throw link.signal.reason;
    if (error instanceof SignalError) throw error;
    throw transportError('The connection broke inside the response.', settings.secrets, { cause: error });
  };
  const read = (): Promise<Uint8Array | undefined> => {
    if (over) return Promise.resolve(undefined);
    if (link.signal.aborted) return fail(link.signal.reason);
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): void => {
        watch.ended();
        fail(error).catch(reject);
      };
      watch.began(failed);
      reader.read().then(({ value }) => {
        if (over) return;
        watch.ended();
        if (value === undefined) {
          onEnd();
          resolve(end().then(noBytes));
          return;
        }
        size += value.length;
        if (size > limit) failed(limitError('The response', limit));
        else resolve(value.length === 0 ? read() : value);
      }, failed);
    });
  };
  return { read, end };
}

const noBytes = (): undefined => undefined;

function iterate(reads: ChunkReads): AsyncIterableIterator<Uint8Array> {
  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      const value = await reads.read();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      await reads.end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

interface ReadWatch {
  /** A read waits; `onAbort` is called when the link aborts before `ended`. */
  began(onAbort: (reason: unknown) => void): void;
  ended(): void;
  /** Removes the timer and the listener. */
  stop(): void;
}

/**
 * A timer that ends with the read that it was set for has waited long enough. One that ends in a later read is set again for what is left of that one;
 * `now` decides only this, so a clock whose time and timers disagree costs at most another full wait.
 */
function watchReads(link: LinkedSignal, { timeout: { idle }, clock }: HttpSettings): ReadWatch {
  let waiting: ((reason: unknown) => void) | undefined;
  let since = 0;
  let read = 0;
  let stopTimer: (() => void) | undefined;
  const stopWaiting = link.onAbort((reason) => waiting?.(reason));

  const setTimer = (ms: number): void => {
    const own = read;
    stopTimer = clock.after(ms, () => {
      stopTimer = undefined;
      // Between reads the owner of the body is busy, not the provider: the next read sets the timer again.
      if (waiting === undefined) return;
      const left = own === read ? 0 : Math.min(since + idle - clock.now(), idle);
      if (left <= 0) link.abort(new CallTimeoutError('idle', idle));
      else setTimer(left);
    });
  };
  return {
    began(onAbortOfRead) {
      waiting = onAbortOfRead;
      read += 1;
      if (idle === Number.POSITIVE_INFINITY) return;
      since = clock.now();
      if (stopTimer === undefined) setTimer(idle);
    },
    ended() {
      waiting = undefined;
    },
    stop() {
      waiting = undefined;
      stopTimer?.();
      stopWaiting();
    },
  };
}
