import { type Capabilities, configurationError, type ReasoningEffort, type ThinkingMode, type ThinkingShape } from '@vouch/contracts';
import { type ModelRow, unmeasuredModel } from './model-row.ts';
import { modelRows } from './models.ts';
import type { ChatProviderRow, ProviderRow, RowProvenance } from './provider-row.ts';
import { providerRows } from './providers.ts';

/** The variables of a process, or nothing where there are none, as in browsers. */
export type Environment = { readonly [name: string]: string | undefined } | undefined;

/** What `describe()` says of a registry provider and one of its models, without key or network (SG-006, SG-021). */
export type RowDescription =
  | {
      readonly kind: 'chat';
      readonly provider: string;
      readonly model: string | undefined;
      readonly capabilities: Capabilities;
      /** The model has a row. */
      readonly modelKnown: boolean;
      readonly thinking?: ThinkingMode;
      /** Absent: the endpoint shows no reasoning. */
      readonly thinkingShape?: ThinkingShape;
      readonly reasoningEfforts?: readonly ReasoningEffort[];
      readonly contextTokens?: number;
      readonly maxOutputTokens?: number;
      /** Source and date of the facts. */
      readonly provenance: { readonly endpoint: RowProvenance; readonly model?: RowProvenance };
    }
  | {
      readonly kind: 'decisions';
      readonly provider: string;
      readonly model: string | undefined;
      readonly provenance: { readonly endpoint: RowProvenance };
    };

const providersById: ReadonlyMap<string, ProviderRow> = /* @__PURE__ */ new Map(providerRows.map((row) => [row.id, row]));
const modelsById: ReadonlyMap<string, ModelRow> = /* @__PURE__ */ new Map(modelRows.map((row) => [row.id, row]));

/** The row of a provider, or undefined. */
export function providerRow(id: string): ProviderRow | undefined {
  return providersById.get(id);
}

/** The row of a provider; throws `E_PROVIDER_NOT_FOUND`, which lists the ids known. */
export function requireProviderRow(id: string): ProviderRow {
  const row = providersById.get(id);
  if (row !== undefined) return row;
  const known = [...providersById.keys()].join(', ');
  throw configurationError(
    'E_PROVIDER_NOT_FOUND',
    `No provider "${id}" is known. Known: ${known}. Give { baseUrl, model } for another one.`,
  );
}

/** The row of a model behind a provider, or undefined. Unknown models are not guessed from their names. */
export function modelRow(provider: string, model: string): ModelRow | undefined {
  return modelsById.get(`${provider}/${model}`);
}

/** The one owner of each capability, joined; a model without a row is unmeasured (SG-020). */
export function joinCapabilities(row: ChatProviderRow, model: ModelRow | undefined): Capabilities {
  return { ...row.capabilities, ...(model?.capabilities ?? unmeasuredModel) };
}

const provenanceOf = (row: RowProvenance): RowProvenance => ({ source: row.source, verified: row.verified });

/** Describes a row and a model behind it. Pure. */
export function describeRow(row: ProviderRow, model: string | undefined): RowDescription {
  const endpoint = provenanceOf(row);
  if (row.kind === 'decisions') return { kind: 'decisions', provider: row.id, model, provenance: { endpoint } };
  const known = model === undefined ? undefined : modelRow(row.id, model);
  return {
    kind: 'chat',
    provider: row.id,
    model,
    capabilities: joinCapabilities(row, known),
    modelKnown: known !== undefined,
    ...(known?.thinking === undefined ? {} : { thinking: known.thinking }),
    ...(row.dialect.thinkingShape === undefined ? {} : { thinkingShape: row.dialect.thinkingShape }),
    ...(known?.reasoningEfforts === undefined ? {} : { reasoningEfforts: known.reasoningEfforts }),
    ...(known?.contextTokens === undefined ? {} : { contextTokens: known.contextTokens }),
    ...(known?.maxOutputTokens === undefined ? {} : { maxOutputTokens: known.maxOutputTokens }),
    provenance: known === undefined ? { endpoint } : { endpoint, model: provenanceOf(known) },
  };
}

const given = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);

/** The key to send: the explicit one, else the first of the row's variables that is set (SG-038). An empty text counts as not set. */
export function resolveApiKey(row: ProviderRow, explicit: string | undefined, env: Environment): string | undefined {
  for (const candidate of [explicit, ...row.envKeys.map((name) => env?.[name])]) if (given(candidate) !== undefined) return candidate;
  return undefined;
}

/**
 * The address to send to: the explicit one, else the row's own, else the row's variable; with the row's parts of the query, unless it has them. Throws
 * `E_CONFIGURATION` when there is none, or a part is missing.
 */
export function resolveBaseUrl(row: ProviderRow, explicit: string | undefined, env: Environment): string {
  const key = row.baseUrlKey;
  const fromEnv = key === undefined ? undefined : given(env?.[key.name]);
  const found = given(explicit) ?? row.baseUrl ?? (key && fromEnv && `${fromEnv.replace(/\/$/, '')}${key.path}`);
  if (found !== undefined) return withQuery(found, row, env);
  const hint = key === undefined ? 'Give baseUrl.' : `Give baseUrl, or set ${key.name}.`;
  throw configurationError('E_CONFIGURATION', `Provider "${row.id}" has an address of your own, and none was given. ${hint}`);
}

function withQuery(address: string, { id, queryKeys }: ProviderRow, env: Environment): string {
  if (queryKeys === undefined) return address;
  const [path = '', own = ''] = address.split('?', 2);
  const query = new URLSearchParams(own);
  for (const [name, variable] of Object.entries(queryKeys)) {
    if (query.has(name)) continue;
    const value = given(env?.[variable]);
    if (value === undefined)
      throw configurationError('E_CONFIGURATION', `Provider "${id}" needs ${name}. Set ${variable}, or add ?${name}=… to baseUrl.`);
    query.set(name, value);
  }
  return `${path}?${query}`;
}

/**
 * Refuses an effort that the provider's or the model's row is known not to take: throws `E_UNSUPPORTED_EFFORT`, which names the effort, the
 * provider, the model, what is accepted, and the row's date. A model whose efforts nobody measured takes any.
 */
export function assertEffort(provider: string, model: string, effort: ReasoningEffort): void {
  const row = providersById.get(provider);
  if (row?.kind === 'chat' && row.dialect.effortField === 'none') throw unsupportedEffort(provider, model, effort, [], row.verified);
  const known = modelRow(provider, model);
  if (known?.reasoningEfforts === undefined || known.reasoningEfforts.includes(effort)) return;
  throw unsupportedEffort(provider, model, effort, known.reasoningEfforts, known.verified);
}

function unsupportedEffort(
  provider: string,
  model: string,
  effort: ReasoningEffort,
  accepted: readonly ReasoningEffort[],
  verified: string,
): Error {
  const list = accepted.length === 0 ? 'no reasoning effort at all' : accepted.join(', ');
  return configurationError(
    'E_UNSUPPORTED_EFFORT',
    `Reasoning effort "${effort}" is not accepted by ${provider}/${model}: it accepts ${list} (row of ${verified}). Choose one of these, or leave it out.`,
  );
}
