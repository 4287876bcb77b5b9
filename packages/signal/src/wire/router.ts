import type {
  AcceptPolicy,
  FinishReason,
  FitUndo,
  Gate,
  Rejection,
  ResponseWireStrategy,
  StepOutcome,
  ToolDescriptor,
  WireReport,
} from '@vouch/contracts';

/** A tool call as the assembler left it. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The arguments' JSON text as written; `''` for none. */
  readonly argsText: string;
}

/** One response, assembled from its parts. */
export interface WireResponse {
  readonly content: string;
  readonly calls: readonly WireCall[];
  readonly finish: FinishReason;
  /** The wire's terminal mark came. False = the stream was cut. */
  readonly terminated: boolean;
  /** The provider's own refusal text. */
  readonly refusal?: string;
  /** The model spent tokens on reasoning (for the note `reasoning_budget`). */
  readonly reasoned?: boolean;
}

/** What a response must meet, and what may be done for it. */
export interface RouteContract {
  /** Absent: a turn without declared calls is free text, and `routeResponse` gives it back as `output` of the string. */
  readonly gate?: Gate;
  /** Every tool of the request, the exit tool included. */
  readonly declared: readonly ToolDescriptor[];
  readonly exitTool?: string;
  /** Default `repaired`. */
  readonly accept?: AcceptPolicy;
  readonly envelope?: FitUndo;
  readonly strategies?: readonly ResponseWireStrategy[];
  readonly limits?: Partial<WireLimits>;
  /** Default true; false switches the `suspect_escape` check off, noted (SG-070). */
  readonly checkSuspectEscapes?: boolean;
  /** Ids for calls that came without one. */
  readonly newCallId: () => string;
}

/** Bounds of the work on one response; passing one is `limit_exceeded`. */
export interface WireLimits {
  /** UTF-16 units of text. Default 16 Mi. */
  readonly maxChars: number;
  /** Nesting. Default 512. */
  readonly maxDepth: number;
  /** Candidates that are gated. Default 64. */
  readonly maxCandidates: number;
}

/** An outcome and how it came about. */
export interface Routed {
  readonly outcome: StepOutcome;
  readonly wire: WireReport;
}

/** Classifies one response (SG-060). Pure; never throws on any input. */
export function routeResponse(_response: WireResponse, _contract: RouteContract): Routed {
  throw new Error('being built');
}

/** Routes what a provider's error carried as if it had arrived normally (SG-067). Pure. */
export function routeRejection(_rejection: Rejection & { readonly strategy: string }, _contract: RouteContract): Routed {
  throw new Error('being built');
}
