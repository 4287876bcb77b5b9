import {
  type Capabilities,
  type ContentPart,
  configurationError,
  type ModelFacts,
  randomIds,
  systemClock,
  type WireStrategy,
} from '@vouch/contracts';
import { prepare, type RunSpec } from '../run.ts';
import type { StepEnvironment } from '../step.ts';
import type { PreparedRequest } from '../transport/prepare-request.ts';
import { RESPOND_TOOL_NAME } from '../transport/resolve.ts';
import type { ClientConfig } from './config.ts';
import { type Connection, connect } from './connection.ts';
import type { Endpoint } from './endpoint.ts';

/** The verbs that need a chat endpoint. */
type ChatVerb = 'complete' | 'tryComplete' | 'stream' | 'step' | 'stepStream';

/** A client's settings turned into what its verbs run under. Nothing is looked up before a verb asks. */
export interface Session {
  /** The connection, once a verb has made it: forks that change nothing of it share its adapters. */
  connection(): Connection | undefined;
  /** Throws `E_VERB_NOT_SUPPORTED`, `E_MISSING_API_KEY` and `E_MISSING_MODEL`. */
  environment(verb: ChatVerb): StepEnvironment;
  run<Value>(verb: ChatVerb, input: string | readonly ContentPart[]): RunSpec<Value>;
}

const defaultRetries = 2;
const defaultTurns = 10;

/** Makes the session of one client. */
export function createSession(
  config: ClientConfig,
  endpoint: Endpoint,
  facts: { readonly strategies: readonly WireStrategy[]; readonly previous: (() => Connection | undefined) | undefined },
): Session {
  let connection: Connection | undefined;
  let known: StepEnvironment | undefined;
  const environment = (verb: ChatVerb): StepEnvironment => {
    if (endpoint.kind !== 'chat') {
      throw configurationError(
        'E_VERB_NOT_SUPPORTED',
        `${verb}() needs a chat endpoint, and "${endpoint.provider}" answers decisions. Use decide(), or another provider.`,
      );
    }
    const apiKey = endpoint.apiKey(config.apiKey);
    const model = modelOf(config, endpoint);
    const before = connection;
    connection = connect(connectionSettings(config, endpoint, apiKey), before ?? facts.previous?.());
    // All but the key and the address, which are of the connection, is fixed for a client.
    if (known !== undefined && connection === before) return known;
    known = {
      provider: endpoint.provider,
      model,
      adapter: connection.adapter,
      clock: config.clock ?? systemClock,
      ids: config.ids ?? randomIds,
      random: config.random ?? Math.random,
      secrets: connection.secrets,
      strategies: facts.strategies,
      checkEffort: (effort) => endpoint.checkEffort(model, effort),
      ...factsOf(endpoint.facts(model)),
      ...(config.options === undefined ? {} : { options: config.options }),
      ...(config.accept === undefined ? {} : { accept: config.accept }),
      ...(config.checkSuspectEscapes === undefined ? {} : { checkSuspectEscapes: config.checkSuspectEscapes }),
    };
    return known;
  };
  let base: Omit<RunSpec<unknown>, 'input'> | undefined;
  let prepared: PreparedRequest | undefined;
  return {
    connection: () => connection ?? facts.previous?.(),
    environment,
    run<Value>(verb: ChatVerb, input: string | readonly ContentPart[]) {
      const current = environment(verb);
      if (base?.environment !== current) {
        const spec = runSpec(config, endpoint, current);
        base = {
          ...spec,
          prepared() {
            prepared ??= prepare(spec);
            return prepared;
          },
        };
      }
      // The builder set `Value` to what this schema gives.
      return { input, ...(base as Omit<RunSpec<Value>, 'input'>) };
    },
  };
}

const factsOf = (facts: ModelFacts | undefined): Pick<StepEnvironment, 'facts'> => (facts === undefined ? {} : { facts });

function modelOf(config: ClientConfig, endpoint: Endpoint): string {
  const model = config.model ?? endpoint.defaultModel;
  if (model !== undefined && model !== '') return model;
  throw configurationError('E_MISSING_MODEL', `Missing model for "${endpoint.provider}". Give model, or call .model().`);
}

function connectionSettings(config: ClientConfig, endpoint: Endpoint, apiKey: string | undefined): Connection['settings'] {
  return {
    adapter: endpoint.dialect.wire,
    provider: endpoint.provider,
    baseUrl: endpoint.baseUrl(),
    apiKey,
    dialect: endpoint.dialect,
    fetch: config.fetch ?? endpoint.fetch,
    client: config.client,
    clock: config.clock ?? systemClock,
    ids: config.ids ?? randomIds,
    maxEventBytes: config.maxEventBytes,
    maxBodyBytes: config.maxBodyBytes,
  };
}

function runSpec(config: ClientConfig, endpoint: Endpoint, environment: StepEnvironment): Omit<RunSpec<unknown>, 'input'> {
  const { systemPrompt, output, toolChoice, transport, forceTool, onRetry, onToolCall } = config;
  checkToolChoice(config);
  return {
    history: config.history ?? [],
    tools: config.tools ?? [],
    toolExecution: config.toolExecution ?? 'in-order',
    retries: config.retries ?? defaultRetries,
    maxTurns: config.maxTurns ?? defaultTurns,
    capabilities: sendable(endpoint.capabilities(environment.model), endpoint),
    subset: endpoint.dialect.schemaSubset,
    environment,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(output === undefined ? {} : { output }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(transport === undefined ? {} : { transport }),
    ...(forceTool === undefined ? {} : { forceTool }),
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(onToolCall === undefined ? {} : { onToolCall }),
  };
}

/** A choice of a tool that is not sent would be the provider's error, in other words each time. */
function checkToolChoice({ toolChoice, tools = [], output }: ClientConfig): void {
  if (typeof toolChoice !== 'object' || tools.some(({ name }) => name === toolChoice.name)) return;
  if (output !== undefined && toolChoice.name === RESPOND_TOOL_NAME) return;
  throw configurationError('E_UNSUPPORTED_TOOLS', `toolChoice names "${toolChoice.name}", which is none of the tools.`);
}

/** What the dialect cannot spell is not to be had, whatever the model could do. */
function sendable(capabilities: Capabilities, { dialect }: Endpoint): Capabilities {
  return {
    ...capabilities,
    ...(dialect.schemaFormat === 'unsupported' ? { nativeJsonSchema: 'no' } : {}),
    ...(dialect.jsonObjectFormat ? {} : { nativeJsonMode: 'no' }),
  };
}
