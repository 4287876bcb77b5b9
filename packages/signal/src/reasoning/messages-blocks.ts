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

/** A content block, as it came. */
const blockShape = 'messages-block';
/** Thinking as it came, with the stamp of what it was given after: `{ block, prefix }`. */
const boundShape = 'messages-bound-block';
/** A block that no neutral part shows, and that stands right before its owner. */
const beforeShape = 'messages-before';
/** The same, right after it. */
const afterShape = 'messages-after';
const shapes: ReadonlySet<string> = /* @__PURE__ */ new Set([blockShape, boundShape, beforeShape, afterShape]);

/** Takes a response's content blocks in order and gives each carry with the block or call that it must go back with. */
export interface BlockCarrier {
  /**
   * `anchor`: what shows the block in the neutral parts; undefined for a block that nothing shows. `prefix`: the stamp of what it was given after, of
   * thinking that is taken back after nothing else.
   */
  take(block: JsonObject, anchor: Carry['owner'] | undefined, prefix?: string): readonly Carry[];
  /** The blocks behind the last one that is shown. */
  end(): readonly Carry[];
}

/**
 * A carrier for one response. Thinking is carried whole, byte for byte; text and calls only where they hold more than their parts say. What nothing
 * shows is keyed by the block that it stands beside, so that it keeps its place (TH-014).
 */
export function createBlockCarrier(source: CarrySource): BlockCarrier {
  let pending: JsonObject[] = [];
  let last: Carry['owner'] | undefined;
  const carry = (owner: Carry['owner'], shape: string, data: JsonValue): Carry => ({ owner, shape, ...source, data });
  return {
    take(block, anchor, prefix) {
      // No encoder could write it into a request.
      if (isTooDeep(block)) return [];
      if (anchor === undefined) {
        pending.push(block);
        return [];
      }
      const before = pending.map((one) => carry(anchor, beforeShape, one));
      pending = [];
      last = anchor;
      if (prefix !== undefined) return [...before, carry(anchor, boundShape, { block, prefix })];
      return saysMore(block) ? [...before, carry(anchor, blockShape, block)] : before;
    },
    end() {
      const owner = last ?? ({ kind: 'item', id: '' } as const);
      return pending.map((one) => carry(owner, last === undefined ? beforeShape : afterShape, one));
    },
  };
}

/** No block of the service is nested as deep. */
const deepestBlock = 256;

function isTooDeep(block: JsonObject): boolean {
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value: block, depth: 1 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (typeof here.value !== 'object' || here.value === null) continue;
    if (here.depth > deepestBlock) return true;
    for (const value of Object.values(here.value)) open.push({ value, depth: here.depth + 1 });
  }
  return false;
}

const shownFields: { readonly [type: string]: ReadonlySet<string> } = {
  text: new Set(['type', 'text']),
  tool_use: new Set(['type', 'id', 'name', 'input']),
};

/** The block holds more than its neutral part. */
function saysMore(block: JsonObject): boolean {
  const shown = typeof block.type === 'string' && Object.hasOwn(shownFields, block.type) ? shownFields[block.type] : undefined;
  if (shown === undefined) return true;
  return Object.entries(block).some(
    ([field, value]) => !shown.has(field) && value !== null && !(Array.isArray(value) && value.length === 0),
  );
}

/** A part of an assistant message with the blocks that go back at its place. */
export interface ReplayedBlock {
  readonly part: MessagePart;
  readonly before: readonly JsonObject[];
  /** The part's own block; without one it is written anew, and thinking stays out. */
  readonly own?: JsonObject;
  readonly after: readonly JsonObject[];
}

/** Thinking that goes back. */
export interface SentThought {
  readonly block: JsonObject;
  readonly part: MessagePart;
  readonly shape: string;
  /** The stamp of what it was given after. */
  readonly prefix?: string;
}

/** An assistant message with the blocks that go back, and what stays out. */
export interface ReplayedBlocks {
  readonly blocks: readonly ReplayedBlock[];
  /** The thinking among them. */
  readonly thoughts: readonly SentThought[];
  readonly withheld: readonly WithheldPart[];
}

