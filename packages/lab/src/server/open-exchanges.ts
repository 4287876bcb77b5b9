import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The exchanges that go on, and the connections that carried one. */
export interface OpenExchanges {
  /** An exchange begins; it ends with its response, or with its connection. */
  begin(socket: Socket, response: ServerResponse, ended: () => void): void;
  /** Resolves when nothing of it is open. */
  idle(): Promise<void>;
  /** Breaks the responses that are still to be written, and destroys their connections. */
  breakOff(): void;
}

/** Counts exchanges and, with `countsSockets`, also the connections that carried one: then `idle` waits for their close as well. */
export function openExchanges(countsSockets: boolean): OpenExchanges {
  const open = new Set<ServerResponse | Socket>();
  const unwritten = new Map<ServerResponse, Socket>();
  let waiting: (() => void)[] = [];
  const remove = (one: ServerResponse | Socket): void => {
    open.delete(one);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    begin(socket, response, ended) {
      open.add(response);
      unwritten.set(response, socket);
      response.once('close', () => {
        unwritten.delete(response);
        ended();
        remove(response);
      });
      if (!countsSockets || open.has(socket) || socket.destroyed) return;
      open.add(socket);
      socket.once('close', () => remove(socket));
    },
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    breakOff() {
      for (const [response, socket] of unwritten) {
        if (!response.writableFinished && !socket.writableFinished) breakOff(response, socket);
      }
    },
  };
}

/**
 * Breaks a reply so that its client notices. `fetch` takes the end of a connection that announced its close for the end of a chunked body, also when
 * it is a reset: what it does notice is a chunk that cannot be. Where that does not go out at once, a reset is all there is.
 */
function breakOff(response: ServerResponse, socket: Socket): void {
  while (socket.writableCorked > 0) socket.uncork();
  const isChunked = response.headersSent && response.chunkedEncoding;
  if (isChunked) socket.write(impossibleChunk);
  if (!isChunked || socket.writableLength > 0) socket.resetAndDestroy();
  else socket.destroy();
}

const impossibleChunk = 'no size of a chunk\r\n';
