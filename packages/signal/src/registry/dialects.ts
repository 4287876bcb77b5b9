import type {
  ChatDialect,
  ChatWireId,
  EndpointDialect,
  GenerateContentDialect,
  MessagesDialect,
  OllamaDialect,
  ResponsesDialect,
} from '@vouch/contracts';

/** The dialect of the wire's inventor; other rows override it by spread. */
export const openAiDialect: ChatDialect = {
  wire: 'openai-chat',
  outputLimitField: 'max_completion_tokens',
  systemRole: 'system',
  toolCallIds: 'verbatim',
  toolChoice: { required: 'required', named: true, none: true },
  seedField: 'seed',
  schemaFormat: 'json_schema',
  jsonObjectFormat: true,
  schemaSubset: 'openai-strict',
  streamUsageOption: true,
  parallelToolCallsField: true,
  reasoningReplay: 'never',
  effortField: 'reasoning_effort',
  repeatsReasoningDeltas: false,
  auth: 'bearer',
  path: '/chat/completions',
};

/** What a server of this wire understands that nobody described: the fields that all of them have. Default of a custom provider. */
export const compatibleDialect: ChatDialect = {
  ...openAiDialect,
  outputLimitField: 'max_tokens',
  schemaSubset: 'open',
  parallelToolCallsField: false,
  thinkingShape: 'reasoning-content',
};

/** The Responses wire as its inventor serves it, without state on the server. */
export const responsesDialect: ResponsesDialect = {
  wire: 'openai-responses',
  thinkingShape: 'openai',
  systemRole: 'instructions',
  toolChoice: { required: 'required', named: true, none: true },
  parallelToolCallsField: true,
  store: false,
  encryptedReasoning: true,
  effortField: 'reasoning.effort',
  reasoningSummary: 'auto',
  hidesTruncation: false,
  schemaFormat: 'json_schema',
  jsonObjectFormat: true,
  schemaSubset: 'openai-strict',
  auth: 'bearer',
  path: '/responses',
};

/** What a server that translates the Responses wire understands that nobody described. Default of a custom provider. */
export const translatedResponsesDialect: ResponsesDialect = {
  ...responsesDialect,
  encryptedReasoning: false,
  hidesTruncation: true,
  schemaSubset: 'open',
};

/** The Messages wire as its inventor serves it. */
export const messagesDialect: MessagesDialect = {
  wire: 'anthropic-messages',
  thinkingShape: 'anthropic',
  defaultMaxOutputTokens: 8_192,
  systemMessages: 'anywhere',
  adaptiveThinking: 'adaptive',
  thinkingDisplay: 'summarized',
  effortField: 'output_config.effort',
  cacheControl: true,
  imageUrls: true,
  schemaFormat: 'json_schema',
  jsonObjectFormat: false,
  schemaSubset: 'anthropic',
  auth: 'x-api-key',
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
};

/** The generateContent wire as its inventor serves it. */
export const generateContentDialect: GenerateContentDialect = {
  wire: 'gemini',
  thinkingShape: 'gemini',
  streamPath: '/models/{model}:streamGenerateContent',
  schemaField: 'responseJsonSchema',
  toolSchemaField: 'parametersJsonSchema',
  effortField: 'thinkingLevel',
  foreignSignature: 'skip_thought_signature_validator',
  schemaFormat: 'json_schema',
  jsonObjectFormat: true,
  schemaSubset: 'gemini',
  auth: 'x-goog-api-key',
  path: '/models/{model}:generateContent',
};

/** The /api/chat wire. */
export const ollamaDialect: OllamaDialect = {
  wire: 'ollama',
  thinkingShape: 'ollama',
  effortField: 'think',
  schemaFormat: 'json_schema',
  jsonObjectFormat: true,
  schemaSubset: 'grammar',
  auth: 'bearer',
  path: '/api/chat',
};

/** What an endpoint of a wire understands that nobody described: the dialect of a custom provider that states none. */
export const defaultDialects: { readonly [Wire in ChatWireId]: Extract<EndpointDialect, { readonly wire: Wire }> } = {
  'openai-chat': compatibleDialect,
  'openai-responses': translatedResponsesDialect,
  'anthropic-messages': messagesDialect,
  gemini: generateContentDialect,
  ollama: ollamaDialect,
};
