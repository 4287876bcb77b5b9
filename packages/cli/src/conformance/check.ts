import type { ChatWireId, SignalOptions, StepRequest, StepResult } from '@vouch/contracts';

/** How a request travels. */
export type Delivery = 'whole' | 'stream';

/**
 * What a check came to. `holds`: as expected. `differs`: otherwise than expected. `refused`: the endpoint said by a typed error that it does not take
 * what was asked. `no verdict`: it was asked, and what came tells nothing of the endpoint; a model that did not do its part is a reason. `not asked`:
 * nothing was sent for it. The evidence of both says why.
 */
export type Outcome = 'holds' | 'differs' | 'refused' | 'no verdict' | 'not asked';

/** An outcome with what shows it: facts in a line, no payload. */
export interface Finding {
  readonly outcome: Outcome;
  readonly evidence: string;
}

/** The endpoint as checks see it. Each method makes one call; what it spends is counted. Throws what the client throws. */
export interface CheckedEndpoint {
  readonly wire: ChatWireId;
  readonly model: string;
  readonly hasKey: boolean;
  ask(request: StepRequest, delivery: Delivery): Promise<StepResult>;
  /** The plain answer that several checks look at; asked once a delivery. */
  plain(delivery: Delivery): Promise<StepResult>;
  /** One small call with another key or another model. */
  askAs(other: { readonly apiKey?: string; readonly model?: string }): Promise<StepResult>;
  /** The turn as it goes back, with the results of its calls. */
  withResults(result: StepResult, text: string): StepRequest['messages'];
  /** Streams, aborts at the first text, and says what came of it. `wasRead`: the body had come to its end by then. */
  abortMidway(
    request: StepRequest,
  ): Promise<{ readonly sawText: boolean; readonly ended: boolean; readonly wasRead: boolean; readonly released: boolean }>;
  listModels(): Promise<{ readonly status: number; readonly ids: readonly string[] | undefined }>;
}

/** One thing that can be asked of a live endpoint. Data: it holds no state and prints nothing, so that a probe can run it too. */
export interface Check {
  /** Lower case with dashes. */
  readonly id: string;
  readonly asks: string;
  readonly expects: string;
  /** Calls of its own; the shared plain answers are counted once for all checks. */
  readonly calls: number;
  /** The plain answers that it looks at. */
  readonly shares?: readonly Delivery[];
  /** Input and output of its own calls, about. */
  readonly tokens: number;
  /** Why it cannot be asked of this endpoint; undefined when it can. */
  readonly unless?: (endpoint: Pick<CheckedEndpoint, 'wire' | 'hasKey'>) => string | undefined;
  run(endpoint: CheckedEndpoint): Promise<Finding>;
}

/** What one check came to, and what it took. */
export interface CheckResult extends Finding {
  readonly check: Check;
  readonly durationMs: number;
  /** Requests that went out, retries included. */
  readonly calls: number;
  /** Tokens that the endpoint reported. */
  readonly tokens: number;
}

/** Every answer's bound in tokens, thinking included: bounds what a run may cost. */
export const answerBound = 1_024;

/** As expected. */
export const holds = (evidence: string): Finding => ({ outcome: 'holds', evidence });
/** Otherwise than expected. */
export const differs = (evidence: string): Finding => ({ outcome: 'differs', evidence });
/** Asked, and nothing was measured. */
export const noVerdict = (evidence: string): Finding => ({ outcome: 'no verdict', evidence });

/** A request of one user text. */
export function askFor(text: string, rest: Omit<StepRequest, 'messages'> = {}, options: SignalOptions = {}): StepRequest {
  return { messages: [{ role: 'user', content: text }], ...rest, options: { maxOutputTokens: answerBound, ...options } };
}

/** Why the answer is not a whole one; undefined when it is. A model that refuses or writes too much did not do its part. */
export function unsound(result: StepResult): Finding | undefined {
  if (result.refusal !== undefined) return noVerdict('the model refused to answer');
  if (result.finishReason === 'length') return noVerdict(`the answer was longer than ${answerBound} tokens`);
  if (result.outcome?.kind === 'failed') return differs(`${result.outcome.failure.reason}: ${result.outcome.failure.message}`);
  if (result.metadata.finishReason === undefined) return differs('no finish reason came');
  if (result.finishReason === 'unknown') return differs('the finish reason is none of the wire');
  if (result.finishReason === 'content_filter' || result.finishReason === 'error') return noVerdict(`it ended with ${result.finishReason}`);
  if (result.metadata.terminated !== true) return differs('the mark that ends an answer did not come');
  return undefined;
}

/** A call as the wire carried it. */
export interface WireCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** The calls that the wire carried as such, not those that were read out of text. */
export function wireCalls(result: StepResult): readonly WireCall[] {
  return result.parts.flatMap((part) =>
    part.type === 'function-call-delta' ? [{ id: part.id, name: part.name, text: part.arguments ?? '' }] : [],
  );
}

/** The number of input tokens, where it was reported. */
const inputOf = ({ usage }: StepResult): number | undefined => (usage.reported ? usage.inputTokens : undefined);

/**
 * Whether something reached the model: it said so; or the endpoint counted no more input with it than without it, so it was dropped. A model that
 * says something else about counted input did not do its part.
 */
export function reached(what: string, said: boolean, withIt: StepResult, without: StepResult): Finding {
  const [more, fewer] = [inputOf(withIt), inputOf(without)];
  const counted = more === undefined || fewer === undefined ? 'input not reported' : `input ${more} tokens with it, ${fewer} without`;
  if (said) return holds(`the answer shows ${what}; ${counted}`);
  if (more !== undefined && fewer !== undefined && more <= fewer) return differs(`${what} did not reach the model: ${counted}`);
  return noVerdict(`the model's answer does not show ${what}; ${counted}`);
}
