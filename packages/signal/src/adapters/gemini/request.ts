import { configurationError, type JsonObject, type ResponseFormat } from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';
import { withFields } from '../request/fields.ts';
import { type WireContents, wireContents } from './contents.ts';
import { openApiSchema } from './open-api-schema.ts';
import { thinkingConfig } from './thinking.ts';
import { toolConfig, wireTools } from './tools.ts';

type Endpoint = Pick<WireEndpoint<'gemini'>, 'dialect' | 'provider'>;

/** The most stop sequences that the wire takes. */
const mostStops = 5;

/** The body of a request, and the carries that it leaves out. */
export interface GenerateContentBody {
  readonly body: JsonObject;
  readonly withheld: WireContents['withheld'];
}

/**
 * The body of a request. The model and the delivery stand in the path, not here. Throws before anything is sent: a configuration failure for what the
 * wire or the model does not have (a switch for parallel calls, more than five stop sequences, sampling of a model that takes none, an effort that it
 * does not know, system text in the middle) and for an `extraBody` that sets what is set already; `UnsupportedThinkingError` for thinking that cannot be
 * turned off. Prompt caching is the server's own matter on this wire and has no mark.
 */
export function generateContentBody(request: ProviderRequest, endpoint: Endpoint): GenerateContentBody {
  refuseOptions(request);
  const { dialect, provider } = endpoint;
  const source = { provider, model: request.model };
  // Models that think within a budget, or not at all, ask for no signature.
  const mode = request.facts?.thinking;
  const signs = mode !== 'none' && mode !== 'budget';
  const { systemInstruction, contents, withheld } = wireContents(request.messages, { dialect, source, signs });
  const tools = request.tools ?? [];
  const generationConfig = configOf(request, endpoint);
  const own: JsonObject = {
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    contents,
    ...(tools.length === 0 ? {} : { tools: wireTools(tools, dialect) }),
    ...(tools.length === 0 || request.toolChoice === undefined ? {} : { toolConfig: toolConfig(request.toolChoice) }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
  };
  return { body: withFields(own, dialect.body, request.options?.extraBody, sharedFields), withheld };
}

// One object or list for several options.
const sharedFields: ReadonlySet<string> = /* @__PURE__ */ new Set(['generationConfig', 'toolConfig', 'tools']);

function refuseOptions({ options = {}, facts, model, tools = [], toolChoice: choice }: ProviderRequest): void {
  const refuse = (what: string): never => {
    throw configurationError('E_CONFIGURATION', `${what} Leave it out, or choose another model or endpoint.`);
  };
  if ((options.stopSequences ?? []).length > mostStops) refuse(`stopSequences: the generateContent wire takes at most ${mostStops}.`);
  if (options.parallelToolCalls === false && tools.length > 0)
    refuse('parallelToolCalls: the generateContent wire has no switch for parallel calls.');
  if (facts?.forcedToolChoice === 'no' && (choice === 'required' || typeof choice === 'object'))
    refuse(`toolChoice: ${model} cannot be made to call a tool.`);
  if (facts?.samplingParameters !== 'no') return;
  if (options.temperature !== undefined) refuse(`temperature: ${model} takes no sampling parameters.`);
  if (options.topP !== undefined) refuse(`topP: ${model} takes no sampling parameters.`);
}

function configOf(request: ProviderRequest, endpoint: Endpoint): JsonObject {
  const { options = {}, responseFormat } = request;
  const { temperature, topP, maxOutputTokens, stopSequences = [], seed } = options;
  const thinking = thinkingConfig(request, endpoint);
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
    ...(seed === undefined ? {} : { seed }),
    ...(responseFormat === undefined ? {} : formatFields(responseFormat, endpoint)),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  };
}

function formatFields(format: ResponseFormat, { dialect }: Endpoint): JsonObject {
  const json: JsonObject = { responseMimeType: 'application/json' };
  if (format.type === 'json_object') return dialect.jsonObjectFormat ? json : {};
  if (dialect.schemaFormat === 'unsupported') return {};
  // A JSON Schema is JSON by its definition; its type here is looser.
  if (dialect.schemaField === 'responseJsonSchema') return { ...json, responseJsonSchema: format.schema as JsonObject };
  return { ...json, responseSchema: openApiSchema(format.schema, 'the response') };
}
