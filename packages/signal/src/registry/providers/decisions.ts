import type { DecisionProviderRow } from '../provider-row.ts';
import { documented } from './shared.ts';

const decisions = { kind: 'decisions', apiKey: 'required', ...documented } as const;

/** Endpoints that answer decisions and no chat. */
export const decisionProviders: readonly DecisionProviderRow[] = [
  {
    ...decisions,
    id: 'typesafe',
    baseUrl: 'https://api.typesafe.ai/v1',
    envKeys: ['TYPESAFE_API_KEY'],
    // Moves with each release.
    defaultModel: 'jev-latest',
    adapter: 'systemone',
  },
  {
    ...decisions,
    id: 'openai-decisions',
    baseUrl: 'https://api.openai.com/v1',
    envKeys: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-4o',
    adapter: 'openai-decisions',
  },
];
