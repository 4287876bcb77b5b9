import type { ModelCapabilities, ModelFacts } from '@vouch/contracts';
import { type ModelRow, unmeasuredModel } from '../model-row.ts';

// Of the vendor's documentation and SDK types, read on this day.
const documented = { source: 'documented', verified: '2026-11-30' } as const;

const withFormat: ModelCapabilities = { ...unmeasuredModel, nativeJsonSchema: 'yes', multimodal: 'yes' };

// Reasoning models refuse any temperature but the default.
const reasoning = {
  thinking: 'adaptive',
  reasoningEfforts: ['low', 'medium', 'high'],
  alwaysThinks: true,
  samplingParameters: 'no',
} as const satisfies ModelFacts;

const plain = { thinking: 'none', reasoningEfforts: [] } as const satisfies ModelFacts;

const onBothWires = (name: string, facts: ModelFacts): readonly ModelRow[] =>
  ['openai', 'openai-responses'].map((provider) => ({ id: `${provider}/${name}`, ...facts, capabilities: withFormat, ...documented }));

/** Models of which the documentation alone speaks; those that were measured on the chat wire stand with the measurements. */
export const openAiModels: readonly ModelRow[] = [
  ...onBothWires('o3', reasoning),
  ...onBothWires('o4-mini', reasoning),
  {
    id: 'openai-responses/gpt-4o',
    ...plain,
    contextTokens: 128_000,
    maxOutputTokens: 16_384,
    capabilities: withFormat,
    ...documented,
  },
  {
    id: 'openai-responses/gpt-4o-mini',
    ...plain,
    contextTokens: 128_000,
    maxOutputTokens: 16_384,
    capabilities: withFormat,
    ...documented,
  },
  {
    id: 'openai-responses/gpt-4.1-mini',
    ...plain,
    contextTokens: 1_047_576,
    maxOutputTokens: 32_768,
    capabilities: withFormat,
    ...documented,
  },
];
