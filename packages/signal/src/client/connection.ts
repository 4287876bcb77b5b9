import { type Clock, configurationError, type EndpointDialect, type IdSource } from '@vouch/contracts';
import type { ChatAdapter, ChatAdapterId } from '../adapters/adapter.ts';
import { loadAdapter } from '../adapters/load.ts';
import { createHttp } from '../net/http.ts';
import { secretsOf } from './secrets.ts';

/** All that an adapter is made of. */
export interface ConnectionSettings {
  readonly adapter: ChatAdapterId;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly dialect: EndpointDialect;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly client: unknown;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly maxEventBytes: number | undefined;
  readonly maxBodyBytes: number | undefined;
}

/** The adapters of one endpoint, each made once (SG-005). */
export interface Connection {
  /** Texts that must appear in no error (SG-038). */
  readonly secrets: readonly string[];
  readonly settings: ConnectionSettings;
  adapter(timeout: { readonly firstByte: number; readonly idle: number }): Promise<ChatAdapter>;
}

/** `previous` when it was made of the same settings: forks that change nothing of the endpoint share its adapters. */
export function connect(settings: ConnectionSettings, previous: Connection | undefined): Connection {
  return previous !== undefined && sameSettings(previous.settings, settings) ? previous : createConnection(settings);
}

function sameSettings(a: ConnectionSettings, b: ConnectionSettings): boolean {
  const keys = Object.keys(a) as (keyof ConnectionSettings)[];
  return keys.every((key) => a[key] === b[key]);
}

function createConnection(settings: ConnectionSettings): Connection {
  const adapters = new Map<string, Promise<ChatAdapter>>();
  const secrets = secretsOf(settings);
  return {
    settings,
    secrets,
    adapter(timeout) {
      const key = `${timeout.firstByte} ${timeout.idle}`;
      const known = adapters.get(key);
      if (known !== undefined) return known;
      const made = makeAdapter(settings, secrets, timeout);
      adapters.set(key, made);
      // A load that failed, say offline, may succeed the next time.
      made.catch(() => adapters.delete(key));
      return made;
    },
  };
}

async function makeAdapter(
  settings: ConnectionSettings,
  secrets: readonly string[],
  timeout: { readonly firstByte: number; readonly idle: number },
): Promise<ChatAdapter> {
  const create = await loadAdapter(settings.adapter);
  const { apiKey, client, maxEventBytes, maxBodyBytes } = settings;
  const adapter = create({
    provider: settings.provider,
    baseUrl: settings.baseUrl,
    dialect: settings.dialect,
    ids: settings.ids,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(client === undefined ? {} : { client }),
    http: createHttp({
      // Looked up at each call, so that a platform's later replacement counts.
      fetch: settings.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      clock: settings.clock,
      timeout,
      secrets,
      ...(maxEventBytes === undefined ? {} : { maxEventBytes }),
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    }),
  });
  if (adapter.kind === 'chat') return adapter;
  throw configurationError('E_VERB_NOT_SUPPORTED', `The adapter "${settings.adapter}" answers no chat requests.`);
}
