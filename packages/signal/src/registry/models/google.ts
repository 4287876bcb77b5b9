import type { ModelCapabilities } from '@vouch/contracts';
import { type ModelRow, unmeasuredModel } from '../model-row.ts';

// Of the vendor's documentation and SDK types, read on this day. A fact is that of the model's line.
const documented = { source: 'documented', verified: '2026-11-30' } as const;

// A format beside tools is refused before the third generation.
const second: ModelCapabilities = { ...unmeasuredModel, nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'no', multimodal: 'yes' };
const third: ModelCapabilities = { ...second, toolsWithStructuredOutput: 'yes' };

const withBudget = { thinking: 'budget', reasoningEfforts: [], capabilities: second, ...documented } as const;
const withLevels = {
  thinking: 'adaptive',
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
  capabilities: third,
  ...documented,
} as const;

/** The models of the inventor of the generateContent wire. */
export const googleModels: readonly ModelRow[] = [
  // Has no field for a JSON Schema as such.
  {
    id: 'google/gemini-2.0-flash',
    thinking: 'none',
    reasoningEfforts: [],
    capabilities: { ...second, nativeJsonSchema: 'no' },
    ...documented,
  },
  // Its budget cannot be zero.
  { id: 'google/gemini-2.5-pro', ...withBudget, alwaysThinks: true },
  { id: 'google/gemini-2.5-flash', ...withBudget },
  { id: 'google/gemini-2.5-flash-lite', ...withBudget },
  { id: 'google/gemini-3-pro-preview', ...withLevels },
  { id: 'google/gemini-3-flash-preview', ...withLevels },
];
