import type { ChatWireId, JsonObject, WithheldPart } from '@vouch/contracts';
import { createHttp } from '../net/http.ts';
import { unreadableError } from '../net/provider-error.ts';
import type { CarrySource } from '../reasoning/chat-reasoning.ts';
import type { ChatAdapter, ProviderRequest, WireEndpoint } from './adapter.ts';
import { type Address, type Addressed, keptAddresses } from './request/address.ts';
import type { GoodAnswer } from './response/error-inside.ts';
import { readEvents, type WireEvents } from './response/events.ts';
import type { Reassembly } from './response/provider-parts.ts';
import { type ResponseReader, type ResponseSource, readResponse } from './response/read-response.ts';
import { type FetchClient, readSdkEvents, type SdkCreate } from './response/sdk.ts';

/** A request as its wire writes it. */
export interface WrittenRequest {
  readonly body: JsonObject;
  /** Carries that it leaves out. */
  readonly withheld: readonly WithheldPart[];
  /** The body's JSON, where encoding the object would not give it. */
  text?(): string;
}

/** A caller's own client: one that sends in place of `fetch`, or one that only replaces it. */
export type WireClient = { readonly create: (...given: [...Parameters<SdkCreate>, Addressed]) => unknown } | FetchClient;

/** What the reading of one response may use. */
export interface ReaderContext<Written> {
  readonly request: ProviderRequest;
  readonly written: Written;
  readonly source: CarrySource;
  readonly header: GoodAnswer['header'];
  /** What a response that contradicts itself is thrown as. */
  readonly contradiction: (message: string) => Error;
}

/** What a wire has of its own. */
export interface WireParts<Written extends WrittenRequest> {
  readonly client: WireClient | undefined;
  readonly address: (request: Addressed) => Address;
  /** Throws a configuration failure for what the wire or the model does not have. */
  readonly write: (request: ProviderRequest) => Written;
  readonly reader: (context: ReaderContext<Written>) => ResponseReader;
  readonly reassembly: () => Reassembly;
  /** A streamed body is one object a line. Default false. */
  readonly streamsLines?: boolean;
}

/** The adapter of a wire: writes a request, sends it by `fetch` or by the caller's client, and reads what comes. A single try. */
export function createWireAdapter<Wire extends ChatWireId, Written extends WrittenRequest>(
  endpoint: WireEndpoint<Wire>,
  wire: WireParts<Written>,
): ChatAdapter {
  const { client } = wire;
  const http = client !== undefined && 'fetch' in client ? createHttp({ ...endpoint.http.settings, fetch: client.fetch }) : endpoint.http;
  const create = client !== undefined && 'create' in client ? client.create : undefined;
  const { settings } = http;
  const addressOf = keptAddresses(wire.address);
  const open = async (request: ProviderRequest, signal: AbortSignal): Promise<ResponseSource> => {
    signal.throwIfAborted();
    const written = wire.write(request);
    const sourceOf = (events: WireEvents, answer: GoodAnswer, release: ResponseSource['release']): ResponseSource => ({
      events,
      answer,
      release,
      opening: written.withheld,
      reader: wire.reader({
        request,
        written,
        source: { provider: endpoint.provider, model: request.model },
        header: answer.header,
        contradiction: (message) =>
          unreadableError('parse', message, {
            secrets: settings.secrets,
            ...(answer.status === undefined ? {} : { status: answer.status }),
          }),
      }),
    });
    if (create !== undefined) {
      const events = readSdkEvents((sent, options) => create(sent, options, request), written.body, { settings, signal });
      return sourceOf(events, { status: undefined }, async () => undefined);
    }
    const { url, headers } = addressOf(request);
    const answer = await http.post({ url, headers, body: written.text?.() ?? JSON.stringify(written.body), signal });
    const lines = wire.streamsLines === true && request.delivery === 'parts';
    return sourceOf(readEvents(answer, { settings, lines }), answer, answer.release);
  };
  return {
    kind: 'chat',
    id: endpoint.dialect.wire,
    send: (request, { signal }) => readResponse(() => open(request, signal), { request, settings, signal, reassembly: wire.reassembly }),
  };
}
