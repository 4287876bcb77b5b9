import { configurationError, type JsonObject } from '@vouch/contracts';
import type { FetchClient, SdkCreate } from '../response/sdk.ts';

interface ChatClient {
  chat(body: unknown): unknown;
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** What a caller's `client` is: an instance of the official package, or `{ fetch }`. Throws a configuration failure when it is neither. */
export function readOllamaClient(client: unknown): { readonly create: SdkCreate } | FetchClient {
  // The instance has a `fetch` of its own, so its method is asked for first.
  if (typeof member(client, 'chat') === 'function') return { create: (body, { signal }) => chat(client as ChatClient, body, signal) };
  if (typeof member(client, 'fetch') === 'function') return client as FetchClient;
  throw configurationError(
    'E_CONFIGURATION',
    'The client has neither chat nor fetch. Give an instance of the official package, or { fetch }.',
  );
}

/** The package takes no signal: a stream is ended by its own `abort`, a whole answer cannot be. It changes the body that it is given. */
async function chat(client: ChatClient, body: unknown, signal: AbortSignal): Promise<unknown> {
  const answer = await saying(async () => client.chat({ ...(body as JsonObject) }));
  const abort: unknown = member(answer, 'abort');
  if (typeof abort !== 'function') return answer;
  const stop = (): unknown => abort.call(answer);
  if (signal.aborted) stop();
  return iterate(answer as AsyncIterable<unknown>, signal, stop);
}

async function* iterate(stream: AsyncIterable<unknown>, signal: AbortSignal, stop: () => unknown): AsyncGenerator<unknown> {
  signal.addEventListener('abort', stop, { once: true });
  const iterator = stream[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      const next = await saying(async () => iterator.next());
      if (next.done === true) {
        done = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    if (!done) stop();
  }
}

/** The package's errors with the fields that other packages have: its own status is `status_code`, and an error in a stream has its text alone. */
async function saying<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const status = member(error, 'status_code');
    const text = error instanceof Error ? error.message : String(error);
    if (typeof status === 'number') throw Object.assign(new Error(text, { cause: error }), { status, error: { error: text } });
    // The one message that is about the end of the connection and not of the server.
    if (!(error instanceof Error) || error.name !== 'Error' || text.startsWith('Did not receive done')) throw error;
    throw Object.assign(new Error(text, { cause: error }), { error: { error: text } });
  }
}
