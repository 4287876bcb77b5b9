import type { ChatDialect } from '@vouch/contracts';
import { compatibleDialect, ollamaDialect, translatedResponsesDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, local, usual, withoutJsonMode } from './shared.ts';

const grammarDialect: ChatDialect = { ...compatibleDialect, schemaSubset: 'grammar' };

/** Servers of open models, most on one's own machine, with a grammar behind the schema format. */
export const serverProviders: readonly ChatProviderRow[] = [
  {
    ...local,
    // A prompt beyond the server's context is cut by the server without a word: `options.num_ctx` sets it.
    id: 'ollama',
    baseUrl: 'http://localhost:11434',
    envKeys: ['OLLAMA_API_KEY'],
    capabilities: usual('yes'),
    dialect: ollamaDialect,
  },
  {
    ...chat,
    id: 'ollama-cloud',
    baseUrl: 'https://ollama.com',
    envKeys: ['OLLAMA_API_KEY'],
    capabilities: usual('unmeasured'),
    dialect: ollamaDialect,
  },
  {
    // The server's own wire is another one; this is its compatible face.
    ...local,
    id: 'ollama-openai',
    baseUrl: 'http://localhost:11434/v1',
    capabilities: usual('yes'),
    // The tool choice is ignored there.
    dialect: { ...grammarDialect, toolChoice: { required: 'unsupported', named: false, none: false } },
  },
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
      ...grammarDialect,
      toolChoice: { required: 'required', named: false, none: true },
      parallelToolCallsField: true,
    },
  },
  {
    ...local,
    id: 'llama.cpp-responses',
    baseUrl: 'http://localhost:8080/v1',
    envKeys: ['LLAMA_API_KEY'],
    capabilities: withoutJsonMode('yes'),
    // Ignores the format, and calls an answer complete that its limit cut.
    dialect: { ...translatedResponsesDialect, schemaFormat: 'unsupported', jsonObjectFormat: false },
  },
  {
    ...local,
    id: 'lmstudio',
    baseUrl: 'http://localhost:1234/v1',
    capabilities: { ...usual('yes'), nativeJsonMode: 'no' },
    // Refuses `json_object`; object forms of the tool choice are not taken.
    dialect: {
      ...grammarDialect,
      toolChoice: { required: 'required', named: false, none: true },
      jsonObjectFormat: false,
      effortField: 'none',
    },
  },
  {
    ...local,
    id: 'lmstudio-responses',
    baseUrl: 'http://localhost:1234/v1',
    capabilities: withoutJsonMode('yes'),
    // Ignores the format.
    dialect: { ...translatedResponsesDialect, schemaFormat: 'unsupported', jsonObjectFormat: false },
  },
];
