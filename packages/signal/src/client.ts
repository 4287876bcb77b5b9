import type {
  AcceptPolicy,
  ContentPart,
  MessageInput,
  SignalError,
  SignalOptions,
  SignalResult,
  StepRequest,
  StepResult,
  StepStreamEvent,
  TryResult,
  WireStrategy,
} from '@vouch/contracts';
import { type CallOptions, checkedCall } from './client/call.ts';
import { type ClientConfig, type ClientOptions, changeConfig, readOptions } from './client/config.ts';
import { deferred, deferredRun } from './client/deferred.ts';
import { type CustomProviderConfig, resolveEndpoint, type SignalDescription } from './client/endpoint.ts';
import { createSession, type Session } from './client/session.ts';
import { countTokens, type TokenCount } from './count.ts';
import type { PartialInput } from './partial/partials.ts';
import type { Tool } from './run/define-tool.ts';
import { runComplete, runStream, runTry } from './run.ts';
import { mergeOptions } from './step/options.ts';
import { step, stepStream } from './step.ts';
import { type InferOutput, type SchemaInput, toOutputSchema } from './transport/output-schema.ts';
import { resolveStrategies } from './wire/resolve-strategies.ts';

/**
 * A client (SG-005). Immutable: every builder method gives a new one. It holds no conversation. Configuration mistakes throw `SignalError` of kind
 * `configuration`: in a builder where they can be seen, else from the first verb, before any request.
 */
export interface Signal<Value> {
  model(id: string): Signal<Value>;
  apiKey(key: string): Signal<Value>;
  systemPrompt(text: string): Signal<Value>;
  /**
   * The values of the run conform to it; `Value` becomes what its transforms give. The gate is the schema library's own validation, the user's checks
   * and transforms included: it runs here on three sample values, to find asynchronous parts before a call is paid for, and then on every candidate of
   * every answer. So they must be synchronous and without effects; only the result on the accepted value is returned.
   */
  schema<Schema extends SchemaInput>(schema: Schema): Signal<InferOutput<Schema>>;
  tools(tools: readonly Tool[]): Signal<Value>;
  /** Messages before the input; internal ones are dropped (SG-055). */
  history(messages: readonly MessageInput[]): Signal<Value>;
  /** Corrections at most. Default 2. */
  retries(count: number): Signal<Value>;
  /** Merged over the options before, field by field. */
  options(options: SignalOptions): Signal<Value>;
  onRetry(handler: (error: SignalError, attempt: number) => void): Signal<Value>;
  onToolCall(handler: (name: string, args: unknown) => void): Signal<Value>;
  accept(policy: AcceptPolicy): Signal<Value>;
  strategies(strategies: readonly (string | WireStrategy)[]): Signal<Value>;
  /** A run to its value; throws its failure as `SignalError`. */
  complete(input: string | readonly ContentPart[], call?: CallOptions): Promise<SignalResult<Value>>;
  /** A run to its value or its failure (SG-081). */
  tryComplete(input: string | readonly ContentPart[], call?: CallOptions): Promise<TryResult<Value>>;
  /** A run's events, the last `done` or `error`. Nothing is sent before the first read; a second `for await` over it throws `E_CONFIGURATION`. */
  stream(input: string | readonly ContentPart[], call?: CallOptions): PartialInput<Value>;
  /** One model call, whole. No tool is run; throws where there was nothing to route. */
  step(request: StepRequest, call?: CallOptions): Promise<StepResult>;
  /** One model call's events, read once, as a stream's; an abort ends them without `done`. */
  stepStream(request: StepRequest, call?: CallOptions): AsyncIterable<StepStreamEvent>;
  /** Tokens of a text or of messages (SG-085): exact with a tokenizer, else an estimate that says so. */
  count(input: string | readonly MessageInput[]): Promise<TokenCount>;
  /** What is known of provider and model; needs no key and no network (SG-006). */
  describe(): SignalDescription;
}

/** Makes a client for a registry row (`'openai'`) or for an endpoint of one's own. Throws for an unknown provider, strategy or effort. */
export function createSignal<Schema extends SchemaInput>(
  provider: string | CustomProviderConfig,
  options: ClientOptions & { readonly schema: Schema },
): Signal<InferOutput<Schema>>;
export function createSignal(provider: string | CustomProviderConfig, options?: ClientOptions): Signal<string>;
export function createSignal(provider: string | CustomProviderConfig, options: ClientOptions = {}): Signal<unknown> {
  return buildClient({ provider, config: readOptions(options) });
}

interface Parts {
  readonly provider: string | CustomProviderConfig;
  readonly config: ClientConfig;
  /** The connection of the client that this one was forked from. */
  readonly previous?: Session['connection'];
}

function buildClient<Value>({ provider, config, previous }: Parts): Signal<Value> {
  const { baseUrl, options } = config;
  const endpoint = resolveEndpoint(provider, baseUrl === undefined ? {} : { baseUrl });
  const strategies = resolveStrategies([...endpoint.wire, ...(config.strategies ?? [])]);
  const model = config.model ?? endpoint.defaultModel;
  if (options?.reasoningEffort !== undefined && model !== undefined) endpoint.checkEffort(model, options.reasoningEffort);
  const session = createSession(config, endpoint, { strategies, previous });
  const fork = <Next>(change: Partial<ClientConfig>): Signal<Next> =>
    buildClient<Next>({ provider, config: changeConfig(config, change), previous: session.connection });
  return {
    ...builders<Value>(fork, config),
    ...verbs<Value>(session, config),
    describe: () => endpoint.describe(model),
  };
}

type Verb = 'complete' | 'tryComplete' | 'stream' | 'step' | 'stepStream' | 'count';

function builders<Value>(
  fork: <Next>(change: Partial<ClientConfig>) => Signal<Next>,
  config: ClientConfig,
): Omit<Signal<Value>, Verb | 'describe'> {
  return {
    model: (model) => fork({ model }),
    apiKey: (apiKey) => fork({ apiKey }),
    systemPrompt: (systemPrompt) => fork({ systemPrompt }),
    schema: (schema) => fork({ output: toOutputSchema(schema) }),
    tools: (tools) => fork({ tools }),
    history: (messages) => fork({ history: messages }),
    retries: (count) => fork({ retries: count }),
    options: (options) => fork({ options: mergeOptions(config.options, options) }),
    onRetry: (onRetry) => fork({ onRetry }),
    onToolCall: (onToolCall) => fork({ onToolCall }),
    accept: (accept) => fork({ accept }),
    strategies: (strategies) => fork({ strategies }),
  };
}

function verbs<Value>(session: Session, config: ClientConfig): Pick<Signal<Value>, Verb> {
  return {
    complete: async (input, call) => runComplete(session.run<Value>('complete', input), checkedCall(call)),
    tryComplete: async (input, call) => runTry(session.run<Value>('tryComplete', input), checkedCall(call)),
    stream: (input, call) => deferredRun(() => runStream(session.run<Value>('stream', input), checkedCall(call))),
    step: async (request, call) => step(request, session.environment('step'), checkedCall(call)),
    stepStream: (request, call) => deferred(() => stepStream(request, session.environment('stepStream'), checkedCall(call))),
    count: async (input) => countTokens(input, config.tokenizer === undefined ? {} : { tokenizer: config.tokenizer }),
  };
}
