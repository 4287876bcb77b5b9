import {
  type Capabilities,
  configurationError,
  type EndpointDialect,
  type ModelFacts,
  type ReasoningEffort,
  type ThinkingHandler,
  type ThinkingMode,
  type ThinkingShape,
  type WireStrategy,
} from '@vouch/contracts';
import type { ChatAdapterId } from '../adapters/adapter.ts';
import { defaultDialects } from '../registry/dialects.ts';
import {
  assertEffort,
  describeRow,
  type Environment,
  joinCapabilities,
  modelRow,
  providerRow,
  resolveApiKey,
  resolveBaseUrl,
} from '../registry/join.ts';
import { unmeasuredModel } from '../registry/model-row.ts';
import { type ChatProviderRow, type DecisionProviderRow, type RowProvenance, unmeasuredEndpoint } from '../registry/provider-row.ts';
import { providerRows } from '../registry/providers.ts';
import { nearestName, refuseUnknownNames, shownOption } from '../step/names.ts';
import { checkOption } from '../step/options.ts';
import { shownAddress } from './secrets.ts';

/** An endpoint that has no row (SG-005). What the client's options or a builder method state as well, theirs wins. */
export interface CustomProviderConfig {
  readonly baseUrl: string;
  /** Sent as the dialect says; without one, here or of the client, no key is sent. */
  readonly apiKey?: string;
  /** Needed by the first verb; may come from `.model()` instead. */
  readonly model?: string;
  /** The wire protocol. Default `openai-chat`. */
  readonly adapter?: ChatAdapterId;
  /** What is known of the endpoint and the model; what is not stated is `unmeasured`, and taken at its worst. */
  readonly capabilities?: Partial<Capabilities>;
  /** Strategies that the endpoint needs, by id or as they are. */
  readonly wire?: readonly (string | WireStrategy)[];
  /** In what it differs from others of its wire: a record, or the id of a row whose dialect and strategies it takes. */
  readonly dialect?: EndpointDialect | string;
  readonly fetch?: typeof globalThis.fetch;
  /** Reads the thinking of an endpoint whose shape no built-in handler reads; `thinkingHandlerFor(client.describe())` gives it. */
  readonly thinkingHandler?: ThinkingHandler;
}

/** What `describe()` says (SG-006). */
export interface SignalDescription {
  /** The row's id, or the custom endpoint's address without user, query and fragment. */
  readonly provider: string;
  /** Undefined when none is named and the row has no default. */
  readonly model: string | undefined;
  readonly kind: 'chat' | 'decisions';
  /** Absent for a decision endpoint. */
  readonly capabilities?: Capabilities;
  /** The provider and the model have rows. */
  readonly modelKnown: boolean;
  /** How the model thinks, from its row. */
  readonly thinking?: ThinkingMode;
  /** In what shape the endpoint shows its reasoning; absent where it shows none. `thinkingHandlerFor` reads this and the next. */
  readonly thinkingShape?: ThinkingShape;
  /** The custom provider's own. */
  readonly thinkingHandler?: ThinkingHandler;
  readonly reasoningEfforts?: readonly ReasoningEffort[];
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Source and date of the facts; absent for a custom endpoint (SG-021). */
  readonly provenance?: { readonly endpoint: RowProvenance; readonly model?: RowProvenance };
}

/** A provider as the client uses it: a row and what overrides it, or a custom endpoint. Everything that needs a key or a variable is a function. */
export interface Endpoint {
  readonly provider: string;
  readonly kind: 'chat' | 'decisions';
  readonly dialect: EndpointDialect;
  readonly wire: readonly (string | WireStrategy)[];
  readonly defaultModel: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Throws `E_CONFIGURATION` when there is no address. */
  baseUrl(): string;
  /** Throws `E_MISSING_API_KEY` where a key is required and none is set. */
  apiKey(explicit: string | undefined): string | undefined;
  capabilities(model: string): Capabilities;
  /** What the model's row states; undefined for a model without one. */
  facts(model: string): ModelFacts | undefined;
  describe(model: string | undefined): SignalDescription;
  /** Throws `E_UNSUPPORTED_EFFORT`. */
  checkEffort(model: string, effort: ReasoningEffort): void;
}

