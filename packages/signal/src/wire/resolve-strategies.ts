import { configurationError, type WireStrategy } from '@vouch/contracts';
import { failedGeneration } from './strategies/failed-generation.ts';
import { jsonlLines } from './strategies/jsonl-lines.ts';

/** The strategies that rows and callers can name by id. */
export const knownStrategies: readonly WireStrategy[] = [failedGeneration, jsonlLines()];

/**
 * Resolves ids and passes strategies through, in order; of one id, the later replaces the earlier. Throws `E_UNKNOWN_STRATEGY`, which names the
 * known ids (SG-003).
 */
export function resolveStrategies(
  list: readonly (string | WireStrategy)[],
  known: readonly WireStrategy[] = knownStrategies,
): readonly WireStrategy[] {
  const byId = new Map(known.map((strategy) => [strategy.id, strategy]));
  const resolved = new Map<string, WireStrategy>();
  for (const item of list) {
    const strategy = typeof item === 'string' ? byId.get(item) : item;
    if (strategy === undefined) {
      const ids = [...byId.keys()].join(', ');
      throw configurationError('E_UNKNOWN_STRATEGY', `there is no wire strategy ${JSON.stringify(item)}; the known ids are: ${ids}`);
    }
    resolved.set(strategy.id, strategy);
  }
  return [...resolved.values()];
}
