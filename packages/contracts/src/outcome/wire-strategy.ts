import type { JsonValue } from '../basics/json.ts';
import type { Issue, ProviderFault } from './failure.ts';

/** A provider's error that carried what the model wrote (SG-067). Routed like a response. */
export interface Rejection {
  /** The tool that the attempt called; absent when the bytes name none. */
  readonly name?: string;
  /** What the model wrote: arguments when `name` is given, else any text; may be `''`. */
  readonly argsText: string;
  /** The bytes end inside a structure. */
  readonly truncated: boolean;
  /** The provider sent nothing of the attempt along; `argsText` is then `''` and says nothing. */
  readonly absent?: true;
  /** What the provider said is wrong with the attempt, where its message says so. */
  readonly issues?: readonly Issue[];
}

/** What an error strategy may look at. Not for showing: `payload` is the decoded body, whole. */
export interface ProviderErrorView {
  readonly fault: ProviderFault;
  readonly payload: JsonValue | undefined;
}

/** Recovers the attempt from a provider's error body, or says that it is none of its kind (SG-003). Pure. */
export interface ErrorWireStrategy {
  readonly id: string;
  readonly hook: 'error';
  recover(error: ProviderErrorView): Rejection | undefined;
}

/** Offers readings of a text that the ladder does not know. It contributes and never chooses, but for `prefer` (SG-064). Pure. */
export interface ResponseWireStrategy {
  readonly id: string;
  readonly hook: 'response';
  /** Candidate texts, each a substring of `content` or a rewriting of one. */
  candidates(content: string): readonly string[];
  /** Set by the caller only: of several that pass, take the last; noted in the report. */
  readonly prefer?: 'last';
}

/** One provider quirk on the response side; selected by id on a registry row, or given by the caller. */
export type WireStrategy = ErrorWireStrategy | ResponseWireStrategy;
