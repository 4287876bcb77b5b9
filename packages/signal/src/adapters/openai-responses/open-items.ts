import type { IdSource, JsonObject, JsonValue } from '@vouch/contracts';

/** What a delta adds to, and the type of the item that has such. */
export interface Spoken {
  readonly kind: 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments';
  readonly itemType: string;
}

/** An output item while it grows. */
export interface OpenItem {
  readonly type: string;
  /** The item's own id, or one made up for it. */
  readonly blockId: string;
  /** What was shown of it, by kind. */
  readonly said: { text: string; refusal: string; summary: string; reasoning: string; arguments: string };
  readonly callId: string | undefined;
  name: string | undefined;
  /** Where it stands among the response's calls, once it is shown as one. */
  callIndex: number | undefined;
  shownHead: boolean;
  shownName: string | undefined;
  summaryParts: number;
  done: boolean;
}

/** The items of one response. */
export interface OpenItems {
  /** The item that `event` announces; one that is known where it says so once more. */
  add(event: JsonObject, item: JsonObject): OpenItem;
  /** The item that a delta belongs to; one of `type` is made up where the server announced none. */
  of(event: JsonObject, type: string): OpenItem;
  /** The item that `event` completes; a new one where the server announced none, and one that is done where it says so once more. */
  forDone(event: JsonObject, item: JsonObject): OpenItem;
  /** The item at this position of a whole output. */
  atPosition(position: number, item: JsonObject): OpenItem;
}

const textOr = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function beginItem(item: JsonObject, id: string | undefined, ids: IdSource): OpenItem {
  const type = textOr(item.type) ?? '';
  const callId = textOr(item.call_id) ?? (type === 'function_call' ? (id ?? ids('call')) : undefined);
  return {
    type,
    blockId: id ?? callId ?? ids('item'),
    said: { text: '', refusal: '', summary: '', reasoning: '', arguments: '' },
    callId,
    name: textOr(item.name),
    callIndex: undefined,
    shownHead: false,
    shownName: undefined,
    summaryParts: 0,
    done: false,
  };
}

/** `item` is one that is known by its own name, not only by its place. */
const isSame = (open: OpenItem, item: JsonObject): boolean =>
  open.type === item.type && (textOr(item.call_id) ?? textOr(item.id)) === (open.callId ?? open.blockId);

/**
 * The items of one response, found by `output_index`, else by the item's id, else by order: some servers leave out the one, some the other, and some
 * have another id when the item is done (D18).
 */
export function openItems(ids: IdSource): OpenItems {
  const inOrder: OpenItem[] = [];
  const byIndex = new Map<number, OpenItem>();
  const byId = new Map<string, OpenItem>();
  const create = (item: JsonObject, fallbackId: string | undefined): OpenItem => {
    const id = textOr(item.id) ?? fallbackId;
    const open = beginItem(item, id, ids);
    inOrder.push(open);
    if (id !== undefined) byId.set(id, open);
    return open;
  };
  const known = (event: JsonObject, id: string | undefined): OpenItem | undefined => {
    const byItsIndex = typeof event.output_index === 'number' ? byIndex.get(event.output_index) : undefined;
    return byItsIndex ?? (id === undefined ? undefined : byId.get(id));
  };
  const note = (event: JsonObject, item: OpenItem): OpenItem => {
    if (typeof event.output_index === 'number') byIndex.set(event.output_index, item);
    return item;
  };
  const namesOne = (event: JsonObject, id: string | undefined): boolean => typeof event.output_index === 'number' || id !== undefined;
  const lastOpen = (type: string): OpenItem | undefined => inOrder.findLast((item) => !item.done && item.type === type);
  return {
    add(event, item) {
      const again = known(event, textOr(item.id));
      return again !== undefined && isSame(again, item) ? again : note(event, create(item, textOr(event.item_id)));
    },
    of(event, type) {
      const id = textOr(event.item_id);
      const found = known(event, id) ?? (namesOne(event, id) ? undefined : lastOpen(type));
      return found !== undefined && found.type === type ? found : note(event, create({ type }, id));
    },
    forDone(event, item) {
      const id = textOr(item.id) ?? textOr(event.item_id);
      const type = textOr(item.type) ?? '';
      const found = known(event, id);
      if (found !== undefined && found.type === type && (!found.done || isSame(found, item))) return found;
      const sameCall = inOrder.find(
        (open) => !open.done && open.type === type && open.callId !== undefined && open.callId === item.call_id,
      );
      const byOrder = typeof event.output_index === 'number' ? undefined : lastOpen(type);
      return sameCall ?? byOrder ?? note(event, create(item, id));
    },
    atPosition(position, item) {
      const id = textOr(item.id);
      const type = textOr(item.type) ?? '';
      const candidates = [id === undefined ? undefined : byId.get(id), byIndex.get(position), inOrder[position]];
      return candidates.find((open) => open?.type === type) ?? create(item, undefined);
    },
  };
}
