import { configurationError, type SignalOptions } from '@vouch/contracts';
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

const mostNetworkRetries = 100;

/** Throws `E_CONFIGURATION` for times and numbers that mean nothing: a timer would fire at once, and JSON has no NaN. */
export function checkOptions(options: SignalOptions): void {
  const { timeout = {}, network = {}, temperature, topP, seed, maxOutputTokens } = options;
  const check = (name: string, value: number | undefined, holds: (value: number) => boolean, wanted: string): void => {
    if (value === undefined || (typeof value === 'number' && holds(value))) return;
    throw configurationError('E_CONFIGURATION', `${name} must be ${wanted}, not ${String(value)}.`);
  };
  const { total, firstByte, idle } = timeout;
  for (const [name, limit] of Object.entries({ total, firstByte, idle })) {
    check(`timeout.${name}`, limit, (value) => value > 0, 'milliseconds above 0, or Infinity');
  }
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= mostNetworkRetries;
  check('network.retries', network.retries, isCount, `a whole number from 0 to ${mostNetworkRetries}`);
  check('network.maxDelay', network.maxDelay, (value) => value >= 0, 'milliseconds from 0');
  for (const [name, value] of Object.entries({ temperature, topP, seed, maxOutputTokens })) check(name, value, Number.isFinite, 'a number');
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
