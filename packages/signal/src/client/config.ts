import {
  type AcceptPolicy,
  type Clock,
  configurationError,
  type IdSource,
  type MessageInput,
  type OutputSchema,
  type SignalError,
  type SignalOptions,
  type ToolChoice,
  type TransportName,
  type WireStrategy,
} from '@vouch/contracts';
import type { Tokenizer } from '../count.ts';
import type { Tool } from '../run/define-tool.ts';
import { refuseUnknownNames, shownOption } from '../step/names.ts';
import { optionNames as callOptionNames, checkOption, keptOptions } from '../step/options.ts';
import { type SchemaInput, toOutputSchema } from '../transport/output-schema.ts';

const mostRetries = 100;
const mostTurns = 1_000;

/** What `createSignal` takes beside the provider. Everything can be left out. */
export interface ClientOptions {
  /** Default: the custom provider's, or the row's environment variable. */
  readonly apiKey?: string;
  /** Default: the custom provider's, or the row's. */
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly schema?: SchemaInput;
  readonly tools?: readonly Tool[];
  /** Messages before the input; internal ones are dropped (SG-055). */
  readonly history?: readonly MessageInput[];
  /** Corrections of a run, at most. Default 2. Network retries are `options.network.retries`. */
  readonly retries?: number;
  /** Model calls of a run beside its corrections, 1 to 1 000. Default 10; one more is `E_MAX_ITERATIONS`. */
  readonly maxTurns?: number;
  readonly options?: SignalOptions;
  /** A correction follows. Not called for the last failure. */
  readonly onRetry?: (error: SignalError, attempt: number) => void;
  readonly onToolCall?: (name: string, args: unknown) => void;
  /** Default `repaired`. */
  readonly accept?: AcceptPolicy;
  /** Refuse text that passes and whose escapes look destroyed (`suspect_escape`). Default true; false is noted in the report (SG-070). */
  readonly checkSuspectEscapes?: boolean;
  /** Strategies beside the provider's own, by id or as they are. */
  readonly strategies?: readonly (string | WireStrategy)[];
  /** How the output travels. Default `auto`; what the endpoint cannot do is refused (SG-050). */
  readonly transport?: TransportName | 'auto';
  /** Every turn must be a tool call, the answer too, so a schema is needed. Default false. */
  readonly forceTool?: boolean;
  readonly toolChoice?: ToolChoice;
  /** Whether the calls of one turn run one after another, or at once. Default `in-order`. */
  readonly toolExecution?: 'in-order' | 'parallel';
  /** For `count`. */
  readonly tokenizer?: Tokenizer;
  /** Another address than the row's or the custom provider's. */
  readonly baseUrl?: string;
  /** What moves HTTP. Default the custom provider's, else the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** An official SDK's instance, used in place of `fetch`. */
  readonly client?: unknown;
  /** Bytes of one stream event. Default 32 MiB; more is kind `limit`. */
  readonly maxEventBytes?: number;
  /** Bytes of a whole body. Default 64 MiB; more is kind `limit`. */
  readonly maxBodyBytes?: number;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** From 0 up to 1; jitters the backoff. Default `Math.random`. */
  readonly random?: () => number;
}

/** The options with the schema read. */
export interface ClientConfig extends Omit<ClientOptions, 'schema'> {
  readonly output?: OutputSchema<unknown>;
}

// A record, so that the compiler asks for a name that is added to the type.
const optionNames = Object.keys({
  apiKey: true,
  model: true,
  systemPrompt: true,
  schema: true,
  tools: true,
  history: true,
  retries: true,
  maxTurns: true,
  options: true,
  onRetry: true,
  onToolCall: true,
  accept: true,
  checkSuspectEscapes: true,
  strategies: true,
  transport: true,
  forceTool: true,
  toolChoice: true,
  toolExecution: true,
  tokenizer: true,
  baseUrl: true,
  fetch: true,
  client: true,
  maxEventBytes: true,
  maxBodyBytes: true,
  clock: true,
  ids: true,
  random: true,
} satisfies { readonly [Name in keyof Required<ClientOptions>]: true });

