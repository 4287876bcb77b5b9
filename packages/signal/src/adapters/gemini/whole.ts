import type { JsonObject, JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import type { Reassembly } from '../response/provider-parts.ts';

interface Candidate {
  facts: JsonObject;
  content: JsonObject;
  readonly parts: JsonObject[];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** Puts the events of an answer together: the parts of each candidate in order, neighbouring pieces of one text joined, of the other fields the last. */
export function createContentReassembly(): Reassembly {
  let first: JsonObject | undefined;
  let facts: JsonObject = {};
  let events = 0;
  const candidates = new Map<JsonValue, Candidate>();
  return {
    take(event) {
      events += 1;
      first ??= event;
      facts = { ...facts, ...event };
      for (const given of listOf(event.candidates)) {
        const said = objectOr(given);
        const index = said.index ?? 0;
        const candidate = candidates.get(index) ?? { facts: {}, content: {}, parts: [] };
        candidates.set(index, candidate);
        candidate.facts = { ...candidate.facts, ...said };
        const content = objectOr(said.content);
        candidate.content = { ...candidate.content, ...content };
        for (const part of listOf(content.parts)) add(candidate.parts, objectOr(part));
      }
    },
    whole() {
      if (events === 1 && first !== undefined) return first;
      const all = [...candidates.values()].map(({ facts: known, content, parts }) => ({ ...known, content: { ...content, parts } }));
      return all.length === 0 ? facts : { ...facts, candidates: all };
    },
  };
}

/** A signature ends a piece: what follows it is another part. */
function add(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1);
  if (last !== undefined && isOpenText(last) && typeof part.text === 'string' && (part.thought === true) === (last.thought === true))
    parts[parts.length - 1] = { ...last, ...part, text: `${String(last.text)}${part.text}` };
  else parts.push(part);
}

const isOpenText = (part: JsonObject): boolean => typeof part.text === 'string' && part.thoughtSignature === undefined;
