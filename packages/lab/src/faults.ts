import { bodyFaults } from './faults/broken-body.ts';
import type { Fault } from './faults/fault.ts';
import { replacingFaults } from './faults/instead.ts';
import { paceFaults } from './faults/pace.ts';

/** Every fault of transport and server that the lab can inject (SG-100). */
export const faults: readonly Fault[] = [...paceFaults, ...bodyFaults, ...replacingFaults];

const byId = new Map(faults.map((fault) => [fault.id, fault]));

/** The fault with this id, such as `rate-limit`; undefined when there is none. */
export function faultById(id: string): Fault | undefined {
  return byId.get(id);
}
