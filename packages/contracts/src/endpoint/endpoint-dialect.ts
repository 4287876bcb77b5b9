import type { JsonObject } from '../basics/json.ts';

/** In what shape an endpoint shows its reasoning: the id of the built-in thinking handler that reads it (TH-012). */
export type ThinkingShape = 'anthropic' | 'openai' | 'gemini' | 'ollama' | 'reasoning-content' | 'reasoning-details';

/** What the dialects of all wires say; data from a provider row that reaches the adapter as it is (SG-002). */
export interface WireDialect {
  /** How a JSON Schema response format is spelled. `unsupported`: none is sent. */
  readonly schemaFormat: 'json_schema' | 'json_object_with_schema' | 'unsupported';
  /** The endpoint takes a format of any JSON object. */
  readonly jsonObjectFormat: boolean;
  /** The schema subset that a sent schema is fitted to. `grammar`: what servers of open models turn into a grammar. `open`: any. */
  readonly schemaSubset: 'openai-strict' | 'anthropic' | 'gemini' | 'grammar' | 'open';
  /** Absent = the endpoint shows no reasoning. */
  readonly thinkingShape?: ThinkingShape;
  /** How the key travels. */
  readonly auth: 'bearer' | 'api-key-header' | 'x-api-key' | 'x-goog-api-key' | 'none';
  /** Path after the base URL; `{model}` stands for the model's name. */
  readonly path: string;
  /** Query added to every request, such as an api-version. */
  readonly query?: { readonly [name: string]: string };
  /** Headers added to every request. */
  readonly headers?: { readonly [name: string]: string };
  /** Body fields added to every request. */
  readonly body?: JsonObject;
}

/** Which tool choices an endpoint takes, and its word for `required`; what it does not take is left out of the request. */
export interface ToolChoiceDialect {
  readonly required: 'required' | 'any' | 'unsupported';
  readonly named: boolean;
  readonly none: boolean;
}

/** The facts in which endpoints of the Chat Completions wire differ. */
export interface ChatDialect extends WireDialect {
  readonly wire: 'openai-chat';
  /** Name of the field that bounds the output. */
  readonly outputLimitField: 'max_completion_tokens' | 'max_tokens';
  /** Role under which system text is sent. */
  readonly systemRole: 'system' | 'developer';
  /** `nine-alphanumeric`: foreign call ids are mapped, the same way in call and result, to `^[a-zA-Z0-9]{9}$`. */
  readonly toolCallIds: 'verbatim' | 'nine-alphanumeric';
  readonly toolChoice: ToolChoiceDialect;
  /** Name of the seed field; absent where there is none. */
  readonly seedField?: 'seed' | 'random_seed';
  /** The endpoint takes `stream_options: { include_usage: true }`. */
  readonly streamUsageOption: boolean;
  /** The endpoint takes `parallel_tool_calls`. */
  readonly parallelToolCallsField: boolean;
  /** Field in which reasoning goes back on an assistant message; absent = it never does. */
  readonly reasoningReplayField?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** When it goes back: always, or only on messages since the first tool call of a turn. */
  readonly reasoningReplay: 'never' | 'after-tool-calls' | 'always';
  /** How an effort is asked for. `none`: the endpoint has no such field. */
  readonly effortField: 'reasoning_effort' | 'reasoning.effort' | 'none';
  /** Body fields added when an effort is asked for, such as `{ "reasoning_format": "parsed" }`. */
  readonly reasoningRequest?: JsonObject;
  /** The endpoint repeats a reasoning delta; equal neighbours are one. */
  readonly repeatsReasoningDeltas: boolean;
}

/** The facts in which endpoints of the Responses wire differ. */
export interface ResponsesDialect extends WireDialect {
  readonly wire: 'openai-responses';
  /** Where system text goes: the `instructions` field, or items of that role. */
  readonly systemRole: 'instructions' | 'developer' | 'system';
  readonly toolChoice: ToolChoiceDialect;
  readonly parallelToolCallsField: boolean;
  /** The server keeps responses. False: `store: false` is sent, and reasoning travels encrypted. */
  readonly store: boolean;
  /** The endpoint takes `include: ["reasoning.encrypted_content"]`. */
  readonly encryptedReasoning: boolean;
  readonly effortField: 'reasoning.effort' | 'none';
  /** The reasoning summary that is asked for when thinking is; absent = none. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
  /** An answer that used the whole output limit was cut, though the server calls it complete (C30). */
  readonly hidesTruncation: boolean;
}

/** The facts in which endpoints of the Messages wire differ. */
export interface MessagesDialect extends WireDialect {
  readonly wire: 'anthropic-messages';
  /** Sent as `max_tokens`, which the wire requires, where neither the caller nor the model's row states a limit. */
  readonly defaultMaxOutputTokens: number;
  /** Where the endpoint takes system text. `leading`: in the `system` field alone; text that stands further on moves there. */
  readonly systemMessages: 'anywhere' | 'leading';
  /** How thinking without a budget is asked for: as `adaptive`, or as `enabled` with no budget. */
  readonly adaptiveThinking: 'adaptive' | 'enabled';
  /** What is asked to be shown of thinking; absent = the endpoint's own choice. */
  readonly thinkingDisplay?: 'summarized' | 'omitted';
  readonly effortField: 'output_config.effort' | 'none';
  /** The endpoint takes `cache_control`. */
  readonly cacheControl: boolean;
  /** The endpoint takes images by URL. */
  readonly imageUrls: boolean;
}

/** The facts in which endpoints of the generateContent wire differ. */
export interface GenerateContentDialect extends WireDialect {
  readonly wire: 'gemini';
  /** The path of a streamed answer; `path` is that of a whole one. */
  readonly streamPath: string;
  /** The field in which a response schema goes. */
  readonly schemaField: 'responseJsonSchema' | 'responseSchema';
  /** The field in which a tool's schema goes. */
  readonly toolSchemaField: 'parametersJsonSchema' | 'parameters';
  readonly effortField: 'thinkingLevel' | 'none';
  /** Stands in for the signature of a call that another model made; absent = such calls go without. */
  readonly foreignSignature?: string;
}

/** The facts in which endpoints of the /api/chat wire differ. */
export interface OllamaDialect extends WireDialect {
  readonly wire: 'ollama';
  readonly effortField: 'think' | 'none';
}

/** The facts in which endpoints of one wire differ, by wire. */
export type EndpointDialect = ChatDialect | ResponsesDialect | MessagesDialect | GenerateContentDialect | OllamaDialect;

/** The ids of the chat wires. */
export type ChatWireId = EndpointDialect['wire'];
