import type { JsonObject, JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import type { Reassembly } from '../response/provider-parts.ts';

/** An item of the output while it grows. */
interface GrowingItem {
  value: JsonObject;
  readonly summary: string[];
  readonly content: { type: string; text: string }[];
  arguments: string;
  done: boolean;
}

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** What a delta adds to, and the item that it is of. */
const grown: { readonly [type: string]: readonly [into: 'summary' | 'content' | 'arguments', item: string, part: string] | undefined } = {
  'response.reasoning_summary_text.delta': ['summary', 'reasoning', 'summary_text'],
  'response.reasoning_text.delta': ['content', 'reasoning', 'reasoning_text'],
  'response.output_text.delta': ['content', 'message', 'output_text'],
  'response.refusal.delta': ['content', 'message', 'refusal'],
  'response.function_call_arguments.delta': ['arguments', 'function_call', ''],
};

/** The most parts of one item that deltas may name by index; more count as the last. */
const mostParts = 10_000;

const indexOf = (value: JsonValue | undefined): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, mostParts) : 0;

/**
 * Puts the events of a response together. Its last event holds the response; what that leaves out, or all of it where none came, is made of the items,
 * and of their deltas where an item did not end.
 */
export function createItemsReassembly(): Reassembly {
  let response: JsonObject | undefined;
  const items = new Map<JsonValue, GrowingItem>();
  const itemOf = (event: JsonObject, type: string): GrowingItem => {
    const key = event.output_index ?? event.item_id ?? 0;
    const known = items.get(key);
    if (known !== undefined) return known;
    const made: GrowingItem = { value: { type }, summary: [], content: [], arguments: '', done: false };
    items.set(key, made);
    return made;
  };
  return {
    take(event) {
      const type = textOr(event.type);
      if (event.object === 'response' || Array.isArray(event.output)) response = event;
      else if (typeof event.response === 'object' && event.response !== null) response = { ...response, ...objectOr(event.response) };
      else if (type === 'response.output_item.added' || type === 'response.output_item.done') {
        const item = itemOf(event, '');
        item.value = objectOr(event.item);
        item.done = type === 'response.output_item.done';
      } else if (Object.hasOwn(grown, type)) grow(event, type, itemOf);
    },
    whole() {
      const { output } = response ?? {};
      if (response !== undefined && listOf(output).length > 0) return response;
      return { ...response, output: [...items.values()].map(wholeItem) };
    },
  };
}

function grow(event: JsonObject, type: string, itemOf: (event: JsonObject, type: string) => GrowingItem): void {
  const [into, ofItem, part] = grown[type] ?? ['arguments', '', ''];
  const item = itemOf(event, ofItem);
  const text = textOr(event.delta);
  if (into === 'arguments') item.arguments += text;
  else if (into === 'summary') {
    const at = Math.min(indexOf(event.summary_index), item.summary.length);
    item.summary[at] = (item.summary[at] ?? '') + text;
  } else {
    const at = Math.min(indexOf(event.content_index), item.content.length);
    item.content[at] = { type: part, text: (item.content[at]?.text ?? '') + text };
  }
}

/** An item that ended says all itself. */
function wholeItem({ value, summary, content, arguments: written, done }: GrowingItem): JsonObject {
  if (done) return value;
  return {
    ...value,
    ...(summary.length === 0 ? {} : { summary: summary.map((text) => ({ type: 'summary_text', text })) }),
    ...(content.length === 0
      ? {}
      : { content: content.map(({ type, text }): JsonObject => (type === 'refusal' ? { type, refusal: text } : { type, text })) }),
    ...(written === '' ? {} : { arguments: written }),
  };
}
