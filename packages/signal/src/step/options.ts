import { configurationError, type SignalOptions, type ThinkingOptions } from '@vouch/contracts';
import type { ProviderRequest } from '../adapters/adapter.ts';
import { refuseUnknownNames, shownOption } from './names.ts';

const defaultByteTimeoutMs = 60_000;
const defaultNetwork = { retries: 2, maxDelay: 60_000 } as const;

/**
 * The client's options with the request's over them, field by field; `timeout` and `network` are merged by their own fields. Throws
 * `E_CONFIGURATION` for what `checkOptions` refuses in either: merged, some mistakes could no longer be seen.
 */
export function mergeOptions(client: SignalOptions = noOptions, request: SignalOptions = noOptions): SignalOptions {
  if (!checked.has(client)) checkOptions(client);
  if (request === noOptions && checked.has(client)) return client;
  if (!checked.has(request)) checkOptions(request);
  return {
    ...client,
    ...request,
    ...(client.timeout || request.timeout ? { timeout: { ...client.timeout, ...request.timeout } } : {}),
    ...(client.network || request.network ? { network: { ...client.network, ...request.network } } : {}),
  };
}

/** A client's options, checked and copied once: each of its calls asks for them. Throws as `mergeOptions`. */
export function keptOptions(options: SignalOptions): SignalOptions {
  if (checked.has(options)) return options;
  const kept = mergeOptions(options);
  checked.add(kept);
  return kept;
}

const noOptions: SignalOptions = {};
/** Copies that nobody changes. */
const checked: WeakSet<SignalOptions> = /* @__PURE__ */ new WeakSet([noOptions]);

const mostNetworkRetries = 100;

type Names<Type> = { readonly [Name in keyof Required<Type>]: true };
// Records, so that the compiler asks for a name that is added to the type.
const timeoutNames = Object.keys({ total: true, firstByte: true, idle: true } satisfies Names<NonNullable<SignalOptions['timeout']>>);
const networkNames = Object.keys({ retries: true, maxDelay: true } satisfies Names<NonNullable<SignalOptions['network']>>);
const thinkingNames = Object.keys({ budget: true, effort: true, mode: true } satisfies Names<ThinkingOptions>);
/** The names of `SignalOptions`. */
export const optionNames: readonly string[] = Object.keys({
  temperature: true,
  maxOutputTokens: true,
  topP: true,
  stopSequences: true,
  seed: true,
  reasoningEffort: true,
  parallelToolCalls: true,
  thinking: true,
  promptCache: true,
  signal: true,
  timeout: true,
  network: true,
  extraBody: true,
} satisfies Names<SignalOptions>);
const innerNames = [...timeoutNames.map((name) => `timeout.${name}`), ...networkNames.map((name) => `network.${name}`)];

/**
 * Throws `E_CONFIGURATION` for names that are none, for values of another type, and for times and numbers that mean nothing: a timer would fire at
 * once, and JSON has no NaN. Names the option.
 */
export function checkOptions(options: SignalOptions): void {
  checkOption('options', options, isRecord(options), 'an object');
  refuseUnknownNames('the options', options, optionNames, innerNames);
  const { timeout = {}, network = {}, temperature, topP, seed, maxOutputTokens } = options;
  checkOption('timeout', timeout, isRecord(timeout), 'an object of milliseconds, such as { total: 30000 }');
  refuseUnknownNames('the options of timeout', timeout, timeoutNames, optionNames);
  checkOption('network', network, isRecord(network), 'an object, such as { retries: 2 }');
  refuseUnknownNames('the options of network', network, networkNames, optionNames);
  const check = (name: string, value: unknown, holds: (value: number) => boolean, wanted: string): void =>
    checkOption(name, value, typeof value === 'number' && holds(value), wanted);
  const { total, firstByte, idle } = timeout;
  for (const [name, limit] of Object.entries({ total, firstByte, idle })) {
    check(`timeout.${name}`, limit, (value) => value > 0, 'milliseconds above 0, or Infinity');
  }
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= mostNetworkRetries;
  check('network.retries', network.retries, isCount, `a whole number from 0 to ${mostNetworkRetries}`);
  check('network.maxDelay', network.maxDelay, (value) => value >= 0, 'milliseconds from 0');
  for (const [name, value] of Object.entries({ temperature, topP, seed, maxOutputTokens })) check(name, value, Number.isFinite, 'a number');
  checkOtherOptions(options);
}

function checkThinking(thinking: SignalOptions['thinking']): void {
  checkOption('thinking', thinking, thinking === false || isRecord(thinking), 'false, or { budget: 4096 } or { effort: "low" }');
  if (typeof thinking !== 'object') return;
  refuseUnknownNames('the options of thinking', thinking, thinkingNames);
  const { budget, effort, mode } = thinking;
  checkOption('thinking.budget', budget, Number.isSafeInteger(budget) && Number(budget) > 0, 'a whole number of tokens above 0');
  checkOption('thinking.effort', effort, typeof effort === 'string', 'a text');
  checkOption('thinking.mode', mode, mode === 'adaptive' || mode === 'budget', 'adaptive or budget');
}

function checkOtherOptions(options: SignalOptions): void {
  const { stopSequences: stops, parallelToolCalls, extraBody, reasoningEffort, signal, promptCache } = options;
  checkThinking(options.thinking);
  checkOption('promptCache', promptCache, promptCache === '5m' || promptCache === '1h', '5m or 1h');
  const areTexts = Array.isArray(stops) && stops.every((stop: unknown) => typeof stop === 'string');
  checkOption('stopSequences', stops, areTexts, 'an array of texts');
  checkOption('parallelToolCalls', parallelToolCalls, typeof parallelToolCalls === 'boolean', 'true or false');
  checkOption('reasoningEffort', reasoningEffort, typeof reasoningEffort === 'string', 'a text');
  // What a body or a signal holds is not for a message.
  if (extraBody !== undefined && !isRecord(extraBody)) throw configurationError('E_CONFIGURATION', 'extraBody must be an object.');
  if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.addEventListener !== 'function') {
    throw configurationError('E_CONFIGURATION', 'signal must be an AbortSignal.');
  }
}

/** Throws `E_CONFIGURATION` for an option that is set and not as wanted. */
export function checkOption(name: string, value: unknown, holds: boolean, wanted: string): void {
  if (value === undefined || holds) return;
  throw configurationError('E_CONFIGURATION', `${name} must be ${wanted}, not ${shownOption(value)}.`);
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the adapter is told: all but signal, time, network and thinking. Undefined when nothing is asked. */
export function samplingOf(options: SignalOptions): ProviderRequest['options'] | undefined {
  const { signal: _signal, timeout: _timeout, network: _network, thinking: _thinking, ...sampling } = options;
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
