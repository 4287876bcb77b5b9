import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The exchanges that go on, and the connections that carried one. */
export interface OpenExchanges {
  /** An exchange begins; it ends with its response, or with its connection. */
  begin(socket: Socket, response: ServerResponse, ended: () => void): void;
  /** Resolves when nothing of it is open. */
  idle(): Promise<void>;
}

/** Counts exchanges and, with `countsSockets`, also the connections that carried one: then `idle` waits for their close as well. */
export function openExchanges(countsSockets: boolean): OpenExchanges {
  const open = new Set<ServerResponse | Socket>();
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
      response.once('close', () => {
        ended();
        remove(response);
      });
      if (!countsSockets || open.has(socket) || socket.destroyed) return;
      open.add(socket);
      socket.once('close', () => remove(socket));
    },
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
