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
    await reader.cancel().catch(() => undefined);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const limit = (settings.maxBodyBytes ?? defaultMaxBodyBytes) * streamFactor;
    const reads = openReads(reader, link, settings);
    let size = 0;
    try {
      for (;;) {
        const { value: bytes } = await reads.next();
        if (bytes === undefined) {
          ended = true;
          return;
        }
        size += bytes.length;
        if (size > limit) throw limitError('The response', limit);
        if (bytes.length > 0) yield bytes;
      }
    } catch (error) {
      if (link.signal.aborted) throw link.signal.reason;
      if (error instanceof SignalError) throw error;
      throw transportError('The connection broke inside the response.', settings.secrets, { cause: error });
    } finally {
      reads.stop();
      await release();
    }
  }
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
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for await (const bytes of chunks) {
    size += bytes.length;
    if (size > limitBytes) throw limitError('The response body', limitBytes);
    pieces.push(decoder.decode(bytes, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}

const emptyReader: ByteReader = { read: async () => ({ done: true, value: undefined }), cancel: async () => undefined };

interface Reads {
  /** The next read; rejects as soon as the link aborts, even when the read never settles. */
  next(): Promise<ReadResult>;
  /** Ends the timer and the listener. */
  stop(): void;
}

type ReadResult = Awaited<ReturnType<ByteReader['read']>>;

/** One timer and one listener for all reads of a body: the timer looks at how long the read has been waiting, and is set again for what is left. */
function openReads(reader: ByteReader, link: LinkedSignal, { timeout: { idle }, clock }: HttpSettings): Reads {
  let waiting: ((reason: unknown) => void) | undefined;
  let waitingSince = 0;
  let stopTimer: (() => void) | undefined;
  const onAbort = (): void => waiting?.(link.signal.reason);
  link.signal.addEventListener('abort', onAbort, { once: true });

  const watch = (ms: number): void => {
    stopTimer = clock.after(ms, () => {
      stopTimer = undefined;
      // Between reads the reader's owner is busy, not the provider: the next read sets the timer again.
      if (waiting === undefined) return;
      const left = waitingSince + idle - clock.now();
      if (left <= 0) link.abort(new CallTimeoutError('idle', idle));
      else watch(left);
    });
  };
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (link.signal.aborted) {
          reject(link.signal.reason);
          return;
        }
        waiting = reject;
        if (idle !== Number.POSITIVE_INFINITY) {
          waitingSince = clock.now();
          if (stopTimer === undefined) watch(idle);
        }
        reader.read().then(
          (result) => {
            waiting = undefined;
            resolve(result);
          },
          (error: unknown) => {
            waiting = undefined;
            reject(error);
          },
        );
      }),
    stop() {
      stopTimer?.();
      link.signal.removeEventListener('abort', onAbort);
    },
  };
}
