import type { ChatDialect, EndpointCapabilities } from '@vouch/contracts';
import { compatibleDialect, openAiDialect, responsesDialect } from './dialects.ts';
import type { ChatProviderRow, ProviderRow } from './provider-row.ts';

// Every row was read in vendors' documentation and SDK types on this day; none was measured.
const documented = { source: 'documented', verified: '2026-11-30' } as const;
const chat = { kind: 'chat', apiKey: 'required', wire: [], ...documented } as const;

/** Tools and JSON mode, no checking of arguments; embedding as stated. */
const usual = (supportsEmbedding: EndpointCapabilities['supportsEmbedding']): EndpointCapabilities => ({
  nativeTools: 'yes',
  nativeJsonMode: 'yes',
  validatesToolArgs: 'no',
  supportsEmbedding,
});

// These take no seed, and refuse or ignore it when it comes.
const { seedField: _noSeed, ...seedlessDialect }: ChatDialect = compatibleDialect;

const labs: readonly ChatProviderRow[] = [
  {
    ...chat,
    id: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    envKeys: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-4o',
    capabilities: usual('yes'),
    dialect: openAiDialect,
    // Older models answer several lines of JSON where one value was asked.
    wire: ['jsonl-lines'],
  },
  {
    ...chat,
    // The same service by its other wire: reasoning that goes back, summaries, no stop sequences and no seed.
    id: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    envKeys: ['OPENAI_API_KEY'],
    capabilities: usual('yes'),
    dialect: responsesDialect,
  },
  {
    ...chat,
    id: 'azure',
    baseUrlKey: { name: 'AZURE_OPENAI_ENDPOINT', path: '/openai/v1' },
    envKeys: ['AZURE_OPENAI_API_KEY'],
    capabilities: usual('yes'),
    dialect: { ...openAiDialect, auth: 'api-key-header' },
  },
  {
    ...chat,
    id: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    envKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    capabilities: usual('yes'),
    // Unknown fields are refused; usage comes on every chunk unasked.
    dialect: { ...seedlessDialect, streamUsageOption: false },
  },
  {
    ...chat,
    id: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    envKeys: ['MISTRAL_API_KEY'],
    capabilities: usual('yes'),
    // Unknown fields are refused; usage comes on the last choice chunk unasked.
    dialect: {
      ...compatibleDialect,
      toolCallIds: 'nine-alphanumeric',
      toolChoice: { required: 'any', named: true, none: true },
      seedField: 'random_seed',
      streamUsageOption: false,
      parallelToolCallsField: true,
    },
  },
  {
    ...chat,
    id: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    envKeys: ['XAI_API_KEY'],
    capabilities: usual('unmeasured'),
    dialect: { ...openAiDialect, schemaSubset: 'open', repeatsReasoningDeltas: true },
  },
  {
    ...chat,
    id: 'deepseek',
    baseUrl: 'https://api.deepseek.com',
    envKeys: ['DEEPSEEK_API_KEY'],
    capabilities: usual('unmeasured'),
    // After a turn with tool calls, a request without that turn's reasoning is refused.
    dialect: {
      ...seedlessDialect,
      schemaFormat: 'unsupported',
      reasoningReplayField: 'reasoning_content',
      reasoningReplay: 'after-tool-calls',
    },
  },
  {
    ...chat,
    id: 'moonshot',
    baseUrl: 'https://api.moonshot.ai/v1',
    envKeys: ['MOONSHOT_API_KEY'],
    capabilities: usual('unmeasured'),
    // Older models refuse the choice `required`. The subset wants an object at the root and no tuples.
    dialect: {
      ...seedlessDialect,
      outputLimitField: 'max_completion_tokens',
      toolChoice: { required: 'unsupported', named: true, none: true },
      schemaSubset: 'openai-strict',
      reasoningReplayField: 'reasoning_content',
      reasoningReplay: 'after-tool-calls',
    },
  },
  {
    ...chat,
    id: 'qwen',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    envKeys: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
    capabilities: usual('unmeasured'),
    // Reasoning is a switch there, with no efforts.
    dialect: {
      ...compatibleDialect,
      toolChoice: { required: 'unsupported', named: true, none: true },
      parallelToolCallsField: true,
      effortField: 'none',
    },
  },
  {
    ...chat,
    id: 'zhipu',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    envKeys: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
    capabilities: usual('unmeasured'),
    // Takes the tool choice `auto` alone, and no stream_options.
    dialect: {
      ...seedlessDialect,
      toolChoice: { required: 'unsupported', named: false, none: false },
      schemaFormat: 'unsupported',
      streamUsageOption: false,
      reasoningReplayField: 'reasoning_content',
      reasoningReplay: 'after-tool-calls',
      effortField: 'none',
    },
  },
  {
    ...chat,
    id: 'perplexity',
    baseUrl: 'https://api.perplexity.ai',
    envKeys: ['PERPLEXITY_API_KEY'],
    capabilities: { nativeTools: 'no', nativeJsonMode: 'no', validatesToolArgs: 'no', supportsEmbedding: 'unmeasured' },
    dialect: {
      ...seedlessDialect,
      toolChoice: { required: 'unsupported', named: false, none: false },
      jsonObjectFormat: false,
      streamUsageOption: false,
      effortField: 'none',
    },
  },
];

