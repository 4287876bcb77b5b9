import type { JsonObject, JsonValue } from '@vouch/contracts';
import { joinDetails } from '../../reasoning/chat-reasoning.ts';
import { objectOr } from '../response/json-object.ts';
import type { Reassembly } from '../response/provider-parts.ts';

interface Choice {
  facts: JsonObject;
  readonly message: { [field: string]: JsonValue };
  readonly calls: { [field: string]: JsonValue }[];
  readonly details: JsonObject[];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** Fields that name something: said again, they are not longer. */
const names: ReadonlySet<string> = /* @__PURE__ */ new Set(['role', 'id', 'type', 'name', 'index']);

/**
 * Puts the chunks of an answer together: texts and lists of a delta joined, known or not, of the other fields the last; calls by their index, or by
 * their id where that says another.
 */
export function createCompletionReassembly(): Reassembly {
  let first: JsonObject | undefined;
  let facts: JsonObject = {};
  let chunks = 0;
  let hasDeltas = false;
  const choices = new Map<JsonValue, Choice>();
  return {
    take(chunk) {
      chunks += 1;
      first ??= chunk;
      facts = { ...facts, ...withoutNull(chunk) };
      for (const given of listOf(chunk.choices)) {
        const said = objectOr(given);
        const index = said.index ?? 0;
        const choice = choices.get(index) ?? { facts: {}, message: {}, calls: [], details: [] };
        choices.set(index, choice);
        const { delta, message, ...rest } = said;
        choice.facts = { ...choice.facts, ...withoutNull(rest) };
        if (delta !== undefined) hasDeltas = true;
        takeDelta(choice, objectOr(delta));
        takeMessage(choice, objectOr(message));
      }
    },
    whole() {
      if (chunks === 1 && !hasDeltas && first !== undefined) return first;
      const { object, ...known } = facts;
      return {
        ...known,
        ...(object === undefined ? {} : { object: 'chat.completion' }),
        choices: [...choices].map(([index, choice]) => ({ index, ...choice.facts, message: messageOf(choice) })),
      };
    },
  };
}

const withoutNull = (object: JsonObject): JsonObject => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

function takeDelta(choice: Choice, delta: JsonObject): void {
  for (const [field, value] of Object.entries(delta)) {
    if (field === 'tool_calls') for (const call of listOf(value)) takeCall(choice.calls, objectOr(call));
    else if (field === 'reasoning_details') joinDetails(choice.details, listOf(value));
    else addField(choice.message, field, value);
  }
}

/** A whole message, also behind its deltas: what it repeats is not said twice. */
function takeMessage(choice: Choice, message: JsonObject): void {
  for (const [field, value] of Object.entries(message)) {
    const before = choice.message[field];
    const repeats = typeof value === 'string' && typeof before === 'string' && value.startsWith(before);
    if (field === 'tool_calls') choice.calls.splice(0, choice.calls.length, ...listOf(value).map((call) => ({ ...objectOr(call) })));
    else if (field === 'reasoning_details') joinDetails(choice.details, choice.details.length > 0 ? [] : listOf(value));
    else if (repeats) setField(choice.message, field, value);
    else addField(choice.message, field, value);
  }
}

function setField(into: { [field: string]: JsonValue }, field: string, value: JsonValue): void {
  // Not by assignment: a field may be called like an accessor.
  Object.defineProperty(into, field, { value, enumerable: true, configurable: true, writable: true });
}

function addField(into: { [field: string]: JsonValue }, field: string, value: JsonValue): void {
  const before = Object.hasOwn(into, field) ? into[field] : undefined;
  if (before === undefined || before === null) setField(into, field, Array.isArray(value) ? [...value] : value);
  else if (value === null || value === '') return;
  else if (typeof before === 'string' && typeof value === 'string' && !names.has(field)) into[field] = before + value;
  else if (Array.isArray(before) && Array.isArray(value)) for (const one of value) (before as JsonValue[]).push(one);
  else if (field === 'content') into[field] = [...partsOf(before), ...partsOf(value)];
  else setField(into, field, value);
}

/** Content as a list of parts: some servers give thinking in a list, and the answer as text. */
const partsOf = (content: JsonValue): readonly JsonValue[] =>
  Array.isArray(content) ? content : content === '' ? [] : [{ type: 'text', text: content }];

function takeCall(calls: { [field: string]: JsonValue }[], fragment: JsonObject): void {
  const { index, id, function: written, ...rest } = fragment;
  const isOther = (call: JsonObject): boolean => typeof id === 'string' && id !== '' && call.id !== undefined && call.id !== id;
  const at = calls.findLastIndex((call) => (index === undefined || index === null || call.index === index) && !isOther(call));
  const call = calls[at] ?? {};
  if (at < 0) calls.push(call);
  if (index !== undefined && index !== null) call.index = index;
  if (typeof id === 'string' && id !== '') call.id = id;
  for (const [field, value] of Object.entries(rest)) addField(call, field, value);
  const inner: { [field: string]: JsonValue } = { ...objectOr(call.function) };
  for (const [field, value] of Object.entries(objectOr(written))) addField(inner, field, value);
  call.function = inner;
}

function messageOf({ message, calls, details }: Choice): JsonObject {
  return {
    ...message,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ index: _index, ...call }) => call) }),
  };
}
