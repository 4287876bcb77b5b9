import type { MessagesDialect } from '@vouch/contracts';
import { messagesDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, local, withoutJsonMode } from './shared.ts';

const { thinkingDisplay: _noDisplay, ...plain }: MessagesDialect = messagesDialect;

// Servers that translate this wire: no format, no marks for a cache, system text in its own field.
const translatedDialect: MessagesDialect = {
  ...plain,
  systemMessages: 'leading',
  adaptiveThinking: 'enabled',
  cacheControl: false,
  imageUrls: false,
  schemaFormat: 'unsupported',
};

/** The Messages wire: its inventor, and those who translate it. */
export const messagesProviders: readonly ChatProviderRow[] = [
  {
    ...chat,
    id: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    envKeys: ['ANTHROPIC_API_KEY'],
    defaultModel: 'claude-sonnet-5',
    capabilities: withoutJsonMode('no'),
    dialect: messagesDialect,
  },
  {
    ...chat,
    // Overlooks a budget.
    id: 'deepseek-anthropic',
    baseUrl: 'https://api.deepseek.com/anthropic',
    envKeys: ['DEEPSEEK_API_KEY'],
    capabilities: withoutJsonMode('unmeasured'),
    dialect: translatedDialect,
  },
  {
    ...chat,
    id: 'moonshot-anthropic',
    baseUrl: 'https://api.moonshot.ai/anthropic',
    envKeys: ['MOONSHOT_API_KEY'],
    capabilities: withoutJsonMode('unmeasured'),
    dialect: { ...translatedDialect, effortField: 'none' },
  },
  {
    ...chat,
    id: 'zhipu-anthropic',
    baseUrl: 'https://api.z.ai/api/anthropic',
    envKeys: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
    capabilities: withoutJsonMode('unmeasured'),
    dialect: { ...translatedDialect, effortField: 'none' },
  },
  {
    ...local,
    // Ignores output_config without a word.
    id: 'llama.cpp-anthropic',
    baseUrl: 'http://localhost:8080',
    envKeys: ['LLAMA_API_KEY'],
    capabilities: withoutJsonMode('yes'),
    dialect: { ...translatedDialect, effortField: 'none' },
  },
];
