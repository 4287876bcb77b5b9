import type { SignalOptions } from '@vouch/contracts';
import type { ProviderRequest } from '../adapters/adapter.ts';

const defaultByteTimeoutMs = 60_000;
const defaultNetwork = { retries: 2, maxDelay: 60_000 } as const;

/** The client's options with the request's over them, field by field; `timeout` and `network` are merged by their own fields. */
export function mergeOptions(client: SignalOptions = {}, request: SignalOptions = {}): SignalOptions {
  return {
    ...client,
    ...request,
    ...(client.timeout || request.timeout ? { timeout: { ...client.timeout, ...request.timeout } } : {}),
    ...(client.network || request.network ? { network: { ...client.network, ...request.network } } : {}),
  };
}

/** What the adapter is told: all but signal, time and network. Undefined when nothing is asked. */
export function samplingOf(options: SignalOptions): ProviderRequest['options'] | undefined {
  const { signal: _signal, timeout: _timeout, network: _network, ...sampling } = options;
  return Object.keys(sampling).length > 0 ? sampling : undefined;
}

/** The byte timeouts, in milliseconds; 60 000 by default. */
export function timeoutsOf(options: SignalOptions): { readonly firstByte: number; readonly idle: number } {
  return { firstByte: options.timeout?.firstByte ?? defaultByteTimeoutMs, idle: options.timeout?.idle ?? defaultByteTimeoutMs };
}

/** The network retries; 2 of at most 60 000 milliseconds by default. */
export function networkOf(options: SignalOptions): { readonly retries: number; readonly maxDelay: number } {
  return { ...defaultNetwork, ...options.network };
}
