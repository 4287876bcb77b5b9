import { createHttp } from '../net/http.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type ProviderRequest } from './adapter.ts';
import { readOllamaClient } from './ollama/client.ts';
import { createOllamaReader } from './ollama/reader.ts';
import { ollamaBody } from './ollama/request.ts';
import { createLineReassembly } from './ollama/whole.ts';
import { endpointHeaders, endpointUrl, keptAddresses } from './request/address.ts';
import { readEvents } from './response/events.ts';
import { type ResponseSource, readResponse } from './response/read-response.ts';
import { readSdkEvents } from './response/sdk.ts';

/**
 * The /api/chat wire: one JSON object a line; what differs between its servers is the endpoint's dialect (SG-030). `endpoint.client` may be an instance
 * of the official package, or `{ fetch }`. A single try. The wire has no word for a forced call, for one call at a time, and for images by address:
 * requests for them are refused before sending. A prompt beyond the server's context is cut by the server without a word: `extraBody` may set
 * `options.num_ctx`. A stream without `done: true` is a cut answer: no finish reason, no `terminated` mark.
 */
export function ollama(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'ollama');
  const client = endpoint.client === undefined ? undefined : readOllamaClient(endpoint.client);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const { settings } = http;
  const addressOf = keptAddresses(({ delivery }) => ({
    url: endpointUrl(endpoint),
    headers: {
      ...endpointHeaders(endpoint, delivery),
      ...(delivery === 'parts' ? { accept: 'application/x-ndjson', ...endpoint.dialect.headers } : {}),
    },
  }));
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<ResponseSource> => {
    signal.throwIfAborted();
    const { body, text, withheld: opening } = ollamaBody(request, endpoint);
    if (create !== undefined) {
      const events = readSdkEvents(create, body, { settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined, opening };
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: text(), signal });
    return { events: readEvents(answer, { settings, lines: request.delivery === 'parts' }), answer, release: answer.release, opening };
  };
  return {
    kind: 'chat',
    id: 'ollama',
    send: (request, { signal }) =>
      readResponse(() => open(request, signal), {
        request,
        settings,
        signal,
        reassembly: createLineReassembly,
        reader: ({ header }) =>
          createOllamaReader({
            source: { provider: endpoint.provider, model: request.model },
            ids: endpoint.ids,
            requestId: header?.('x-request-id'),
          }),
      }),
  };
}
