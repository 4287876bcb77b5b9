import type { JsonObject, JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import type { Reassembly } from '../response/provider-parts.ts';

/** A content block while it grows. */
interface GrowingBlock {
  value: { [field: string]: JsonValue };
  /** The input of a call as it was streamed. */
  input: string;
  readonly citations: JsonValue[];
}

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const nothing: JsonObject = {};

/** The field that a delta adds text to, and the block that it is of. */
const grown: { readonly [type: string]: readonly [field: string, block: string] | undefined } = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'thinking'],
};

const owners: ReadonlySet<JsonValue | undefined> = /* @__PURE__ */ new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** Puts the events of a message together: the message as it began, its blocks with what their deltas added, and what its end says. */
export function createMessageReassembly(): Reassembly {
  let message: JsonObject | undefined;
  let facts = nothing;
  let usage: JsonObject = {};
  const blocks: GrowingBlock[] = [];
  const byIndex = new Map<JsonValue | undefined, GrowingBlock>();

  const open = (index: JsonValue | undefined, value: JsonObject): GrowingBlock => {
    const block: GrowingBlock = { value: { ...value }, input: '', citations: Array.isArray(value.citations) ? [...value.citations] : [] };
    blocks.push(block);
    byIndex.set(index, block);
    return block;
  };
  const grow = (index: JsonValue | undefined, delta: JsonObject): void => {
    const type = textOr(delta.type);
    const [field, ofBlock] = (Object.hasOwn(grown, type) ? grown[type] : undefined) ?? ['', type === 'input_json_delta' ? 'tool_use' : ''];
    const known = byIndex.get(index) ?? (index === undefined ? blocks.at(-1) : undefined);
    const block = known ?? open(index, ofBlock === '' ? {} : { type: ofBlock });
    if (type === 'input_json_delta') block.input += textOr(delta.partial_json);
    else if (type === 'citations_delta' && delta.citation !== undefined) block.citations.push(delta.citation);
    // A delta of another type's says nothing.
    else if (field !== '' && (block.value.type === ofBlock || !owners.has(block.value.type)))
      block.value[field] = textOr(block.value[field]) + textOr(delta[field]);
  };
  return {
    take(event) {
      const { type } = event;
      if (type === 'message' || (type === undefined && Array.isArray(event.content))) message = event;
      else if (type === 'message_start') message = objectOr(event.message);
      else if (type === 'content_block_start') open(event.index, objectOr(event.content_block));
      else if (type === 'content_block_delta') grow(event.index, objectOr(event.delta));
      else if (type === 'message_delta') {
        facts = { ...facts, ...objectOr(event.delta) };
        const said = Object.entries(objectOr(event.usage)).filter(([, value]) => value !== null);
        usage = { ...usage, ...Object.fromEntries(said) };
      }
    },
    whole() {
      if (message !== undefined && blocks.length === 0 && facts === nothing) return message;
      const begun = message ?? {};
      const content: readonly JsonValue[] = Array.isArray(begun.content) ? begun.content : [];
      return { ...begun, ...facts, content: [...content, ...blocks.map(wholeBlock)], usage: { ...objectOr(begun.usage), ...usage } };
    },
  };
}

function wholeBlock({ value: begun, input, citations }: GrowingBlock): JsonObject {
  const value = citations.length === 0 ? begun : { ...begun, citations };
  if (input === '') return value;
  try {
    return { ...value, input: JSON.parse(input) as JsonValue };
  } catch {
    // Cut, or no JSON: as it was written.
    return { ...value, input };
  }
}
