import { type IdSource, isJsonObject, type JsonObject, type JsonValue, type ModelPart } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { thinkingOfItem } from '../../reasoning/openai.ts';
import { createItemCarrier, createLossCarrier, type ItemCarrier } from '../../reasoning/responses-items.ts';
import { readLogprobs } from '../openai-chat/chunks.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceJson } from '../response/json-slice.ts';
import { type BlockWriter, createBlockWriter, type TextKind } from './blocks.ts';
import { type OpenItem, openItems, type Spoken } from './open-items.ts';

/** What the reading of items needs. */
export interface ItemReaderOptions {
  readonly source: CarrySource;
  readonly ids: IdSource;
  /** The endpoint takes its items back, so they are carried. False: only that there was reasoning is. */
  readonly carries: boolean;
  /** What a contradiction is thrown as. */
  readonly contradiction: (message: string) => Error;
}

/** Where an item stands in the source text of its event. */
export interface ItemPlace {
  readonly raw: string | undefined;
  readonly path: readonly (string | number)[];
}

/** Reads the output items of one response, however much of each the server shows while it grows. */
export interface ItemReader {
  added(event: JsonObject): readonly ModelPart[];
  /** A delta of the event's item. */
  delta(event: JsonObject, spoken: Spoken): readonly ModelPart[];
  /** A new part of a summary begins. */
  summaryPart(event: JsonObject): void;
  /** The item is complete: what was not shown yet is given, and what must go back is carried. */
  done(event: JsonObject, place: ItemPlace): readonly ModelPart[];
  /** Reads what the list of a whole response holds beyond the items read already. */
  output(list: readonly JsonValue[], place: ItemPlace): readonly ModelPart[];
  end(): readonly ModelPart[];
  /** Text, reasoning, a refusal or a call came. */
  began(): boolean;
  calls(): boolean;
}

/** A reader for one response. */
export function createItemReader(options: ItemReaderOptions): ItemReader {
  const items = openItems(options.ids);
  const blocks = createBlockWriter();
  const carrier = options.carries ? createItemCarrier(options.source) : createLossCarrier(options.source);
  const state = { began: false, calls: 0 };
  const context: Context = { blocks, carrier, state, ...options };
  const finish = (item: OpenItem, value: JsonObject, place: ItemPlace): readonly ModelPart[] => {
    const parts: ModelPart[] = [];
    finishItem(parts, item, value, place, context);
    return parts;
  };
  return {
    added(event) {
      const parts: ModelPart[] = [];
      const item = items.add(event, objectOr(event.item));
      if (item.type === 'function_call' && !item.shownHead) showCall(parts, item, undefined, context);
      return parts;
    },
    delta(event, spoken) {
      if (typeof event.delta !== 'string' || event.delta === '') return [];
      const parts: ModelPart[] = [];
      const item = items.of(event, spoken.itemType);
      if (spoken.kind === 'arguments') showCall(parts, item, event.delta, context);
      else say(parts, item, spoken, event.delta, stepOf(item, event, spoken), context);
      return parts;
    },
    summaryPart(event) {
      const item = items.of(event, 'reasoning');
      item.summaryParts += 1;
    },
    done(event, place) {
      const value = objectOr(event.item);
      const item = items.forDone(event, value);
      // Said once more: a call must not run twice.
      return item.done ? [] : finish(item, value, place);
    },
    output(list, place) {
      return list.flatMap((entry, position) => {
        if (!isJsonObject(entry)) return [];
        const value = entry as JsonObject;
        const item = items.atPosition(position, value);
        return item.done ? [] : finish(item, value, { raw: place.raw, path: [...place.path, position] });
      });
    },
    end() {
      const parts: ModelPart[] = [];
      blocks.end(parts);
      for (const carry of carrier.end()) parts.push({ type: 'carry', carry });
      return parts;
    },
    began: () => state.began,
    calls: () => state.calls > 0,
  };
}

interface Context extends ItemReaderOptions {
  readonly blocks: BlockWriter;
  readonly carrier: ItemCarrier;
  readonly state: { began: boolean; calls: number };
}

/** The step of a summary, or the part of a content, that a delta belongs to. */
function stepOf(item: OpenItem, event: JsonObject, { kind }: Spoken): number {
  if (kind !== 'summary') return 0;
  return typeof event.summary_index === 'number' ? event.summary_index : Math.max(0, item.summaryParts - 1);
}

const kinds = { text: 'text', refusal: 'refusal', summary: 'thinking', reasoning: 'thinking' } as const satisfies {
  readonly [kind in Exclude<Spoken['kind'], 'arguments'>]: TextKind;
};

/** The text of a block. Every step of a summary is a block of its own; the parts of a message of one kind are one. */
function say(into: ModelPart[], item: OpenItem, { kind }: Spoken, text: string, step: number, { blocks, state }: Context): void {
  if (kind === 'arguments' || text === '') return;
  state.began = true;
  item.said[kind] += text;
  blocks.text(into, kinds[kind], { key: `${item.blockId}/${kind}/${step}`, blockId: item.blockId }, text);
}

