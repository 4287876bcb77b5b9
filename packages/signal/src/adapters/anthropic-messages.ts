import { createHttp } from '../net/http.ts';
import { unreadableError } from '../net/provider-error.ts';
import type { PrefixState } from '../reasoning/prefix.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type ProviderRequest, type WireEndpoint } from './adapter.ts';
import { createMessagesReader } from './anthropic-messages/reader.ts';
import { type MessagesBody, messagesBody } from './anthropic-messages/request.ts';
import { createMessageReassembly } from './anthropic-messages/whole.ts';
import { endpointHeaders, endpointUrl, keptAddresses } from './request/address.ts';
import { readEvents } from './response/events.ts';
import { type ResponseSource, readResponse } from './response/read-response.ts';
import { readClient, readSdkEvents } from './response/sdk.ts';

/** Longer than any call: an SDK that is told no time refuses a long answer that is not streamed. The endpoint's own limits hold. */
const sdkTimeoutMs = 24 * 60 * 60 * 1_000;

/**
 * The Messages wire of Anthropic and of the servers that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. The base URL may or may not end in `/v1`. A single try. Thinking travels back as the blocks that the
 * server gave, byte for byte and in their places (TH-014). A stream without a stop reason is a cut answer: no finish reason, no `terminated` mark.
 */
export function anthropicMessages(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'anthropic-messages');
  const client = endpoint.client === undefined ? undefined : readClient(endpoint.client, ['messages']);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const { settings } = http;
  const addressOf = keptAddresses(({ model, delivery }) => ({
    url: urlOf(endpoint, model),
    headers: endpointHeaders(endpoint, delivery),
  }));
  const open = async (
    { body, withheld: opening }: MessagesBody,
    request: ProviderRequest,
    signal: AbortSignal,
  ): Promise<ResponseSource> => {
    if (create !== undefined) {
      const patient: typeof create = (sent, options) => create(sent, Object.assign({ timeout: sdkTimeoutMs }, options));
      const events = readSdkEvents(patient, body, { settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined, opening };
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: JSON.stringify(body), signal });
    return { events: readEvents(answer, http), answer, release: answer.release, opening };
  };
  return {
    kind: 'chat',
    id: 'anthropic-messages',
    send(request, { signal }) {
      let prefix: PrefixState | undefined;
      const opened = async (): Promise<ResponseSource> => {
        signal.throwIfAborted();
        const written = messagesBody(request, endpoint);
        prefix = written.prefix;
        return open(written, request, signal);
      };
      return readResponse(opened, {
        request,
        settings,
        signal,
        reassembly: createMessageReassembly,
        reader: ({ header, status }) =>
          createMessagesReader({
            source: { provider: endpoint.provider, model: request.model },
            ids: endpoint.ids,
            ...(prefix === undefined ? {} : { prefix }),
            requestId: header?.('request-id') ?? header?.('x-request-id'),
            contradiction: (message) =>
              unreadableError('parse', message, { secrets: settings.secrets, ...(status === undefined ? {} : { status }) }),
          }),
      });
    },
  };
}

/** The address of a request; the version is not said twice. */
function urlOf(endpoint: WireEndpoint<'anthropic-messages'>, model: string): string {
  const path = endpoint.dialect.path.replace('{model}', encodeURIComponent(model));
  const versioned = /^[^?#]*\/v1\/*(?:[?#]|$)/.test(endpoint.baseUrl) && path.startsWith('/v1/');
  return endpointUrl(endpoint, versioned ? path.slice('/v1'.length) : path);
}
