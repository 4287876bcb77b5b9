import { type Fault, faults, type LabContent, type LabModel, type LabOptions, type Pathology, pathologies, scripted } from '@vouch/lab';
import { z } from 'zod';
import type { Call, Wanted } from './verdict.ts';

/** How the answer travels: in one body, or as a stream of parts. */
export type Delivery = 'whole' | 'parts';

/** The schema of the structured answer, and of the arguments of `find_berth`. */
export const berth: z.ZodObject<{ pier: z.ZodInt; note: z.ZodString }> = z.object({ pier: z.int(), note: z.string() });

/** The arguments of `list_berths`: none. */
export const noArguments: z.ZodObject<Record<string, never>> = z.object({});

/** What a client is asked to do, in the terms of no client. */
export interface Scenario {
  readonly wanted: Wanted;
  readonly prompt: string;
  /** The tool that is forced by name. */
  readonly forced?: string;
  /** Ask for one call at a time. */
  readonly oneCallAtATime: boolean;
  /** A finished call comes before the prompt. */
  readonly hasEarlierCall: boolean;
  /** The caller aborts while the answer streams. */
  readonly aborts: boolean;
}

/** One way in which a wire or a server fails, in one delivery. */
export interface Case {
  /** Such as `B19` for a pathology, `rate-limit` for a fault. */
  readonly id: string;
  readonly title: string;
  readonly kind: 'pathology' | 'fault';
  readonly delivery: Delivery;
  readonly expected: Pathology['expected'];
  readonly scenario: Scenario;
  /** What makes the lab do it. */
  readonly spoil: Pick<LabOptions, 'pathologies' | 'faults'>;
}

/** Whether the case is about tool calls. */
export const isCalls = ({ scenario }: Pick<Case, 'scenario'>): boolean => 'calls' in scenario.wanted;

const value = { pier: 7, note: 'low é 🚀\n' };
const oneCall: readonly Call[] = [{ name: 'find_berth', args: { pier: 7, note: 'low tide' } }];
const twoCalls: readonly Call[] = [...oneCall, { name: 'find_berth', args: { pier: 8, note: 'at noon' } }];
const emptyCall: readonly Call[] = [{ name: 'list_berths', args: {} }];

// Rows that show only on a turn with two calls, or on a call without arguments.
const callsOf: Readonly<Record<string, readonly Call[]>> = { B3: twoCalls, B10: twoCalls, B33: twoCalls, B15: emptyCall, B16: emptyCall };

function scenarioOf({ id, needs }: Pick<Pathology, 'id' | 'needs'>): Scenario {
  return {
    wanted: needs === 'tools' ? { calls: callsOf[id] ?? oneCall } : { value },
    prompt: 'Where is a berth free?',
    ...(id === 'B32' ? { forced: 'find_berth' } : {}),
    oneCallAtATime: id === 'B33',
    hasEarlierCall: id === 'B36',
    aborts: id === 'D23',
  };
}

const deliveriesOf = ({ delivery }: Pathology | Fault): readonly Delivery[] => (delivery === 'both' ? ['whole', 'parts'] : [delivery]);

const ofPathologies = pathologies
  .filter(({ apply, wires }) => apply !== undefined && wires.includes('openai-chat'))
  .flatMap((pathology) => {
    const { id, title, expected } = pathology;
    const scenario = scenarioOf(pathology);
    return deliveriesOf(pathology).map(
      (delivery): Case => ({ id, title, kind: 'pathology', delivery, expected, scenario, spoil: { pathologies: [{ id, rate: 1 }] } }),
    );
  });

const ofFaults = faults
  .filter(({ wires }) => wires.includes('openai-chat'))
  .flatMap((fault) => {
    const { id, title, expected } = fault;
    const scenario = scenarioOf({ id, needs: 'json' });
    return deliveriesOf(fault).map(
      (delivery): Case => ({
        id,
        title,
        kind: 'fault',
        delivery,
        expected: expected[delivery],
        scenario,
        spoil: { faults: [{ id, rate: 1 }] },
      }),
    );
  });

/** Every pathology that shows on the chat wire, then every fault, each in each delivery in which it can, in the order of the catalogues. */
export const cases: readonly Case[] = [...ofPathologies, ...ofFaults];

/** The model of a scenario: its calls, or its value as JSON; after tool results, and where the tools are answered, the value. */
export function modelOf({ wanted }: Scenario): LabModel {
  const json = JSON.stringify(value);
  return scripted((request): LabContent => {
    if ('value' in wanted) return { text: JSON.stringify(wanted.value) };
    if (request.messages.at(-1)?.role !== 'tool') {
      return { toolCalls: wanted.calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })) };
    }
    return request.tools.some(({ name }) => name === 'respond') ? { toolCalls: [{ name: 'respond', arguments: json }] } : { text: json };
  });
}
