import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';

/** How far a conversation has been taken up into its digest. */
export type PrefixState = readonly [number, number];

/** Nothing was taken up yet. */
export const emptyPrefix: PrefixState = [0x2f0b4c47, 0x6b43a9b5];

const mix = (word: number, shift: number, factor: number): number => Math.imul(word ^ (word >>> shift), factor);

/**
 * Takes up a text. No secret hangs on it and nobody gains by a collision, so that it is made for speed: whoever forges a stamp has the server refuse
 * the request, which is what the stamp is there to avoid.
 */
export function extendPrefix([first, second]: PrefixState, text: string): PrefixState {
  let a = first;
  let b = second;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  return [mix(a, 16, 0x85ebca6b) ^ mix(b, 13, 0xc2b2ae35), mix(b, 16, 0x85ebca6b) ^ mix(a, 13, 0xc2b2ae35)];
}

/** What a carry keeps of a digest: 16 hex digits. */
export const prefixStamp = (state: PrefixState): string => state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

/** Takes up a value; equal ones give equal digests though a store gave their members in another order. */
export const extendByValue = (state: PrefixState, value: JsonValue): PrefixState => extendPrefix(state, ordered(value));

function ordered(value: JsonValue): string {
  try {
    return JSON.stringify(value, (_name, inner: unknown) =>
      isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    );
  } catch {
    // Nested deeper than any encoder goes: it cannot be sent either.
    return '';
  }
}

/**
 * Takes up a content block of the Messages wire. Thinking does not count, which the server keeps or drops by itself, nor an empty text, which is never
 * sent. Of texts and calls what they say counts, not what stands beside it.
 */
export function extendByBlock(state: PrefixState, role: string, block: JsonObject): PrefixState {
  const { type, text, id, name, input } = block;
  if (type === 'thinking' || type === 'redacted_thinking') return state;
  if (type === 'text' && typeof text === 'string')
    // As the neutral parts have it: lone surrogates replaced.
    return text === '' ? state : extendPrefix(state, `${role} text ${text.replace(/\p{Surrogate}/gu, '\uFFFD')}`);
  const said: JsonObject = type === 'tool_use' ? { type, id: id ?? '', name: name ?? '', input: input ?? {} } : block;
  return extendByValue(extendPrefix(state, role), said);
}
