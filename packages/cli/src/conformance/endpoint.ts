import { type ChatWireId, type Clock, randomIds, SignalError, type StepRequest, type StepResult } from '@vouch/contracts';
import { assistantMessage, createSignal, type Signal } from '@vouch/signal';
import { askFor, type CheckedEndpoint, type Delivery } from './check.ts';

/** The address of a live endpoint, and through what it is reached. */
export interface EndpointTarget {
  readonly wire: ChatWireId;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  /** The registry row whose dialect it has. Default: what every server of the wire takes. */
  readonly like?: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Ends every call. */
  readonly signal: AbortSignal;
}

/** What was spent so far. */
export interface Spent {
  readonly calls: number;
  readonly tokens: number;
}

/** An endpoint that counts what it spends. */
export interface MeteredEndpoint {
  readonly endpoint: CheckedEndpoint;
  spent(): Spent;
}

// An overload that passes is no fact of the endpoint; one that stays is. Milliseconds.
const network = { retries: 1, maxDelay: 20_000 };
const timeout = { total: 120_000 };

/** The endpoint over the product's own adapters. Throws a configuration failure for an address that is none. */
export function openEndpoint(target: EndpointTarget): MeteredEndpoint {
  let calls = 0;
  let tokens = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    calls += 1;
    return target.fetch(input, init);
  };
  const client = clientOf(target, fetch);
  const plain = new Map<Delivery, Promise<StepResult>>();
  const count = (result: StepResult): StepResult => {
    if (result.usage.reported) tokens += result.usage.totalTokens;
    return result;
  };
  const ask: CheckedEndpoint['ask'] = async (request, delivery) =>
    count(delivery === 'whole' ? await client.step(request) : await lastOf(client.stepStream(request)));
  const endpoint: CheckedEndpoint = {
    wire: target.wire,
    model: target.model,
    hasKey: target.apiKey !== undefined,
    ask,
    plain(delivery) {
      const known = plain.get(delivery) ?? ask(askFor('Answer with the one word: yes'), delivery);
      plain.set(delivery, known);
      return known;
    },
    async askAs({ apiKey, model }) {
      const keyed = apiKey === undefined ? client : client.apiKey(apiKey);
      return count(await (model === undefined ? keyed : keyed.model(model)).step(askFor('Answer with the one word: yes')));
    },
    withResults(result, text) {
      const author = { provider: client.describe().provider, model: target.model, ids: randomIds };
      const results = result.toolCalls.map(({ id, name }) => ({ role: 'tool' as const, toolCallId: id, name, content: text }));
      return [assistantMessage({ parts: result.parts, calls: result.toolCalls }, author), ...results];
    },
    abortMidway: (request) => abortMidway((watched) => clientOf(target, watched), fetch, request),
    listModels: () => listModels({ ...target, fetch }),
  };
  return { endpoint, spent: () => ({ calls, tokens }) };
}

/** Streams through a fetch that is watched: whether its body was read to the end, or given up. */
async function abortMidway(
  clientOver: (fetch: typeof globalThis.fetch) => Signal<string>,
  fetch: typeof globalThis.fetch,
  request: StepRequest,
): ReturnType<CheckedEndpoint['abortMidway']> {
  const controller = new AbortController();
  const body = { wasRead: false, wasCancelled: false };
  let signal: AbortSignal | undefined;
  const watched: typeof globalThis.fetch = async (input, init) => {
    signal = init?.signal ?? undefined;
    const response = await fetch(input, init);
    const { status, statusText, headers } = response;
    return response.body === null ? response : new Response(watchedBody(response.body, body), { status, statusText, headers });
  };
  let sawText = false;
  let ended = false;
  let wasRead = false;
  for await (const event of clientOver(watched).stepStream(request, { signal: controller.signal })) {
    if (event.type === 'done') ended = true;
    if (event.type !== 'text' || sawText) continue;
    sawText = true;
    wasRead = body.wasRead;
    controller.abort();
  }
  return { sawText, ended, wasRead, released: signal?.aborted === true || body.wasCancelled };
}

/** The same bytes, read no earlier than they are asked for. */
function watchedBody(
  source: ReadableStream<Uint8Array>,
  state: { wasRead: boolean; wasCancelled: boolean },
): ReadableStream<Uint8Array<ArrayBufferLike>> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        state.wasRead = true;
        controller.close();
      },
      cancel(reason) {
        state.wasCancelled = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function clientOf({ wire, baseUrl, model, apiKey, like, clock, signal }: EndpointTarget, fetch: typeof globalThis.fetch): Signal<string> {
  return createSignal(
    {
      baseUrl,
      model,
      adapter: wire,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(like === undefined ? {} : { dialect: like }),
    },
    { fetch, clock, options: { signal, network, timeout } },
  );
}

async function lastOf(events: ReturnType<Signal<string>['stepStream']>): Promise<StepResult> {
  for await (const event of events) if (event.type === 'done') return event.result;
  throw new DOMException('The check was interrupted.', 'AbortError');
}

/** Where each wire lists its models, below the base URL, and the headers beside the key. */
const listings: {
  readonly [Wire in ChatWireId]: { readonly path: string; readonly key: string; readonly headers?: { readonly [name: string]: string } };
} = {
  'openai-chat': { path: '/models', key: 'authorization' },
  'openai-responses': { path: '/models', key: 'authorization' },
  'anthropic-messages': { path: '/v1/models', key: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } },
  gemini: { path: '/models', key: 'x-goog-api-key' },
  ollama: { path: '/api/tags', key: 'authorization' },
};

/** The ids that a list of models holds; undefined for what is no such list. A connection that fails throws as a call's does. */
export async function listModels(
  target: Pick<EndpointTarget, 'wire' | 'baseUrl' | 'apiKey' | 'fetch' | 'signal'>,
): Promise<{ readonly status: number; readonly ids: readonly string[] | undefined }> {
  const { path, key, headers = {} } = listings[target.wire];
  const url = new URL(target.baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  // As the client has it: the version is not said twice.
  url.pathname = `${base}${base.endsWith('/v1') && path.startsWith('/v1/') ? path.slice('/v1'.length) : path}`;
  const value = target.apiKey === undefined ? undefined : key === 'authorization' ? `Bearer ${target.apiKey}` : target.apiKey;
  const signal = AbortSignal.any([target.signal, AbortSignal.timeout(30_000)]);
  const response = await target.fetch(url.href, {
    headers: { accept: 'application/json', ...headers, ...(value === undefined ? {} : { [key]: value }) },
    // A redirect could carry the key elsewhere.
    redirect: 'manual',
    signal,
  });
  const body: unknown = await response.json().catch(() => undefined);
  return { status: response.status, ids: response.ok ? idsIn(body) : undefined };
}

function idsIn(body: unknown): readonly string[] | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { data, models } = body as { readonly data?: unknown; readonly models?: unknown };
  const list: unknown = Array.isArray(data) ? data : models;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => {
    const { id, name } = (entry ?? {}) as { readonly id?: unknown; readonly name?: unknown };
    const found = id ?? name;
    return typeof found === 'string' ? [found] : [];
  });
}

/** The failure of a call; undefined for any other error. */
export const failureOf = (error: unknown): SignalError['failure'] | undefined => (error instanceof SignalError ? error.failure : undefined);
