import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LabTarget, WireRefusal } from '../wires/wire.ts';

/**
 * The request comes from this machine and for this server: a page that a browser loaded elsewhere can reach loopback by a name of its own, but then
 * says that name in `Host`. Takes every `Host` header that came: with more than one, readers differ on which of them counts.
 */
export function isOwnHost(hosts: readonly string[] | undefined, port: number): boolean {
  const [host = '', ...others] = hosts ?? [];
  return others.length === 0 && [`127.0.0.1:${port}`, `localhost:${port}`].includes(host);
}

/** Why the key is refused; undefined when it is the lab's, or when the lab has none. */
export function keyFault(request: IncomingMessage, apiKey: string | undefined): WireRefusal | undefined {
  if (apiKey === undefined) return undefined;
  const given = givenKey(request);
  if (given === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
    return { status: 401, message };
  }
  if (sameText(given, apiKey)) return undefined;
  return { status: 401, message: 'Incorrect API key provided: ***.', code: 'invalid_api_key' };
}

const keyHeaders = ['api-key', 'x-api-key', 'x-goog-api-key'] as const;

function givenKey(request: IncomingMessage): string | undefined {
  const { path: _path, query, headers } = targetOf(request);
  const named = keyHeaders.map((name) => headers[name]).find((key) => key !== undefined);
  return headers.authorization?.replace(/^Bearer /i, '') ?? named ?? query.get('key') ?? undefined;
}

/** Where a request went, and what it said of itself. */
export function targetOf(request: IncomingMessage): LabTarget {
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return { path, query: new URLSearchParams(query), headers: Object.fromEntries(headers) };
}

function sameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
