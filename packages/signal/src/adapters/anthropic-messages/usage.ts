import type { JsonObject, JsonValue, Usage } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';

const count = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Collects the usage that a response says piece by piece. */
export interface UsageCollector {
  /** Takes a usage object; of each field the last number counts. `final`: its output is that of the whole response so far. */
  take(usage: JsonValue | undefined, final: boolean): void;
  /** Undefined until both sides were said: the output that a stream begins with is no count (SG-036). */
  read(): Usage | undefined;
}

/** A collector for one response. The wire counts what was read from its cache and what was put there beside the input, not within it. */
export function createUsageCollector(): UsageCollector {
  const known: { input?: number; written?: number; cached?: number; output?: number; reasoning?: number } = {};
  const note = (name: keyof typeof known, value: JsonValue | undefined): void => {
    const said = count(value);
    if (said !== undefined) known[name] = said;
  };
  return {
    take(value, final) {
      const usage: JsonObject = objectOr(value);
      note('input', usage.input_tokens);
      note('written', usage.cache_creation_input_tokens);
      note('cached', usage.cache_read_input_tokens);
      if (!final) return;
      note('output', usage.output_tokens);
      note('reasoning', objectOr(usage.output_tokens_details).thinking_tokens);
    },
    read() {
      const { input, output, written = 0, cached, reasoning } = known;
      if (input === undefined || output === undefined) return undefined;
      const inputTokens = input + written + (cached ?? 0);
      return {
        inputTokens,
        outputTokens: output,
        totalTokens: inputTokens + output,
        reported: true,
        ...(cached === undefined ? {} : { cached }),
        ...(reasoning === undefined ? {} : { reasoning }),
      };
    },
  };
}