/**
 * Sorts out what an assistant message carries: what came from this endpoint and model goes back as it came and where it stood. Thinking that nobody
 * signed stays out: the server refuses it. A text that was edited, or a call that is another now, is written anew without what it carried (TH-015).
 */
export function replayBlocks(message: Message, source: CarrySource): ReplayedBlocks {
  const withheld: WithheldPart[] = [];
  const thoughts: SentThought[] = [];
  const blocks = message.parts.map((part) => {
    const own = ownCarries(part, { source, shapes }, withheld).filter((carry) => {
      const stray = carry.owner.kind === 'call' && !(part.type === 'tool-call' && part.callId === carry.owner.id);
      if (stray) withhold(withheld, part, [carry], 'incomplete');
      return !stray;
    });
    return replayPart(part, own, source, { withheld, thoughts });
  });
  return { blocks, thoughts, withheld };
}

const objectOf = (value: JsonValue): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});

function replayPart(
  part: MessagePart,
  carries: readonly Carry[],
  source: CarrySource,
  { withheld, thoughts }: { readonly withheld: WithheldPart[]; readonly thoughts: SentThought[] },
): ReplayedBlock {
  const dataOf = (shape: string): readonly JsonObject[] => carries.filter((one) => one.shape === shape).map(({ data }) => objectOf(data));
  const before = [...dataOf(beforeShape)];
  const after = dataOf(afterShape);
  let own: JsonObject | undefined;
  for (const carry of carries) {
    const { shape } = carry;
    if (shape !== blockShape && shape !== boundShape) continue;
    const data = objectOf(carry.data);
    const block = shape === boundShape ? objectOf(data.block ?? null) : data;
    const reason = isThinking(block) ? (isSigned(block) ? undefined : 'incomplete') : isStill(block, part) ? undefined : 'edited';
    if (reason !== undefined) {
      withhold(withheld, part, [carry], reason);
      continue;
    }
    if (isThinking(block)) thoughts.push(thoughtOf(block, part, shape, shape === boundShape ? data.prefix : undefined));
    if (own === undefined && isThinking(block) === (part.type === 'thinking')) own = block;
    // The part that showed it is gone; it keeps its place before what came after it.
    else if (isThinking(block)) before.push(block);
  }
  if (own === undefined && part.type === 'thinking' && carries.length === 0) {
    own = blockOf(part, source);
    if (own !== undefined) thoughts.push(thoughtOf(own, part, blockShape, undefined));
  }
  return { part, before, after, ...(own === undefined ? {} : { own }) };
}

const thoughtOf = (block: JsonObject, part: MessagePart, shape: string, prefix: JsonValue | undefined): SentThought =>
  typeof prefix === 'string' ? { block, part, shape, prefix } : { block, part, shape };

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking';

const isFilled = (value: JsonValue | undefined): boolean => typeof value === 'string' && value !== '';

const isSigned = (block: JsonObject): boolean => isFilled(block.type === 'thinking' ? block.signature : block.data);

/** The part still says what the block says. */
function isStill(block: JsonObject, part: MessagePart): boolean {
  if (part.type === 'tool-call') return block.type === 'tool_use' && block.id === part.callId && block.name === part.name;
  // As the neutral parts have it: lone surrogates replaced.
  return part.type === 'text' && typeof block.text === 'string' && block.text.replace(/\p{Surrogate}/gu, '\uFFFD') === part.text;
}

/** A block that came without its carry, such as out of a history that keeps blocks and signatures alone. */
function blockOf(part: Extract<MessagePart, { readonly type: 'thinking' }>, { provider, model }: CarrySource): JsonObject | undefined {
  const { block, origin, carry } = part;
  const ours = origin.kind === 'model' && origin.provider === provider && origin.model === model;
  if (!ours || carry !== undefined || !isFilled(block.signature) || block.signature === undefined) return undefined;
  if (block.type === 'redacted_thinking') return { type: 'redacted_thinking', data: block.signature };
  return block.summary === true ? undefined : { type: 'thinking', thinking: block.content, signature: block.signature };
}
