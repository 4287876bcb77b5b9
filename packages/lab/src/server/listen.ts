import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server on loopback. */
export interface Listening {
  readonly port: number;
  openSockets(): number;
  /** Stops listening and destroys every connection; resolves when all are gone. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 only; port 0 takes a free one. Rejects when the port is taken. */
export function listen(port: number, handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer(handle);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const close = async (): Promise<void> => {
    const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const stopped = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await Promise.all([stopped, ...gone]);
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, openSockets: () => sockets.size, close });
    });
  });
}
