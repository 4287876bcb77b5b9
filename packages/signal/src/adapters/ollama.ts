import { type AdapterEndpoint, type ChatAdapter, endpointOf } from './adapter.ts';
import { readOllamaClient } from './ollama/client.ts';
import { createOllamaReader } from './ollama/reader.ts';
import { ollamaBody } from './ollama/request.ts';
import { createLineReassembly } from './ollama/whole.ts';
import { endpointHeaders, endpointUrl } from './request/address.ts';
import { createWireAdapter } from './wire-adapter.ts';

/**
 * The /api/chat wire: one JSON object a line; what differs between its servers is the endpoint's dialect (SG-030). `endpoint.client` may be an instance
 * of the official package, or `{ fetch }`. A single try. The wire has no word for a forced call, for one call at a time, and for images by address:
 * requests for them are refused before sending. A prompt beyond the server's context is cut by the server without a word: `extraBody` may set
 * `options.num_ctx`. A stream without `done: true` is a cut answer: no finish reason, no `terminated` mark.
 */
export function ollama(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'ollama');
  return createWireAdapter(endpoint, {
    client: endpoint.client === undefined ? undefined : readOllamaClient(endpoint.client),
    address: ({ delivery }) => ({
      url: endpointUrl(endpoint),
      headers: {
        ...endpointHeaders(endpoint, delivery),
        ...(delivery === 'parts' ? { accept: 'application/x-ndjson', ...endpoint.dialect.headers } : {}),
      },
    }),
    write: (request) => ollamaBody(request, endpoint),
    reader: ({ source, header }) => createOllamaReader({ source, ids: endpoint.ids, requestId: header?.('x-request-id') }),
    reassembly: createLineReassembly,
    streamsLines: true,
  });
}
