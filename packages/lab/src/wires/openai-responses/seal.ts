import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { Random } from '../../random.ts';

/** What a lab's encrypted reasoning says of itself. */
export interface SealedReasoning {
  /** The reasoning item that it belongs to. */
  readonly id: string;
  /** It is of no use to another model. */
  readonly model: string;
  /** What the reasoning produced: the call id of the call, or the id of the message, that follows it. */
  readonly next: string;
}

/** Issues ids and encrypted content, and knows its own again without remembering any. */
export interface Seal {
  /** The id of a new reasoning item. */
  reasoningId(random: Random): string;
  /** The id of a new item; one that `reasoning` produced says so. */
  itemId(prefix: 'fc' | 'msg', reasoning: string | undefined, random: Random): string;
  /** The reasoning item with which an item of this id was made; undefined for an item without one, and for an id of another's. */
  madeWith(itemId: string): string | undefined;
  /** The id is one of this lab's reasoning items. */
  isOwn(reasoningId: string): boolean;
  encrypt(reasoning: SealedReasoning): string;
  /** Undefined for a content that is not this lab's, or not as it left. */
  decrypt(content: string): SealedReasoning | undefined;
}

const drawn = 16;
const marked = 12;
const macBytes = 32;
const head = 'gAAAAA';

/** The seal of a lab with this seed. */
export function createSeal(seed: number): Seal {
  const key = createHash('sha256').update(`${seed}/responses`).digest();
  const mark = (text: string): string => createHmac('sha256', key).update(text).digest('hex').slice(0, marked);
  const macOf = (payload: Buffer): Buffer => createHmac('sha256', key).update(payload).digest();
  const isStem = (stem: string): boolean => stem.length === drawn + marked && mark(`stem ${stem.slice(0, drawn)}`) === stem.slice(drawn);
  return {
    reasoningId(random) {
      const letters = random.letters(drawn);
      return `rs_${letters}${mark(`stem ${letters}`)}`;
    },
    itemId: (prefix, reasoning, random) =>
      `${prefix}_${random.letters(8)}${reasoning === undefined ? random.letters(24) : reasoning.slice(3)}`,
    madeWith(itemId) {
      const stem = itemId.slice(-(drawn + marked));
      return isStem(stem) ? `rs_${stem}` : undefined;
    },
    isOwn: (reasoningId) => reasoningId.startsWith('rs_') && isStem(reasoningId.slice(3)),
    encrypt(reasoning) {
      const payload = Buffer.from(JSON.stringify(reasoning));
      return head + Buffer.concat([macOf(payload), payload]).toString('base64url');
    },
    decrypt(content) {
      if (!content.startsWith(head)) return undefined;
      const bytes = Buffer.from(content.slice(head.length), 'base64url');
      const payload = bytes.subarray(macBytes);
      const intact =
        bytes.length > macBytes &&
        timingSafeEqual(bytes.subarray(0, macBytes), macOf(payload)) &&
        // A decoder overlooks what does not belong to the alphabet, and spare bits.
        head + bytes.toString('base64url') === content;
      if (!intact) return undefined;
      const said = JSON.parse(payload.toString()) as JsonValue;
      if (!isJsonObject(said)) return undefined;
      return { id: String(said.id), model: String(said.model), next: String(said.next) };
    },
  };
}
