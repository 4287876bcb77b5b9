import type { Clock } from '@vouch/contracts';

/** How bytes are moved; all policy comes from here (SG-030, SG-037). */
export interface HttpSettings {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Milliseconds; `Infinity` disables. */
  readonly timeout: { readonly firstByte: number; readonly idle: number };
  /** Texts that must appear in no error: they are replaced by `[redacted]`. */
  readonly secrets: readonly string[];
  /** Bytes of one stream event. Default 32 MiB; more is kind `limit`. */
  readonly maxEventBytes?: number;
  /** Bytes of a whole body. Default 64 MiB; more is kind `limit`. */
  readonly maxBodyBytes?: number;
}

/** One POST. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A response with a 2xx status. Whoever holds it reads it to the end or calls `release`. */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body's bytes, under the idle timeout. Ends the connection when the iteration is left early. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The whole body as text. */
  text(): Promise<string>;
  release(): Promise<void>;
}

/** The port through which adapters reach the network. One try a call; throws `ProviderError` for any status outside 200 to 299. */
export interface Http {
  readonly settings: HttpSettings;
  post(request: HttpRequest): Promise<HttpResponse>;
}
