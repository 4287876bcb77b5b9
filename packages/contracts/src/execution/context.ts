import type { Message, Trust } from '../conversation/message.ts';

/** How long a fragment is kept. */
export type FragmentLifetime = 'request' | 'session' | 'persistent';

/** One piece of context before assembly (AC-071). Its id is the piece's id everywhere: requests, traces, `why`. */
export interface ContextFragment {
  readonly id: string;
  readonly sourceId: string;
  readonly trust: Trust;
  readonly lifetime: FragmentLifetime;
  /** Characters at most; what is longer is trimmed, or refused when `protected`. */
  readonly maxChars: number;
  readonly role: 'system' | 'user' | 'assistant';
  readonly value: string;
  /** Never trimmed. Default false. */
  readonly protected?: boolean;
}

/** What will be assembled: unassembled fragments (AC-072). */
export interface ContextPlan {
  readonly fragments: readonly ContextFragment[];
  readonly maxInputChars: number;
}

/** How much of a fragment went in. */
export interface FragmentUsage {
  readonly id: string;
  readonly sourceId: string;
  readonly trust: Trust;
  readonly usedChars: number;
  readonly maxChars: number;
  readonly truncated: boolean;
}

/** What was assembled (AC-072). */
export interface BuiltContext {
  readonly messages: readonly Message[];
  readonly fragmentUsage: readonly FragmentUsage[];
  /** What changed on the way, by which handler (AC-077). */
  readonly changes: readonly FragmentChange[];
}

/** One change to a fragment. */
export interface FragmentChange {
  readonly fragmentId: string;
  readonly change: 'changed' | 'dropped' | 'compressed';
  readonly fromChars: number;
  readonly toChars: number;
  readonly handlerId: string;
}
