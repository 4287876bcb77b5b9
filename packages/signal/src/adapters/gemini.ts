import { createHttp } from '../net/http.ts';
import { unreadableError } from '../net/provider-error.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type ProviderRequest, type WireEndpoint } from './adapter.ts';
import { createGenerateContentReader } from './gemini/reader.ts';
import { generateContentBody } from './gemini/request.ts';
import { readGenerateClient } from './gemini/sdk.ts';
import { createContentReassembly } from './gemini/whole.ts';
import { type Addressed, endpointHeaders, endpointUrl, keptAddresses, modelPath } from './request/address.ts';
import { readEvents } from './response/events.ts';
import { type ResponseSource, readResponse } from './response/read-response.ts';
import { readSdkEvents } from './response/sdk.ts';

/**
 * The generateContent wire; what differs between its endpoints is the endpoint's dialect (SG-030). The model stands in the path. `endpoint.client` may be
 * an official SDK's instance, or `{ fetch }`. A single try. Signatures travel back on the part that they came on (TH-014). A stream that ends without a
 * finish reason is a cut answer: no finish reason, no `terminated` mark.
 */
export function gemini(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'gemini');
  const client = endpoint.client === undefined ? undefined : readGenerateClient(endpoint.client);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const createFor = client !== undefined && 'createFor' in client ? client.createFor : undefined;
  const { settings } = http;
  const addressOf = keptAddresses((request) => ({ url: urlOf(endpoint, request), headers: endpointHeaders(endpoint, request.delivery) }));
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<ResponseSource> => {
    signal.throwIfAborted();
    const { body, withheld: opening } = generateContentBody(request, endpoint);
    if (createFor !== undefined) {
      const events = readSdkEvents(createFor(request.model, request.delivery === 'parts'), body, { settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined, opening };
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: JSON.stringify(body), signal });
    return { events: readEvents(answer, http), answer, release: answer.release, opening };
  };
  return {
    kind: 'chat',
    id: 'gemini',
    send: (request, { signal }) =>
      readResponse(() => open(request, signal), {
        request,
        settings,
        signal,
        reassembly: createContentReassembly,
        reader: ({ header, status }) =>
          createGenerateContentReader({
            source: { provider: endpoint.provider, model: request.model },
            ids: endpoint.ids,
            requestId: header?.('x-request-id'),
            contradiction: (message) =>
              unreadableError('parse', message, { secrets: settings.secrets, ...(status === undefined ? {} : { status }) }),
          }),
      }),
  };
}

/** Without `alt=sse` a streamed answer is one JSON list. */
function urlOf(endpoint: WireEndpoint<'gemini'>, { model, delivery }: Addressed): string {
  const { dialect } = endpoint;
  const named = (path: string): string => modelPath(path, model.replace(/^models\//, ''));
  if (delivery === 'whole') return endpointUrl(endpoint, named(dialect.path));
  const streaming = { ...endpoint, dialect: { ...dialect, query: { ...dialect.query, alt: 'sse' } } };
  return endpointUrl(streaming, named(dialect.streamPath));
}
