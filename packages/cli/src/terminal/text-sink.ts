import type { Writable } from 'node:stream';

/** A stream that is written to as text, with its reader's pace respected. */
export interface TextSink {
  /** Resolves when the stream takes more. A closed reader (EPIPE) is no error: later writes do nothing. */
  write(text: string): Promise<void>;
  /** The reader has gone away; work for it is pointless. */
  isClosed(): boolean;
}

const readerGone = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ECONNRESET']);

const sinks = new WeakMap<Writable, TextSink>();

/** The sink of a stream; one per stream. A write error other than a closed reader (a full disk) rejects the write. */
export function sinkOf(stream: Writable): TextSink {
  const known = sinks.get(stream);
  if (known !== undefined) return known;
  let closed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (readerGone.has(error.code ?? '')) closed = true;
  });
  const sink: TextSink = {
    isClosed: () => closed || stream.destroyed,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (closed || stream.destroyed) {
          resolve();
          return;
        }
        stream.write(text, (error) => {
          if (!error) resolve();
          else if (readerGone.has((error as NodeJS.ErrnoException).code ?? '')) {
            closed = true;
            resolve();
          } else reject(error);
        });
      }),
  };
  sinks.set(stream, sink);
  return sink;
}
