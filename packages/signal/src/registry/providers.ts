import type { ProviderRow } from './provider-row.ts';
import { messagesProviders } from './providers/anthropic.ts';
import { decisionProviders } from './providers/decisions.ts';
import { googleProviders } from './providers/google.ts';
import { hostProviders } from './providers/hosts.ts';
import { openAiProviders } from './providers/openai.ts';
import { serverProviders } from './providers/servers.ts';
import { vendorProviders } from './providers/vendors.ts';

/** Every endpoint known, as data (SG-022). A vendor is one row in one of the files. */
export const providerRows: readonly ProviderRow[] = [
  ...openAiProviders,
  ...messagesProviders,
  ...googleProviders,
  ...vendorProviders,
  ...hostProviders,
  ...serverProviders,
  ...decisionProviders,
];
