import {
  assertNever,
  type ChatDialect,
  configurationError,
  type JsonObject,
  type ResponseFormat,
  type ToolChoice,
  type ToolDescriptor,
} from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';
import { askedEffort } from '../request/effort.ts';
import { withFields } from '../request/fields.ts';
import { objectOr } from '../response/json-object.ts';
import { wireMessages } from './messages.ts';

/**
 * The body of a request, as the endpoint's dialect spells it. Throws a configuration failure for sampling of a model that takes none, and when
 * `extraBody` names a field that the library sets.
 */
export function chatBody(request: ProviderRequest, endpoint: Pick<WireEndpoint<'openai-chat'>, 'dialect' | 'provider'>): JsonObject {
  const { dialect } = endpoint;
  const tools = request.tools ?? [];
  const own: JsonObject = {
    model: request.model,
    messages: wireMessages(request.messages, dialect, { provider: endpoint.provider, model: request.model }),
    stream: request.delivery === 'parts',
    ...(request.delivery === 'parts' && dialect.streamUsageOption ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : toolChoice(request.toolChoice, tools, dialect)),
    ...(request.responseFormat === undefined ? {} : responseFormat(request.responseFormat, dialect)),
    ...sampling(request, dialect, tools.length > 0),
    ...reasoning(request, endpoint),
  };
  return withFields(own, dialect.body, request.options?.extraBody);
}

function sampling(request: ProviderRequest, dialect: ChatDialect, hasTools: boolean): JsonObject {
  const options = request.options ?? {};
  for (const name of ['temperature', 'topP'] as const) {
    if (request.facts?.samplingParameters !== 'no' || options[name] === undefined) continue;
    const message = `${name}: ${request.model} takes no sampling parameters. Leave it out, or choose another model or endpoint.`;
    throw configurationError('E_CONFIGURATION', message);
  }
  if (options.seed !== undefined && dialect.seedField === undefined)
    throw configurationError('E_CONFIGURATION', 'seed: this endpoint has no field for a seed. Leave it out, or choose another endpoint.');
  if (options.parallelToolCalls === false && hasTools && !dialect.parallelToolCallsField)
    throw configurationError(
      'E_CONFIGURATION',
      'parallelToolCalls: false: nothing is known of a field for it at this endpoint. Leave it out, or give a dialect that has parallelToolCallsField.',
    );
  return {
    ...(options.maxOutputTokens === undefined ? {} : { [dialect.outputLimitField]: options.maxOutputTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { top_p: options.topP }),
    ...(options.stopSequences === undefined || options.stopSequences.length === 0 ? {} : { stop: options.stopSequences }),
    ...(options.seed === undefined || dialect.seedField === undefined ? {} : { [dialect.seedField]: options.seed }),
    ...(options.parallelToolCalls === undefined || !hasTools || !dialect.parallelToolCallsField
      ? {}
      : { parallel_tool_calls: options.parallelToolCalls }),
  };
}

/** The wire has no word for thinking but its effort; where none is asked for, the model thinks or not as it is. */
function reasoning(request: ProviderRequest, endpoint: Pick<WireEndpoint<'openai-chat'>, 'dialect' | 'provider'>): JsonObject {
  const effort = askedEffort(request, endpoint);
  if (effort === undefined) return {};
  const { dialect } = endpoint;
  // What asks to be shown reasoning does not go with none.
  const extra = effort === 'none' ? {} : (dialect.reasoningRequest ?? {});
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
