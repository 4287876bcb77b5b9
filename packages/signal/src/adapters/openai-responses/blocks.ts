import type { BlockKind, ModelPart } from '@vouch/contracts';
import { createTextChannel, type TextChannel } from '../response/text-channel.ts';

/** The text of which a block is made. */
export type TextKind = 'text' | 'thinking' | 'refusal';

/** Emits blocks one after another, each with its begin, its pieces and its end. */
export interface BlockWriter {
  /** Adds text to the block of this key; begins it, and ends the one before, where it is another. Empty text does nothing. */
  text(into: ModelPart[], kind: TextKind, place: { readonly key: string; readonly blockId: string }, text: string): void;
  /** Begins a block that may have no text, unless it is the current one. */
  begin(into: ModelPart[], kind: BlockKind, place: { readonly key: string; readonly blockId: string }): void;
  /** Begins the block of a call, unless it is the current one. */
  call(into: ModelPart[], key: string): void;
  /** Ends the current block. */
  end(into: ModelPart[]): void;
}

interface Current {
  readonly kind: BlockKind;
  readonly key: string;
  readonly blockId: string;
  readonly index: number;
  readonly channel: TextChannel;
}

const deltaTypes = { text: 'text-delta', thinking: 'thinking-delta', refusal: 'refusal-delta' } as const;

/** A writer for one response. */
export function createBlockWriter(): BlockWriter {
  let current: Current | undefined;
  let count = 0;
  const push = (into: ModelPart[], { kind, blockId }: Current, text: string): void => {
    if (text === '' || (kind !== 'text' && kind !== 'thinking' && kind !== 'refusal')) return;
    into.push({ type: deltaTypes[kind], text, blockId });
  };
  const end = (into: ModelPart[]): void => {
    if (current === undefined) return;
    push(into, current, current.channel.end());
    into.push({ type: 'block-end', kind: current.kind, index: current.index });
    current = undefined;
  };
  const enter = (into: ModelPart[], kind: BlockKind, key: string, blockId: string): Current => {
    if (current?.kind === kind && current.key === key) return current;
    end(into);
    current = { kind, key, blockId, index: count, channel: createTextChannel() };
    count += 1;
    into.push({ type: 'block-start', kind, index: current.index });
    return current;
  };
  return {
    text(into, kind, { key, blockId }, text) {
      if (text === '') return;
      const block = enter(into, kind, key, blockId);
      push(into, block, block.channel.push(text));
    },
    begin(into, kind, { key, blockId }) {
      enter(into, kind, key, blockId);
    },
    call(into, key) {
      enter(into, 'function-call', key, key);
    },
    end,
  };
}
