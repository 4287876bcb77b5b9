import type { ModelCapabilities } from '@vouch/contracts';
import type { ModelRow } from '../model-row.ts';

// Published measurements of that day, not ours: no row here was printed by our own probe.
const published = { source: 'documented', verified: '2026-09-24' } as const;

const everyRoutedEffort = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const routedEffortsFromMinimal = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const clean: ModelCapabilities = {
  nativeJsonSchema: 'yes',
  toolsWithStructuredOutput: 'yes',
  manglesNestedToolArgs: 'no',
  multimodal: 'yes',
};

// Of the vendors' model pages.
const limits4o = { contextTokens: 128_000, maxOutputTokens: 16_384 } as const;
const limitsOfHostedOss = { contextTokens: 131_072, maxOutputTokens: 65_536 } as const;

/** Models whose measurements were published. "Mangled k of 20" counts tool calls with corrupt nested arguments. */
export const publishedModels: readonly ModelRow[] = [
  {
    // Mangled 3 of 20. Its grammar empties the content.
    id: 'groq/qwen/qwen3.8-27b',
    capabilities: { nativeJsonSchema: 'no', toolsWithStructuredOutput: 'no', manglesNestedToolArgs: 'yes', multimodal: 'yes' },
    reasoningEfforts: ['none', 'default', 'low', 'medium', 'high'],
    thinking: 'adaptive',
    ...published,
  },
  {
    // Mangled 1 of 20.
    id: 'groq/openai/gpt-oss-120b',
    capabilities: { nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'no', manglesNestedToolArgs: 'yes', multimodal: 'no' },
    reasoningEfforts: ['low', 'medium', 'high'],
    thinking: 'adaptive',
    ...limitsOfHostedOss,
    ...published,
  },
  {
    // Mangled 6 of 20.
    id: 'groq/openai/gpt-oss-20b',
    capabilities: { nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'no', manglesNestedToolArgs: 'yes', multimodal: 'no' },
    reasoningEfforts: ['low', 'medium', 'high'],
    thinking: 'adaptive',
    ...limitsOfHostedOss,
    ...published,
  },
  { id: 'openai/gpt-4o', capabilities: clean, reasoningEfforts: [], thinking: 'none', ...limits4o, ...published },
  { id: 'openai/gpt-4o-mini', capabilities: clean, reasoningEfforts: [], thinking: 'none', ...limits4o, ...published },
  {
    id: 'openai/gpt-4.1-mini',
    capabilities: clean,
    reasoningEfforts: [],
    thinking: 'none',
    contextTokens: 1_047_576,
    maxOutputTokens: 32_768,
    ...published,
  },
  {
    id: 'openrouter/qwen/qwen3.8-27b',
    capabilities: clean,
    reasoningEfforts: everyRoutedEffort,
    thinking: 'adaptive',
    ...published,
  },
  // The router takes every effort, for models too that do not reason.
  { id: 'openrouter/openai/gpt-4o', capabilities: clean, reasoningEfforts: everyRoutedEffort, thinking: 'none', ...published },
  { id: 'openrouter/openai/gpt-4o-mini', capabilities: clean, reasoningEfforts: everyRoutedEffort, thinking: 'none', ...published },
  { id: 'openrouter/openai/gpt-5.6-luna', capabilities: clean, reasoningEfforts: everyRoutedEffort, thinking: 'adaptive', ...published },
  {
    id: 'openrouter/openai/gpt-oss-120b',
    capabilities: { ...clean, nativeJsonSchema: 'no', multimodal: 'no' },
    reasoningEfforts: routedEffortsFromMinimal,
    thinking: 'adaptive',
    ...published,
  },
  {
    id: 'openrouter/openai/gpt-oss-20b',
    capabilities: { ...clean, nativeJsonSchema: 'no', multimodal: 'no' },
    reasoningEfforts: routedEffortsFromMinimal,
    thinking: 'adaptive',
    ...published,
  },
  {
    // Mangled 1 of 20.
    id: 'openrouter/z-ai/glm-5.2',
    capabilities: { ...clean, manglesNestedToolArgs: 'yes', multimodal: 'no' },
    reasoningEfforts: everyRoutedEffort,
    thinking: 'adaptive',
    ...published,
  },
  {
    // Mangled 9 of 20.
    id: 'openrouter/meta-llama/llama-3.3-70b-instruct',
    capabilities: { ...clean, nativeJsonSchema: 'no', manglesNestedToolArgs: 'yes', multimodal: 'no' },
    reasoningEfforts: everyRoutedEffort,
    thinking: 'none',
    ...published,
  },
];
