import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabFormat, LabMessage, LabTool } from '../../chat-request.ts';
import { depthFault, flagFault, nameFault, rangeFault, wholeFault } from '../field-faults.ts';
import { schemaFault } from '../openai-chat-schema.ts';
import { type Read, refuse, wrongType } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import { readInput } from './input.ts';
import { historyFault } from './judge.ts';
import type { Seal } from './seal.ts';

/** Where fields of the chat wire have gone. */
const moved: Readonly<Record<string, string>> = {
  messages: 'input',
  response_format: 'text.format',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
};

const fields = new Set(
  (
    'model input instructions max_output_tokens text tools tool_choice parallel_tool_calls reasoning include store previous_response_id conversation ' +
    'stream stream_options temperature top_p top_logprobs metadata service_tier truncation background context_management prompt_cache_key ' +
    'prompt_cache_retention safety_identifier moderation user'
  ).split(' '),
);

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const summaries = ['auto', 'concise', 'detailed'];
const includes = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
];

/** Reads a request, refusing what the wire refuses with its own messages. */
export function readResponsesRequest(
  body: JsonObject,
  seal: Seal,
): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal } {
  const fault = depthFault(body) ?? fieldFault(body) ?? scalarFault(body);
  if (fault !== undefined) return { refusal: fault };
  if (typeof body.model !== 'string' || body.model === '')
    return refuse("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  const input = readInput(body.input);
  if ('refusal' in input) return input;
  const history = historyFault(input.value.items, { seal, model: body.model, stateless: body.store === false });
  if (history !== undefined) return { refusal: history };
  const tools = readTools(body.tools);
  if ('refusal' in tools) return tools;
  const toolChoice = readToolChoice(body.tool_choice, tools.value);
  if ('refusal' in toolChoice) return toolChoice;
  const instructions: readonly LabMessage[] =
    typeof body.instructions === 'string' ? [{ role: 'system', text: body.instructions, toolCalls: [] }] : [];
  const messages = [...instructions, ...input.value.messages];
  const format = readFormat(isJsonObject(body.text) ? body.text.format : undefined, messages);
  if ('refusal' in format) return format;
  const { max_output_tokens: limit, reasoning } = body;
  return {
    request: {
      wire: 'openai-responses',
      model: body.model,
      messages,
      tools: tools.value,
      toolChoice: toolChoice.value,
      format: format.value,
      stream: body.stream === true,
      includeUsage: true,
      ...(typeof limit === 'number' ? { maxOutputTokens: limit } : {}),
      logprobs: asked(body, 'message.output_text.logprobs'),
      ...(isJsonObject(reasoning) ? { thinking: reasoning.effort !== 'none' } : {}),
      body,
    },
  };
}

/** The request includes this. */
export const asked = (body: JsonObject, what: string): boolean => Array.isArray(body.include) && body.include.some((one) => one === what);

function fieldFault(body: JsonObject): WireRefusal | undefined {
  for (const name of Object.keys(body)) {
    const home = Object.hasOwn(moved, name) ? moved[name] : undefined;
    if (home !== undefined) {
      const text = `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${home}'. Try again with the new parameter.`;
      return refuse(text, name, 'unsupported_parameter').refusal;
    }
    if (!fields.has(name)) return refuse(`Unknown parameter: '${name}'.`, name, 'unknown_parameter').refusal;
  }
  return undefined;
}

const invalid = (value: JsonValue, supported: readonly string[], parameter: string): WireRefusal =>
  refuse(
    `Invalid value: '${String(value)}'. Supported values are: ${supported.map((name) => `'${name}'`).join(', ')}.`,
    parameter,
    'invalid_value',
  ).refusal;

function scalarFault(body: JsonObject): WireRefusal | undefined {
  return (
    wholeFault(body, 'max_output_tokens', 16) ??
    flagFault(body, 'stream') ??
    flagFault(body, 'store') ??
    flagFault(body, 'parallel_tool_calls') ??
    rangeFault(body, 'temperature', 0, 2) ??
    rangeFault(body, 'top_p', 0, 1) ??
    reasoningFault(body.reasoning) ??
    includeFault(body.include) ??
    stateFault(body)
  );
}

function reasoningFault(value: JsonValue | undefined): WireRefusal | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) return wrongType('reasoning', 'an object', value);
  const { effort = null, summary = null } = value;
  if (effort !== null && !efforts.some((name) => name === effort)) return invalid(effort, efforts, 'reasoning.effort');
  return summary !== null && !summaries.some((name) => name === summary) ? invalid(summary, summaries, 'reasoning.summary') : undefined;
}

function includeFault(value: JsonValue | undefined): WireRefusal | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return wrongType('include', 'an array of strings', value);
  for (const [index, one] of value.entries())
    if (!includes.some((name) => name === one)) return invalid(one, includes, `include[${index}]`);
  return undefined;
}

