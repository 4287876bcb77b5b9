import { type AdapterEndpoint, type ChatAdapter, endpointOf } from './adapter.ts';
import { createResponsesReader } from './openai-responses/reader.ts';
import { responsesBody } from './openai-responses/request.ts';
import { createItemsReassembly } from './openai-responses/whole.ts';
import { endpointHeaders, endpointUrl } from './request/address.ts';
import { readClient } from './response/sdk.ts';
import { createWireAdapter } from './wire-adapter.ts';

/**
 * The wire of OpenAI's Responses and of the servers that translate it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client`
 * may be an official SDK's instance, or `{ fetch }`. A single try. Reasoning travels back as the items that the server gave, beside the message or
 * call that they produced (TH-014). A stream without a terminal event is a cut answer: no finish reason, no `terminated` mark.
 */
export function openaiResponses(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'openai-responses');
  return createWireAdapter(endpoint, {
    client: endpoint.client === undefined ? undefined : readClient(endpoint.client, ['responses']),
    address: ({ delivery }) => ({ url: endpointUrl(endpoint), headers: endpointHeaders(endpoint, delivery) }),
    write: (request) => responsesBody(request, endpoint),
    reader: ({ request, source, header, contradiction }) =>
      createResponsesReader({
        dialect: endpoint.dialect,
        source,
        ids: endpoint.ids,
        requestId: header?.('x-request-id') ?? header?.('apim-request-id') ?? header?.('x-generation-id'),
        maxOutputTokens: request.options?.maxOutputTokens,
        contradiction,
      }),
    reassembly: createItemsReassembly,
  });
}
