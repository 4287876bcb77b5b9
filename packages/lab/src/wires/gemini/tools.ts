import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabTool } from '../../chat-request.ts';
import type { Read } from '../refusal.ts';
import { fieldSet, invalid, invalidField, readFields, wrongValue } from './fault.ts';
import { fromOpenApi, jsonSchemaFault, openApiFault } from './schema.ts';

/** Of the hosted tools the lab has none; it takes and ignores them. */
const toolFields = fieldSet(
  'functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext computerUse fileSearch googleMaps',
);
const declarationFields = fieldSet('name description parameters parametersJsonSchema response responseJsonSchema behavior');
const configFields = fieldSet('functionCallingConfig retrievalConfig includeServerSideToolInvocations');
const callingFields = fieldSet('mode allowedFunctionNames streamFunctionCallArguments');
const namePattern = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];

/** Reads the declared functions. */
export function readTools(value: JsonValue | undefined): Read<readonly LabTool[]> {
  if (value === undefined) return { value: [] };
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const tools: LabTool[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readFields(entry, toolFields, `tools[${index}]`);
    if ('refusal' in read) return read;
    const { functionDeclarations: declarations = [] } = read.fields;
    if (!Array.isArray(declarations))
      return { refusal: wrongValue(`tools[${index}].function_declarations`, 'FunctionDeclaration', declarations) };
    for (const [place, one] of declarations.entries()) {
      const tool = readDeclaration(one, `tools[${index}].function_declarations[${place}]`);
      if ('refusal' in tool) return tool;
      if (tools.some(({ name }) => name === tool.value.name))
        return { refusal: invalid(`Duplicate function declaration found: ${tool.value.name}`) };
      tools.push(tool.value);
    }
  }
  return { value: tools };
}

function readDeclaration(entry: JsonValue, place: string): Read<LabTool> {
  const read = readFields(entry, declarationFields, place);
  if ('refusal' in read) return read;
  const { name, description, parameters, parametersJsonSchema } = read.fields;
  if (typeof name !== 'string' || !namePattern.test(name)) {
    const text =
      'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.';
    return { refusal: invalidField(`${place}.name`, text) };
  }
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    return { refusal: invalid(`Only one of parameters and parameters_json_schema can be set at '${place}'.`) };
  const fault =
    parameters !== undefined
      ? openApiFault(parameters, `${place}.parameters`)
      : parametersJsonSchema === undefined
        ? undefined
        : jsonSchemaFault(parametersJsonSchema);
  if (fault !== undefined) return { refusal: invalid(fault) };
  const schema = parameters === undefined ? parametersJsonSchema : fromOpenApi(parameters);
  return {
    value: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isJsonObject(schema) ? { parameters: schema as JsonObject } : {}),
    },
  };
}

/** Reads the tool choice. */
export function readToolConfig(value: JsonValue | undefined, tools: readonly LabTool[]): Read<LabChatRequest['toolChoice']> {
  const byItself = tools.length === 0 ? 'none' : 'auto';
  if (value === undefined) return { value: byItself };
  const config = readFields(value, configFields, 'tool_config');
  if ('refusal' in config) return config;
  if (config.fields.functionCallingConfig === undefined) return { value: byItself };
  const calling = readFields(config.fields.functionCallingConfig, callingFields, 'tool_config.function_calling_config');
  if ('refusal' in calling) return calling;
  const { mode = 'MODE_UNSPECIFIED', allowedFunctionNames: allowed = [] } = calling.fields;
  if (typeof mode !== 'string' || !modes.includes(mode))
    return { refusal: wrongValue('tool_config.function_calling_config.mode', 'FunctionCallingConfig.Mode', mode) };
  const names: readonly JsonValue[] = Array.isArray(allowed) ? allowed : [allowed];
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    return {
      refusal: invalid('Function calling config: allowed_function_names should only be set when the function calling mode is ANY.'),
    };
  const stranger = names.find((name) => !tools.some((tool) => tool.name === name));
  if (stranger !== undefined)
    return { refusal: invalid(`allowed_function_names: "${String(stranger)}" is not the name of a declared function.`) };
  if (mode === 'NONE' || tools.length === 0) return { value: 'none' };
  if (mode !== 'ANY') return { value: 'auto' };
  const [only] = names;
  return { value: names.length === 1 && typeof only === 'string' ? { name: only } : 'required' };
}
