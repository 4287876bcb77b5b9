import {
  type ChatWireId,
  configurationError,
  type EndpointDialect,
  type IdSource,
  type Message,
  type ModelFacts,
  type ModelPart,
  type ResponseFormat,
  type SignalOptions,
  type ThinkingOptions,
  type ToolChoice,
  type ToolDescriptor,
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

/** An endpoint of one wire. */
export interface WireEndpoint<Wire extends ChatWireId> extends AdapterEndpoint {
  readonly dialect: Extract<EndpointDialect, { readonly wire: Wire }>;
}

/** The endpoint as one of this wire; throws a configuration failure when its dialect is another wire's. */
export function endpointOf<Wire extends ChatWireId>(endpoint: AdapterEndpoint, wire: Wire): WireEndpoint<Wire> {
  if (endpoint.dialect.wire === wire) return endpoint as WireEndpoint<Wire>;
  throw configurationError(
    'E_CONFIGURATION',
    `The adapter "${wire}" was given a dialect of "${endpoint.dialect.wire}". Give a dialect of its own wire, or leave it out.`,
  );
}

/** One request as an adapter sees it. */
export interface ProviderRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly options?: Omit<SignalOptions, 'signal' | 'timeout' | 'network' | 'thinking'>;
  /** What the model's row states; absent for a model without one. */
  readonly facts?: ModelFacts;
  /** Thinking as asked for, once it is known that the model can (TH-006); absent = nothing was asked. */
  readonly thinking?: ResolvedThinking;
  /** `whole`: one response body. `parts`: a stream. Both yield the same parts (SG-080). */
  readonly delivery: 'whole' | 'parts';
  /** Yield each decoded chunk of a stream as `provider-chunk`, and at the end the whole response as `provider-response`, too (TH-021). */
  readonly providerChunks?: boolean;
}

/** Thinking as a request asks for it: off; on by itself; or on within a budget of tokens. */
export type ResolvedThinking =
  | { readonly mode: 'off' }
  | { readonly mode: 'adaptive'; readonly effort?: ThinkingOptions['effort'] }
  | { readonly mode: 'budget'; readonly budget: number };

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

/** The ids of the adapters: one for each chat wire. */
export type ChatAdapterId = ChatWireId;

/** Any adapter; the kind is the capability. */
export type ProviderAdapter = ChatAdapter;

/** Makes an adapter for one endpoint. */
export type AdapterFactory = (endpoint: AdapterEndpoint) => ProviderAdapter;
