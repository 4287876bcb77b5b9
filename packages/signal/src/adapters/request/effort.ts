import { configurationError, UnsupportedThinkingError } from '@vouch/contracts';
import type { ProviderRequest } from '../adapter.ts';

/** Who is asked, and whether there is a field for it. */
export interface EffortTarget {
  readonly provider: string;
  readonly dialect: { readonly effortField: string };
}

/**
 * The effort that a wire without a word for thinking is asked for: that of `thinking` or of `reasoningEffort`; `'none'` where thinking is to be off.
 * Undefined when the model decides. Throws before anything is sent: `UnsupportedThinkingError` for a budget, which such a wire cannot say; a configuration
 * failure for two efforts, and for one that the endpoint has no field for or that the model is known not to take.
 */
export function askedEffort(request: ProviderRequest, target: EffortTarget): string | undefined {
  const { thinking, options, model } = request;
  if (thinking?.mode === 'budget') throw new UnsupportedThinkingError({ provider: target.provider, model, reason: 'budget' });
  const asked = thinking?.mode === 'adaptive' ? thinking.effort : undefined;
  const effort = thinking?.mode === 'off' ? 'none' : (asked ?? options?.reasoningEffort);
  if (asked !== undefined && options?.reasoningEffort !== undefined && asked !== options.reasoningEffort)
    throw configurationError('E_CONFIGURATION', 'thinking.effort and reasoningEffort differ. Give one of them.');
  if (effort !== undefined) checkEffort(effort, request, target);
  return effort;
}

function checkEffort(effort: string, { facts, model, thinking }: ProviderRequest, { dialect }: EffortTarget): void {
  const known = facts?.reasoningEfforts;
  if (dialect.effortField !== 'none' && (known === undefined || known.some((one) => one === effort))) return;
  const what = thinking?.mode === 'off' ? 'thinking: false' : `The effort "${effort.slice(0, 40)}"`;
  const takes = known === undefined || known.length === 0 ? 'no effort' : `the efforts ${known.join(', ')}`;
  throw configurationError(
    'E_CONFIGURATION',
    `${what} cannot be asked for: ${dialect.effortField === 'none' ? 'this endpoint has no field for it' : `${model} takes ${takes}`}.`,
  );
}
