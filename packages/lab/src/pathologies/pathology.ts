import type { LabAnswer, LabReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import type { Frame, LabWire, LabWireId } from '../wires/wire.ts';

/** A wire on which a pathology can show; those that the lab does not serve are named too, so that the table is whole. */
export type PathologyWire = LabWireId;

/** What a pathology sees besides the answer. */
export interface PathologyContext {
  readonly request: LabChatRequest;
  readonly frame: Frame;
  readonly wire: LabWire;
  /** The path of the request, without its query. */
  readonly path: string;
}

/** Makes the spoiled reply; undefined when it cannot show on this request. */
export type Apply = (answer: LabAnswer, context: PathologyContext) => LabReply | undefined;

/** One way in which a real service spoils, bends or loses an answer (SG-100). Data: the bytes are made by `apply`. */
export interface Pathology {
  /** `A1` … `G10`, `S1` … `S27`. */
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Where it can show. */
  readonly wires: readonly PathologyWire[];
  /** `whole`: only when the request did not ask for a stream; `parts`: only when it did. */
  readonly delivery: 'whole' | 'parts' | 'both';
  /** What the model's answer must hold: `json` is text that parses as an object or an array, `tools` at least one call. */
  readonly needs: 'text' | 'json' | 'tools' | 'any';
  /**
   * What a correct client gives when the model's own answer was right: `value`, the answer as the model gave it; `tool_calls`, its calls (a call to
   * an exit tool gives its value); `typed-failure`, a failure that says so. Never another value.
   */
  readonly expected: 'value' | 'tool_calls' | 'typed-failure';
  /** `first`: the next request with the same body gets the model's answer untouched, so that a client that retries succeeds. */
  readonly tries: 'first' | 'every';
  /** What the client should say or do, in short. */
  readonly outcome: string;
  /** Makes it on any of its wires that `applyOn` does not name; absent when the lab cannot show it on any other. */
  readonly apply?: Apply;
  /** Makes it on wires that have bytes of their own for it. */
  readonly applyOn?: { readonly [Wire in PathologyWire]?: Apply };
}

const chat: readonly PathologyWire[] = ['openai-chat'];

/** What makes a row on this wire; undefined where the lab cannot show it. */
export function applyOf(pathology: Pathology, wire: string): Apply | undefined {
  if (!pathology.wires.some((own) => own === wire)) return undefined;
  return pathology.applyOn?.[wire as PathologyWire] ?? pathology.apply;
}

/** What a row says besides its defaults: the chat wire, both deliveries, every try. */
export type Row = Pick<Pathology, 'needs' | 'expected' | 'outcome'> & Partial<Omit<Pathology, 'id' | 'title' | 'group'>>;

/** A row of the catalogue; its group is the letter of its id. */
export function row(id: string, title: string, rest: Row): Pathology {
  return { id, title, group: id.slice(0, 1), wires: chat, delivery: 'both', tries: 'every', ...rest };
}

/** A row that no answer can show, such as a mistake of a request: listed, never applied. */
export function listedRow(
  id: string,
  title: string,
  wires: readonly PathologyWire[],
  expected: Pathology['expected'],
  outcome: string,
): Pathology {
  return row(id, title, { wires, needs: 'any', expected, outcome });
}
