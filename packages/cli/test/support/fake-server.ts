import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** A server on loopback for one test. */
export interface FakeServer {
  readonly baseUrl: string;
  readonly requests: readonly { readonly authorization: string | undefined; readonly body: string }[];
}

/** Answers every request by `answer`. */
export async function fakeServer(answer: (response: ServerResponse, request: IncomingMessage, body: string) => void): Promise<FakeServer> {
  const requests: { authorization: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      requests.push({ authorization: request.headers.authorization, body });
      answer(response, request, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests };
}

/** A whole chat completion that says `content`. */
export function completion(content: string, finish = 'stop'): string {
  return JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, status: number, body: string, headers: { readonly [name: string]: string } = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

/** An address of this machine where nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `http://127.0.0.1:${port}/v1`;
}
