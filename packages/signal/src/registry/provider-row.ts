import type { EndpointCapabilities, EndpointDialect } from '@vouch/contracts';

/** Where a row's facts come from (SG-021). `measured`: printed by the probe; `documented`: read in the vendor's documentation. */
export interface RowProvenance {
  readonly source: 'measured' | 'documented';
  /** The day of the measurement or the reading, YYYY-MM-DD. */
  readonly verified: string;
}

interface ProviderRowBase extends RowProvenance {
  readonly id: string;
  /** Absent where each customer has an address of its own: it must then be given, or stand in `baseUrlKey`. */
  readonly baseUrl?: string;
  /** Environment variable that may hold the address; the path is appended to its value. */
  readonly baseUrlKey?: { readonly name: string; readonly path: string };
  /** Parts of the query that each customer has of their own, and the variable that may hold each, unless the address given has it already. */
  readonly queryKeys?: { readonly [name: string]: string };
  /** Environment variables that may hold the key; the first one set wins. */
  readonly envKeys: readonly string[];
  /** `optional`: the server answers without a key too. */
  readonly apiKey: 'required' | 'optional';
  /** The model of a client that names none; absent = the caller must name one. */
  readonly defaultModel?: string;
}

/** A vendor's or server's chat endpoint (SG-002, SG-020, SG-031). */
export interface ChatProviderRow extends ProviderRowBase {
  readonly kind: 'chat';
  readonly capabilities: EndpointCapabilities;
  /** Its wire is the id of the adapter, which is found by it elsewhere. */
  readonly dialect: EndpointDialect;
  /** Ids of the wire strategies that the endpoint needs. */
  readonly wire: readonly string[];
}

/** An endpoint that answers decisions. Has no chat capability, wire or reasoning field (SG-031). */
export interface DecisionProviderRow extends ProviderRowBase {
  readonly kind: 'decisions';
  readonly adapter: string;
}

/** One endpoint, as data. Adding a vendor is adding one of these (SG-002). */
export type ProviderRow = ChatProviderRow | DecisionProviderRow;

/** Facts of an endpoint that nobody measured; default of a custom provider. */
export const unmeasuredEndpoint: EndpointCapabilities = {
  nativeTools: 'unmeasured',
  nativeJsonMode: 'unmeasured',
  validatesToolArgs: 'unmeasured',
  supportsEmbedding: 'unmeasured',
};
