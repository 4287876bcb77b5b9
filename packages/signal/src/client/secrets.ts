import type { EndpointDialect } from '@vouch/contracts';

const secretName = /key|token|secret|auth|cookie|passw|credential|signature|^sig$/i;

/** Every text of a connection that must appear in no error (SG-038): the key, and what headers, query and address carry in place of one. */
export function secretsOf(connection: {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly dialect: EndpointDialect;
}): readonly string[] {
  const { apiKey, baseUrl, dialect } = connection;
  const url = parsed(baseUrl);
  const named = [...Object.entries(dialect.headers ?? {}), ...Object.entries(dialect.query ?? {}), ...(url?.searchParams ?? [])];
  const values = named.filter(([name]) => secretName.test(name)).map(([, value]) => value);
  // `Bearer …`: a provider may repeat the credential without its scheme.
  const bare = values.flatMap((value) => value.split(' ').slice(1));
  const userInfo = url === undefined ? [] : url.password === '' ? [url.username] : [url.password];
  return [...new Set([apiKey ?? '', ...values, ...bare, ...userInfo.flatMap((text) => [text, decoded(text)])])].filter(
    (text) => text !== '',
  );
}

/** An address as it may be shown: without user, password, query and fragment. */
export function shownAddress(baseUrl: string): string {
  const url = parsed(baseUrl);
  if (url === undefined) return baseUrl.replace(/[?#].*$/s, '');
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return baseUrl;
  return `${url.origin}${url.pathname}`;
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
