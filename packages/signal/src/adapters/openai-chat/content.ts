import type { ChatDialect, IdSource, JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import {
  type CarrySource,
  createReasoningCollector,
  detailsText,
  type ReasoningCollector,
  reasoningTextFields,
} from '../../reasoning/chat-reasoning.ts';
import { createThinkSplitter } from '../../reasoning/think-tags.ts';
import { objectOr } from '../response/json-object.ts';
import { createTextChannel, type TextChannel } from '../response/text-channel.ts';
import { readCalls } from './calls.ts';

/** What the reading of content needs. */
export interface ContentReaderOptions {
  readonly dialect: Pick<ChatDialect, 'repeatsReasoningDeltas'>;
  readonly source: CarrySource;
  readonly ids: IdSource;
}

/** A delta or message, and where it stands in its event. */
export interface Place {
  readonly delta: JsonObject;
  readonly path: readonly (string | number)[];
  /** It is a message, not a delta. */
  readonly whole: boolean;
}

/** Reads deltas, or one message, into the parts of text, reasoning, refusal and calls. */
export interface ContentReader {
  /** `raw`: the event's source text, where there is one. */
  read(place: Place, raw: string | undefined): readonly ModelPart[];
  /** What was held back, and the carries. */
  end(itemId: string): readonly ModelPart[];
  /** Anything came. */
  began(): boolean;
  /** A call came. */
  calls(): boolean;
}

type Stretch = { readonly kind: 'text' | 'thinking' | 'refusal'; readonly text: string };

/** A reader for one response. */
export function createContentReader(options: ContentReaderOptions): ContentReader {
  const channels: { [Kind in Stretch['kind']]?: TextChannel } = {};
  const think = createThinkSplitter();
  const thoughts = createThoughtReader(options.dialect);
  const fresh = createMessageDiff();
  let callCarries: ModelPart[] | undefined;
  let began = false;
  let calls = false;

  const emit = (into: ModelPart[], { kind, text }: Stretch): void => {
    if (text === '') return;
    began = true;
    channels[kind] ??= createTextChannel();
    addDelta(into, kind, channels[kind].push(text));
  };
  const answer = (into: ModelPart[], stretch: Stretch): void => {
    if (stretch.kind !== 'text') emit(into, stretch);
    else if (think.isText()) emit(into, stretch);
    else for (const piece of think.push(stretch.text)) emit(into, piece);
  };
  const addCalls = (into: ModelPart[], place: Place, raw: string | undefined): void => {
    const reading = { raw, path: place.path, whole: place.whole, source: options.source, ids: options.ids };
    for (const { delta, carry } of readCalls(place.delta, reading)) {
      if (carry !== undefined) {
        callCarries ??= [];
        callCarries.push({ type: 'carry', carry });
      }
      if (delta.name !== undefined || delta.id !== undefined || (delta.arguments ?? '') !== '') calls = true;
      into.push(delta);
    }
  };

  return {
    read(place, raw) {
      const parts: ModelPart[] = [];
      const { content, refusal, tool_calls, function_call } = place.delta;
      const thought = thoughts.read(place.delta);
      if (thought !== '') emit(parts, { kind: 'thinking', text: thought });
      const seenOnce = place.whole ? fresh.message : fresh.delta;
      if (typeof content === 'string') answer(parts, { kind: 'text', text: seenOnce(content) });
      else if (Array.isArray(content)) for (const stretch of stretches(content as readonly JsonValue[])) answer(parts, stretch);
      if (typeof refusal === 'string') emit(parts, { kind: 'refusal', text: refusal });
      if (tool_calls !== undefined || function_call !== undefined) addCalls(parts, place, raw);
      return parts;
    },
    end(itemId) {
      const parts: ModelPart[] = [];
      for (const piece of think.end()) emit(parts, piece);
      for (const kind of kindsInOrder) addDelta(parts, kind, channels[kind]?.end() ?? '');
      for (const carry of thoughts.carries(itemId, options.source)) parts.push({ type: 'carry', carry });
      for (const carry of callCarries ?? []) parts.push(carry);
      return parts;
    },
    began: () => began || calls,
    calls: () => calls,
  };
}

const kindsInOrder = ['thinking', 'text', 'refusal'] as const;

const deltaTypes = { text: 'text-delta', thinking: 'thinking-delta', refusal: 'refusal-delta' } as const;

function addDelta(into: ModelPart[], kind: Stretch['kind'], text: string): void {
  if (text !== '') into.push({ type: deltaTypes[kind], text });
}

/** The stretches of a content field that is a list of parts. */
function stretches(content: readonly JsonValue[]): readonly Stretch[] {
  return content.flatMap((part): readonly Stretch[] => {
    if (typeof part === 'string') return [{ kind: 'text', text: part }];
    const { type, text, refusal, thinking } = objectOr(part);
    if (type === 'thinking' || type === 'reasoning') return [{ kind: 'thinking', text: thinkingText(thinking ?? text) }];
    if (typeof refusal === 'string') return [{ kind: 'refusal', text: refusal }];
    return typeof text === 'string' ? [{ kind: 'text', text }] : [];
  });
}

const noDetails: readonly JsonValue[] = [];

/** Reads the reasoning of a delta, whatever field it stands in, and collects it for the way back. */
function createThoughtReader(dialect: ContentReaderOptions['dialect']): {
  readonly carries: ReasoningCollector['carries'];
  readonly read: (delta: JsonObject) => string;
} {
  let collector: ReasoningCollector | undefined;
  let last = '';
  return {
    carries: (itemId, source) => collector?.carries(itemId, source) ?? [],
    read(delta) {
      const details = Array.isArray(delta.reasoning_details) ? (delta.reasoning_details as readonly JsonValue[]) : noDetails;
      const field = textFieldOf(delta);
      if (details.length === 0 && field === undefined) {
        last = '';
        return '';
      }
      collector ??= createReasoningCollector();
      if (details.length > 0) collector.details(details);
      const text = field !== undefined ? String(delta[field]) : detailsText(details);
      const repeated = dialect.repeatsReasoningDeltas && text === last;
      last = text;
      if (repeated) return '';
      if (field !== undefined && text !== '') collector.text(field, text);
      return text;
    },
  };
}

// By hand: asked of every delta, and hardly any has one.
function textFieldOf(delta: JsonObject): (typeof reasoningTextFields)[number] | undefined {
  for (const name of reasoningTextFields) if (typeof delta[name] === 'string' && delta[name] !== '') return name;
  return undefined;
}

/** Some gateways stream the message so far instead of a delta, or after the deltas: gives what is new of it. */
function createMessageDiff(): { readonly delta: (text: string) => string; readonly message: (text: string) => string } {
  let seen = '';
  const delta = (text: string): string => {
    seen += text;
    return text;
  };
  return { delta, message: (text) => delta(text.length >= seen.length && text.startsWith(seen) ? text.slice(seen.length) : text) };
}

/** The text of a thinking part: a string, or a list of text parts. */
function thinkingText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return (value as readonly JsonValue[])
    .map((part) => (typeof part === 'string' ? part : objectOr(part).text))
    .filter((text) => typeof text === 'string')
    .join('');
}
