import type { ChatDialect, EndpointCapabilities } from '@vouch/contracts';
import { compatibleDialect } from '../dialects.ts';
import type { ChatProviderRow, RowProvenance } from '../provider-row.ts';

// Every row was read in vendors' documentation and SDK types on this day; none was measured.
export const documented: RowProvenance = { source: 'documented', verified: '2026-11-30' };

/** What hosted chat rows have in common. */
export const chat: Pick<ChatProviderRow, 'kind' | 'apiKey' | 'wire' | keyof RowProvenance> = {
  kind: 'chat',
  apiKey: 'required',
  wire: [],
  ...documented,
};

/** Servers on one's own machine: any key or none. */
export const local: typeof chat & Pick<ChatProviderRow, 'envKeys'> = { ...chat, envKeys: [], apiKey: 'optional' };

/** Tools and JSON mode, no checking of arguments; embedding as stated. */
export const usual = (supportsEmbedding: EndpointCapabilities['supportsEmbedding']): EndpointCapabilities => ({
  nativeTools: 'yes',
  nativeJsonMode: 'yes',
  validatesToolArgs: 'no',
  supportsEmbedding,
});

/** The same without a mode for any object. */
export const withoutJsonMode = (supportsEmbedding: EndpointCapabilities['supportsEmbedding']): EndpointCapabilities => ({
  ...usual(supportsEmbedding),
  nativeJsonMode: 'no',
});

// These take no seed, and refuse or ignore it when it comes.
const { seedField: _noSeed, ...withoutSeed }: ChatDialect = compatibleDialect;

/** What a server understands that nobody described, without a seed. */
export const seedlessDialect: ChatDialect = withoutSeed;
