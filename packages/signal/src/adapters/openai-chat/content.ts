import type { EndpointDialect, IdSource, JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import {
  type CarrySource,
  createReasoningCollector,
  detailsText,
  type ReasoningCollector,
  reasoningTextFields,
} from '../../reasoning/chat-reasoning.ts';
import { createThinkSplitter } from '../../reasoning/think-tags.ts';
import { readCalls } from './calls.ts';
import { objectOr } from './messages.ts';
import { createTextChannel } from './text-channel.ts';

/** What the reading of content needs. */
export interface ContentReaderOptions {
  readonly dialect: Pick<EndpointDialect, 'repeatsReasoningDeltas'>;
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
  const channels = { text: createTextChannel(), thinking: createTextChannel(), refusal: createTextChannel() };
  const think = createThinkSplitter();
  const thoughts = createThoughtReader(options.dialect);
  const fresh = createMessageDiff();
  const callCarries: ModelPart[] = [];
  let began = false;
  let calls = false;

  const emit = ({ kind, text }: Stretch): readonly ModelPart[] => {
    if (text !== '') began = true;
    return deltaOf({ kind, text: channels[kind].push(text) });
  };
  const answer = (stretch: Stretch): readonly ModelPart[] =>
    stretch.kind === 'text' ? think.push(stretch.text).flatMap(emit) : emit(stretch);
  const callDeltas = (place: Place, raw: string | undefined): readonly ModelPart[] =>
    readCalls(place.delta, { raw, path: place.path, whole: place.whole, source: options.source, ids: options.ids }).map(
      ({ delta, carry }) => {
        if (carry !== undefined) callCarries.push({ type: 'carry', carry });
        if (delta.name !== undefined || delta.id !== undefined || (delta.arguments ?? '') !== '') calls = true;
        return delta;
      },
    );

  return {
    read: (place, raw) => [
      ...emit({ kind: 'thinking', text: thoughts.read(place.delta) }),
      ...stretches(place.delta.content, place.whole ? fresh.message : fresh.delta).flatMap(answer),
      ...(typeof place.delta.refusal === 'string' ? emit({ kind: 'refusal', text: place.delta.refusal }) : []),
      ...callDeltas(place, raw),
    ],
    end(itemId) {
      const held = think.end().flatMap(emit);
      const halves = (['thinking', 'text', 'refusal'] as const).flatMap((kind) => deltaOf({ kind, text: channels[kind].end() }));
      const carries = thoughts.collector.carries(itemId, options.source).map((carry): ModelPart => ({ type: 'carry', carry }));
      return [...held, ...halves, ...carries, ...callCarries];
    },
    began: () => began || calls,
    calls: () => calls,
  };
}

const deltaOf = ({ kind, text }: Stretch): readonly ModelPart[] => (text === '' ? [] : [{ type: `${kind}-delta`, text }]);

/** The stretches of a content field: a string, or a list of parts. */
function stretches(content: JsonValue | undefined, seenOnce: (text: string) => string): readonly Stretch[] {
  if (typeof content === 'string') return [{ kind: 'text', text: seenOnce(content) }];
  if (!Array.isArray(content)) return [];
  return (content as readonly JsonValue[]).flatMap((part): readonly Stretch[] => {
    if (typeof part === 'string') return [{ kind: 'text', text: part }];
    const { type, text, refusal, thinking } = objectOr(part);
    if (type === 'thinking' || type === 'reasoning') return [{ kind: 'thinking', text: thinkingText(thinking ?? text) }];
    if (typeof refusal === 'string') return [{ kind: 'refusal', text: refusal }];
    return typeof text === 'string' ? [{ kind: 'text', text }] : [];
  });
}

/** Reads the reasoning of a delta, whatever field it stands in, and collects it for the way back. */
function createThoughtReader(dialect: ContentReaderOptions['dialect']): {
  readonly collector: ReasoningCollector;
  readonly read: (delta: JsonObject) => string;
} {
  const collector = createReasoningCollector();
  let last = '';
  return {
    collector,
    read(delta) {
      const details = Array.isArray(delta.reasoning_details) ? (delta.reasoning_details as readonly JsonValue[]) : [];
      collector.details(details);
      const field = reasoningTextFields.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
      const text = field === undefined ? detailsText(details) : String(delta[field]);
      const repeated = dialect.repeatsReasoningDeltas && text === last;
      last = text;
      if (repeated) return '';
      if (field !== undefined && text !== '') collector.text(field, text);
      return text;
    },
  };
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
