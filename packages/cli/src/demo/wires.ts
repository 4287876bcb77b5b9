import type { ChatWireId } from '@vouch/contracts';
import { type Lab, type Pathology, pathologies } from '@vouch/lab';
import type { WireSlot } from './plan.ts';

/** The wires on which the lab can show the pathology, in the catalogue's order. */
export function wiresThatShow(pathology: Pathology): readonly ChatWireId[] {
  return pathology.wires.filter((wire) => (pathology.applyOn?.[wire] ?? pathology.apply) !== undefined);
}

/** Every wire of which the catalogue shows something: a wire that joins the lab joins the demo. */
export const demoWires: readonly ChatWireId[] = [...new Set(pathologies.flatMap(wiresThatShow))];

/**
 * The wire of each slot: the one that it names, else the least used of those on which its pathology can show, a clean slot on any. A row's dialect
 * belongs to the first wire, so a slot that names a row stays there.
 */
export function wiresFor(slots: readonly WireSlot[]): readonly ChatWireId[] {
  const uses = new Map<ChatWireId, number>(demoWires.map((wire) => [wire, 0]));
  for (const { wire } of slots) if (wire !== undefined) uses.set(wire, (uses.get(wire) ?? 0) + 1);
  return slots.map((slot) => {
    if (slot.wire !== undefined) return slot.wire;
    const pathology = pathologies.find(({ id }) => id === slot.pathology);
    const possible = pathology === undefined ? demoWires : wiresThatShow(pathology);
    const wire = [...possible].sort((one, other) => (uses.get(one) ?? 0) - (uses.get(other) ?? 0))[0] ?? 'openai-chat';
    uses.set(wire, (uses.get(wire) ?? 0) + 1);
    return wire;
  });
}

/** Where below the lab's origin the paths of a wire begin. */
const basePaths: { readonly [Wire in ChatWireId]: string } = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '',
  gemini: '/v1beta',
  ollama: '',
};

/** The base URL of a wire of the lab. */
export const addressOn = (lab: Lab, wire: ChatWireId): string => `${lab.origin}${basePaths[wire]}`;
