import { type Carry, type IdSource, isJsonObject, type JsonObject, type JsonValue, type ModelPart } from '@vouch/contracts';
import { thinkingOfBlock } from '../../reasoning/anthropic.ts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import type { BlockCarrier } from '../../reasoning/messages-blocks.ts';
import { extendByBlock, type PrefixState, prefixStamp } from '../../reasoning/prefix.ts';
import type { BlockWriter } from '../openai-responses/blocks.ts';
import { sliceJson } from '../response/json-slice.ts';

/** What the reading of content blocks needs. */
export interface ContentReaderOptions {
  readonly source: CarrySource;
  readonly ids: IdSource;
  /** Of what the answer was given after, where the model binds its thinking to it. */
  readonly prefix?: PrefixState;
  /** What a contradiction is thrown as. */
  readonly contradiction: (message: string) => Error;
}

/** A block while it grows. */
export interface OpenBlock {
  readonly type: string;
  readonly key: string;
  /** As the server began it, with what it added since. */
  readonly value: { [field: string]: JsonValue };
  /** Of a call: its place among the response's calls, its id, and the input that it began with. */
  readonly call: { readonly index: number; readonly id: string; readonly begunWith: string } | undefined;
  readonly citations: JsonValue[];
  /** The input as it was streamed so far. */
  fragments: string;
  /** Of a call: it was given something of an unknown form. */
  unread: boolean;
  done: boolean;
}

/** What the reading of one response rests on, and how far it is. */
export interface BlockContext extends ContentReaderOptions {
  readonly writer: BlockWriter;
  readonly carrier: BlockCarrier;
  readonly state: {
    blocks: number;
    calls: number;
    began: boolean;
    current: OpenBlock | undefined;
    empty: OpenBlock | undefined;
    /** A call came out as one without input; input came that no call with a name has. */
    readonly input: { missing: boolean; stray: boolean };
    /** Of what stands before the next block. */
    prefix: PrefixState | undefined;
  };
  /** By the wire's index. */
  readonly byIndex: Map<number, OpenBlock>;
}

/** Where the text of a block goes. */
export const place = (key: string): { readonly key: string; readonly blockId: string } => ({ key, blockId: key });

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The key of a new block. */
export function nextKey({ state, ids }: BlockContext): string {
  state.blocks += 1;
  return ids('block');
}

/** Begins a block; `raw` is its source text. */
export function openBlock(into: ModelPart[], given: JsonObject, raw: string | undefined, context: BlockContext): OpenBlock {
  const { state, writer } = context;
  giveEmptyInput(into, context);
  const type = textOr(given.type);
  const key = nextKey(context);
  const isCall = type === 'tool_use';
  const id = isCall ? textOr(given.id) || context.ids('call') : '';
  const call = isCall ? { index: state.calls, id, begunWith: inputText(given.input, raw) } : undefined;
  const block: OpenBlock = {
    type,
    key,
    value: { ...given },
    call,
    citations: [...listOf(given.citations)],
    fragments: '',
    unread: false,
    done: false,
  };
  state.current = block;
  if (call !== undefined) {
    state.calls += 1;
    state.began = true;
    writer.call(into, key);
    const name = textOr(given.name);
    into.push({ type: 'function-call-delta', index: call.index, id, ...(name === '' ? {} : { name }) });
  } else if (type === 'text') say(into, block, 'text', textOr(given.text), context);
  else if (type === 'thinking') {
    state.began = true;
    writer.begin(into, 'thinking', place(key));
    say(into, block, 'thinking', textOr(given.thinking), context);
  } else if (type === 'redacted_thinking') {
    state.began = true;
    writer.begin(into, 'redacted_thinking', place(key));
  }
  return block;
}

/** The input that a call begins with, as it stands in the source; `''` when it says nothing yet. Encoding it anew would lose the digits of long numbers. */
function inputText(input: JsonValue | undefined, raw: string | undefined): string {
  if (input === undefined || input === null || (isJsonObject(input) && Object.keys(input).length === 0)) return '';
  if (typeof input === 'string') return input;
  return (raw === undefined ? undefined : sliceJson(raw, ['input'])) ?? JSON.stringify(input);
}

function say(into: ModelPart[], block: OpenBlock, kind: 'text' | 'thinking', text: string, { writer, state }: BlockContext): void {
  if (text === '') return;
  state.began = true;
  writer.text(into, kind, place(block.key), text);
}

const append = (block: OpenBlock, field: string, text: string): void => {
  block.value[field] = textOr(block.value[field]) + text;
};

/** Adds a delta to a block. Throws for thinking or input that goes on after its end: what was given of it by then counted as all of it. */
export function grow(into: ModelPart[], block: OpenBlock, delta: JsonObject, context: BlockContext): void {
  const { type } = delta;
  const [field, owner] = typeof type === 'string' && Object.hasOwn(textDeltas, type) ? (textDeltas[type] ?? []) : [];
  if (field !== undefined) {
    const text = textOr(delta[field]);
    // A delta of another type's says nothing.
    if (block.type !== owner && !isUnshown(block)) return;
    if (block.done && block.type === 'thinking' && text !== '') throw context.contradiction('Thinking went on after its end.');
    append(block, field, text);
    if (field === block.type && (field === 'text' || field === 'thinking')) say(into, block, field, text, context);
  } else if (type === 'input_json_delta') addInput(into, block, delta.partial_json, context);
  else if (type === 'citations_delta') {
    if (delta.citation !== undefined) block.citations.push(delta.citation);
  } else if (isUnshown(block)) {
    for (const [name, value] of Object.entries(delta)) if (name !== 'type' && typeof value === 'string') append(block, name, value);
  } else block.unread = true;
}

