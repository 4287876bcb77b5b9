import { createHttp } from '../net/http.ts';
import { unreadableError } from '../net/provider-error.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type ProviderRequest } from './adapter.ts';
import { createResponsesReader } from './openai-responses/reader.ts';
import { responsesBody } from './openai-responses/request.ts';
import { createItemsReassembly } from './openai-responses/whole.ts';
import { endpointHeaders, endpointUrl, keptAddresses } from './request/address.ts';
import { readEvents } from './response/events.ts';
import { type ResponseSource, readResponse } from './response/read-response.ts';
import { readClient, readSdkEvents } from './response/sdk.ts';

/**
 * The wire of OpenAI's Responses and of the servers that translate it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client`
 * may be an official SDK's instance, or `{ fetch }`. A single try. Reasoning travels back as the items that the server gave, beside the message or
 * call that they produced (TH-014). A stream without a terminal event is a cut answer: no finish reason, no `terminated` mark.
 */
export function openaiResponses(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'openai-responses');
  const client = endpoint.client === undefined ? undefined : readClient(endpoint.client, ['responses']);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const { settings } = http;
  const addressOf = keptAddresses(({ delivery }) => ({ url: endpointUrl(endpoint), headers: endpointHeaders(endpoint, delivery) }));
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<ResponseSource> => {
    signal.throwIfAborted();
    const { body, withheld: opening } = responsesBody(request, endpoint);
    if (create !== undefined) {
      const events = readSdkEvents(create, body, { settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined, opening };
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: JSON.stringify(body), signal });
    return { events: readEvents(answer, http), answer, release: answer.release, opening };
  };
  return {
    kind: 'chat',
    id: 'openai-responses',
    send: (request, { signal }) =>
      readResponse(() => open(request, signal), {
        request,
        settings,
        signal,
        reassembly: createItemsReassembly,
        reader: ({ header, status }) =>
          createResponsesReader({
            dialect: endpoint.dialect,
            source: { provider: endpoint.provider, model: request.model },
            ids: endpoint.ids,
            requestId: header?.('x-request-id') ?? header?.('apim-request-id') ?? header?.('x-generation-id'),
            maxOutputTokens: request.options?.maxOutputTokens,
            contradiction: (message) =>
              unreadableError('parse', message, { secrets: settings.secrets, ...(status === undefined ? {} : { status }) }),
          }),
      }),
  };
}
