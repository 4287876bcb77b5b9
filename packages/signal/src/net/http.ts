import type { Clock } from '@vouch/contracts';
import { type LinkedSignal, linkSignals } from './abort.ts';
import { type ChunkReads, openBody } from './body.ts';
import { CallTimeoutError, providerErrorFrom, transportError, unreadableError } from './provider-error.ts';

/** How bytes are moved; all policy comes from here (SG-030, SG-037). */
export interface HttpSettings {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Milliseconds; `Infinity` disables. */
  readonly timeout: { readonly firstByte: number; readonly idle: number };
  /** Texts that must appear in no error: they are replaced by `[redacted]`. */
  readonly secrets: readonly string[];
  /** Bytes of one stream event. Default 32 MiB; more is kind `limit`. */
  readonly maxEventBytes?: number;
  /** Bytes of a whole body; a stream may have four times as many. Default 64 MiB; more is kind `limit`. */
  readonly maxBodyBytes?: number;
}

/** One POST. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A response with a 2xx status. Whoever holds it reads it to the end or calls `release`. */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body's reads, under the idle timeout. A body is read once: by this, by `chunks` or by `text`. */
  open(): ChunkReads;
  /** The body's bytes. Ends the connection when the iteration is left early. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The whole body as text. */
  text(): Promise<string>;
  release(): Promise<void>;
}

/** The port through which adapters reach the network. One try a call; throws `ProviderError` for any status outside 200 to 299. */
export interface Http {
  readonly settings: HttpSettings;
  post(request: HttpRequest): Promise<HttpResponse>;
}

/** An error body is read to here and cut: enough for any attempt that it may carry. */
const maxErrorBodyBytes = 16 * 1024 * 1024;

const maxRedirects = 5;

/**
 * The port over `fetch`. Each call has its own linked signal, so the caller's keeps no listener after the body was read or released (SG-037).
 * Throws `ProviderError` (status, transport, a redirect that cannot be followed), `CallTimeoutError`, and the signal's reason on abort.
 */
export function createHttp(settings: HttpSettings): Http {
  return { settings, post: (request) => post(settings, request) };
}

async function post(settings: HttpSettings, request: HttpRequest): Promise<HttpResponse> {
  const link = linkSignals([request.signal]);
  const firstByte = settings.timeout.firstByte;
  const stopTimer =
    firstByte === Number.POSITIVE_INFINITY
      ? () => undefined
      : settings.clock.after(firstByte, () => link.abort(new CallTimeoutError('first_byte', firstByte)));
  let response: Response;
  try {
    response = await fetchAnswer(settings, request, link);
  } catch (error) {
    link.dispose();
    throw error;
  } finally {
    stopTimer();
  }
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
  const body = openBody(response, link, settings);
  if (response.status >= 200 && response.status <= 299) return { status: response.status, header, ...body };
  const text = await body.start(maxErrorBodyBytes);
  request.signal.throwIfAborted();
  const headerNames = (): readonly string[] => [...response.headers.keys()];
  throw providerErrorFrom({ status: response.status, header, headerNames, text }, { secrets: settings.secrets, now: settings.clock.now() });
}

/** The first answer that is no redirect. Redirects are followed by hand: `fetch` would turn a POST into a GET, and carry the key elsewhere. */
async function fetchAnswer(settings: HttpSettings, request: HttpRequest, link: LinkedSignal): Promise<Response> {
  let url = request.url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetchOnce(settings, request, url, link);
    const redirected = response.type === 'opaqueredirect' || (response.status >= 300 && response.status <= 399 && response.status !== 304);
    if (!redirected) return response;
    response.body?.cancel().catch(() => undefined);
    const target = targetOf(response, url);
    const keepsMethod = response.status === 307 || response.status === 308;
    if (target === undefined || !keepsMethod || target.origin !== new URL(url).origin || redirects >= maxRedirects) {
      const where = target === undefined ? '' : ` to ${target.origin}${target.pathname}`;
      const refusal = redirects >= maxRedirects ? ', again and again' : ', which a request with a key must not follow';
      throw unreadableError('config', `The address redirects${where}${refusal}. Set the final address as the base URL.`, {
        secrets: settings.secrets,
        ...(response.status === 0 ? {} : { status: response.status }),
      });
    }
    url = target.href;
  }
}

function targetOf(response: Response, from: string): URL | undefined {
  const location = response.headers.get('location');
  if (location === null) return undefined;
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}

async function fetchOnce(settings: HttpSettings, request: HttpRequest, url: string, link: LinkedSignal): Promise<Response> {
  const { signal } = link;
  signal.throwIfAborted();
  try {
    const init = { method: 'POST', headers: { ...request.headers }, body: request.body, signal, redirect: 'manual' } as const;
    return await untilAbort(settings.fetch(url, init), link);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw transportError(`No connection to ${hostOf(url)}${reasonOf(error)}.`, settings.secrets, { cause: error });
  }
}

/** The response, or a rejection as soon as the link aborts. A fetch that ignores its signal may still answer later: that body belongs to nobody. */
function untilAbort(pending: Promise<Response>, link: LinkedSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const stop = link.onAbort(reject);
    pending.then(
      (response) => {
        stop();
        if (link.signal.aborted) response.body?.cancel().catch(() => undefined);
        else resolve(response);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return 'the endpoint';
  }
};

/** The most telling short word of a network error: its code, else its message. */
function reasonOf(error: unknown): string {
  let text = '';
  for (let here: unknown = error, steps = 0; here instanceof Error && steps < 4; here = here.cause, steps += 1) {
    const code: unknown = Reflect.get(here, 'code');
    text = typeof code === 'string' ? code : here.message;
  }
  return text === '' ? '' : ` (${text.slice(0, 200)})`;
}
