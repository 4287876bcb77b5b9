import type { Origin, Trust } from '../conversation/message.ts';

/** A piece of content, stored once and referenced by its digest (AF-004). */
export interface TraceItem {
  /** `sha256:` and 64 hex digits of the content's UTF-8 text. */
  readonly ref: string;
  readonly kind: 'text' | 'tool-call' | 'tool-result' | 'image' | 'thinking' | 'response-text' | 'edit' | 'carry';
  readonly chars: number;
}

/** One item of a request as it was sent (AF-013). */
export interface RequestItem {
  /** The piece's id. */
  readonly id: string;
  readonly item: TraceItem;
  readonly messageIndex: number;
  readonly partIndex: number;
  readonly origin: Origin;
  readonly trust: Trust;
}

/** The envelope of every event of a run's log (AF-004, AF-005). `seq` is global to the run, monotonic, and goes on after resume. */
export interface TraceEvent<Type extends string = string> {
  readonly seq: number;
  readonly runId: string;
  /** `path#n`: the run of a stage that the event belongs to. */
  readonly stageId: string;
  readonly type: Type;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Content by reference; an event holds no text of its own. */
  readonly items: readonly TraceItem[];
}
