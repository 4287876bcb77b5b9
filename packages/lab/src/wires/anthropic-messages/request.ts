import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabFormat, LabMessage, LabTool } from '../../chat-request.ts';
import { depthFault } from '../field-faults.ts';
import { type Read, refuse } from '../refusal.ts';
import type { LabTarget, WireRefusal } from '../wire.ts';
import { conversationFault } from './judge.ts';
import { type LabConversation, readConversation } from './messages.ts';
import { scalarFault, thinkingFault } from './scalars.ts';
import { formatFault } from './schema.ts';
import type { Seal } from './seal.ts';

const fields = new Set(
  (
    'model max_tokens messages system temperature top_p top_k stop_sequences tools tool_choice thinking output_config output_format cache_control ' +
    'metadata service_tier speed container inference_geo stream anthropic_version anthropic_beta context_management'
  ).split(' '),
);
const toolFields = new Set(
  'name input_schema description strict type cache_control eager_input_streaming input_examples defer_loading allowed_callers'.split(' '),
);
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;
const mostCacheMarks = 4;
const mostStrictTools = 20;

const fault = (message: string): { readonly refusal: WireRefusal } => refuse(message);

/** Reads a request, refusing what the service refuses with its own messages. */
export function readMessagesRequest(
  body: JsonObject,
  target: LabTarget,
  seal: Seal,
): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal } {
  // Clouds that serve the wire have it in the body.
  if (target.headers['anthropic-version'] === undefined && body.anthropic_version === undefined)
    return fault('anthropic-version: header is required');
  const wrong = depthFault(body) ?? fieldFault(body) ?? scalarFault(body);
  if (wrong !== undefined) return { refusal: wrong };
  const system = readSystem(body.system);
  if ('refusal' in system) return system;
  const conversation = readConversation(body.messages);
  if ('refusal' in conversation) return conversation;
  const tools = readTools(body.tools);
  if ('refusal' in tools) return tools;
  const toolChoice = readToolChoice(body.tool_choice, tools.value);
  if ('refusal' in toolChoice) return toolChoice;
  const format = readFormat(body);
  if ('refusal' in format) return format;
  const thinking = isJsonObject(body.thinking) ? body.thinking.type : undefined;
  const judged =
    thinkingFault(body) ??
    markFault(body) ??
    endFault(conversation.value, body) ??
    conversationFault(conversation.value.turns, {
      seal,
      model: String(body.model),
      thinking: thinking === 'enabled' ? 'budget' : thinking === 'disabled' ? 'off' : undefined,
    });
  if (judged !== undefined) return { refusal: judged };
  return {
    request: {
      wire: 'anthropic-messages',
      model: String(body.model),
      messages: [...system.value, ...conversation.value.messages],
      tools: tools.value,
      toolChoice: toolChoice.value,
      format: format.value,
      stream: body.stream === true,
      includeUsage: true,
      maxOutputTokens: Number(body.max_tokens),
      logprobs: false,
      ...(thinking === undefined ? {} : { thinking: thinking !== 'disabled' }),
      body,
    },
  };
}

function fieldFault(body: JsonObject): WireRefusal | undefined {
  const extra = Object.keys(body).find((name) => !fields.has(name));
  return extra === undefined ? undefined : fault(`${extra}: Extra inputs are not permitted`).refusal;
}

function readSystem(value: JsonValue | undefined): Read<readonly LabMessage[]> {
  if (value === undefined) return { value: [] };
  if (typeof value === 'string') return { value: value === '' ? [] : [{ role: 'system', text: value, toolCalls: [] }] };
  if (!Array.isArray(value)) return fault('system: Input should be a valid string or list');
  const texts: string[] = [];
  for (const [index, block] of value.entries()) {
    if (!isJsonObject(block) || block.type !== 'text') return fault(`system.${index}.type: Input should be 'text'`);
    if (typeof block.text !== 'string') return fault(`system.${index}.text: Field required`);
    if (block.text === '') return fault('system: text content blocks must be non-empty');
    texts.push(block.text);
  }
  return { value: texts.length === 0 ? [] : [{ role: 'system', text: texts.join('\n'), toolCalls: [] }] };
}

function readTools(value: JsonValue | undefined): Read<readonly LabTool[]> {
  if (value === undefined) return { value: [] };
  if (!Array.isArray(value)) return fault('tools: Input should be a valid list');
  const tools: LabTool[] = [];
  let strict = 0;
  for (const [index, entry] of value.entries()) {
    const place = `tools.${index}`;
    if (!isJsonObject(entry)) return fault(`${place}: Input should be a valid dictionary or object to extract fields from`);
    if (entry.type !== undefined && entry.type !== 'custom')
      return fault(`${place}: Input tag '${String(entry.type)}' found using 'type' does not match any of the expected tags: 'custom'`);
    const wrong = toolFault(entry, `${place}.custom`);
    if (wrong !== undefined) return { refusal: wrong };
    if (tools.some(({ name }) => name === entry.name)) return fault('tools: Tool names must be unique.');
    if (entry.strict === true) strict += 1;
    tools.push({
      name: String(entry.name),
      ...(typeof entry.description === 'string' ? { description: entry.description } : {}),
      parameters: entry.input_schema as JsonObject,
    });
  }
  return strict > mostStrictTools ? fault(`tools: at most ${mostStrictTools} strict tools are supported`) : { value: tools };
}