/** An empty text counts as not set, as in `resolveApiKey`. */
const setText = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const environment = (): Environment => (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env;

/** The endpoint of a registry row or of a custom provider; throws `E_PROVIDER_NOT_FOUND` for an unknown id, `E_CONFIGURATION` for what is no provider. */
export function resolveEndpoint(provider: string | CustomProviderConfig, overrides: { readonly baseUrl?: string }): Endpoint {
  if (setText(overrides.baseUrl) !== undefined) checkAddress(overrides.baseUrl);
  if (typeof provider !== 'string') return customEndpoint(checkedProvider(provider, overrides.baseUrl));
  const row = providerRow(provider);
  if (row === undefined) throw unknownProvider(provider);
  return row.kind === 'chat' ? rowEndpoint(row, overrides.baseUrl) : decisionEndpoint(row, overrides.baseUrl);
}

function unknownProvider(id: string): Error {
  const [first = '', ...rest] = id.split('/');
  const model = rest.join('/');
  const known = providerRows.map((row) => row.id);
  const near = model !== '' && known.includes(first) ? first : nearestName(first, known);
  const meant = near === undefined ? undefined : model === '' ? near : `createSignal('${near}', { model: '${model.slice(0, 100)}' })`;
  return configurationError(
    'E_PROVIDER_NOT_FOUND',
    `No provider ${shownOption(id)}.${meant === undefined ? '' : ` Did you mean ${meant}?`} All: npx vouch providers. Your own server: { baseUrl, model }.`,
  );
}

function rowEndpoint(row: ChatProviderRow, baseUrl: string | undefined): Endpoint {
  return {
    provider: row.id,
    kind: 'chat',
    dialect: row.dialect,
    wire: row.wire,
    defaultModel: row.defaultModel,
    fetch: undefined,
    baseUrl: () => resolveBaseUrl(row, baseUrl, environment()),
    apiKey: (explicit) => keyOf(row, explicit),
    capabilities: (model) => joinCapabilities(row, modelRow(row.id, model)),
    facts: (model) => modelRow(row.id, model),
    describe(model) {
      const described = describeRow(row, model);
      return described.kind === 'chat' ? described : { ...described, modelKnown: false };
    },
    checkEffort: (model, effort) => assertEffort(row.id, model, effort),
  };
}

function decisionEndpoint(row: DecisionProviderRow, baseUrl: string | undefined): Endpoint {
  return {
    ...customEndpoint({ baseUrl: baseUrl ?? '' }),
    provider: row.id,
    kind: 'decisions',
    defaultModel: row.defaultModel,
    baseUrl: () => resolveBaseUrl(row, baseUrl, environment()),
    apiKey: (explicit) => keyOf(row, explicit),
    describe(model) {
      const { kind, provider, provenance } = describeRow(row, model);
      return { kind, provider, model, modelKnown: false, provenance };
    },
  };
}

function keyOf(row: ChatProviderRow | DecisionProviderRow, explicit: string | undefined): string | undefined {
  const key = resolveApiKey(row, explicit, environment());
  if (key !== undefined || row.apiKey === 'optional') return key;
  throw configurationError('E_MISSING_API_KEY', `Missing API key for "${row.id}". Set ${row.envKeys.join(' or ')}, or give apiKey.`);
}

// A record, so that the compiler asks for a name that is added to the type.
const customNames = Object.keys({
  baseUrl: true,
  apiKey: true,
  model: true,
  adapter: true,
  capabilities: true,
  wire: true,
  dialect: true,
  fetch: true,
  thinkingHandler: true,
} satisfies { readonly [Name in keyof Required<CustomProviderConfig>]: true });

/** The config with the client's address over its own. */
function checkedProvider(provider: CustomProviderConfig, baseUrl: string | undefined): CustomProviderConfig {
  const given: unknown = provider;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const found = Array.isArray(given) ? 'an array' : shownOption(given);
    throw configurationError('E_CONFIGURATION', `A provider is the id of a registry row, or { baseUrl, model }, not ${found}.`);
  }
  refuseUnknownNames("a custom provider's fields", given, customNames);
  checkCapabilities(provider.capabilities);
  const address: unknown = setText(baseUrl) ?? provider.baseUrl;
  if (typeof address === 'string' && address.trim() !== '') {
    checkAddress(address);
    return { ...provider, baseUrl: address };
  }
  const found = address === undefined ? 'has none' : 'has one that is no address';
  throw configurationError(
    'E_CONFIGURATION',
    `A provider is the id of a registry row, or { baseUrl, model } with the address of an endpoint as baseUrl. This one ${found}.`,
  );
}

