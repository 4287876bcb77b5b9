import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@vouch/contracts';
import { bytesOf, isShallow, type RecordedRequest, recordedBytes, withoutStrings } from './cassette.ts';
import { credentialsOf, isSecretName, keptRequestHeaders } from './headers.ts';
import type { Redactor } from './redact.ts';

/** The arguments of a `fetch`, read. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Absent: no body. */
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** The same request again; a body that could be read only once is given as its bytes. */
  send(fetch: typeof globalThis.fetch): Promise<Response>;
}

/** Reads the arguments of a `fetch`. Throws `TypeError` for an address that is none, as `fetch` does. */
export async function readWireRequest(input: string | URL | Request, init: RequestInit | undefined): Promise<WireRequest> {
  if (input instanceof Request) return readRequestObject(new Request(input, init));
  const url = new URL(input);
  const headers = new Headers(init?.headers);
  const given = init?.body ?? undefined;
  const common = { method: (init?.method ?? 'GET').toUpperCase(), url, headers, signal: init?.signal ?? undefined };
  if (given === undefined) return { ...common, body: undefined, send: (fetch) => fetch(input, init) };
  if (typeof given === 'string') return { ...common, body: Buffer.from(given, 'utf8'), send: (fetch) => fetch(input, init) };
  const carrier = new Response(given);
  const type = carrier.headers.get('content-type');
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  const body = new Uint8Array(await carrier.arrayBuffer());
  return { ...common, body, send: (fetch) => fetch(input, { ...init, headers, body }) };
}

async function readRequestObject(request: Request): Promise<WireRequest> {
  const { method, headers, signal, redirect } = request;
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const init = { method, headers, signal, redirect, ...(body === undefined ? {} : { body }) };
  return { method, url: new URL(request.url), headers, body, signal, send: (fetch) => fetch(request.url, init) };
}

/** A request as a cassette says it: without credentials, the body as JSON where that loses nothing. */
export function recordedRequest(request: WireRequest, redactor: Redactor): RecordedRequest {
  redactor.learn(credentialsOf(request.url, request.headers));
  const url = new URL(request.url);
  url.username = '';
  url.password = '';
  url.hash = '';
  // Deleting a member rewrites the others, so a query without keys stays as it is.
  for (const name of new Set(url.searchParams.keys())) if (isSecretName(name)) url.searchParams.delete(name);
  const bytes = request.body === undefined ? undefined : redactor.bytes(request.body);
  return {
    method: request.method,
    url: redactor.text(url.href),
    headers: keptRequestHeaders(request.headers, redactor),
    ...(bytes === undefined ? {} : { body: recordedBody(bytes) }),
  };
}

function recordedBody(bytes: Uint8Array): NonNullable<RecordedRequest['body']> {
  const recorded = recordedBytes(bytes);
  if (!('text' in recorded) || !isPlainJson(recorded.text)) return recorded;
  try {
    return { json: JSON.parse(recorded.text) as JsonValue };
  } catch {
    return recorded;
  }
}

/** Decoding `text` and writing it again loses nothing: no number beyond what a double holds, no depth beyond what a stack holds. */
function isPlainJson(text: string): boolean {
  return !/[\d.]{16}|\d[eE]/.test(withoutStrings(text)) && isShallow(text);
}

/** What requests are matched by: method, path, query in the order of its names, and the body with the members of objects in the order of theirs. */
export interface MatchedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, JsonValue>>;
  readonly body: JsonValue;
}

/** The part of a request that is matched. A body that is no JSON is matched byte by byte. */
export function matchedRequest(request: RecordedRequest): MatchedRequest {
  const url = new URL(request.url);
  const names = [...new Set(url.searchParams.keys())].sort();
  const query = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  return { method: request.method, path: url.pathname, query, body: matchedBody(request.body) };
}

function matchedBody(body: RecordedRequest['body']): JsonValue {
  if (body === undefined) return null;
  if ('json' in body) return { json: inOrder(body.json) };
  const recorded = recordedBytes(bytesOf(body));
  return 'text' in recorded ? { text: recorded.text } : { base64: recorded.base64 };
}

/** The same value with members in the order of their names. Its depth is bounded by `isShallow`, in requests and in files. */
function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // `fromEntries` defines members, so that one called __proto__ stays one.
  return Object.fromEntries(entries.map(([key, member]) => [key, inOrder(member)]));
}

/** 16 hex digits that are the same for requests that match, and for no others. */
export function requestDigest(request: MatchedRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16);
}
