import {
  configurationError,
  type JsonObject,
  type JsonValue,
  type OllamaDialect,
  type ReasoningEffort,
  type ResponseFormat,
  type ToolDescriptor,
  UnsupportedThinkingError,
} from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';
import { withFields } from '../request/fields.ts';
import { objectOr } from '../response/json-object.ts';
import { type WireMessages, wireMessages } from './messages.ts';

type Endpoint = Pick<WireEndpoint<'ollama'>, 'dialect' | 'provider'>;

/** A request's body. */
export interface OllamaBody extends Pick<WireMessages, 'withheld'> {
  readonly body: JsonObject;
  /** Its JSON, with the arguments of the calls as they were written. */
  text(): string;
}

/**
 * The body of a request, and the carries that it leaves out. Throws before anything is sent: a configuration failure for what the wire or the model does
 * not have (a forced call, one call at a time, images by address, an effort that it does not know, sampling of a model that takes none) and for an
 * `extraBody` that sets what is set already; `UnsupportedThinkingError` for a budget of thinking, for which the wire has no field.
 */
export function ollamaBody(request: ProviderRequest, endpoint: Endpoint): OllamaBody {
  refuseOptions(request);
  const { dialect, provider } = endpoint;
  const { messages, withheld, sources } = wireMessages(request.messages, { provider, model: request.model });
  // The wire's word for "no call" is to offer no tool.
  const tools = request.toolChoice === 'none' ? [] : (request.tools ?? []);
  const format = request.responseFormat === undefined ? undefined : wireFormat(request.responseFormat, dialect);
  const think = thinkField(request, endpoint, format !== undefined);
  const options = modelOptions(request.options ?? {});
  const own: JsonObject = {
    model: request.model,
    messages,
    stream: request.delivery === 'parts',
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(format === undefined ? {} : { format }),
    ...(think === undefined ? {} : { think }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
  const body = withFields(own, dialect.body, request.options?.extraBody, sharedFields);
  return { body, withheld, text: () => bodyText(body, messages, sources) };
}

// One object for several options.
const sharedFields: ReadonlySet<string> = /* @__PURE__ */ new Set(['options']);

function refuseOptions({ options = {}, facts, model, toolChoice: choice, tools = [] }: ProviderRequest): void {
  const refuse = (what: string): never => {
    throw configurationError('E_CONFIGURATION', `${what} Leave it out, or choose another model or endpoint.`);
  };
  if (tools.length > 0 && (choice === 'required' || typeof choice === 'object'))
    refuse('toolChoice: the /api/chat wire has no word for a call that must be made.');
  if (tools.length > 0 && options.parallelToolCalls === false)
    refuse('parallelToolCalls: the /api/chat wire has no word for one call at a time.');
  if (facts?.samplingParameters !== 'no') return;
  if (options.temperature !== undefined) refuse(`temperature: ${model} takes no sampling parameters.`);
  if (options.topP !== undefined) refuse(`topP: ${model} takes no sampling parameters.`);
}

function modelOptions(options: NonNullable<ProviderRequest['options']>): JsonObject {
  const { maxOutputTokens, temperature, topP, seed, stopSequences = [] } = options;
  return {
    ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stopSequences.length === 0 ? {} : { stop: stopSequences }),
  };
}

const wireTool = (tool: ToolDescriptor): JsonObject => ({
  type: 'function',
  // A JSON Schema is JSON by its definition; its type here is looser.
  function: { name: tool.name, description: tool.description, parameters: tool.jsonSchema as JsonObject },
});

function wireFormat(format: ResponseFormat, dialect: OllamaDialect): JsonValue | undefined {
  if (format.type === 'json_object') return dialect.jsonObjectFormat ? 'json' : undefined;
  return dialect.schemaFormat === 'unsupported' ? undefined : (format.schema as JsonObject);
}

/** The efforts that have a word of their own on the wire. */
const levels: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'max'];

/** `think`, as asked for. Beside a format it is off unless asked for: some models write the answer into their thinking, or past the schema (G7). */
function thinkField(request: ProviderRequest, { dialect, provider }: Endpoint, hasFormat: boolean): JsonValue | undefined {
  const { thinking, options, model, facts } = request;
  if (thinking?.mode === 'budget') throw new UnsupportedThinkingError({ provider, model, reason: 'budget' });
  const asked = thinking?.mode === 'adaptive' ? thinking.effort : undefined;
  if (asked !== undefined && options?.reasoningEffort !== undefined && asked !== options.reasoningEffort)
    throw configurationError('E_CONFIGURATION', 'thinking.effort and reasoningEffort differ. Give one of them.');
  const effort = asked ?? options?.reasoningEffort;
  const off = thinking?.mode === 'off' || effort === 'none';
  if (thinking === undefined && effort === undefined) {
    const unasked = hasFormat && dialect.effortField !== 'none' && facts?.thinking !== 'none' && facts?.alwaysThinks !== true;
    return unasked ? false : undefined;
  }
  const what = thinking?.mode === 'off' ? 'thinking: false' : effort === undefined ? 'thinking' : `The effort "${effort.slice(0, 40)}"`;
  const refuse = (why: string): never => {
    throw configurationError('E_CONFIGURATION', `${what} cannot be asked for: ${why}.`);
  };
  if (dialect.effortField === 'none') refuse('this endpoint has no field for it');
  if (off && facts?.alwaysThinks === true) refuse(`${model} thinks always`);
  if (off) return false;
  if (effort === undefined) return true;
  const known = facts?.reasoningEfforts;
  if (known !== undefined && !known.includes(effort))
    refuse(`${model} takes ${known.length === 0 ? 'no effort' : `the efforts ${known.join(', ')}`}`);
  // A server falls back without a word for a level that it does not know.
  if (!levels.includes(effort)) refuse(`the /api/chat wire knows the efforts none, ${levels.join(', ')}`);
  return effort;
}

/** An object's text without its end. */
const begun = (value: JsonObject): string => JSON.stringify(value).slice(0, -1);

function bodyText(
  { messages: _messages, ...rest }: JsonObject,
  messages: WireMessages['messages'],
  sources: WireMessages['sources'],
): string {
  return `${begun(rest)},"messages":[${messages.map((message) => messageText(message, sources)).join(',')}]}`;
}

function messageText({ tool_calls: calls, ...said }: JsonObject, sources: WireMessages['sources']): string {
  if (!Array.isArray(calls)) return JSON.stringify(said);
  const texts = (calls as readonly JsonObject[]).map(({ function: body, ...call }) => {
    const { arguments: value = {}, ...named } = objectOr(body);
    return `${begun(call)},"function":${begun(named)},"arguments":${sources.get(value) ?? JSON.stringify(value)}}}`;
  });
  return `${begun(said)},"tool_calls":[${texts.join(',')}]}`;
}
