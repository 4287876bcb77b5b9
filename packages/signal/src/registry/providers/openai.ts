import { openAiDialect, responsesDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, usual } from './shared.ts';

/** The inventor of two of the wires, and the cloud that sells them too. */
export const openAiProviders: readonly ChatProviderRow[] = [
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
    id: 'azure-responses',
    baseUrlKey: { name: 'AZURE_OPENAI_ENDPOINT', path: '/openai/v1' },
    envKeys: ['AZURE_OPENAI_API_KEY'],
    capabilities: usual('yes'),
    dialect: { ...responsesDialect, auth: 'api-key-header' },
  },
  {
    ...chat,
    // The address of before `/v1`: the model is the name of a deployment, and the version of the interface must be said.
    id: 'azure-deployments',
    baseUrlKey: { name: 'AZURE_OPENAI_ENDPOINT', path: '/openai' },
    queryKeys: { 'api-version': 'OPENAI_API_VERSION' },
    envKeys: ['AZURE_OPENAI_API_KEY'],
    capabilities: usual('yes'),
    // Old versions refuse stream_options; older limits of the strict subset are met by its own refusals.
    dialect: { ...openAiDialect, auth: 'api-key-header', path: '/deployments/{model}/chat/completions', streamUsageOption: false },
  },
];
