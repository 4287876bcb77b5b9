import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabFormat, LabTool } from '../../chat-request.ts';
import { depthFault } from '../field-faults.ts';
import { type Read, refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import { readMessages } from './messages.ts';
import { objectOf, typeFault } from './type-fault.ts';

/** The types of the options that the service knows; it takes others with a word in its log alone. */
const optionTypes: Readonly<Record<string, 'integer' | 'float32' | 'string slice'>> = {
  num_ctx: 'integer',
  num_predict: 'integer',
  num_keep: 'integer',
  seed: 'integer',
  top_k: 'integer',
  repeat_last_n: 'integer',
  temperature: 'float32',
  top_p: 'float32',
  min_p: 'float32',
  repeat_penalty: 'float32',
  presence_penalty: 'float32',
  frequency_penalty: 'float32',
  stop: 'string slice',
};

const levels: readonly JsonValue[] = ['low', 'medium', 'high', 'max'];

/** Reads a request, refusing what the service cannot decode with its own messages. Unknown fields are overlooked, as its decoder does. */
export function readOllamaRequest(body: JsonObject): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal } {
  const fault = depthFault(body) ?? fieldsFault(body);
  if (fault !== undefined) return { refusal: fault };
  const { model, options = null, think = null } = body;
  if (typeof model !== 'string' || model === '') return refuse('model is required');
  const messages = readMessages(body.messages ?? null);
  if ('refusal' in messages) return messages;
  const tools = readTools(body.tools ?? null);
  if ('refusal' in tools) return tools;
  const format = readFormat(body.format ?? null);
  if ('refusal' in format) return format;
  const limit = isJsonObject(options) ? options.num_predict : undefined;
  return {
    request: {
      wire: 'ollama',
      model,
      messages: messages.value,
      tools: tools.value,
      toolChoice: 'auto',
      format: format.value,
      stream: body.stream !== false,
      includeUsage: true,
      // Negative: no limit.
      ...(typeof limit === 'number' && limit >= 0 ? { maxOutputTokens: limit } : {}),
      logprobs: body.logprobs === true,
      ...(think === null ? {} : { thinking: think !== false }),
      body,
    },
  };
}

function fieldsFault(body: JsonObject): WireRefusal | undefined {
  return (
    typeFault(body.model, 'model', 'string') ??
    typeFault(body.stream, 'stream', 'bool') ??
    typeFault(body.logprobs, 'logprobs', 'bool') ??
    thinkFault(body.think) ??
    typeFault(body.options, 'options', 'map[string]interface {}') ??
    optionsFault(body.options)
  );
}

function thinkFault(value: JsonValue | undefined): WireRefusal | undefined {
  if (value === undefined || value === null || typeof value === 'boolean' || levels.includes(value)) return undefined;
  const accepted = '(must be "high", "medium", "low", "max", true, or false)';
  if (typeof value === 'string') return refuse(`invalid think value: ${JSON.stringify(value)} ${accepted}`).refusal;
  return refuse('think must be a boolean or string ("high", "medium", "low", "max", true, or false)').refusal;
}

function optionsFault(options: JsonValue | undefined): WireRefusal | undefined {
  if (!isJsonObject(options)) return undefined;
  for (const [name, value] of Object.entries(options as JsonObject)) {
    const type = Object.hasOwn(optionTypes, name) ? optionTypes[name] : undefined;
    const fits =
      type === undefined ||
      value === null ||
      (type === 'string slice' ? Array.isArray(value) && value.every((one) => typeof one === 'string') : typeof value === 'number');
    if (!fits) return refuse(`option "${name}" must be of type ${type}`).refusal;
  }
  return undefined;
}

function readTools(value: JsonValue): Read<readonly LabTool[]> {
  const fault = typeFault(value, 'tools', '[]api.Tool');
  if (fault !== undefined) return { refusal: fault };
  const tools: LabTool[] = [];
  for (const entry of Array.isArray(value) ? (value as readonly JsonValue[]) : []) {
    const wrong = typeFault(entry, 'tools', 'api.Tool') ?? typeFault(memberOf(entry, 'function'), 'tools.function', 'api.ToolFunction');
    if (wrong !== undefined) return { refusal: wrong };
    const { name, description, parameters } = objectOf(memberOf(entry, 'function'));
    const inner =
      typeFault(name, 'tools.function.name', 'string') ??
      typeFault(description, 'tools.function.description', 'string') ??
      typeFault(parameters, 'tools.function.parameters', 'api.ToolFunctionParameters');
    if (inner !== undefined) return { refusal: inner };
    tools.push({
      name: String(name ?? ''),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isJsonObject(parameters) ? { parameters: parameters as JsonObject } : {}),
    });
  }
  return { value: tools };
}

const memberOf = (value: JsonValue, name: string): JsonValue | undefined => objectOf(value)[name];

function readFormat(value: JsonValue): Read<LabFormat> {
  if (value === null || value === '') return { value: { type: 'text' } };
  if (value === 'json') return { value: { type: 'json_object' } };
  if (isJsonObject(value)) return { value: { type: 'json_schema', name: 'format', schema: value as JsonObject } };
  return refuse(`invalid format: ${JSON.stringify(JSON.stringify(value))}; expected "json" or a valid JSON Schema object`);
}
