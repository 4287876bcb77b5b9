import type { RawReply } from '../answer.ts';
import type { PathologyWire } from '../pathologies/pathology.ts';
import type { Random } from '../random.ts';
import type { LabWire } from '../wires/wire.ts';

/** What a fault sees besides the reply. */
export interface FaultContext {
  readonly wire: Pick<LabWire, 'id' | 'refuse'>;
  /** The request's path, without its query. */
  readonly path: string;
  /** The number that was given, else the default; undefined where the fault chooses for itself. */
  readonly parameter: number | undefined;
  readonly random: Random;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The one number that a fault takes: a whole one. */
export interface FaultParameter {
  /** What is counted, such as `seconds to wait`. */
  readonly meaning: string;
  readonly least: number;
  readonly most: number;
  /** Absent: the fault chooses for itself, as `meaning` says. */
  readonly default?: number;
}

/** What a correct client that may retry gives. */
export type FaultExpectation = 'value' | 'typed-failure';

interface FaultFacts {
  /** Words with hyphens, such as `rate-limit`. */
  readonly id: string;
  readonly title: string;
  /** Where it can show. */
  readonly wires: readonly PathologyWire[];
  /** `whole`: only when the request did not ask for a stream; `parts`: only when it did. */
  readonly delivery: 'whole' | 'parts' | 'both';
  /**
   * What a correct client gives when the answer itself was right: `value`, that answer, after a retry where one is needed; `typed-failure`, a failure
   * that says so. By delivery: after output nothing can be retried. Never another value.
   */
  readonly expected: { readonly whole: FaultExpectation; readonly parts: FaultExpectation };
  /** `first`: the next request with the same body has no fault, so that a client that retries succeeds. */
  readonly tries: 'first' | 'every';
  /** What the client should say or do, in short. */
  readonly outcome: string;
  /** Absent: it takes none. */
  readonly parameter?: FaultParameter;
}

/**
 * One way in which a transport or a server fails, whatever the model said (SG-100). `answer`: how much of the answer still arrives. `none`: the
 * fault's own reply comes instead, and the model is not asked. Else `apply` changes how the reply is delivered; undefined when it cannot show on it.
 */
export type Fault = FaultFacts &
  (
    | { readonly answer: 'none'; reply(context: FaultContext): RawReply }
    | { readonly answer: 'whole' | 'part'; apply(reply: RawReply, context: FaultContext): RawReply | undefined }
  );

/** A fault with its parameter and the share of the requests, 0 to 1, to which it is applied where it fits. */
export interface FaultRate {
  readonly fault: Fault;
  readonly rate: number;
  readonly parameter?: number;
}

/** Every wire. */
const everyWire: readonly PathologyWire[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama'];

const value = { whole: 'value', parts: 'value' } as const;

type Defaults = 'wires' | 'delivery' | 'expected' | 'tries';

/** A fault whose reply comes instead of the answer. Defaults: every wire, both deliveries, on the first try, so that a retry gives the value. */
export function replacing(
  id: string,
  title: string,
  rest: Partial<Pick<FaultFacts, Defaults>> & Omit<FaultFacts, Defaults | 'id' | 'title'> & { reply(context: FaultContext): RawReply },
): Fault {
  return { id, title, wires: everyWire, delivery: 'both', expected: value, tries: 'first', answer: 'none', ...rest };
}

/** A fault of the delivery. Defaults: every wire, both deliveries, on every try, and the value arrives all the same. */
export function delivering(
  id: string,
  title: string,
  rest: Partial<Pick<FaultFacts, Defaults>> &
    Omit<FaultFacts, Defaults | 'id' | 'title'> & {
      readonly answer: 'whole' | 'part';
      apply(reply: RawReply, context: FaultContext): RawReply | undefined;
    },
): Fault {
  return { id, title, wires: everyWire, delivery: 'both', expected: value, tries: 'every', ...rest };
}
