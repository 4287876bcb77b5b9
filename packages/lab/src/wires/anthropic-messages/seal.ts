import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { Random } from '../../random.ts';

/** What a lab's signature says of the response that it stands in. */
export interface SignedThought {
  /** It is of no use to another model. */
  readonly model: string;
  /** The response, as its blocks name it. */
  readonly stem: string;
  /** The place of the block among the response's blocks. */
  readonly at: number;
  /** The response's blocks in order: `thinking`, `text`, or `tool_use` with the call's id. */
  readonly layout: readonly string[];
}

/** Issues signatures, redacted data and call ids, and knows its own again without remembering any. */
export interface Seal {
  /** The name of a new response with thinking. */
  stem(random: Random): string;
  /** A new call id; one of a response with thinking says so, and whether thinking opened it. */
  callId(response: { readonly stem: string; readonly opens: boolean } | undefined, random: Random): string;
  /** What a call id says; undefined for a call of a response without thinking, and for an id of another's. */
  responseOf(callId: string): { readonly stem: string; readonly opens: boolean } | undefined;
  /** Signs a block; `text` is what it shows, undefined where it is redacted. */
  sign(thought: SignedThought, text: string | undefined): string;
  /** Undefined for a signature that is not this lab's, not as it left, or of another text. */
  verify(signature: string, text: string | undefined): SignedThought | undefined;
}

const drawn = 16;
const marked = 12;
const macBytes = 32;

/** The seal of a lab with this seed. */
export function createSeal(seed: number): Seal {
  const key = createHash('sha256').update(`${seed}/messages`).digest();
  const mark = (text: string): string => createHmac('sha256', key).update(text).digest('hex').slice(0, marked);
  const macOf = (payload: Buffer, text: string | undefined): Buffer =>
    createHmac('sha256', key)
      .update(payload)
      .update(text === undefined ? 'redacted' : `shown ${text}`)
      .digest();
  return {
    stem: (random) => random.letters(drawn),
    callId: (response, random) =>
      response === undefined
        ? `toolu_${random.letters(24)}`
        : `toolu_${random.letters(8)}${response.stem}${mark(`${response.opens ? 'opens' : 'later'} ${response.stem}`)}`,
    responseOf(callId) {
      const stem = callId.slice(-(drawn + marked), -marked);
      const said = callId.slice(-marked);
      if (stem.length !== drawn) return undefined;
      if (said === mark(`opens ${stem}`)) return { stem, opens: true };
      return said === mark(`later ${stem}`) ? { stem, opens: false } : undefined;
    },
    sign(thought, text) {
      const payload = Buffer.from(JSON.stringify(thought));
      return Buffer.concat([macOf(payload, text), payload]).toString('base64');
    },
    verify(signature, text) {
      const bytes = Buffer.from(signature, 'base64');
      const payload = bytes.subarray(macBytes);
      const intact =
        bytes.length > macBytes &&
        timingSafeEqual(bytes.subarray(0, macBytes), macOf(payload, text)) &&
        // A decoder overlooks what does not belong to the alphabet, and spare bits.
        bytes.toString('base64') === signature;
      if (!intact) return undefined;
      const said = JSON.parse(payload.toString()) as JsonValue;
      if (!isJsonObject(said) || !Array.isArray(said.layout)) return undefined;
      return { model: String(said.model), stem: String(said.stem), at: Number(said.at), layout: said.layout.map(String) };
    },
  };
}
