import { SignalError } from '@vouch/contracts';
import type { LinkedSignal } from './abort.ts';
import type { HttpResponse, HttpSettings } from './http.ts';
import { defaultMaxBodyBytes, limitError } from './limit.ts';
import { CallTimeoutError, transportError } from './provider-error.ts';

/** A response's body, which is read once, under the idle timeout, and gives up every listener and the connection at its end. */
export interface OpenBody extends Pick<HttpResponse, 'chunks' | 'text' | 'release'> {
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
  const chunks = (): AsyncIterableIterator<Uint8Array> =>
    readChunks({
      reader,
      link,
      settings,
      release,
      onEnd: () => {
        ended = true;
      },
    });
  const text = (): Promise<string> => collectText(chunks(), settings.maxBodyBytes);
  const start = async (limitBytes: number): Promise<string> => {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    let left = limitBytes;
    try {
      for await (const bytes of chunks()) {
        pieces.push(decoder.decode(bytes.subarray(0, left), { stream: true }));
        left -= bytes.length;
        if (left <= 0) break;
      }
    } catch {
      // The status says what matters; a body that broke off is shown as far as it came.
    }
    return pieces.join('');
  };
  return { chunks, text, release, start };
}

/** The chunks as one text, at most `limitBytes` long (default 64 MiB; more is kind `limit`). */
export async function collectText(chunks: AsyncIterable<Uint8Array>, limitBytes: number = defaultMaxBodyBytes): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of chunks) {
    size += bytes.length;
    if (size > limitBytes) throw limitError('The response body', limitBytes);
    pieces.push(bytes);
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

/** The chunks of a body. By hand and not as a generator, and with one timer and one listener for all reads: a chunk is often one delta. */
function readChunks({ reader, link, settings, release, onEnd }: ChunkSource): AsyncIterableIterator<Uint8Array> {
  const limit = (settings.maxBodyBytes ?? defaultMaxBodyBytes) * streamFactor;
  const watch = watchReads(link, settings);
  let size = 0;
  let over = false;

  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    over = true;
    watch.stop();
    await release();
    return { done: true, value: undefined };
  };
  const fail = async (error: unknown): Promise<never> => {
    await end();
    if (link.signal.aborted) throw link.signal.reason;
    if (error instanceof SignalError) throw error;
    throw transportError('The connection broke inside the response.', settings.secrets, { cause: error });
  };
  const next = (): Promise<IteratorResult<Uint8Array>> => {
    if (over) return Promise.resolve({ done: true, value: undefined });
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
          resolve(end());
          return;
        }
        size += value.length;
        if (size > limit) failed(limitError('The response', limit));
        else resolve(value.length === 0 ? next() : { done: false, value });
      }, failed);
    });
  };
  const iterator: AsyncIterableIterator<Uint8Array> = { next, return: end, [Symbol.asyncIterator]: () => iterator };
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
