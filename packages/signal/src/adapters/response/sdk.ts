import { configurationError, isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { linkSignals, raceAbort } from '../../net/abort.ts';
import type { HttpSettings } from '../../net/http.ts';
import { CallTimeoutError, ProviderError, providerErrorFrom, transportError } from '../../net/provider-error.ts';
import type { WireEvent, WireEvents } from './events.ts';

/** The one method of an official SDK's instance that is used. */
export type SdkCreate = (body: unknown, options: { readonly signal: AbortSignal; readonly maxRetries: number }) => unknown;

/** A client that only replaces `fetch`. */
export interface FetchClient {
  readonly fetch: typeof globalThis.fetch;
}

/** What a caller's `client` is: an SDK's instance with a `create` at `path`, or `{ fetch }`. Throws a configuration failure when it is neither. */
export function readClient(
  client: unknown,
  path: readonly string[],
): { readonly create: SdkCreate } | { readonly fetch: typeof globalThis.fetch } {
  const at = (value: unknown, key: string): unknown => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined);
  const resource = path.reduce(at, client);
  // An SDK instance has a `fetch` of its own, so its own method is asked for first.
  if (typeof at(resource, 'create') === 'function')
    return { create: (body, options) => (resource as { readonly create: SdkCreate }).create(body, options) };
  if (typeof at(client, 'fetch') === 'function') return { fetch: (client as FetchClient).fetch };
  throw configurationError(
    'E_CONFIGURATION',
    `The client has neither ${path.join('.')}.create nor fetch. Give an instance of an SDK, or { fetch }.`,
  );
}

interface SdkContext {
  readonly settings: HttpSettings;
  readonly signal: AbortSignal;
}

/** The events of an SDK's answer: one object, or the objects of its stream. Both are under the time limits of `settings`. */
export function readSdkEvents(sdkCreate: SdkCreate, body: JsonObject, context: SdkContext): WireEvents {
  const events = sdkEvents(sdkCreate, body, context);
  return {
    next: async () => (await events.next()).value,
    async end() {
      await events.return(undefined);
    },
  };
}

async function* sdkEvents(
  sdkCreate: SdkCreate,
  body: JsonObject,
  context: SdkContext,
): AsyncGenerator<readonly WireEvent[], undefined, undefined> {
  const { settings } = context;
  const link = linkSignals([context.signal]);
  const timed = async <T>(work: PromiseLike<T>, which: 'first_byte' | 'idle'): Promise<T> => {
    const limit = which === 'idle' ? settings.timeout.idle : settings.timeout.firstByte;
    const stop =
      limit === Number.POSITIVE_INFINITY
        ? () => undefined
        : settings.clock.after(limit, () => link.abort(new CallTimeoutError(which, limit)));
    try {
      return await raceAbort(work, link.signal);
    } catch (error) {
      throw link.signal.aborted ? link.signal.reason : sdkError(error, settings);
    } finally {
      stop();
    }
  };
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    link.signal.throwIfAborted();
    const create = async (): Promise<unknown> => sdkCreate(body, { signal: link.signal, maxRetries: 0 });
    const answer = await timed(create(), 'first_byte');
    if (!isAsyncIterable(answer)) {
      yield [...(isJsonObject(answer) ? [{ kind: 'object' as const, value: answer as JsonObject, raw: undefined }] : []), { kind: 'done' }];
      return undefined;
    }
    iterator = answer[Symbol.asyncIterator]();
    for (;;) {
      const next = await timed(iterator.next(), 'idle');
      if (next.done === true) {
        iterator = undefined;
        return undefined;
      }
      if (isJsonObject(next.value)) yield [{ kind: 'object', value: next.value as JsonObject, raw: undefined }];
    }
  } finally {
    link.dispose();
    // Not awaited: after an abort the SDK's own iterator may still hang in its read.
    if (iterator !== undefined) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, Symbol.asyncIterator) === 'function';

/** An SDK's error, mapped like an answer: it keeps status, headers and the body under `error`, some one level deeper. */
function sdkError(error: unknown, settings: HttpSettings): ProviderError {
  if (error instanceof ProviderError) return error;
  const get = (key: string): unknown => (typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined);
  const body = get('error');
  const status = get('status');
  const headers = get('headers');
  const context = { secrets: settings.secrets, now: settings.clock.now() };
  const said = error instanceof Error ? error.message : String(error);
  if (typeof status !== 'number' && body === undefined) return transportError(said, settings.secrets, { cause: error });
  // A body that the SDK could not decode stands in the message only, after the status.
  const content =
    body === undefined
      ? { text: said.replace(/^\d{3} /, '') }
      : { payload: isJsonObject(body) && !Object.hasOwn(body, 'error') ? ({ error: body } as JsonObject) : (body as JsonValue) };
  const header = (name: string): string | undefined => {
    if (typeof headers !== 'object' || headers === null) return undefined;
    const value: unknown = headers instanceof Headers ? headers.get(name) : Reflect.get(headers, name);
    return typeof value === 'string' ? value : undefined;
  };
  const headerNames = (): readonly string[] =>
    headers instanceof Headers ? [...headers.keys()] : Object.keys(typeof headers === 'object' && headers !== null ? headers : {});
  return providerErrorFrom({ ...content, header, headerNames, ...(typeof status === 'number' ? { status } : {}) }, context, error);
}
