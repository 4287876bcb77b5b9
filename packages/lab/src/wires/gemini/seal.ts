import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { Random } from '../../random.ts';

/** What a lab's thought signature says of itself. */
export interface SignedThought {
  /** It is of no use to another model. */
  readonly model: string;
  /** The id of the call that it was issued with, or a digest of the text. */
  readonly of: string;
}

/** Issues thought signatures, and knows its own again without remembering any. */
export interface Seal {
  sign(thought: SignedThought, random: Random): string;
  /** Undefined for a signature that is not this lab's, or not as it left. */
  open(signature: string): SignedThought | undefined;
}

const macBytes = 32;

/** What a signature on a text is of. */
export const textDigest = (text: string): string => `text ${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;

/** The seal of a lab with this seed. */
export function createSeal(seed: number): Seal {
  const key = createHash('sha256').update(`${seed}/generate-content`).digest();
  const macOf = (payload: Buffer): Buffer => createHmac('sha256', key).update(payload).digest();
  return {
    sign({ model, of }, random) {
      // As opaque as the real ones: two signatures of one thing differ.
      const payload = Buffer.from(JSON.stringify({ model, of, salt: random.letters(12) }));
      return Buffer.concat([macOf(payload), payload]).toString('base64');
    },
    open(signature) {
      const bytes = Buffer.from(signature, 'base64');
      const payload = bytes.subarray(macBytes);
      const intact =
        bytes.length > macBytes &&
        timingSafeEqual(bytes.subarray(0, macBytes), macOf(payload)) &&
        // A decoder overlooks what does not belong to the alphabet, and spare bits.
        bytes.toString('base64') === signature;
      if (!intact) return undefined;
      const said = JSON.parse(payload.toString()) as JsonValue;
      return isJsonObject(said) ? { model: String(said.model), of: String(said.of) } : undefined;
    },
  };
}
