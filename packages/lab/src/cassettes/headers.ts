import type { Redactor } from './redact.ts';

const secretName = /key(?:$|[-_])|apikey|token|secret|auth(?!or\b)|cookie|passw|credential|signature|^sig$/i;
/** Counts of tokens, and marks of a place in a list, hold nothing secret. */
const harmlessName = /tokens|ratelimit|rate-limit|page|cursor|continu/i;
/** What describes the connection or bytes that `fetch` has decoded already, and what names the account. */
const droppedName =
  /^(?:connection|keep-alive|transfer-encoding|content-encoding|content-length|date|age|via|alt-svc|nel|report-to|strict-transport-security|server-timing|trailer|upgrade)$|(?:^|[-_])(?:organization|project|account|workspace)(?:[-_]|$)/i;
const keptOfRequests = /^(?:accept|content-type)$|-(?:version|beta)$/i;

/** A header or query member of this name holds a credential. */
export const isSecretName = (name: string): boolean => secretName.test(name) && !harmlessName.test(name);

/** The request headers that say what was asked: types, versions, betas. */
export function keptRequestHeaders(headers: Headers, redactor: Redactor): Readonly<Record<string, string>> {
  return kept(headers, redactor, (name) => keptOfRequests.test(name) && !isSecretName(name));
}

/** The response headers without cookies, credentials, account names, and what belongs to the connection alone. */
export function keptResponseHeaders(headers: Headers, redactor: Redactor): Readonly<Record<string, string>> {
  return kept(headers, redactor, (name) => !droppedName.test(name) && !isSecretName(name));
}

function kept(headers: Headers, redactor: Redactor, keep: (name: string) => boolean): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  headers.forEach((value, name) => {
    if (keep(name)) entries.push([redactor.text(name), redactor.text(name === 'location' ? withoutKeys(value) : value)]);
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A redirect's target without the query members that hold keys. */
function withoutKeys(location: string): string {
  const [target = '', query] = location.replace(/#.*$/s, '').split(/\?(.*)/s);
  if (query === undefined) return target;
  const left = [...new URLSearchParams(query)].filter(([name]) => !isSecretName(name));
  return left.length === 0 ? target : `${target}?${new URLSearchParams(left)}`;
}

/** The credentials that a request carries in headers and address: whole values, and what follows a scheme such as `Bearer`. */
export function credentialsOf(url: URL, headers: Headers): readonly string[] {
  const values: string[] = [];
  headers.forEach((value, name) => {
    if (isSecretName(name)) values.push(value, ...value.split(/[ ;,]+/).slice(1), ...basicParts(value), ...cookieValues(name, value));
  });
  for (const [name, value] of url.searchParams) if (isSecretName(name)) values.push(value);
  for (const part of [url.username, url.password]) if (part !== '') values.push(part, decoded(part));
  return values;
}

function cookieValues(name: string, value: string): readonly string[] {
  return name === 'cookie' ? value.split(';').map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim()) : [];
}

/** User and password of a `Basic` credential. */
function basicParts(value: string): readonly string[] {
  const encoded = /^basic\s+(\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
