import {
  configurationError,
  type JsonObject,
  type MessagesDialect,
  type ResponseFormat,
  type ToolChoice,
  type ToolDescriptor,
  type WithheldPart,
} from '@vouch/contracts';
import type { PrefixState } from '../../reasoning/prefix.ts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';
import { withFields } from '../request/fields.ts';
import { withCacheMarks } from './cache.ts';
import { type WireMessage, wireMessages } from './messages.ts';
import { outputLimit, refuseOptions, thinkingFields } from './options.ts';
import { boundMessages } from './prefix.ts';

type Endpoint = Pick<WireEndpoint<'anthropic-messages'>, 'dialect' | 'provider'>;

// One object for several options.
const sharedFields: ReadonlySet<string> = /* @__PURE__ */ new Set(['output_config', 'thinking', 'tool_choice']);

/** A request as it is sent. */
export interface MessagesBody {
  readonly body: JsonObject;
  /** Carries that it leaves out. */
  readonly withheld: readonly WithheldPart[];
  /** Of all that stands before the answer, where the model binds its thinking to it. */
  readonly prefix?: PrefixState;
}

/**
 * The body of a request, and the carries that it leaves out. Throws before anything is sent: a configuration failure for an option that the wire or
 * the model does not have (a seed, a temperature over 1, sampling of a model that takes none, an effort that it does not know, a forced call), for an
 * image that cannot be given, for an answer begun with white space at its end or beside thinking, for thinking within a budget in the middle of calls
 * that were made without, and for an `extraBody` that sets what is set already; `UnsupportedThinkingError` for a budget that is no whole number of
 * tokens from 1 024 to under the output limit.
 */
export function messagesBody(request: ProviderRequest, endpoint: Endpoint): MessagesBody {
  refuseOptions(request);
  const { dialect, provider } = endpoint;
  const { options = {}, responseFormat } = request;
  const written = wireMessages(request.messages, dialect, { provider, model: request.model });
  const wireTools = (request.tools ?? []).map(wireTool);
  const bound = request.facts?.prefixBoundThinking === true ? boundMessages({ ...written, tools: wireTools }) : undefined;
  const conversation = bound === undefined ? written : { system: written.system, messages: bound.messages };
  checkBegun(request, conversation.messages);
  checkLoop(request, conversation.messages);
  const parts = { ...conversation, tools: wireTools };
  const { promptCache } = options;
  const { tools, system, messages } = promptCache === undefined || !dialect.cacheControl ? parts : withCacheMarks(parts, promptCache);
  const own: JsonObject = {
    ...(dialect.path.includes('{model}') ? {} : { model: request.model }),
    max_tokens: outputLimit(request, dialect),
    ...(system.length === 0 ? {} : { system: plainIfSole(system) }),
    messages: messages.map(({ role, content }) => ({ role, content: role === 'user' ? plainIfSole(content) : content })),
    stream: request.delivery === 'parts',
    ...(tools.length === 0 ? {} : { tools }),
    ...toolChoice(request),
    ...thinkingFields(request, endpoint),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { top_p: options.topP }),
    ...((options.stopSequences ?? []).length === 0 ? {} : { stop_sequences: options.stopSequences ?? [] }),
  };
  const format = responseFormat === undefined ? {} : formatField(responseFormat, dialect);
  const config = { ...(own.output_config as JsonObject | undefined), ...format };
  const body = Object.keys(config).length === 0 ? own : { ...own, output_config: config };
  const sent = withFields(body, dialect.body, options.extraBody, sharedFields);
  if (bound === undefined) return { body: sent, withheld: written.withheld };
  return { body: sent, withheld: [...written.withheld, ...bound.withheld], prefix: bound.prefix };
}

/** The wire's short form of a list that is one text and nothing else. */
function plainIfSole(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only, more] = blocks;
  const isPlain = more === undefined && only?.type === 'text' && Object.keys(only).length === 2;
  return isPlain && typeof only.text === 'string' ? only.text : blocks;
}

/** An answer that is begun for the model: the service goes on from it to the letter, and not where the model is to think first. */
function checkBegun({ thinking }: ProviderRequest, messages: readonly WireMessage[]): void {
  const last = messages.at(-1);
  const text = last?.role === 'assistant' ? last.content.at(-1)?.text : undefined;
  if (typeof text !== 'string') return;
  const refuse = (what: string): never => {
    throw configurationError('E_CONFIGURATION', `The conversation ends in a message of the assistant, ${what}`);
  };
  if (text.trimEnd() !== text) refuse('with white space at its end, which the endpoint refuses. Cut it off.');
  if (thinking !== undefined && thinking.mode !== 'off') refuse('which the endpoint refuses beside thinking. Leave one of them out.');
}

/** Within a budget the service wants the thinking with which the calls under way began; calls of another model have none. */
function checkLoop({ thinking, model }: ProviderRequest, messages: readonly WireMessage[]): void {
  if (thinking?.mode !== 'budget') return;
  const isResults = ({ role, content }: WireMessage): boolean => role === 'user' && content.some(({ type }) => type === 'tool_result');
  const asked = messages.findLastIndex((message) => message.role === 'user' && !isResults(message));
  const first = messages.slice(asked + 1).find(({ role }) => role === 'assistant');
  if (first === undefined || !first.content.some(({ type }) => type === 'tool_use')) return;
  const begun = first.content[0]?.type;
  if (begun === 'thinking' || begun === 'redacted_thinking') return;
  throw configurationError(
    'E_CONFIGURATION',
    `thinking: the calls under way were made without thinking of ${model}, which the endpoint refuses within a budget. Leave thinking out until they are answered.`,
  );
}

const wireTool = (tool: ToolDescriptor): JsonObject => ({
  name: tool.name,
  description: tool.description,
  // A JSON Schema is JSON by its definition; its type here is looser. The wire requires the root's type.
  input_schema: { type: 'object', ...tool.jsonSchema } as JsonObject,
});

function toolChoice({ tools = [], toolChoice: choice, options }: ProviderRequest): JsonObject {
  if (tools.length === 0) return {};
  const single = options?.parallelToolCalls === false;
  if (choice === undefined && !single) return {};
  const wire = wireChoice(choice ?? 'auto');
  return { tool_choice: single && wire.type !== 'none' ? { ...wire, disable_parallel_tool_use: true } : wire };
}

function wireChoice(choice: ToolChoice): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/** Only a schema can be asked for: the wire has no format of any object. */
function formatField(format: ResponseFormat, { schemaFormat }: MessagesDialect): JsonObject {
  if (format.type === 'json_object' || schemaFormat === 'unsupported') return {};
  return { format: { type: 'json_schema', schema: format.schema as JsonObject } };
}