/** The head of a call where it was not shown or says more now, and a fragment of its arguments. */
function showCall(into: ModelPart[], item: OpenItem, text: string | undefined, { blocks, state }: Context, whole = false): void {
  if (item.callIndex === undefined) {
    item.callIndex = state.calls;
    state.calls += 1;
  }
  state.began = true;
  blocks.call(into, item.blockId);
  const { callId, name } = item;
  const head = item.shownName !== name || !item.shownHead;
  item.shownHead = true;
  item.shownName = name;
  if (text !== undefined) item.said.arguments += text;
  into.push({
    type: 'function-call-delta',
    index: item.callIndex,
    ...(head && callId !== undefined ? { id: callId } : {}),
    ...(head && name !== undefined ? { name } : {}),
    ...(text === undefined ? {} : { arguments: text }),
    ...(whole ? { whole: true } : {}),
  });
}

function finishItem(into: ModelPart[], item: OpenItem, value: JsonObject, place: ItemPlace, context: Context): void {
  item.done = true;
  if (item.type === 'message') finishMessage(into, item, value, context);
  else if (item.type === 'reasoning') finishReasoning(into, item, value, context);
  else if (item.type === 'function_call') finishCall(into, item, value, place, context);
  context.blocks.end(into);
  const anchor =
    item.type === 'function_call'
      ? ({ kind: 'call', id: item.callId ?? item.blockId } as const)
      : item.type === 'message'
        ? ({ kind: 'item', id: item.blockId } as const)
        : undefined;
  for (const carry of context.carrier.take(value, anchor)) into.push({ type: 'carry', carry });
}

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).map((entry) => objectOr(entry)) : [];

const stringOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function finishMessage(into: ModelPart[], item: OpenItem, { content }: JsonObject, context: Context): void {
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : listOf(content);
  const whole = { text: '', refusal: '' };
  const nothingShown = item.said.text === '' && item.said.refusal === '';
  for (const part of parts) {
    const kind = typeof part.refusal === 'string' ? 'refusal' : 'text';
    const text = stringOf(part[kind]);
    whole[kind] += text;
    if (!nothingShown) continue;
    say(into, item, { kind, itemType: 'message' }, text, 0, context);
    // A stream has given them beside its deltas.
    const tokens = readLogprobs(part.logprobs);
    if (tokens.length > 0) into.push({ type: 'logprobs', tokens });
  }
  if (nothingShown) return;
  for (const kind of ['text', 'refusal'] as const) sayRest(into, item, kind, whole[kind], 0, context);
}

function finishReasoning(into: ModelPart[], item: OpenItem, value: JsonObject, context: Context): void {
  for (const [kind, list] of [
    ['summary', listOf(value.summary)],
    ['reasoning', listOf(value.content)],
  ] as const) {
    const texts = list.map(({ text }) => stringOf(text));
    if (item.said[kind] !== '') sayRest(into, item, kind, texts.join(''), texts.length, context);
    else for (const [step, text] of texts.entries()) say(into, item, { kind, itemType: 'reasoning' }, text, step, context);
  }
  context.blocks.end(into);
  for (const block of thinkingOfItem(value)) into.push({ type: 'thinking-block', blockId: item.blockId, block });
}

/** What the whole text has beyond what was streamed of it. Throws when they are two different texts: nobody knows then which is meant. */
function sayRest(
  into: ModelPart[],
  item: OpenItem,
  kind: Exclude<Spoken['kind'], 'arguments'>,
  whole: string,
  step: number,
  context: Context,
): void {
  const said = item.said[kind];
  if (whole === '' || whole.trim() === said.trim()) return;
  if (!whole.startsWith(said)) throw context.contradiction('The streamed text and the finished text of an item differ.');
  say(into, item, { kind, itemType: item.type }, whole.slice(said.length), step, context);
}

function finishCall(into: ModelPart[], item: OpenItem, value: JsonObject, { raw, path }: ItemPlace, context: Context): void {
  if (typeof value.name === 'string' && value.name !== '') {
    // Another name would begin another call, and leave this one without arguments.
    if (item.shownName !== undefined && item.shownName !== value.name)
      throw context.contradiction('The name that a call began with and its finished name differ.');
    item.name = value.name;
  }
  const given = value.arguments;
  // An object is given as it stands in the source: encoding it anew would lose the digits of long numbers.
  const sliced = raw === undefined || typeof given === 'string' ? undefined : sliceJson(raw, [...path, 'arguments']);
  const whole = given === undefined || given === null ? '' : typeof given === 'string' ? given : (sliced ?? JSON.stringify(given));
  const said = item.said.arguments;
  if (said === '') showCall(into, item, whole, context, true);
  else if (whole === '' || sameArguments(whole, said)) {
    if (item.shownName !== item.name) showCall(into, item, undefined, context);
  } else if (whole.startsWith(said)) showCall(into, item, whole.slice(said.length), context);
  else throw context.contradiction('The streamed arguments and the finished arguments of a call differ.');
}

/** The same text, or two spellings of the same JSON. */
function sameArguments(one: string, other: string): boolean {
  if (one.trim() === other.trim()) return true;
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
}
