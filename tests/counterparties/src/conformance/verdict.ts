import { isDeepStrictEqual } from 'node:util';

/** A tool call as a client hands it to its caller. */
export interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** What the model itself said, before the wire spoiled it. */
export type Wanted = { readonly value: unknown } | { readonly calls: readonly Call[] };

/** What a client gave its caller. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  /** A success that holds neither a value nor a call. */
  | { readonly kind: 'nothing' }
  /** `typed`: an error class of the client, an abort, or a schema error of the validation library; all else is untyped. */
  | { readonly kind: 'error'; readonly typed: boolean; readonly name: string; readonly message: string }
  /** A rejection or exception that reached the process instead of the caller. */
  | { readonly kind: 'escaped'; readonly name: string; readonly message: string }
  /** Neither a result nor an error within the deadline. */
  | { readonly kind: 'hang' };

/**
 * `right`: the model's own answer, or a typed failure where the catalogue expects one. `failed`: a typed failure although the answer could be had.
 * `crash`: an untyped exception, or one that escaped the caller. `hang`: no end within the deadline. `wrong`: a success that is not the model's answer.
 */
export type Verdict = 'right' | 'failed' | 'crash' | 'hang' | 'wrong';

/** From the best to the worst. */
export const verdicts: readonly Verdict[] = ['right', 'failed', 'crash', 'hang', 'wrong'];

/** Judges one outcome. An answer that equals the model's own is right even where a failure was expected: nobody was told a falsehood. */
export function judge(outcome: Outcome, wanted: Wanted, expected: 'value' | 'tool_calls' | 'typed-failure'): Verdict {
  switch (outcome.kind) {
    case 'hang':
      return 'hang';
    case 'escaped':
      return 'crash';
    case 'error':
      if (!outcome.typed) return 'crash';
      return expected === 'typed-failure' ? 'right' : 'failed';
    case 'nothing':
      return 'wrong';
    case 'value':
      return 'value' in wanted && isDeepStrictEqual(outcome.value, wanted.value) ? 'right' : 'wrong';
    case 'calls':
      return 'calls' in wanted && isDeepStrictEqual(outcome.calls, wanted.calls) ? 'right' : 'wrong';
  }
}

const longestDetail = 100;

/** An outcome in a few words, for whoever asks why. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'value':
      return short(`value ${JSON.stringify(outcome.value)}`);
    case 'calls':
      return short(`calls ${JSON.stringify(outcome.calls)}`);
    case 'error':
      return short(`${outcome.name}: ${outcome.message}`);
    case 'escaped':
      return short(`escaped the caller: ${outcome.name}: ${outcome.message}`);
    case 'nothing':
      return 'a success that holds nothing';
    case 'hang':
      return 'no end';
  }
}

function short(text: string): string {
  // Ports differ from run to run.
  const line = text.replace(/\s+/g, ' ').replace(/127\.0\.0\.1:\d+/g, 'host');
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
}