/**
 * Whose stray input is cannot be told: a call without any must not count then as one that has none. Thrown before a part is given, so that what began
 * still ends.
 */
export function noteInput(seen: Partial<BlockContext['state']['input']>, { state, contradiction }: BlockContext): void {
  const { input, current, empty } = state;
  Object.assign(input, seen);
  const isEmpty = current?.call?.begunWith === '' && current.fragments === '' && isNamed(current);
  if (input.stray && (input.missing || empty !== undefined || isEmpty))
    throw contradiction('A call came without input, and input that belongs to no call.');
}

/** The deltas of text: the field that each adds to, and the type of block that has it. */
const textDeltas: { readonly [type: string]: readonly [field: string, owner: string] } = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'thinking'],
};

const shownTypes: ReadonlySet<string> = /* @__PURE__ */ new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const isNamed = ({ value }: OpenBlock): boolean => textOr(value.name) !== '';
const isUnshown = ({ type }: OpenBlock): boolean => !shownTypes.has(type);

function addInput(into: ModelPart[], block: OpenBlock, given: JsonValue | undefined, context: BlockContext): void {
  const text = textOr(given);
  if (text === '') {
    if (given === undefined || given === null || given === '') return;
    throw context.contradiction('The input of a call came as no text.');
  }
  if (!isUnshown(block) && !(block.call !== undefined && isNamed(block))) noteInput({ stray: true }, context);
  if (block.done && block.call !== undefined) throw context.contradiction('The input of a call went on after its end.');
  block.fragments += text;
  if (block.call !== undefined) into.push({ type: 'function-call-delta', index: block.call.index, arguments: text });
}

/** Ends the block that is open. */
export function closeCurrent(into: ModelPart[], context: BlockContext): void {
  const { current } = context.state;
  if (current !== undefined) close(into, current, context);
}

/** Ends a block: what was not shown yet is given, and what must go back is carried. */
export function close(into: ModelPart[], block: OpenBlock, context: BlockContext): void {
  if (block.done) return;
  block.done = true;
  const { writer, state, carrier, contradiction } = context;
  const { call, key, type, fragments } = block;
  if (state.current === block) state.current = undefined;
  if (call !== undefined) {
    if (call.begunWith !== '' && fragments === '')
      into.push({ type: 'function-call-delta', index: call.index, arguments: call.begunWith, whole: true });
    else if (call.begunWith !== '' && !sameJson(call.begunWith, fragments))
      throw contradiction('The input that a call began with and its streamed input differ.');
    if (call.begunWith === '' && fragments === '') {
      if (block.unread) throw contradiction('The input of a call came in a form that is not known.');
      state.empty = block;
    }
  }
  // The block of a call that may still be given its empty input stays open.
  if (!isUnshown(block) && state.empty !== block) writer.end(into);
  if (type === 'thinking' || type === 'redacted_thinking')
    for (const thought of thinkingOfBlock(block.value)) into.push({ type: 'thinking-block', blockId: key, block: thought });
  const shown = !isUnshown(block) && !(type === 'text' && textOr(block.value.text) === '');
  const anchor: Carry['owner'] | undefined = !shown
    ? undefined
    : call === undefined
      ? { kind: 'item', id: key }
      : { kind: 'call', id: call.id };
  // An empty text shows nothing, and the service refuses it.
  if (type === 'text' && !shown) return;
  const { prefix } = state;
  const whole = wholeValue(block);
  const stamp = prefix !== undefined && (type === 'thinking' || type === 'redacted_thinking') ? prefixStamp(prefix) : undefined;
  for (const carry of carrier.take(whole, anchor, stamp)) into.push({ type: 'carry', carry });
  if (prefix !== undefined) state.prefix = extendByBlock(prefix, 'assistant', call === undefined ? whole : callAsSent(block, call));
}

/** The call as it will go back. */
function callAsSent({ value, fragments }: OpenBlock, { id, begunWith }: NonNullable<OpenBlock['call']>): JsonObject {
  const { type, name } = value;
  const text = fragments === '' ? begunWith : fragments;
  try {
    return { type: type ?? '', id, name: name ?? '', input: text === '' ? {} : (JSON.parse(text) as JsonValue) };
  } catch {
    // It goes back repaired, if it does: as another.
    return { type: type ?? '', id, name: name ?? '', input: text };
  }
}

/** The block with its input as an object, where it came in fragments. */
function wholeValue({ value: begun, fragments, call, citations }: OpenBlock): JsonObject {
  const value = citations.length === 0 ? begun : { ...begun, citations };
  // Calls carry what stands beside their input; the input goes back as it was read.
  if (call !== undefined) return { ...value, input: {} };
  if (fragments === '') return value;
  try {
    return { ...value, input: JSON.parse(fragments) as JsonValue };
  } catch {
    return { ...value, input: fragments };
  }
}

/**
 * A call that came without input has none: `{}`. Only known once something stands after it or the response ended whole: a response that its limit
 * ended there may have been about to write one.
 */
export function giveEmptyInput(into: ModelPart[], context: BlockContext): void {
  const { state, writer } = context;
  const call = state.empty?.call;
  state.empty = undefined;
  if (call === undefined) return;
  noteInput({ missing: true }, context);
  into.push({ type: 'function-call-delta', index: call.index, arguments: '{}', whole: true });
  writer.end(into);
}

function sameJson(one: string, other: string): boolean {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
}
