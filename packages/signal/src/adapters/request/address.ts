import { configurationError, type WireDialect } from '@vouch/contracts';
import type { HttpRequest } from '../../net/http.ts';
import type { AdapterEndpoint, ProviderRequest } from '../adapter.ts';

/** The full address of the endpoint's route: `path`, by default the dialect's own, below the base URL, with the dialect's query. */
export function endpointUrl(
  endpoint: Pick<AdapterEndpoint, 'baseUrl'> & { readonly dialect: WireDialect },
  path: string = endpoint.dialect.path,
): string {
  let url: URL;
  try {
    url = new URL(endpoint.baseUrl);
  } catch {
    throw configurationError('E_CONFIGURATION', 'The base URL is no address. Give one such as https://host/v1.');
  }
  if (url.username !== '' || url.password !== '') {
    // No fetch takes them, and its error shows them.
    throw configurationError('E_CONFIGURATION', 'The base URL holds a name or a password. Give the key as apiKey, or as a header.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  for (const [name, value] of Object.entries(endpoint.dialect.query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

/** Where a request goes, and with which headers. */
export type Address = Pick<HttpRequest, 'url' | 'headers'>;

/** What an address depends on. */
export type Addressed = Pick<ProviderRequest, 'model' | 'delivery'>;

/** An endpoint's addresses, each worked out when it is first needed, so that a wrong one is told by the first request; the last of each delivery is kept. */
export function keptAddresses(make: (request: Addressed) => Address): (request: Addressed) => Address {
  const kept: { [Delivery in Addressed['delivery']]?: { readonly model: string; readonly address: Address } } = {};
  return (request) => {
    const known = kept[request.delivery];
    if (known?.model === request.model) return known.address;
    const address = make(request);
    kept[request.delivery] = { model: request.model, address };
    return address;
  };
}

/** A dialect's path with the model's name in its place. */
export const modelPath = (path: string, model: string): string => path.replace('{model}', () => encodeURIComponent(model));

/** The headers of a request. Browsers drop `accept-encoding` by themselves. */
export function endpointHeaders(
  endpoint: Pick<AdapterEndpoint, 'apiKey'> & { readonly dialect: WireDialect },
  delivery: ProviderRequest['delivery'],
): { readonly [name: string]: string } {
  const { apiKey, dialect } = endpoint;
  const key = apiKey === undefined || apiKey === '' ? undefined : apiKey;
  return {
    'content-type': 'application/json',
    // Compressed streams are held back by proxies until a block is full.
    ...(delivery === 'parts' ? { accept: 'text/event-stream', 'accept-encoding': 'identity' } : { accept: 'application/json' }),
    ...(key !== undefined && dialect.auth === 'bearer' ? { authorization: `Bearer ${key}` } : {}),
    ...(key !== undefined && dialect.auth === 'api-key-header' ? { 'api-key': key } : {}),
    ...(key !== undefined && (dialect.auth === 'x-api-key' || dialect.auth === 'x-goog-api-key') ? { [dialect.auth]: key } : {}),
    ...dialect.headers,
  };
}
