import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WireRefusal } from '../wires/wire.ts';

/**
 * The request comes from this machine and for this server: a page that a browser loaded elsewhere can reach loopback by a name of its own, but then
 * says that name in `Host`.
 */
export function isOwnHost(host: string | undefined, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(host ?? '');
}

/** Why the key is refused; undefined when it is the lab's, or when the lab has none. */
export function keyFault(request: IncomingMessage, apiKey: string | undefined): WireRefusal | undefined {
  if (apiKey === undefined) return undefined;
  const header = request.headers['api-key'];
  const given = request.headers.authorization?.replace(/^Bearer /i, '') ?? (Array.isArray(header) ? header[0] : header);
  if (given === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
    return { status: 401, message };
  }
  if (sameText(given, apiKey)) return undefined;
  return { status: 401, message: 'Incorrect API key provided: ***.', code: 'invalid_api_key' };
}

function sameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
