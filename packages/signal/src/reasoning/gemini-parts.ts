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

/** A part of a model's content as it came; the arguments of a call stand in the call itself. */
const partShape = 'gemini-part';
/** A part that nothing shows, such as an empty text with a signature: it stands right before its owner, or right after it. */
const beforeShape = 'gemini-before';
const afterShape = 'gemini-after';

const shapes: ReadonlySet<string> = /* @__PURE__ */ new Set([partShape, beforeShape, afterShape]);

/** Takes the parts of a response in order and gives each carry with the block or call that it must go back with. */
export interface PartCarrier {
  /** A block or a call begins: what came before it and is shown by nothing else belongs to it. */
  begins(owner: Carry['owner']): readonly Carry[];
  /** The part that this block or call shows. */
  own(owner: Carry['owner'], part: JsonObject): Carry;
  /** A part that nothing shows. */
  hidden(part: JsonObject): readonly Carry[];
  /** What nothing followed and nothing went before. */
  end(): readonly Carry[];
}

/** A carrier for one response. Nothing is keyed by where it stands in a list (TH-014). */
export function createPartCarrier(source: CarrySource): PartCarrier {
  let pending: JsonObject[] = [];
  let last: Carry['owner'] | undefined;
  const carry = (owner: Carry['owner'], shape: string, data: JsonValue): Carry => ({ owner, shape, ...source, data });
  return {
    begins(owner) {
      const before = pending;
      pending = [];
      last = owner;
      return before.map((part) => carry(owner, beforeShape, part));
    },
    own: (owner, part) => carry(owner, partShape, withoutArguments(part)),
    hidden(part) {
      if (last !== undefined) return [carry(last, afterShape, part)];
      pending.push(part);
      return [];
    },
    end: () => pending.map((part) => carry({ kind: 'item', id: '' }, afterShape, part)),
  };
}

/** The arguments are kept once, where they may be read and repaired; here they only hold their place. */
function withoutArguments(part: JsonObject): JsonObject {
  const { functionCall: call } = part;
  if (!isJsonObject(call) || !Object.hasOwn(call, 'args')) return part;
  return { ...part, functionCall: { ...(call as JsonObject), args: {} } };
}

/** What goes back of one part of an assistant message; without `own` it is written anew. */
export interface ReplayedPart {
  readonly part: MessagePart;
  readonly before: readonly JsonObject[];
  readonly own?: JsonObject;
  readonly after: readonly JsonObject[];
}

/** An assistant message with the parts that go back, and what stays out. */
export interface ReplayedMessage {
  readonly parts: readonly ReplayedPart[];
  readonly withheld: readonly WithheldPart[];
  /** A signature of this message stays out: its first call cannot do without one. */
  readonly lostSignature: boolean;
}

/**
 * Sorts out what an assistant message carries: a part goes back as it came, if it came from this endpoint and model, and its text or its call is still
 * what it was. A call's own part takes the call's arguments as they stand now (TH-014, TH-015).
 */
export function replayMessage(message: Message, source: CarrySource): ReplayedMessage {
  const withheld: WithheldPart[] = [];
  let lostSignature = false;
  const parts = message.parts.map((part): ReplayedPart => {
    const carries = ownCarries(part, { source, shapes }, withheld);
    lostSignature ||= carries.length < (part.carry?.length ?? 0);
    const before: JsonObject[] = [];
    const after: JsonObject[] = [];
    let own: JsonObject | undefined;
    for (const carry of carries) {
      const data = objectOf(carry.data);
      const mine = belongs(carry, part);
      const kept = mine && (carry.shape !== partShape || (own === undefined && shows(data, part)));
      if (!kept) {
        withhold(withheld, part, [carry], mine ? 'edited' : 'incomplete');
        lostSignature ||= typeof data.thoughtSignature === 'string';
      } else if (carry.shape === partShape) own = data;
      else (carry.shape === beforeShape ? before : after).push(data);
    }
    return { part, before, after, ...(own === undefined ? {} : { own }) };
  });
  return { parts, withheld, lostSignature };
}

const objectOf = (value: JsonValue): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});

/** The carry's owner is what the part is of: its call by the id, a block by its kind. */
const belongs = ({ owner }: Carry, part: MessagePart): boolean =>
  part.type === 'tool-call' ? owner.kind === 'call' && owner.id === part.callId : owner.kind === 'item';

/** The part still says what its own part on the wire said. */
function shows(data: JsonObject, part: MessagePart): boolean {
  if (part.type === 'tool-call') return isJsonObject(data.functionCall) && (data.functionCall.name ?? '') === part.name;
  const text = typeof data.text === 'string' ? data.text.replace(/\p{Surrogate}/gu, '\uFFFD') : undefined;
  if (part.type === 'text') return data.thought !== true && text === part.text;
  return part.type === 'thinking' && data.thought === true && text === part.block.content;
}
