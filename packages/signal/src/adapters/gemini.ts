import { type AdapterEndpoint, type ChatAdapter, endpointOf, type WireEndpoint } from './adapter.ts';
import { createGenerateContentReader } from './gemini/reader.ts';
import { generateContentBody } from './gemini/request.ts';
import { readGenerateClient } from './gemini/sdk.ts';
import { createContentReassembly } from './gemini/whole.ts';
import { type Addressed, endpointHeaders, endpointUrl, modelPath } from './request/address.ts';
import { createWireAdapter } from './wire-adapter.ts';

/**
 * The generateContent wire; what differs between its endpoints is the endpoint's dialect (SG-030). The model stands in the path. `endpoint.client` may be
 * an official SDK's instance, or `{ fetch }`. A single try. Signatures travel back on the part that they came on (TH-014). A stream that ends without a
 * finish reason is a cut answer: no finish reason, no `terminated` mark.
 */
export function gemini(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'gemini');
  return createWireAdapter(endpoint, {
    client: endpoint.client === undefined ? undefined : readGenerateClient(endpoint.client),
    address: (request) => ({ url: urlOf(endpoint, request), headers: endpointHeaders(endpoint, request.delivery) }),
    write: (request) => generateContentBody(request, endpoint),
    reader: ({ source, header, contradiction }) =>
      createGenerateContentReader({ source, ids: endpoint.ids, requestId: header?.('x-request-id'), contradiction }),
    reassembly: createContentReassembly,
  });
}

/** Without `alt=sse` a streamed answer is one JSON list. */
function urlOf(endpoint: WireEndpoint<'gemini'>, { model, delivery }: Addressed): string {
  const { dialect } = endpoint;
  const named = (path: string): string => modelPath(path, model.replace(/^models\//, ''));
  if (delivery === 'whole') return endpointUrl(endpoint, named(dialect.path));
  const streaming = { ...endpoint, dialect: { ...dialect, query: { ...dialect.query, alt: 'sse' } } };
  return endpointUrl(streaming, named(dialect.streamPath));
}
