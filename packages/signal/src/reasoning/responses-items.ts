import {
  type Carry,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
  type WithheldPart,
} from '@vouch/contracts';
import type { CarrySource } from './chat-reasoning.ts';
import { ownCarries, withhold } from './withheld.ts';

/** An item of a response's output, as it came. */
const itemShape = 'responses-item';

/** The id of a reasoning item that the carrying message or call stands behind, without being the next after it. */
const behindShape = 'responses-behind';

/** In place of reasoning that was not kept, because its endpoint is not asked for what would have to go back. */
const lostShape = 'responses-lost';

/** Takes a response's output items in order and gives each carry with the item that it must go back with. */
export interface ItemCarrier {
  /** `anchor`: the block or call that shows the item in the neutral parts; undefined for an item that nothing shows, such as reasoning. */
  take(item: JsonObject, anchor: Carry['owner'] | undefined): readonly Carry[];
  /** What no message and no call followed: it can never go back, and is kept so that this is reported. */
  end(): readonly Carry[];
}

/**
 * A carrier for one response. Reasoning, and whatever else no neutral part shows, belongs to the message or call that it produced: the next one. The
 * server refuses one without the other, so neither is keyed by where it stands (TH-014).
 */
export function createItemCarrier(source: CarrySource): ItemCarrier {
  let pending: JsonObject[] = [];
  let reasoning: string | undefined;
  const carry = (owner: Carry['owner'], shape: string, data: JsonValue): Carry => ({ owner, shape, ...source, data });
  return {
    take(item, anchor) {
      if (anchor === undefined) {
        pending.push(item);
        return [];
      }
      const before = pending;
      pending = [];
      const isNext = before.some((one) => one.type === 'reasoning');
      const carries = [...before, item].map((one) => carry(anchor, itemShape, one));
      if (!isNext && reasoning !== undefined) carries.push(carry(anchor, behindShape, reasoning));
      for (const { type, id } of before) if (type === 'reasoning' && typeof id === 'string') reasoning = id;
      return carries;
    },
    end: () => pending.map((item) => carry({ kind: 'item', id: typeof item.id === 'string' ? item.id : '' }, itemShape, item)),
  };
}

/**
 * A carrier for a response of an endpoint that takes no reasoning back: of it, only that there was some is carried, without any content, so that the
 * next request reports it (TH-015).
 */
export function createLossCarrier(source: CarrySource): ItemCarrier {
  let lost: JsonObject | undefined;
  const carry = (owner: Carry['owner']): readonly Carry[] => {
    const carries = lost === undefined ? [] : [{ owner, shape: lostShape, ...source, data: null }];
    lost = undefined;
    return carries;
  };
  return {
    take(item, anchor) {
      if (anchor !== undefined) return carry(anchor);
      if (item.type === 'reasoning') lost = item;
      return [];
    },
    end: () => carry({ kind: 'item', id: typeof lost?.id === 'string' ? lost.id : '' }),
  };
}

/** What an endpoint takes back. */
export interface ItemRule {
  /** The server keeps responses: then reasoning goes back by its id too. */
  readonly store: boolean;
}

/** What goes before a part of an assistant message, and the part's own item; without one it is written anew. */
export interface ReplayedPart {
  readonly part: MessagePart;
  readonly before: readonly JsonObject[];
  readonly own?: JsonObject;
  /** How many parts from this one on `own` stands for. */
  readonly covers: number;
}

/** An assistant message with the items that go back beside its parts, and what stays out. */
export interface ReplayedMessage {
  readonly parts: readonly ReplayedPart[];
  readonly withheld: readonly WithheldPart[];
}

const shapes: ReadonlySet<string> = /* @__PURE__ */ new Set([itemShape, behindShape, lostShape]);

/**
 * Sorts out what an assistant message carries: an item goes back as it came, if it came from this endpoint and model and its message or call is still
 * there. Reasoning without encrypted content goes back only where the server keeps responses. When an item stays out, so do the ids of what was
 * produced with it: the server asks for the pair by them (TH-014, TH-015).
 */
