import type { ModelCapabilities, ModelFacts, ReasoningEffort } from '@vouch/contracts';
import { type ModelRow, unmeasuredModel } from '../model-row.ts';

// Of the capability tables of the vendor's documentation and of the packages that speak its wire, read on this day.
const documented = { source: 'documented', verified: '2026-11-30' } as const;

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const withFormat: ModelCapabilities = { ...unmeasuredModel, nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'yes', multimodal: 'yes' };
const withoutFormat: ModelCapabilities = { ...unmeasuredModel, nativeJsonSchema: 'no', toolsWithStructuredOutput: 'no', multimodal: 'yes' };

type Line = Omit<ModelFacts, 'contextTokens'> & { readonly capabilities: ModelCapabilities };

/** The rows of models that differ in their names alone. */
const line = (facts: Line, ...names: readonly string[]): readonly ModelRow[] =>
  names.map((name) => ({ id: `anthropic/claude-${name}`, ...facts, ...documented }));

// Thinks by itself, and takes neither a budget nor sampling parameters.
const adaptive = {
  thinking: 'adaptive',
  reasoningEfforts: efforts,
  samplingParameters: 'no',
  maxOutputTokens: 128_000,
  capabilities: withFormat,
} as const satisfies Line;

const newest = { ...adaptive, alwaysThinks: true, forcedToolChoice: 'no' } as const satisfies Line;

const budget = { thinking: 'budget', samplingParameters: 'yes', forcedToolChoice: 'yes' } as const satisfies Partial<Line>;

/** The models of the inventor of the Messages wire. */
export const messagesModels: readonly ModelRow[] = [
  // Nobody has looked at fable-5-2: it is taken to be as fable-5-1 is.
  ...line({ ...newest, prefixBoundThinking: true }, 'sonnet-5-5', 'opus-5-5', 'fable-5-1', 'fable-5-2'),
  ...line(newest, 'mythos-5-1'),
  // Reports of a refused forced call stand against a table that has it accepted.
  ...line({ ...adaptive, alwaysThinks: true, forcedToolChoice: 'unmeasured' }, 'fable-5', 'mythos-5', 'mythos-preview'),
  ...line({ ...adaptive, forcedToolChoice: 'yes', prefixBoundThinking: true }, 'haiku-5-5'),
  ...line({ ...adaptive, forcedToolChoice: 'yes' }, 'opus-5', 'sonnet-5', 'opus-4-8', 'opus-4-7'),
  // A budget is accepted still, and no longer meant.
  ...line({ ...adaptive, samplingParameters: 'yes', forcedToolChoice: 'yes' }, 'opus-4-6', 'sonnet-4-6'),
  ...line(
    { ...budget, maxOutputTokens: 64_000, capabilities: withFormat },
    'opus-4-5',
    'opus-4-5-20251101',
    'sonnet-4-5',
    'sonnet-4-5-20250929',
    'haiku-4-5',
    'haiku-4-5-20251001',
  ),
  ...line({ ...budget, maxOutputTokens: 32_000, capabilities: withFormat }, 'opus-4-1', 'opus-4-1-20250805'),
  ...line({ ...budget, maxOutputTokens: 64_000, capabilities: withoutFormat }, 'sonnet-4-0', 'sonnet-4-20250514', '3-7-sonnet-20250219'),
  ...line({ ...budget, maxOutputTokens: 32_000, capabilities: withoutFormat }, 'opus-4-0', 'opus-4-20250514'),
  ...line(
    {
      thinking: 'none',
      reasoningEfforts: [],
      samplingParameters: 'yes',
      forcedToolChoice: 'yes',
      maxOutputTokens: 8_192,
      capabilities: withoutFormat,
    },
    '3-5-sonnet-20241022',
    '3-5-haiku-20241022',
  ),
  ...line(
    {
      thinking: 'none',
      reasoningEfforts: [],
      samplingParameters: 'yes',
      forcedToolChoice: 'yes',
      maxOutputTokens: 4_096,
      capabilities: withoutFormat,
    },
    '3-haiku-20240307',
  ),
];
