import { compatibleDialect, openAiDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, usual } from './shared.ts';

/** Hosts of other vendors' models. */
export const hostProviders: readonly ChatProviderRow[] = [
  {
    ...chat,
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    envKeys: ['GROQ_API_KEY'],
    defaultModel: 'qwen/qwen3.8-27b',
    // Checks tool names and arguments itself, and refuses the whole turn with what the model wrote in the error.
    capabilities: { nativeTools: 'yes', nativeJsonMode: 'yes', validatesToolArgs: 'yes', supportsEmbedding: 'no' },
    dialect: { ...openAiDialect, thinkingShape: 'reasoning-content', reasoningRequest: { reasoning_format: 'parsed' } },
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
      thinkingShape: 'reasoning-details',
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
    dialect: { ...openAiDialect, thinkingShape: 'reasoning-content', reasoningReplayField: 'reasoning', reasoningReplay: 'always' },
  },
];