function stateFault(body: JsonObject): WireRefusal | undefined {
  const given = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (given('stream_options') && body.stream !== true)
    return refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options').refusal;
  // The lab keeps nothing, so there is no response and no conversation to go on from.
  if (given('previous_response_id')) {
    const text = `Previous response with id '${String(body.previous_response_id)}' not found.`;
    return refuse(text, 'previous_response_id', 'previous_response_not_found').refusal;
  }
  if (given('conversation')) return { ...refuse('Conversation not found.', 'conversation').refusal, status: 404 };
  return given('background') && body.background !== false
    ? refuse('The lab does not answer in the background.', 'background', 'unsupported_value').refusal
    : undefined;
}

function readTools(value: JsonValue | undefined): Read<readonly LabTool[]> {
  if (value === undefined || value === null) return { value: [] };
  if (!Array.isArray(value)) return { refusal: wrongType('tools', 'an array of objects', value) };
  const tools: LabTool[] = [];
  for (const [index, entry] of value.entries()) {
    const place = `tools[${index}]`;
    if (!isJsonObject(entry)) return { refusal: wrongType(place, 'an object', entry) };
    if (entry.type !== 'function') return { refusal: invalid(entry.type ?? null, ['function'], `${place}.type`) };
    const tool = readTool(entry, place);
    if ('refusal' in tool) return tool;
    tools.push(tool.value);
  }
  return { value: tools };
}

function readTool(entry: JsonObject, place: string): Read<LabTool> {
  const fault = nameFault(entry.name, `${place}.name`);
  if (fault !== undefined) return { refusal: fault };
  const { parameters } = entry;
  if (parameters === undefined)
    return refuse(`Missing required parameter: '${place}.parameters'.`, `${place}.parameters`, 'missing_required_parameter');
  if (parameters !== null) {
    if (!isJsonObject(parameters)) return { refusal: wrongType(`${place}.parameters`, 'an object', parameters) };
    const schema = schemaFault(parameters, entry.strict === true ? 'strict' : 'function');
    if (schema !== undefined)
      return refuse(`Invalid schema for function '${String(entry.name)}': ${schema}`, `${place}.parameters`, 'invalid_function_parameters');
  }
  return {
    value: {
      name: String(entry.name),
      ...(typeof entry.description === 'string' ? { description: entry.description } : {}),
      ...(isJsonObject(parameters) ? { parameters } : {}),
    },
  };
}

function readToolChoice(choice: JsonValue | undefined, tools: readonly LabTool[]): Read<LabChatRequest['toolChoice']> {
  if (choice === undefined || choice === null) return { value: tools.length === 0 ? 'none' : 'auto' };
  if (choice === 'none' || choice === 'auto') return { value: choice };
  if (choice === 'required')
    return tools.length > 0 ? { value: choice } : refuse("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice');
  if (typeof choice === 'string') return { refusal: invalid(choice, ['none', 'auto', 'required'], 'tool_choice') };
  if (!isJsonObject(choice)) return { refusal: wrongType('tool_choice', 'one of a string or an object', choice) };
  if (choice.type === 'allowed_tools') return { value: choice.mode === 'required' ? 'required' : 'auto' };
  if (typeof choice.name !== 'string')
    return refuse("Missing required parameter: 'tool_choice.name'.", 'tool_choice.name', 'missing_required_parameter');
  const { name } = choice;
  if (tools.some((tool) => tool.name === name)) return { value: { name } };
  return refuse(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice');
}

function readFormat(value: JsonValue | undefined, messages: readonly LabMessage[]): Read<LabFormat> {
  if (value === undefined || value === null) return { value: { type: 'text' } };
  if (!isJsonObject(value)) return { refusal: wrongType('text.format', 'an object', value) };
  if (value.type === 'text') return { value: { type: 'text' } };
  if (value.type === 'json_object') {
    if (messages.some(({ text }) => /json/i.test(text))) return { value: { type: 'json_object' } };
    const text = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    return refuse(text, 'input');
  }
  if (value.type !== 'json_schema')
    return { refusal: invalid(value.type ?? null, ['json_object', 'json_schema', 'text'], 'text.format.type') };
  const fault = nameFault(value.name, 'text.format.name');
  if (fault !== undefined) return { refusal: fault };
  const { schema } = value;
  if (!isJsonObject(schema))
    return refuse("Missing required parameter: 'text.format.schema'.", 'text.format.schema', 'missing_required_parameter');
  const wrong = schemaFault(schema, value.strict === true ? 'strict' : 'schema');
  if (wrong !== undefined)
    return refuse(`Invalid schema for response_format '${String(value.name)}': ${wrong}`, 'text.format.schema', 'invalid_json_schema');
  return { value: { type: 'json_schema', name: String(value.name), schema } };
}
