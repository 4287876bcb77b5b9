import type { Clock } from '@vouch/contracts';
import { createSignal, providerRow, type Signal } from '@vouch/signal';
import type { Target } from '../report/advice.ts';
import { UsageError } from '../usage-error.ts';

/** What the lab's reader is called wherever a model's name stands. */
export const labReaderLabel = 'lab-reader (not a language model)';

// A recorded answer is found by the path, whatever the host; and a key is never looked at.
const replayOrigin = 'http://replay.invalid';
const replayAddress = `${replayOrigin}/v1`;
const replayKey = 'replayed';

/** Options that choose the model. */
export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly seed?: number;
}

/** A client and what to call it. */
export interface ChosenModel {
  /** As every line names it. */
  readonly label: string;
  /** Where it is, without secrets; undefined for the lab's reader, whose address is another each time. */
  readonly address: string | undefined;
  readonly client: Signal<string>;
  readonly target: Target;
  readonly isLab: boolean;
  close(): Promise<void>;
}

/** Environment variables by name. */
export type Environment = { readonly [name: string]: string | undefined };

/** Where the key of an endpoint of one's own may stand; the first that is set counts. */
export const customKeyVariables: readonly string[] = ['VOUCH_API_KEY', 'OPENAI_API_KEY'];

/** What the client reaches the model through. */
export interface Network {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Nothing is sent, so no key is needed, and the lab's reader is not started. */
  readonly isReplayed: boolean;
}

/**
 * Chooses the model: `--base-url` with `--model NAME` is any OpenAI-compatible endpoint (key from VOUCH_API_KEY, else OPENAI_API_KEY, if set);
 * `--model provider/name` alone is a registry row (key from the row's variables); neither is the lab's reader, which is no language model. Throws
 * `UsageError`, and configuration errors of the client.
 */
export async function chooseModel(options: ModelOptions, env: Environment, network: Network): Promise<ChosenModel> {
  if (options.baseUrl !== undefined) return customModel(options.baseUrl, options.model, env, network);
  if (options.model !== undefined) return registryModel(options.model, env, network);
  return labReader(options.seed, network);
}

function customModel(baseUrl: string, model: string | undefined, env: Environment, { fetch, clock }: Network): ChosenModel {
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new UsageError('--base-url is not an http or https address', 'such as --base-url http://localhost:8080/v1');
  }
  if (hasCredentials(baseUrl)) throw new UsageError('--base-url holds a name or a password', 'give the key in VOUCH_API_KEY instead');
  if (model === undefined) throw new UsageError('--base-url needs --model as well', 'name the model as the server calls it: --model NAME');
  const apiKey = firstSet(customKeyVariables, env);
  const client = createSignal({ baseUrl, model, ...(apiKey === undefined ? {} : { apiKey }) }, { fetch, clock });
  return {
    label: model,
    address: shownAddress(baseUrl),
    client,
    target: { baseUrl: shownAddress(baseUrl), keyVariables: customKeyVariables },
    isLab: false,
    close: nothing,
  };
}

function registryModel(name: string, env: Environment, { fetch, clock, isReplayed }: Network): ChosenModel {
  const cut = name.indexOf('/');
  const provider = cut < 0 ? name : name.slice(0, cut);
  const row = providerRow(provider);
  const model = cut < 0 ? row?.defaultModel : name.slice(cut + 1);
  if (row === undefined) {
    throw new UsageError(
      `no provider is called "${provider}"`,
      '--model is provider/model; see: vouch providers; for another server add --base-url',
    );
  }
  if (model === undefined || model === '') throw new UsageError(`--model ${provider} names no model`, `such as --model ${provider}/MODEL`);
  const apiKey = firstSet(row.envKeys, env) ?? (isReplayed ? replayKey : undefined);
  if (apiKey === undefined && row.apiKey === 'required') {
    throw new UsageError(`there is no API key for ${provider}`, `set ${row.envKeys.join(' or ')}`);
  }
  const baseUrl = row.baseUrl ?? addressFrom(row.baseUrlKey, provider, env, isReplayed);
  const client = createSignal(row.id, { model, baseUrl, fetch, clock, ...(apiKey === undefined ? {} : { apiKey }) });
  return {
    label: `${row.id}/${model}`,
    address: shownAddress(baseUrl),
    client,
    target: { baseUrl: shownAddress(baseUrl), keyVariables: row.envKeys },
    isLab: false,
    close: nothing,
  };
}

function addressFrom(
  key: { readonly name: string; readonly path: string } | undefined,
  provider: string,
  env: Environment,
  isReplayed: boolean,
): string {
  const value = key === undefined ? undefined : env[key.name] || (isReplayed ? replayOrigin : undefined);
  if (key !== undefined && value) return `${value.replace(/\/$/, '')}${key.path}`;
  throw new UsageError(
    `${provider} has an address of your own, and none is set`,
    key === undefined ? 'give --base-url' : `set ${key.name}`,
  );
}

async function labReader(seed: number | undefined, network: Network): Promise<ChosenModel> {
  const { baseUrl, close } = network.isReplayed ? { baseUrl: replayAddress, close: nothing } : await startReader(seed);
  const { fetch, clock } = network;
  return {
    label: labReaderLabel,
    address: undefined,
    client: createSignal({ baseUrl, model: 'lab-reader' }, { fetch, clock }),
    target: { baseUrl, keyVariables: [], isReader: true },
    isLab: true,
    close,
  };
}

async function startReader(seed: number | undefined): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  // Loaded only when it is used: a real provider's run needs no server.
  const { reader, startLab } = await import('@vouch/lab');
  return startLab({ model: reader(), ...(seed === undefined ? {} : { seed }) });
}

function firstSet(names: readonly string[], env: Environment): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}

function hasCredentials(baseUrl: string): boolean {
  const { username, password } = new URL(baseUrl);
  return username !== '' || password !== '';
}

/** An address for showing: a query may hold a key. */
function shownAddress(baseUrl: string): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname}`;
}

async function nothing(): Promise<void> {
  // There is nothing to close.
}
