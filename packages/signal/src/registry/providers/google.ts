import { generateContentDialect } from '../dialects.ts';
import type { ChatProviderRow } from '../provider-row.ts';
import { chat, seedlessDialect, usual } from './shared.ts';

/** The inventor of the generateContent wire. */
export const googleProviders: readonly ChatProviderRow[] = [
  {
    ...chat,
    id: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    envKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-2.5-flash',
    capabilities: usual('yes'),
    dialect: generateContentDialect,
  },
  {
    ...chat,
    // Its face on the wire of another vendor.
    id: 'google-openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    envKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    capabilities: usual('yes'),
    // Unknown fields are refused; usage comes on every chunk unasked.
    dialect: { ...seedlessDialect, streamUsageOption: false },
  },
];
