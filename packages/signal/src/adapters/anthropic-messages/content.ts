import type { JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import { createBlockCarrier } from '../../reasoning/messages-blocks.ts';
import { createBlockWriter } from '../openai-responses/blocks.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceItems, sliceJson } from '../response/json-slice.ts';
import {
  type BlockContext,
  type ContentReaderOptions,
  close,
  closeCurrent,
  giveEmptyInput,
  grow,
  nextKey,
  noteInput,
  type OpenBlock,
  openBlock,
  place,
} from './blocks.ts';

/** Reads the content blocks of one response, streamed or whole. */
export interface ContentReader {
  /** A block begins; `raw`: the event's source text. The one before it has ended, whether the server said so or not. */
  start(event: JsonObject, raw: string | undefined): readonly ModelPart[];
  delta(event: JsonObject): readonly ModelPart[];
  stop(event: JsonObject): readonly ModelPart[];
  /** The list of a whole response; `raw`: the source text of all of it. `cut`: the limit ended it, so that its last call may be in pieces that the server has closed. */
  whole(list: readonly JsonValue[], raw: string | undefined, cut: boolean): readonly ModelPart[];
  refusal(explanation: string): readonly ModelPart[];
  /** The end of the response: whole, as far as its limit let it come, or before its end. */
  end(how: 'whole' | 'limited' | 'cut'): readonly ModelPart[];
  /** Text, thinking, a refusal or a call came. */
  began(): boolean;
}

const beginning = (prefix: BlockContext['state']['prefix']): BlockContext['state'] => ({
  blocks: 0,
  calls: 0,
  began: false,
  current: undefined,
  empty: undefined,
  input: { missing: false, stray: false },
  prefix,
});

/** A reader for one response. */
export function createContentReader(options: ContentReaderOptions): ContentReader {
  const context: BlockContext = {
    writer: createBlockWriter(),
    carrier: createBlockCarrier(options.source),
    state: beginning(options.prefix),
    byIndex: new Map(),
    ...options,
  };
  const { state, byIndex, writer } = context;
  const listed = (act: (into: ModelPart[]) => void): readonly ModelPart[] => {
    const parts: ModelPart[] = [];
    act(parts);
    return parts;
  };
  const blockOf = ({ index }: JsonObject): OpenBlock | undefined => (typeof index === 'number' ? byIndex.get(index) : state.current);
  return {
    start: (event, raw) => listed((into) => startBlock(into, event, raw, context)),
    delta(event) {
      // The hot path: no closure for each event.
      const into: ModelPart[] = [];
      const delta = objectOr(event.delta);
      let block = blockOf(event);
      if (block === undefined) {
        if (delta.type === 'input_json_delta') noteInput({ stray: true }, context);
        closeCurrent(into, context);
        block = openBlock(into, impliedBlock(delta), undefined, context);
        if (typeof event.index === 'number') byIndex.set(event.index, block);
      }
      grow(into, block, delta, context);
      return into;
    },
    stop: (event) =>
      listed((into) => {
        const block = blockOf(event);
        if (block !== undefined) close(into, block, context);
      }),
    whole: (list, raw, cut) => listed((into) => readList(into, list, raw, cut, context)),
    refusal: (explanation) =>
      listed((into) => {
        closeCurrent(into, context);
        giveEmptyInput(into, context);
        state.began = true;
        writer.text(into, 'refusal', place(nextKey(context)), explanation);
      }),
    end: (how) =>
      listed((into) => {
        if (how !== 'cut') closeCurrent(into, context);
        if (how === 'whole') giveEmptyInput(into, context);
        writer.end(into);
        for (const carry of context.carrier.end()) into.push({ type: 'carry', carry });
      }),
    began: () => state.began,
  };
}

function startBlock(into: ModelPart[], event: JsonObject, raw: string | undefined, context: BlockContext): void {
  const given = objectOr(event.content_block);
  const { index } = event;
  const known = typeof index === 'number' ? context.byIndex.get(index) : undefined;
  // Said once more: a call must not run twice.
  if (known?.call !== undefined && isCall(given) && given.id === known.call.id) return;
  closeCurrent(into, context);
  const block = openBlock(into, given, raw === undefined || !isCall(given) ? undefined : sliceJson(raw, ['content_block']), context);
  if (typeof index === 'number') context.byIndex.set(index, block);
}

/** The block that a delta without one adds to. */
function impliedBlock({ type }: JsonObject): JsonObject {
  if (type === 'text_delta' || type === 'citations_delta') return { type: 'text', text: '' };
  if (type === 'thinking_delta' || type === 'signature_delta') return { type: 'thinking', thinking: '' };
  return type === 'input_json_delta' ? { type: 'tool_use', input: {} } : { type: '' };
}

/** The source of a call alone is looked at: its input goes back as it was written. */
const isCall = (block: JsonValue): boolean => objectOr(block).type === 'tool_use';

function readList(into: ModelPart[], list: readonly JsonValue[], raw: string | undefined, cut: boolean, context: BlockContext): void {
  const source = raw === undefined || !list.some(isCall) ? undefined : sliceJson(raw, ['content']);
  const pieces = source === undefined ? [] : sliceItems(source);
  for (const [position, entry] of list.entries()) {
    const given = objectOr(entry);
    const block = openBlock(into, given, pieces[position], context);
    if (cut && block.call !== undefined && position === list.length - 1) {
      // Without its last brace: what the limit cut off is not known, so the call must not count as whole.
      const text = block.call.begunWith === '' ? '{' : block.call.begunWith.replace(/\}\s*$/, '');
      into.push({ type: 'function-call-delta', index: block.call.index, arguments: text });
      block.done = true;
      context.writer.end(into);
    } else close(into, block, context);
  }
}