/** Reads the options once: the schema converted, internal messages of an earlier run dropped (SG-055). Throws `SignalError` for what cannot work. */
export function readOptions(options: ClientOptions): ClientConfig {
  if (typeof options !== 'object' || options === null) {
    throw configurationError('E_CONFIGURATION', `The client's options must be an object, not ${shownOption(options)}.`);
  }
  const inner = callOptionNames.map((name) => `options.${name}`);
  refuseUnknownNames("the client's options", options, optionNames, inner);
  const { schema, ...rest } = options;
  return checked({ ...rest, ...(schema === undefined ? {} : { output: toOutputSchema(schema) }) });
}

/** `config` with `change` over it. */
export function changeConfig(config: ClientConfig, change: Partial<ClientConfig>): ClientConfig {
  return checked({ ...config, ...change });
}

const texts = ['model', 'systemPrompt', 'baseUrl'] as const;
const flags = ['checkSuspectEscapes', 'forceTool'] as const;
const kinds = {
  apiKey: 'string',
  tools: 'array',
  history: 'array',
  strategies: 'array',
  fetch: 'function',
  onRetry: 'function',
  onToolCall: 'function',
} as const;
const choices: { readonly [Option in 'accept' | 'transport' | 'toolExecution']: readonly unknown[] } = {
  accept: ['exact', 'repaired', 'lossy'],
  transport: ['auto', 'native', 'respond', 'emit'],
  toolExecution: ['in-order', 'parallel'],
};

function checked(config: ClientConfig): ClientConfig {
  const { retries, maxTurns, tools, history, strategies } = config;
  const isCount = (value: unknown, least: number, most: number): boolean =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  checkOption('retries', retries, isCount(retries, 0, mostRetries), `a whole number from 0 to ${mostRetries}`);
  checkOption('maxTurns', maxTurns, isCount(maxTurns, 1, mostTurns), `a whole number from 1 to ${mostTurns}`);
  for (const option of texts) checkOption(option, config[option], typeof config[option] === 'string', 'a text');
  for (const option of flags) checkOption(option, config[option], typeof config[option] === 'boolean', 'true or false');
  // What these hold is not for a message.
  for (const [option, kind] of Object.entries(kinds)) {
    const value = config[option as keyof typeof kinds];
    if (value === undefined || (kind === 'array' ? Array.isArray(value) : typeof value === kind)) continue;
    throw configurationError(
      'E_CONFIGURATION',
      `${option} must be ${kind === 'string' ? 'a text' : `${kind === 'array' ? 'an' : 'a'} ${kind}`}.`,
    );
  }
  const options = config.options === undefined ? undefined : keptOptions(config.options);
  for (const [option, values] of Object.entries(choices)) {
    const value = config[option as keyof typeof choices];
    if (value === undefined || values.includes(value)) continue;
    throw configurationError('E_CONFIGURATION', `${option} must be one of ${values.join(', ')}, not ${JSON.stringify(value)}.`);
  }
  const names = new Set<string>();
  for (const tool of tools ?? []) {
    const { name } = checkedTool(tool);
    if (names.has(name)) throw configurationError('E_UNSUPPORTED_TOOLS', `Two tools are called "${name}". Rename one.`);
    names.add(name);
  }
  // Copies: a client does not change when the lists that it was made of do (SG-005).
  return {
    ...config,
    ...(options === undefined ? {} : { options }),
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(strategies === undefined ? {} : { strategies: [...strategies] }),
    ...(history === undefined ? {} : { history: history.filter(isNotInternal) }),
  };
}

/** A tool in another library's shape would break only once it is sent. */
function checkedTool(tool: Tool): Tool {
  const { name, inputSchema, execute }: Partial<Tool> = typeof tool === 'object' && tool !== null ? tool : {};
  if (typeof name === 'string' && typeof inputSchema?.validate === 'function' && typeof execute === 'function') return tool;
  const which = typeof name === 'string' ? `The tool ${shownOption(name)}` : 'A tool';
  throw configurationError(
    'E_UNSUPPORTED_TOOLS',
    `${which} was not made by defineTool. Give defineTool({ name, description, input, execute }), with a schema as input.`,
  );
}

const isNotInternal = (message: MessageInput): boolean => (message as { readonly internal?: unknown } | null)?.internal !== true;
