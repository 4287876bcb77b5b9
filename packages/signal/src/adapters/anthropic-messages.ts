import { type AdapterEndpoint, type ChatAdapter, endpointOf, type WireEndpoint } from './adapter.ts';
import { createMessagesReader } from './anthropic-messages/reader.ts';
import { messagesBody } from './anthropic-messages/request.ts';
import { createMessageReassembly } from './anthropic-messages/whole.ts';
import { endpointHeaders, endpointUrl } from './request/address.ts';
import { readClient } from './response/sdk.ts';
import { createWireAdapter, type WireClient } from './wire-adapter.ts';

/** Longer than any call: an SDK that is told no time refuses a long answer that is not streamed. The endpoint's own limits hold. */
const sdkTimeoutMs = 24 * 60 * 60 * 1_000;

/**
 * The Messages wire of Anthropic and of the servers that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. The base URL may or may not end in `/v1`. A single try. Thinking travels back as the blocks that the
 * server gave, byte for byte and in their places (TH-014). A stream without a stop reason is a cut answer: no finish reason, no `terminated` mark.
 */
export function anthropicMessages(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'anthropic-messages');
  return createWireAdapter(endpoint, {
    client: endpoint.client === undefined ? undefined : patientClient(endpoint.client),
    address: ({ model, delivery }) => ({ url: urlOf(endpoint, model), headers: endpointHeaders(endpoint, delivery) }),
    write: (request) => messagesBody(request, endpoint),
    reader: ({ written: { prefix }, source, header, contradiction }) =>
      createMessagesReader({
        source,
        ids: endpoint.ids,
        ...(prefix === undefined ? {} : { prefix }),
        requestId: header?.('request-id') ?? header?.('x-request-id'),
        contradiction,
      }),
    reassembly: createMessageReassembly,
  });
}

function patientClient(given: unknown): WireClient {
  const client = readClient(given, ['messages']);
  if ('fetch' in client) return client;
  return { create: (sent, options) => client.create(sent, Object.assign({ timeout: sdkTimeoutMs }, options)) };
}

/** The address of a request; the version is not said twice. */
function urlOf(endpoint: WireEndpoint<'anthropic-messages'>, model: string): string {
  const path = endpoint.dialect.path.replace('{model}', encodeURIComponent(model));
  const versioned = /^[^?#]*\/v1\/*(?:[?#]|$)/.test(endpoint.baseUrl) && path.startsWith('/v1/');
  return endpointUrl(endpoint, versioned ? path.slice('/v1'.length) : path);
}
