import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabFormat, LabMessage } from '../../chat-request.ts';
import { depthFault } from '../field-faults.ts';
import type { Read } from '../refusal.ts';
import type { LabTarget, WireRefusal } from '../wire.ts';
import { messagesOf, readContent, readContents } from './contents.ts';
import { fieldSet, invalid, invalidField, readFields, wrongValue } from './fault.ts';
import { historyFault } from './judge.ts';
import { fromOpenApi, jsonSchemaFault, openApiFault } from './schema.ts';
import type { Seal } from './seal.ts';
import { readToolConfig, readTools } from './tools.ts';

const bodyFields = fieldSet('model contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent');
const configFields = fieldSet(
  'temperature topP topK maxOutputTokens candidateCount stopSequences seed presencePenalty frequencyPenalty responseLogprobs logprobs ' +
    'responseMimeType responseSchema responseJsonSchema responseModalities mediaResolution speechConfig thinkingConfig responseFormat',
);
const thinkingFields = fieldSet('includeThoughts thinkingBudget thinkingLevel');
const levels = ['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
const mimeTypes = ['text/plain', 'application/json', 'text/x.enum'];
const mostStops = 5;

const pathPattern = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The model and the delivery that a path names. */
export function readPath(path: string): { readonly model: string; readonly stream: boolean } | undefined {
  const [, name, method] = pathPattern.exec(path) ?? [];
  if (name === undefined) return undefined;
  try {
    return { model: decodeURIComponent(name), stream: method === 'streamGenerateContent' };
  } catch {
    return undefined;
  }
}

/** The model is of the line before 3, by the number in its name: its signatures are optional, and JSON mode and tools exclude each other. */
export function isOfOldLine(model: string): boolean {
  const [, version] = /^[a-z]{3,}-(\d+(?:\.\d+)?)(?:-|$)/.exec(model) ?? [];
  return version !== undefined && Number(version) < 3;
}

/** Reads a request, refusing what the wire refuses with its own messages. */
export function readGenerateRequest(
  body: JsonObject,
  target: LabTarget,
  seal: Seal,
): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal } {
  const path = readPath(target.path);
  if (path === undefined) return { refusal: { status: 404, message: 'Requested entity was not found.' } };
  const deep = depthFault(body);
  if (deep !== undefined) return { refusal: deep };
  const read = readFields(body, bodyFields, '');
  if ('refusal' in read) return read;
  const { fields } = read;
  const contents = readContents(fields.contents);
  if ('refusal' in contents) return contents;
  const system = readSystem(fields.systemInstruction);
  if ('refusal' in system) return system;
  const tools = readTools(fields.tools);
  if ('refusal' in tools) return tools;
  const toolChoice = readToolConfig(fields.toolConfig, tools.value);
  if ('refusal' in toolChoice) return toolChoice;
  const old = isOfOldLine(path.model);
  const config = readConfig(fields.generationConfig, { old, tools: tools.value.length > 0 });
  if ('refusal' in config) return config;
  const history = historyFault(contents.value, { seal, model: path.model, demandsSignatures: !old });
  if (history !== undefined) return { refusal: history };
  return {
    request: {
      wire: 'gemini',
      model: path.model,
      messages: [...system.value, ...messagesOf(contents.value)],
      tools: tools.value,
      toolChoice: toolChoice.value,
      stream: path.stream,
      // Without `alt=sse` the stream is one JSON list.
      ...(path.stream && target.query.get('alt') !== 'sse' ? { asList: true } : {}),
      includeUsage: true,
      body: { ...fields, generationConfig: config.value.fields },
      ...config.value.request,
    },
  };
}

function readSystem(value: JsonValue | undefined): Read<readonly LabMessage[]> {
  if (value === undefined) return { value: [] };
  const read = readContent(typeof value === 'string' ? { parts: [{ text: value }] } : value, 'system_instruction');
  if ('refusal' in read) return read;
  const texts = read.value.parts.map(({ text }) => text);
  if (texts.some((text) => typeof text !== 'string'))
    return { refusal: invalidField('system_instruction.parts', 'only text is supported') };
  return { value: [{ role: 'system', text: texts.join('\n'), toolCalls: [] }] };
}

interface ReadConfig {
  readonly fields: JsonObject;
  readonly request: Pick<LabChatRequest, 'format' | 'logprobs' | 'maxOutputTokens' | 'thinking'>;
}

interface ConfigContext {
  readonly old: boolean;
  readonly tools: boolean;
}

