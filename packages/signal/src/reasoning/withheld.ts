import type { Carry, MessagePart, WithheldPart } from '@vouch/contracts';
import type { CarrySource } from './chat-reasoning.ts';

/** Which carries an endpoint takes back: those that it gave itself, in the shapes of its wire. */
export interface CarryRule {
  readonly source: CarrySource;
  readonly shapes: ReadonlySet<string>;
}

/** The carries of a part that are this endpoint's and model's; the others are added to `withheld` (TH-015). */
export function ownCarries(part: MessagePart, { source, shapes }: CarryRule, withheld: WithheldPart[]): readonly Carry[] {
  const own: Carry[] = [];
  for (const carry of part.carry ?? []) {
    // What another wire left is another provider's, whatever it is called.
    if (carry.provider !== source.provider || !shapes.has(carry.shape)) withhold(withheld, part, [carry], 'other-provider');
    else if (carry.model !== source.model) withhold(withheld, part, [carry], 'other-model');
    else own.push(carry);
  }
  return own;
}

/** Notes that these carries of a part stay out, once for each shape and reason. Parts come one after another, so a part's own notes stand last. */
export function withhold(
  into: WithheldPart[],
  { id }: MessagePart,
  carries: readonly Pick<Carry, 'shape'>[],
  reason: WithheldPart['reason'],
): void {
  for (const { shape } of carries) {
    if (!isNoted(into, id, shape, reason)) into.push({ type: 'withheld', partId: id, shape, reason });
  }
}

function isNoted(notes: readonly WithheldPart[], id: string, shape: string, reason: WithheldPart['reason']): boolean {
  for (let at = notes.length - 1; notes[at]?.partId === id; at -= 1)
    if (notes[at]?.shape === shape && notes[at]?.reason === reason) return true;
  return false;
}
