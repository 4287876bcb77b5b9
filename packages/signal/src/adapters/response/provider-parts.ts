import type { JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import type { ProviderRequest } from '../adapter.ts';

/** Puts the objects of one response together, as the service would have sent it whole. Changes none of them; linear. */
export interface Reassembly {
  take(event: JsonObject): void;
  /** The response so far; a body of one whole response is itself. */
  whole(): JsonObject;
}

/** The parts that hold the provider's own data. */
export interface ProviderParts {
  take(value: JsonObject, parts: ModelPart[]): void;
  end(): readonly ModelPart[];
}

/**
 * Each object of a stream, and the whole once anything came (TH-021). They are copies: whoever is given them may do with them what he likes, and what
 * must go back stays as it came (TH-020).
 */
export function createProviderParts(delivery: ProviderRequest['delivery'], reassembly: Reassembly): ProviderParts {
  let came = false;
  return {
    take(value, parts) {
      came = true;
      if (delivery === 'parts') parts.push({ type: 'provider-chunk', chunk: copyJson(value) });
      reassembly.take(copyJson(value));
    },
    end: () => (came ? [{ type: 'provider-response', response: reassembly.whole() }] : []),
  };
}

/** A copy that shares nothing. Without recursion: what is read may be nested as deep as a body is long. */
function copyJson(value: JsonObject): JsonObject {
  const copied: { [field: string]: JsonValue } = {};
  const open: (readonly [from: JsonValue, to: object])[] = [[value, copied]];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const [from, to] = here;
    for (const [field, inner] of Object.entries(from as JsonObject)) {
      const holds = typeof inner === 'object' && inner !== null;
      const copy = holds ? (Array.isArray(inner) ? [] : {}) : inner;
      // Not by assignment: a field may be called like an accessor.
      Object.defineProperty(to, field, { value: copy, enumerable: true, configurable: true, writable: true });
      if (holds) open.push([inner, copy as object]);
    }
  }
  return copied;
}
