import {
  assertNever,
  configurationError,
  type JsonObject,
  type ResponseFormat,
  type ResponsesDialect,
  type ToolChoice,
  type ToolDescriptor,
} from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';
import { askedEffort } from '../request/effort.ts';
import { withFields } from '../request/fields.ts';
import { type WireInput, wireInput } from './input.ts';

type Endpoint = Pick<WireEndpoint<'openai-responses'>, 'dialect' | 'provider'>;

/**
 * The body of a request, and the carries that it leaves out. Throws before anything is sent: a configuration failure for an option that the wire or
 * the model does not have (stop sequences, a seed, sampling of a model that takes none, an effort that it does not know) and for an `extraBody` that
 * sets what is set already; `UnsupportedThinkingError` for a budget of thinking, for which the wire has no field.
 */
export function responsesBody(request: ProviderRequest, endpoint: Endpoint): { readonly body: JsonObject } & Pick<WireInput, 'withheld'> {
  refuseOptions(request);
  const { dialect, provider } = endpoint;
  const { instructions, input, withheld } = wireInput(request.messages, dialect, { provider, model: request.model });
  const tools = request.tools ?? [];
  const options = request.options ?? {};
  const own: JsonObject = {
    model: request.model,
    ...(instructions === undefined ? {} : { instructions }),
    input,
    stream: request.delivery === 'parts',
    ...(dialect.store ? {} : { store: false }),
    ...(asksForEncrypted(request, dialect) ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : toolChoice(request.toolChoice, tools, dialect)),
    ...(request.responseFormat === undefined ? {} : textFormat(request.responseFormat, dialect)),
    ...(options.maxOutputTokens === undefined ? {} : { max_output_tokens: options.maxOutputTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { top_p: options.topP }),
    ...(options.parallelToolCalls === undefined || tools.length === 0 || !dialect.parallelToolCallsField
      ? {}
      : { parallel_tool_calls: options.parallelToolCalls }),
    ...reasoning(request, endpoint),
  };
  return { body: withFields(own, dialect.body, options.extraBody, sharedFields), withheld };
}

// One object or list for several options.
const sharedFields: ReadonlySet<string> = /* @__PURE__ */ new Set(['text', 'reasoning', 'include']);

/** A model that does not think has nothing to encrypt, and its server may refuse to be asked. */
const asksForEncrypted = ({ facts }: ProviderRequest, dialect: ResponsesDialect): boolean =>
  dialect.encryptedReasoning && !dialect.store && facts?.thinking !== 'none';

function refuseOptions({ options = {}, facts, model, tools = [], toolChoice: choice }: ProviderRequest): void {
  const refuse = (what: string): never => {
    throw configurationError('E_CONFIGURATION', `${what} Leave it out, or choose another model or endpoint.`);
  };
  if ((options.stopSequences ?? []).length > 0) refuse('stopSequences: the Responses wire has no field for stop sequences.');
  if (options.seed !== undefined) refuse('seed: the Responses wire has no field for a seed.');
  if (facts?.forcedToolChoice === 'no' && tools.length > 0 && (choice === 'required' || typeof choice === 'object'))
    refuse(`toolChoice: ${model} cannot be made to call a tool.`);
  if (facts?.samplingParameters !== 'no') return;
  if (options.temperature !== undefined) refuse(`temperature: ${model} takes no sampling parameters.`);
  if (options.topP !== undefined) refuse(`topP: ${model} takes no sampling parameters.`);
}

function reasoning(request: ProviderRequest, endpoint: Endpoint): JsonObject {
  const effort = askedEffort(request, endpoint);
  const summary = request.thinking?.mode === 'adaptive' ? endpoint.dialect.reasoningSummary : undefined;
  if (effort === undefined && summary === undefined) return {};
  return { reasoning: { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) } };
}

const wireTool = (tool: ToolDescriptor): JsonObject => ({
  type: 'function',
  name: tool.name,
  description: tool.description,
  // A JSON Schema is JSON by its definition; its type here is looser.
  parameters: tool.jsonSchema as JsonObject,
  // The server's default is true, under which it rewrites the schema.
  strict: false,
});

function toolChoice(choice: ToolChoice, tools: readonly ToolDescriptor[], dialect: ResponsesDialect): JsonObject {
  const { required, named, none } = dialect.toolChoice;
  if (choice === 'auto') return { tool_choice: 'auto' };
  if (choice === 'none') return none ? { tool_choice: 'none' } : {};
  if (choice !== 'required' && named) return { tool_choice: { type: 'function', name: choice.name } };
  // With one tool, the tool that must be called is that one.
  const forces = choice === 'required' || (tools.length === 1 && tools[0]?.name === choice.name);
  return forces && required !== 'unsupported' ? { tool_choice: required } : {};
}

function textFormat(format: ResponseFormat, dialect: ResponsesDialect): JsonObject {
  if (format.type === 'json_object') return dialect.jsonObjectFormat ? { text: { format: { type: 'json_object' } } } : {};
  const schema = format.schema as JsonObject;
  switch (dialect.schemaFormat) {
    case 'json_schema':
      return { text: { format: { type: 'json_schema', name: format.name, schema, strict: format.strict } } };
    case 'json_object_with_schema':
      return { text: { format: { type: 'json_object', schema } } };
    case 'unsupported':
      return {};
    default:
      return assertNever(dialect.schemaFormat);
  }
}
