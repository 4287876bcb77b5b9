import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@vouch/contracts';

/** A server that writes raw bytes, and knows which of its connections are open. */
export interface RawServer {
  readonly url: string;
  /** The requests so far, as text. */
  readonly requests: readonly string[];
  /** Connections that carried a request and are open now. A bare one does not count: after an abort the platform's fetch opens one ahead. */
  open(): number;
  /** Resolves when no such connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Answers every whole request by `answer`. */
export async function rawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const busy = new Set<Socket>();
  const requests: string[] = [];
  let waiting: (() => void)[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('data', (bytes) => {
      busy.add(socket);
      received += bytes.toString('utf8');
      const head = received.indexOf('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(received)?.[1];
      if (head < 0 || Buffer.byteLength(received.slice(head + 4)) < Number(length ?? 0)) return;
      requests.push(received);
      const request = received;
      received = '';
      answer(socket, request);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      busy.delete(socket);
      if (busy.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    open: () => busy.size,
    idle: () => (busy.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The head of a chunked answer that closes its connection. */
export const streamHead = (more = 'Content-Type: text/event-stream\r\n', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${more}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;

/** One piece of a chunked body. */
export const piece = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** The end of a chunked body. */
export const lastPiece = '0\r\n\r\n';

/** A whole answer. */
export function wholeAnswer(body: string, status = '200 OK', more = 'Content-Type: application/json\r\n'): string {
  return `HTTP/1.1 ${status}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Timers that are set now. */
  pending(): number;
}

/** A clock at 0. */
export function manualClock(): ManualClock {
  let time = 0;
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  return {
    now: () => time,
    after(ms, callback) {
      const timer = { due: time + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    sleep: () => Promise.reject(new Error('nothing sleeps here')),
    advance(ms) {
      time += ms;
      for (const timer of [...timers]) {
        if (timer.due > time) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
    pending: () => timers.size,
  };
}