/** A host without its scheme reads as a scheme. What the address holds is not for a message; a path is of the page's own host. */
function checkAddress(address: string | undefined): void {
  if (address === undefined || /^\s*(?:https?:\/\/|\/)/i.test(address)) return;
  throw configurationError('E_CONFIGURATION', 'baseUrl must begin with http:// or https://, such as http://localhost:1234/v1.');
}

const capabilityNames = Object.keys({ ...unmeasuredEndpoint, ...unmeasuredModel });

/** What is not said as a fact would be taken for no. */
function checkCapabilities(capabilities: Partial<Capabilities> | undefined): void {
  if (capabilities === undefined) return;
  const isRecord = typeof capabilities === 'object' && capabilities !== null && !Array.isArray(capabilities);
  checkOption('capabilities', capabilities, isRecord, 'an object, such as { nativeTools: "yes" }');
  refuseUnknownNames('the capabilities', capabilities, capabilityNames);
  for (const [name, fact] of Object.entries(capabilities)) {
    checkOption(`capabilities.${name}`, fact, fact === 'yes' || fact === 'no' || fact === 'unmeasured', 'yes, no or unmeasured');
  }
}

function customEndpoint(config: CustomProviderConfig): Endpoint {
  const { dialect, wire } = customDialect(config);
  const provider = shownAddress(config.baseUrl);
  const capabilities: Capabilities = { ...unmeasuredEndpoint, ...unmeasuredModel, ...config.capabilities };
  return {
    provider,
    kind: 'chat',
    dialect,
    wire,
    defaultModel: config.model,
    fetch: config.fetch,
    baseUrl: () => config.baseUrl,
    apiKey: (explicit) => setText(explicit) ?? setText(config.apiKey),
    capabilities: () => capabilities,
    facts: () => undefined,
    describe: (model) => ({
      provider,
      model,
      kind: 'chat',
      capabilities,
      modelKnown: false,
      ...(dialect.thinkingShape === undefined ? {} : { thinkingShape: dialect.thinkingShape }),
      ...(config.thinkingHandler === undefined ? {} : { thinkingHandler: config.thinkingHandler }),
    }),
    checkEffort: () => undefined,
  };
}

function wireOf(adapter: ChatAdapterId | undefined): ChatAdapterId {
  const wire = adapter ?? 'openai-chat';
  if (Object.hasOwn(defaultDialects, wire)) return wire;
  const known = Object.keys(defaultDialects).join(', ');
  throw configurationError('E_CONFIGURATION', `There is no adapter "${String(wire).slice(0, 100)}". Known: ${known}.`);
}

/** Of two wires one would be ignored. */
function refuseOtherWire(adapter: ChatAdapterId | undefined, dialect: EndpointDialect, what: string): void {
  if (adapter === undefined || adapter === dialect.wire) return;
  throw configurationError('E_CONFIGURATION', `adapter is "${adapter}", but ${what} is of ${dialect.wire}. Give one of them.`);
}

function customDialect(config: CustomProviderConfig): Pick<Endpoint, 'dialect' | 'wire'> {
  const own = config.wire ?? [];
  const adapter = wireOf(config.adapter);
  if (typeof config.dialect !== 'string') {
    const dialect = config.dialect ?? defaultDialects[adapter];
    refuseOtherWire(config.adapter, dialect, 'the dialect');
    return { dialect, wire: own };
  }
  const row = providerRow(config.dialect);
  if (row?.kind === 'chat') refuseOtherWire(config.adapter, row.dialect, `the dialect of "${row.id}"`);
  if (row?.kind === 'chat') return { dialect: row.dialect, wire: [...row.wire, ...own] };
  throw configurationError(
    'E_PROVIDER_NOT_FOUND',
    `No chat provider "${config.dialect}" is known whose dialect could be taken. Give the dialect as a record.`,
  );
}