const hosts: readonly ChatProviderRow[] = [
  {
    ...chat,
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    envKeys: ['GROQ_API_KEY'],
    defaultModel: 'qwen/qwen3.8-27b',
    // Checks tool names and arguments itself, and refuses the whole turn with what the model wrote in the error.
    capabilities: { nativeTools: 'yes', nativeJsonMode: 'yes', validatesToolArgs: 'yes', supportsEmbedding: 'no' },
    dialect: { ...openAiDialect, reasoningRequest: { reasoning_format: 'parsed' } },
    wire: ['failed-generation'],
  },
  {
    ...chat,
    id: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    envKeys: ['OPENROUTER_API_KEY'],
    defaultModel: 'openai/gpt-4o',
    capabilities: usual('no'),
    dialect: {
      ...openAiDialect,
      outputLimitField: 'max_tokens',
      effortField: 'reasoning.effort',
      reasoningRequest: { reasoning: { enabled: true } },
      reasoningReplayField: 'reasoning_details',
      reasoningReplay: 'always',
    },
  },
  {
    ...chat,
    id: 'together',
    baseUrl: 'https://api.together.xyz/v1',
    envKeys: ['TOGETHER_API_KEY'],
    capabilities: usual('unmeasured'),
    // Usage comes on the last choice chunk unasked.
    dialect: { ...compatibleDialect, streamUsageOption: false },
  },
  {
    ...chat,
    id: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    envKeys: ['FIREWORKS_API_KEY'],
    capabilities: usual('unmeasured'),
    // Usage comes on the last choice chunk unasked.
    dialect: {
      ...compatibleDialect,
      streamUsageOption: false,
      reasoningReplayField: 'reasoning_content',
      reasoningReplay: 'after-tool-calls',
    },
  },
  {
    ...chat,
    id: 'cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    envKeys: ['CEREBRAS_API_KEY'],
    capabilities: usual('unmeasured'),
    dialect: { ...openAiDialect, reasoningReplayField: 'reasoning', reasoningReplay: 'always' },
  },
];

// Servers on one's own machine: any key or none, a grammar behind the schema format.
const local = { ...chat, envKeys: [], apiKey: 'optional' } as const;

const servers: readonly ChatProviderRow[] = [
  {
    ...local,
    id: 'vllm',
    baseUrl: 'http://localhost:8000/v1',
    envKeys: ['VLLM_API_KEY'],
    capabilities: usual('yes'),
    dialect: { ...compatibleDialect, parallelToolCallsField: true },
  },
  {
    ...local,
    id: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    envKeys: ['LLAMA_API_KEY'],
    capabilities: usual('yes'),
    dialect: {
      ...compatibleDialect,
      toolChoice: { required: 'required', named: false, none: true },
      parallelToolCallsField: true,
    },
  },
  {
    ...local,
    id: 'lmstudio',
    baseUrl: 'http://localhost:1234/v1',
    capabilities: { ...usual('yes'), nativeJsonMode: 'no' },
    // Refuses `json_object`; object forms of the tool choice are not taken.
    dialect: {
      ...compatibleDialect,
      toolChoice: { required: 'required', named: false, none: true },
      jsonObjectFormat: false,
      effortField: 'none',
    },
  },
  {
    // The server's own wire is another one; this is its compatible face.
    ...local,
    id: 'ollama-openai',
    baseUrl: 'http://localhost:11434/v1',
    capabilities: usual('yes'),
    // The tool choice is ignored there.
    dialect: { ...compatibleDialect, toolChoice: { required: 'unsupported', named: false, none: false } },
  },
];

/** Every endpoint known, as data (SG-022). */
export const providerRows: readonly ProviderRow[] = [...labs, ...hosts, ...servers];
