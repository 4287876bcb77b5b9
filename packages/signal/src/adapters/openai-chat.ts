import { type CarrySource, foreignReasoning } from '../reasoning/chat-reasoning.ts';
import { type AdapterEndpoint, type ChatAdapter, endpointOf, type WireEndpoint } from './adapter.ts';
import { createChunkReader } from './openai-chat/chunks.ts';
import { errorIn } from './openai-chat/errors.ts';
import { serverGaveUp } from './openai-chat/finish.ts';
import { chatBody } from './openai-chat/request.ts';
import { createCompletionReassembly } from './openai-chat/whole.ts';
import { endpointHeaders, endpointUrl, modelPath } from './request/address.ts';
import type { GoodAnswer } from './response/error-inside.ts';
import type { ResponseReader } from './response/read-response.ts';
import { readClient } from './response/sdk.ts';
import { createWireAdapter } from './wire-adapter.ts';

/**
 * The wire of OpenAI's Chat Completions and of all that speak it; what differs between them is the endpoint's dialect (SG-030). `endpoint.client` may
 * be an official SDK's instance, or `{ fetch }`. A single try. A stream that ends early is no error: it has no `terminated` mark and no finish reason;
 * only one that ends before it began is thrown, as a lost connection.
 */
export function openaiChat(given: AdapterEndpoint): ChatAdapter {
  const endpoint = endpointOf(given, 'openai-chat');
  return createWireAdapter(endpoint, {
    client: endpoint.client === undefined ? undefined : readClient(endpoint.client, ['chat', 'completions']),
    address: ({ model, delivery }) => ({
      url: endpointUrl(endpoint, modelPath(endpoint.dialect.path, model)),
      headers: endpointHeaders(endpoint, delivery),
    }),
    write: (request) => ({
      body: chatBody(request, endpoint),
      withheld: foreignReasoning(request.messages, { provider: endpoint.provider, model: request.model }),
    }),
    reader: ({ source, header }) => readerFor(endpoint, source, header),
    reassembly: createCompletionReassembly,
  });
}

/** The readings of the wire's chunks, whose terminal mark is `[DONE]` or the end of a whole body; the usage may stand behind it. */
function readerFor(endpoint: WireEndpoint<'openai-chat'>, source: CarrySource, header: GoodAnswer['header']): ResponseReader {
  const chunks = createChunkReader({
    dialect: endpoint.dialect,
    source,
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
