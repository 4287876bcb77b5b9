import { createHttp } from '../net/http.ts';
import { foreignReasoning } from '../reasoning/chat-reasoning.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type ProviderRequest, type WireEndpoint } from './adapter.ts';
import { createChunkReader } from './openai-chat/chunks.ts';
import { errorIn } from './openai-chat/errors.ts';
import { serverGaveUp } from './openai-chat/finish.ts';
import { chatBody } from './openai-chat/request.ts';
import { createCompletionReassembly } from './openai-chat/whole.ts';
import { endpointHeaders, endpointUrl, keptAddresses, modelPath } from './request/address.ts';
import type { GoodAnswer } from './response/error-inside.ts';
import { readEvents } from './response/events.ts';
import { type ResponseReader, type ResponseSource, readResponse } from './response/read-response.ts';
import { readClient, readSdkEvents } from './response/sdk.ts';

/**
 * The wire of OpenAI's Chat Completions and of all that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. A single try. A stream that ends early is no error: it has no `terminated` mark and no finish reason;
 * only one that ends before it began is thrown, as a lost connection.
 */
export function openaiChat(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'openai-chat');
  const client = endpoint.client === undefined ? undefined : readClient(endpoint.client, ['chat', 'completions']);
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const addressOf = keptAddresses(({ model, delivery }) => ({
    url: endpointUrl(endpoint, modelPath(endpoint.dialect.path, model)),
    headers: endpointHeaders(endpoint, delivery),
  }));
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<ResponseSource> => {
    signal.throwIfAborted();
    const body = chatBody(request, endpoint);
    const opening = foreignReasoning(request.messages, { provider: endpoint.provider, model: request.model });
    if (create !== undefined) {
      const events = readSdkEvents(create, body, { settings: http.settings, signal });
      return { events, answer: { status: undefined }, release: async () => undefined, opening };
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: JSON.stringify(body), signal });
    return { events: readEvents(answer, http), answer, release: answer.release, opening };
  };
  return {
    kind: 'chat',
    id: 'openai-chat',
    send: (request, { signal }) =>
      readResponse(() => open(request, signal), {
        request,
        settings: http.settings,
        signal,
        reassembly: createCompletionReassembly,
        reader: ({ header }) => readerFor(endpoint, request.model, header),
      }),
  };
}

/** The readings of the wire's chunks, whose terminal mark is `[DONE]` or the end of a whole body; the usage may stand behind it. */
function readerFor(endpoint: WireEndpoint<'openai-chat'>, model: string, header: GoodAnswer['header']): ResponseReader {
  const chunks = createChunkReader({
    dialect: endpoint.dialect,
    source: { provider: endpoint.provider, model },
    ids: endpoint.ids,
    requestId: header?.('x-request-id') ?? header?.('apim-request-id') ?? header?.('x-generation-id'),
  });
  return {
    read: chunks.read,
    failure(event) {
      const word = chunks.finishWord();
      const gaveUp = word !== undefined && serverGaveUp.has(word);
      return errorIn(event) ?? (gaveUp ? { error: { message: `The server gave up: ${word}.`, code: word } } : undefined);
    },
    end: chunks.end,
    began: chunks.began,
    finished: chunks.finished,
    late: {
      wanted: () => chunks.usage() === undefined,
      // It cannot undo the answer; its usage still counts.
      take({ choices: _choices, ...rest }) {
        chunks.read(rest, undefined);
      },
      // A choice without output is the router's matter.
      missing: () => (chunks.choices() === 'none' ? 'The response holds no choices.' : undefined),
    },
  };
}
