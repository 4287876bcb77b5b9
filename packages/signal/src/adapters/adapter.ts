import type {
  EndpointDialect,
  IdSource,
  Message,
  ModelPart,
  ResponseFormat,
  SignalOptions,
  ToolChoice,
  ToolDescriptor,
} from '@vouch/contracts';
import type { Http } from '../net/http.ts';

/** Where an adapter sends, and the facts and means that it is given. Holds no policy of its own (SG-030). */
export interface AdapterEndpoint {
  /** The provider's id, for carries. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Sent as the dialect says, and never shown. */
  readonly apiKey?: string;
  readonly dialect: EndpointDialect;
  readonly http: Http;
  /** An official SDK's instance, used in place of `http` where given. */
  readonly client?: unknown;
  readonly ids: IdSource;
}

/** One request as an adapter sees it. */
export interface ProviderRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly options?: Omit<SignalOptions, 'signal' | 'timeout' | 'network'>;
  /** `whole`: one response body. `parts`: a stream. Both yield the same parts (SG-080). */
  readonly delivery: 'whole' | 'parts';
  /** Yield `provider-chunk` and `provider-response` too. */
  readonly providerChunks?: boolean;
}

/** A neutral part. An adapter yields lists of them: as many at a time as came in one piece. */
export type ProviderStreamDelta = ModelPart;

/**
 * One chat wire protocol: maps the whole request and yields the neutral parts, as many at a time as came in one piece. A single try: retries are the caller's. Throws `ProviderError`
 * (an error status, an error inside a 200, a broken body) and the signal's reason on abort. A body that ends early is no error here: the
 * `terminated` mark is then missing.
 */
export interface ChatAdapter {
  readonly kind: 'chat';
  readonly id: string;
  send(request: ProviderRequest, context: { readonly signal: AbortSignal }): AsyncIterable<readonly ProviderStreamDelta[]>;
}

/** The ids of the chat wires. */
export type ChatAdapterId = 'openai-chat';

/** Any adapter; the kind is the capability. */
export type ProviderAdapter = ChatAdapter;

/** Makes an adapter for one endpoint. */
export type AdapterFactory = (endpoint: AdapterEndpoint) => ProviderAdapter;