function readConfig(value: JsonValue | undefined, context: ConfigContext): Read<ReadConfig> {
  const read = readFields(value ?? {}, configFields, 'generation_config');
  if ('refusal' in read) return read;
  const { fields } = read;
  const fault = scalarFault(fields) ?? formatFault(fields, context);
  if (fault !== undefined) return { refusal: fault };
  const thinking = readThinking(fields.thinkingConfig, context);
  if ('refusal' in thinking) return thinking;
  const { maxOutputTokens: limit, responseLogprobs } = fields;
  return {
    value: {
      fields: { ...fields, ...(thinking.value === undefined ? {} : { thinkingConfig: thinking.value }) },
      request: {
        format: formatOf(fields),
        logprobs: responseLogprobs === true,
        ...(typeof limit === 'number' ? { maxOutputTokens: limit } : {}),
        ...(thinking.value === undefined ? {} : { thinking: thinking.value.thinkingBudget !== 0 }),
      },
    },
  };
}

const ranges: readonly (readonly [string, number, number])[] = [
  ['temperature', 0, 2],
  ['topP', 0, 1],
];

function scalarFault(fields: JsonObject): WireRefusal | undefined {
  for (const name of ['maxOutputTokens', 'seed', 'topK', 'candidateCount', 'logprobs']) {
    const value = fields[name];
    if (value !== undefined && !Number.isInteger(value)) return wrongValue(`generation_config.${name}`, 'TYPE_INT32', value);
  }
  if (Number(fields.maxOutputTokens ?? 1) < 1)
    return invalidField('generation_config.max_output_tokens', 'max_output_tokens must be positive.');
  if (Number(fields.candidateCount ?? 1) !== 1) return invalid('Multiple candidates is not enabled for this model');
  for (const [name, least, most] of ranges) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== 'number') return wrongValue(`generation_config.${name}`, 'TYPE_FLOAT', value);
    if (value < least || value > most)
      return invalidField(`generation_config.${name}`, `${name} must be in the range [${least}.0, ${most}.0].`);
  }
  const { stopSequences: stops = [] } = fields;
  const listed: readonly JsonValue[] = Array.isArray(stops) ? stops : [stops];
  if (listed.some((stop) => typeof stop !== 'string' || stop === ''))
    return invalidField('generation_config.stop_sequences', 'stop sequences must be non-empty strings.');
  return listed.length > mostStops
    ? invalidField('generation_config.stop_sequences', `at most ${mostStops} stop sequences are supported.`)
    : undefined;
}

function formatFault(
  { responseMimeType: mime, responseSchema, responseJsonSchema }: JsonObject,
  { old, tools }: ConfigContext,
): WireRefusal | undefined {
  if (mime !== undefined && !mimeTypes.some((one) => one === mime))
    return invalidField(
      'generation_config.response_mime_type',
      `allowed mimetypes are ${mimeTypes.map((one) => `\`${one}\``).join(', ')}.`,
    );
  if (mime === 'application/json' && old && tools)
    return invalid("Function calling with a response mime type: 'application/json' is unsupported");
  if (responseSchema === undefined && responseJsonSchema === undefined) return undefined;
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    return invalid('Only one of response_schema and response_json_schema can be set.');
  if (mime === undefined || mime === 'text/plain')
    return invalid('Unsupported response mime type for a response schema: only `application/json` and `text/x.enum` are supported.');
  const text =
    responseSchema === undefined
      ? jsonSchemaFault(responseJsonSchema ?? null)
      : openApiFault(responseSchema, 'generation_config.response_schema');
  return text === undefined ? undefined : invalid(text);
}

function formatOf({ responseMimeType: mime, responseSchema, responseJsonSchema }: JsonObject): LabFormat {
  const schema = responseSchema === undefined ? responseJsonSchema : fromOpenApi(responseSchema);
  if (isJsonObject(schema)) return { type: 'json_schema', name: 'response', schema: schema as JsonObject };
  return { type: mime === 'application/json' ? 'json_object' : 'text' };
}

function readThinking(value: JsonValue | undefined, { old }: ConfigContext): Read<JsonObject | undefined> {
  if (value === undefined) return { value: undefined };
  const read = readFields(value, thinkingFields, 'generation_config.thinking_config');
  if ('refusal' in read) return read;
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = read.fields;
  const place = 'generation_config.thinking_config';
  if (budget !== undefined && !(Number.isInteger(budget) && Number(budget) >= -1))
    return { refusal: wrongValue(`${place}.thinking_budget`, 'TYPE_INT32', budget) };
  if (includeThoughts !== undefined && typeof includeThoughts !== 'boolean')
    return { refusal: wrongValue(`${place}.include_thoughts`, 'TYPE_BOOL', includeThoughts) };
  if (level === undefined) return { value: read.fields };
  if (budget !== undefined) return { refusal: invalid('You can only set one of thinking budget and thinking level.') };
  if (typeof level !== 'string' || !levels.includes(level.toUpperCase()))
    return { refusal: wrongValue(`${place}.thinking_level`, 'ThinkingLevel', level) };
  return old ? { refusal: invalid('Thinking level is not supported for this model.') } : { value: read.fields };
}