function toolFault(entry: JsonObject, place: string): WireRefusal | undefined {
  const { name, input_schema: schema } = entry;
  const extra = Object.keys(entry).find((field) => !toolFields.has(field));
  if (extra !== undefined) return fault(`${place}.${extra}: Extra inputs are not permitted`).refusal;
  if (name === undefined) return fault(`${place}.name: Field required`).refusal;
  if (typeof name !== 'string' || !namePattern.test(name))
    return fault(`${place}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`).refusal;
  if (!isJsonObject(schema)) return fault(`${place}.input_schema: Field required`).refusal;
  if (schema.type === undefined) return fault(`${place}.input_schema.type: Field required`).refusal;
  if (schema.type !== 'object') return fault(`${place}.input_schema.type: Input should be 'object'`).refusal;
  const wrong = entry.strict === true ? formatFault(schema) : undefined;
  return wrong === undefined ? undefined : fault(`${place}.input_schema: ${wrong}`).refusal;
}

function readToolChoice(choice: JsonValue | undefined, tools: readonly LabTool[]): Read<LabChatRequest['toolChoice']> {
  if (choice === undefined) return { value: tools.length === 0 ? 'none' : 'auto' };
  const given = isJsonObject(choice) ? choice : {};
  const allowed = given.type === 'none' ? ['type'] : given.type === 'tool' ? ['type', 'name', single] : ['type', single];
  const extra = Object.keys(given).find((name) => !allowed.includes(name));
  if (extra !== undefined) return fault(`tool_choice.${String(given.type)}.${extra}: Extra inputs are not permitted`);
  if (tools.length === 0) return fault('tool_choice may only be specified while providing tools.');
  if (given.type === 'auto' || given.type === 'none') return { value: given.type };
  if (given.type === 'any') return { value: 'required' };
  if (given.type !== 'tool')
    return fault(
      `tool_choice: Input tag '${String(given.type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  if (typeof given.name !== 'string') return fault('tool_choice.tool.name: Field required');
  const { name } = given;
  return tools.some((tool) => tool.name === name) ? { value: { name } } : fault(`Tool '${name}' not found in provided tools`);
}

const single = 'disable_parallel_tool_use';

function readFormat(body: JsonObject): Read<LabFormat> {
  const config = isJsonObject(body.output_config) ? body.output_config : {};
  const [format, place] = config.format === undefined ? [body.output_format, 'output_format'] : [config.format, 'output_config.format'];
  if (format === undefined || format === null) return { value: { type: 'text' } };
  if (!isJsonObject(format) || format.type !== 'json_schema') return fault(`${place}.type: Input should be 'json_schema'`);
  const extra = Object.keys(format).find((name) => name !== 'type' && name !== 'schema');
  if (extra !== undefined) return fault(`${place}.${extra}: Extra inputs are not permitted`);
  if (!isJsonObject(format.schema)) return fault(`${place}.schema: Field required`);
  const wrong = formatFault(format.schema);
  return wrong === undefined
    ? { value: { type: 'json_schema', name: 'output', schema: format.schema } }
    : fault(`${place}.schema: ${wrong}`);
}

function markFault(body: JsonObject): WireRefusal | undefined {
  let marks = body.cache_control === undefined ? 0 : 1;
  const lists = [
    body.tools,
    body.system,
    ...(Array.isArray(body.messages) ? body.messages.map((one) => (isJsonObject(one) ? one.content : undefined)) : []),
  ];
  for (const list of lists) {
    const blocks: readonly JsonValue[] = Array.isArray(list) ? list : [];
    for (const block of blocks) {
      const mark = isJsonObject(block) ? block.cache_control : undefined;
      if (mark === undefined || mark === null) continue;
      marks += 1;
      const { type, ttl } = isJsonObject(mark) ? mark : {};
      if (type !== 'ephemeral') return fault("cache_control.type: Input should be 'ephemeral'").refusal;
      if (ttl !== undefined && ttl !== '5m' && ttl !== '1h')
        return fault("cache_control.ephemeral.ttl: Input should be '5m' or '1h'").refusal;
    }
  }
  if (marks <= mostCacheMarks) return undefined;
  return fault(`A maximum of ${mostCacheMarks} blocks with cache_control may be provided. Found ${marks}.`).refusal;
}

/** An answer that is begun for the model: not with white space at its end, and not beside thinking or a format. */
function endFault({ turns }: LabConversation, body: JsonObject): WireRefusal | undefined {
  const last = turns.at(-1);
  const end = last?.role === 'assistant' ? last.blocks.at(-1)?.block : undefined;
  if (end?.type !== 'text' || typeof end.text !== 'string') return undefined;
  if (end.text.trimEnd() !== end.text) return fault('messages: final assistant content cannot end with trailing whitespace').refusal;
  const thinks = isJsonObject(body.thinking) && body.thinking.type !== 'disabled';
  const formatted = isJsonObject(body.output_config) && body.output_config.format !== undefined;
  return thinks || formatted
    ? fault('This model does not support assistant message prefill. The conversation must end with a user message.').refusal
    : undefined;
}