export function replayMessage(message: Message, source: CarrySource, rule: ItemRule): ReplayedMessage {
  const withheld: WithheldPart[] = [];
  const sent = new Set<JsonValue | undefined>();
  const parts: ReplayedPart[] = [];
  for (let at = 0; at < message.parts.length; ) {
    const part = message.parts[at];
    if (part === undefined) break;
    const carried = ownCarries(part, { source, shapes }, withheld);
    const group = groupOf(message.parts, at, carried);
    const behind = carried.filter(({ shape }) => shape === behindShape);
    const complete = group.before.every((item) => isSendable(item, rule)) && behind.every(({ data }) => sent.has(data));
    const reason = group.reason ?? (complete ? undefined : 'incomplete');
    const kept = reason === undefined ? group.before : [];
    for (const item of kept) if (item.type === 'reasoning') sent.add(item.id);
    withhold(withheld, part, reason === undefined ? group.strays : carried, reason ?? 'incomplete');
    const lost = carried.filter(({ shape }) => shape === lostShape);
    withhold(withheld, part, lost, 'incomplete');
    const own = reason === undefined ? group.own : undefined;
    const covers = own === undefined ? 1 : group.covers;
    parts.push({ part, before: kept, covers, ...(own === undefined ? {} : { own }) });
    for (let more = 1; more < covers; more += 1) {
      const covered = message.parts[at + more];
      if (covered !== undefined) withhold(withheld, covered, ownCarries(covered, { source, shapes }, withheld), 'incomplete');
    }
    at += covers;
  }
  return { parts, withheld };
}

const isSendable = (item: JsonObject, { store }: ItemRule): boolean =>
  store || item.type !== 'reasoning' || (typeof item.encrypted_content === 'string' && item.encrypted_content !== '');

interface Group {
  readonly own?: JsonObject;
  readonly before: readonly JsonObject[];
  readonly covers: number;
  /** Carries of what is not in the message any more. */
  readonly strays: readonly Carry[];
  readonly reason?: WithheldPart['reason'];
}

const objectOf = (value: JsonValue): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});

/** The item of the part at `at`, and the items that go before it. */
function groupOf(parts: readonly MessagePart[], at: number, carried: readonly Carry[]): Group {
  const part = parts[at];
  const items = carried.filter(({ shape }) => shape === itemShape);
  const ofCall = (carry: Carry): boolean => part?.type === 'tool-call' && carry.owner.kind === 'call' && carry.owner.id === part.callId;
  const found = items.find((carry) => {
    const item = objectOf(carry.data);
    if (part?.type === 'tool-call') return ofCall(carry) && item.type === 'function_call' && item.call_id === part.callId;
    return carry.owner.kind === 'item' && item.type === 'message' && (item.id ?? carry.owner.id) === carry.owner.id;
  });
  const mine = items.filter((carry) => (found === undefined ? ofCall(carry) : sameOwner(carry, found)));
  const strays = carried.filter((carry) => carry.shape === itemShape && !mine.includes(carry));
  const before = mine.filter((carry) => carry !== found).map(({ data }) => objectOf(data));
  const none = { before, covers: 1, strays };
  if (found === undefined || part === undefined) return none;
  const item = objectOf(found.data);
  if (part.type === 'tool-call') {
    if (item.name !== part.name) return { ...none, reason: 'edited' };
    // Repaired arguments go back as read; the server's own copy is not asked for.
    return { ...none, own: item.arguments === part.arguments ? item : { ...item, arguments: part.arguments } };
  }
  const covers = partsOfItem(parts, at, item);
  return covers === undefined ? { ...none, reason: 'edited' } : { ...none, own: item, covers };
}

const sameOwner = (one: Carry, other: Carry): boolean => one.owner.kind === other.owner.kind && one.owner.id === other.owner.id;

/** How many parts from `at` on say what the item says; undefined when they say something else. */
function partsOfItem(parts: readonly MessagePart[], at: number, item: JsonObject): number | undefined {
  const wanted = shownText(item);
  let said = '';
  for (let end = at; end < parts.length && said.length < wanted.length; end += 1) {
    const part = parts[end];
    if (part?.type !== 'text' && part?.type !== 'refusal') return undefined;
    said += part.text;
    if (said === wanted) return end - at + 1;
  }
  return undefined;
}

/** What the parts of a message item show, as the neutral parts have it: lone surrogates replaced. */
function shownText({ content }: JsonObject): string {
  const parts: readonly JsonValue[] = Array.isArray(content) ? content : [];
  const texts = parts.map((part) => {
    const { text, refusal } = objectOf(part);
    return typeof text === 'string' ? text : typeof refusal === 'string' ? refusal : '';
  });
  return texts.join('').replace(/\p{Surrogate}/gu, '\uFFFD');
}
