import {
  assertNever,
  type ChatDialect,
  configurationError,
  type JsonObject,
  type JsonValue,
  type ResponseFormat,
  type ToolChoice,
  type ToolDescriptor,
  type WireDialect,
} from '@vouch/contracts';
import type { AdapterEndpoint, ProviderRequest, WireEndpoint } from '../adapter.ts';
import { objectOr, wireMessages } from './messages.ts';

/** The body of a request, as the endpoint's dialect spells it. Throws a configuration failure when `extraBody` names a field that the library sets. */
export function chatBody(request: ProviderRequest, endpoint: Pick<WireEndpoint<'openai-chat'>, 'dialect' | 'provider'>): JsonObject {
  const { dialect } = endpoint;
  const tools = request.tools ?? [];
  const own: { [field: string]: JsonValue } = {
    model: request.model,
    messages: wireMessages(request.messages, dialect, { provider: endpoint.provider, model: request.model }),
    stream: request.delivery === 'parts',
    ...(request.delivery === 'parts' && dialect.streamUsageOption ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : toolChoice(request.toolChoice, tools, dialect)),
    ...(request.responseFormat === undefined ? {} : responseFormat(request.responseFormat, dialect)),
    ...sampling(request, dialect, tools.length > 0),
  };
  for (const [field, value] of Object.entries(dialect.body ?? {}))
    own[field] = isObject(own[field]) ? { ...objectOr(value), ...objectOr(own[field]) } : value;
  for (const [field, value] of Object.entries(request.options?.extraBody ?? {})) {
    if (Object.hasOwn(own, field)) {
      throw configurationError(
        'E_CONFIGURATION',
        `extraBody sets "${field}", which this request sets already. Use the option for it, or leave it out.`,
      );
    }
    own[field] = value;
  }
  return own;
}

const isObject = (value: JsonValue | undefined): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function sampling(request: ProviderRequest, dialect: ChatDialect, hasTools: boolean): JsonObject {
  const options = request.options ?? {};
  const effort = options.reasoningEffort;
  return {
    ...(options.maxOutputTokens === undefined ? {} : { [dialect.outputLimitField]: options.maxOutputTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { top_p: options.topP }),
    ...(options.stopSequences === undefined || options.stopSequences.length === 0 ? {} : { stop: options.stopSequences }),
    ...(options.seed === undefined || dialect.seedField === undefined ? {} : { [dialect.seedField]: options.seed }),
    ...(options.parallelToolCalls === undefined || !hasTools || !dialect.parallelToolCallsField
      ? {}
      : { parallel_tool_calls: options.parallelToolCalls }),
    ...(effort === undefined || dialect.effortField === 'none' ? {} : effortFields(effort, dialect)),
  };
}

function effortFields(effort: string, dialect: ChatDialect): JsonObject {
  const extra = dialect.reasoningRequest ?? {};
  if (dialect.effortField === 'reasoning_effort') return { ...extra, reasoning_effort: effort };
  return { ...extra, reasoning: { ...objectOr(extra.reasoning), effort } };
}

const wireTool = (tool: ToolDescriptor): JsonObject => ({
  type: 'function',
  // A JSON Schema is JSON by its definition; its type here is looser.
  function: { name: tool.name, description: tool.description, parameters: tool.jsonSchema as JsonObject },
});

function toolChoice(choice: ToolChoice, tools: readonly ToolDescriptor[], dialect: ChatDialect): JsonObject {
  const { required, named, none } = dialect.toolChoice;
  if (choice === 'auto') return { tool_choice: 'auto' };
  if (choice === 'none') return none ? { tool_choice: 'none' } : {};
  if (choice !== 'required' && named) return { tool_choice: { type: 'function', function: { name: choice.name } } };
  // With one tool, the tool that must be called is that one.
  const forces = choice === 'required' || (tools.length === 1 && tools[0]?.name === choice.name);
  return forces && required !== 'unsupported' ? { tool_choice: required } : {};
}

function responseFormat(format: ResponseFormat, dialect: ChatDialect): JsonObject {
  if (format.type === 'json_object') return dialect.jsonObjectFormat ? { response_format: { type: 'json_object' } } : {};
  const schema = format.schema as JsonObject;
  switch (dialect.schemaFormat) {
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: { name: format.name, schema, strict: format.strict } } };
    case 'json_object_with_schema':
      return { response_format: { type: 'json_object', schema } };
    case 'unsupported':
      return {};
    default:
      return assertNever(dialect.schemaFormat);
  }
}

/** The full address of the endpoint's chat route. */
export function chatUrl(endpoint: Pick<AdapterEndpoint, 'baseUrl'> & { readonly dialect: WireDialect }): string {
  let url: URL;
  try {
    url = new URL(endpoint.baseUrl);
  } catch {
    throw configurationError('E_CONFIGURATION', 'The base URL is no address. Give one such as https://host/v1.');
  }
  if (url.username !== '' || url.password !== '') {
    // No fetch takes them, and its error shows them.
    throw configurationError('E_CONFIGURATION', 'The base URL holds a name or a password. Give the key as apiKey, or as a header.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${endpoint.dialect.path.replace(/^\/+/, '')}`;
  for (const [name, value] of Object.entries(endpoint.dialect.query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

/** The headers of a request. Browsers drop `accept-encoding` by themselves. */
export function chatHeaders(
  endpoint: Pick<AdapterEndpoint, 'apiKey'> & { readonly dialect: WireDialect },
  delivery: ProviderRequest['delivery'],
): { readonly [name: string]: string } {
  const { apiKey, dialect } = endpoint;
  const key = apiKey === undefined || apiKey === '' ? undefined : apiKey;
  return {
    'content-type': 'application/json',
    // Compressed streams are held back by proxies until a block is full.
    ...(delivery === 'parts' ? { accept: 'text/event-stream', 'accept-encoding': 'identity' } : { accept: 'application/json' }),
    ...(key !== undefined && dialect.auth === 'bearer' ? { authorization: `Bearer ${key}` } : {}),
    ...(key !== undefined && dialect.auth === 'api-key-header' ? { 'api-key': key } : {}),
    ...dialect.headers,
  };
}
