import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabFormat, LabMessage, LabTool } from '../chat-request.ts';
import { depthFault, flagFault, nameFault, rangeFault, wholeFault } from './field-faults.ts';
import { readMessages } from './openai-chat-messages.ts';
import { schemaFault } from './openai-chat-schema.ts';
import { type Read, refuse, wrongType } from './refusal.ts';
import type { WireRefusal } from './wire.ts';

/** Reads a chat request, refusing what the wire refuses with its own messages. */
export function readChatRequest(body: JsonObject): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal } {
  const deep = depthFault(body);
  if (deep !== undefined) return { refusal: deep };
  if (typeof body.model !== 'string' || body.model === '') return refuse('you must provide a model parameter');
  const scalar = scalarFault(body);
  if (scalar !== undefined) return { refusal: scalar };
  const messages = readMessages(body.messages);
  if ('refusal' in messages) return messages;
  const tools = readTools(body.tools);
  if ('refusal' in tools) return tools;
  const toolChoice = readToolChoice(body, tools.value);
  if ('refusal' in toolChoice) return toolChoice;
  const format = readFormat(body.response_format, messages.value);
  if ('refusal' in format) return format;
  const limit = body.max_completion_tokens ?? body.max_tokens;
  const options = isJsonObject(body.stream_options) ? body.stream_options : {};
  return {
    request: {
      wire: 'openai-chat',
      model: body.model,
      messages: messages.value,
      tools: tools.value,
      toolChoice: toolChoice.value,
      format: format.value,
      stream: body.stream === true,
      includeUsage: options.include_usage === true,
      ...(typeof limit === 'number' ? { maxOutputTokens: limit } : {}),
      logprobs: body.logprobs === true,
      body,
    },
  };
}

function scalarFault(body: JsonObject): WireRefusal | undefined {
  return (
    wholeFault(body, 'max_tokens', 1) ??
    wholeFault(body, 'max_completion_tokens', 1) ??
    flagFault(body, 'stream') ??
    flagFault(body, 'logprobs') ??
    rangeFault(body, 'temperature', 0, 2) ??
    rangeFault(body, 'top_p', 0, 1) ??
    combinationFault(body)
  );
}

function combinationFault(body: JsonObject): WireRefusal | undefined {
  const given = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (given('max_tokens') && given('max_completion_tokens')) {
    return refuse(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
      'invalid_parameter_combination',
    ).refusal;
  }
  if (given('stream_options') && body.stream !== true) {
    return refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options').refusal;
  }
  if (given('top_logprobs') && body.logprobs !== true) {
    return refuse("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", 'top_logprobs').refusal;
  }
  if (given('n') && body.n !== 1)
    return refuse("Unsupported value: 'n' does not support more than 1 here; the lab gives one choice.", 'n', 'unsupported_value').refusal;
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    if (given(name) && !given('tools')) return refuse(`'${name}' is only allowed when 'tools' are specified.`, name).refusal;
  }
  return undefined;
}

function readTools(value: JsonValue | undefined): Read<readonly LabTool[]> {
  if (value === undefined || value === null) return { value: [] };
  if (!Array.isArray(value)) return { refusal: wrongType('tools', 'an array of objects', value) };
  if (value.length === 0)
    return refuse(
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'tools',
      'empty_array',
    );
  const tools: LabTool[] = [];
  for (const [index, entry] of value.entries()) {
    const tool = readTool(entry, `tools[${index}]`);
    if ('refusal' in tool) return tool;
    tools.push(tool.value);
  }
  return { value: tools };
}

function readTool(entry: JsonValue, place: string): Read<LabTool> {
  if (!isJsonObject(entry)) return { refusal: wrongType(place, 'an object', entry) };
  if (entry.type !== 'function')
    return refuse(`Invalid value: '${String(entry.type)}'. Supported values are: 'function'.`, `${place}.type`, 'invalid_value');
  const declared = entry.function;
  if (!isJsonObject(declared))
    return refuse(`Missing required parameter: '${place}.function'.`, `${place}.function`, 'missing_required_parameter');
  const fault = nameFault(declared.name, `${place}.function.name`);
  if (fault !== undefined) return { refusal: fault };
  const name = String(declared.name);
  const parameters = declared.parameters;
  if (parameters !== undefined && parameters !== null) {
    if (!isJsonObject(parameters)) return { refusal: wrongType(`${place}.function.parameters`, 'an object', parameters) };
    const schema = schemaFault(parameters, declared.strict === true ? 'strict' : 'function');
    if (schema !== undefined)
      return refuse(`Invalid schema for function '${name}': ${schema}`, `${place}.function.parameters`, 'invalid_function_parameters');
  }
  return {
    value: {
      name,
      ...(typeof declared.description === 'string' ? { description: declared.description } : {}),
      ...(isJsonObject(parameters) ? { parameters } : {}),
    },
  };
}

function readToolChoice(body: JsonObject, tools: readonly LabTool[]): Read<LabChatRequest['toolChoice']> {
  const choice = body.tool_choice;
  if (choice === undefined || choice === null) return { value: tools.length === 0 ? 'none' : 'auto' };
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { value: choice };
  if (typeof choice === 'string') {
    return refuse(`Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`, 'tool_choice', 'invalid_value');
  }
  if (!isJsonObject(choice)) return { refusal: wrongType('tool_choice', 'one of a string or an object', choice) };
  if (choice.type === 'allowed_tools' && isJsonObject(choice.allowed_tools))
    return { value: choice.allowed_tools.mode === 'required' ? 'required' : 'auto' };
  const name = choice.type === 'function' && isJsonObject(choice.function) ? choice.function.name : undefined;
  if (typeof name !== 'string')
    return refuse("Missing required parameter: 'tool_choice.function.name'.", 'tool_choice.function.name', 'missing_required_parameter');
  if (tools.some((tool) => tool.name === name)) return { value: { name } };
  return refuse(`Invalid value for 'tool_choice': no function named '${name}' was specified in the 'tools' parameter.`, 'tool_choice');
}

function readFormat(value: JsonValue | undefined, messages: readonly LabMessage[]): Read<LabFormat> {
  if (value === undefined || value === null) return { value: { type: 'text' } };
  if (!isJsonObject(value)) return { refusal: wrongType('response_format', 'an object', value) };
  if (value.type === 'text') return { value: { type: 'text' } };
  if (value.type === 'json_object') {
    if (messages.some((message) => /json/i.test(message.text))) return { value: { type: 'json_object' } };
    return refuse("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", 'messages');
  }
  if (value.type !== 'json_schema') {
    return refuse(
      `Invalid value: '${String(value.type)}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
      'response_format.type',
      'invalid_value',
    );
  }
  const named = value.json_schema;
  if (!isJsonObject(named))
    return refuse(
      "Missing required parameter: 'response_format.json_schema'.",
      'response_format.json_schema',
      'missing_required_parameter',
    );
  const fault = nameFault(named.name, 'response_format.json_schema.name');
  if (fault !== undefined) return { refusal: fault };
  if (!isJsonObject(named.schema))
    return refuse(
      "Missing required parameter: 'response_format.json_schema.schema'.",
      'response_format.json_schema.schema',
      'missing_required_parameter',
    );
  const schema = schemaFault(named.schema, named.strict === true ? 'strict' : 'schema');
  if (schema !== undefined) return refuse(`Invalid schema for response_format '${String(named.name)}': ${schema}`, 'response_format');
  return { value: { type: 'json_schema', name: String(named.name), schema: named.schema } };
}
