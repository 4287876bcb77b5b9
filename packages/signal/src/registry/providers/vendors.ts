import { compatibleDialect, openAiDialect, translatedResponsesDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, seedlessDialect, usual } from './shared.ts';

/** Vendors of models of their own that speak a wire of another's invention. */
export const vendorProviders: readonly ChatProviderRow[] = [
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
    dialect: { ...openAiDialect, schemaSubset: 'open', thinkingShape: 'reasoning-content', repeatsReasoningDeltas: true },
  },
  {
    ...chat,
    // Reasoning comes back encrypted on this wire alone.
    id: 'xai-responses',
    baseUrl: 'https://api.x.ai/v1',
    envKeys: ['XAI_API_KEY'],
    capabilities: usual('unmeasured'),
    dialect: { ...translatedResponsesDialect, encryptedReasoning: true },
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
    // The same service at its address in China.
    id: 'zhipu-cn',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    envKeys: ['ZHIPUAI_API_KEY'],
    capabilities: usual('unmeasured'),
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
