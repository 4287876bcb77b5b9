import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { RawReply } from '../answer.ts';

/** Pauses of the lab itself, in milliseconds. */
export interface LabDelays {
  /** Before the first byte of a response. Default 0. */
  readonly firstByteMs?: number;
  /** Between two chunks of a body, when the reply does not say. Default 0. */
  readonly chunkMs?: number;
}

/** A body of many small writes must not keep the whole process from all else. */
const writesATurn = 16;

/** What was written must reach the peer before the RST overtakes it. */
const beforeResetMs = 5;

/**
 * Writes a reply on the response. Resolves when the last byte was handed over and the ending begun; a `stall` or `keep-open` resolves with the
 * connection still open. Stops quietly when the client goes first or `signal` aborts.
 */
export async function writeReply(response: ServerResponse, reply: RawReply, delays: LabDelays, signal: AbortSignal): Promise<void> {
  await pause(reply.firstByteMs ?? delays.firstByteMs ?? 0, signal);
  if (response.destroyed || signal.aborted) return;
  const chunkDelayMs = reply.chunkDelayMs ?? delays.chunkMs ?? 0;
  const isRaw = reply.framing === 'bytes';
  const target = isRaw ? response.socket : response;
  if (target === null) return;
  if (reply.status !== 0 && !isRaw) {
    if (reply.framing === 'close') response.removeHeader('transfer-encoding');
    response.writeHead(reply.status, { ...reply.headers });
    response.flushHeaders();
  }
  for (const [index, chunk] of (reply.status === 0 ? [] : reply.chunks).entries()) {
    if (index > 0) await pause(chunkDelayMs, signal);
    if (response.destroyed || signal.aborted) return;
    await write(response, target, chunk);
    if (index % writesATurn === writesATurn - 1) await nextTurn();
  }
  const endsBody = reply.ending === 'end' && reply.status !== 0 && !isRaw;
  if (endsBody) response.end();
  if (reply.ending === 'cut' || (reply.ending === 'end' && !endsBody)) response.socket?.end();
  if (reply.ending === 'reset') {
    await pause(beforeResetMs, signal);
    response.socket?.resetAndDestroy();
  }
}

function write(response: ServerResponse, target: Writable, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    // 'close' too: the callback of a write on a connection that the client ended may never come.
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    target.write(chunk, done);
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms === 0) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
