import type { EndpointDialect, FinishReason, IdSource, JsonObject, JsonValue, ModelPart, TokenLogprob, Usage } from '@vouch/contracts';
import { type CarrySource, createReasoningCollector, detailsText, reasoningTextFields } from '../../reasoning/chat-reasoning.ts';
import { createThinkSplitter } from '../../reasoning/think-tags.ts';
import { readCalls } from './calls.ts';
import { finishReasonOf } from './finish.ts';
import { objectOr } from './messages.ts';
import { createTextChannel } from './text-channel.ts';
import { usageOf } from './usage.ts';

/** What the reading of one response needs. */
export interface ChunkReaderOptions {
  readonly dialect: Pick<EndpointDialect, 'repeatsReasoningDeltas'>;
  readonly source: CarrySource;
  readonly ids: IdSource;
  readonly requestId: string | undefined;
}

/** Reads the events of one response, or the one object of a whole one, into neutral parts. */
export interface ChunkReader {
  /** `raw`: the event's source text, where there is one. */
  read(event: JsonObject, raw: string | undefined): readonly ModelPart[];
  /** Parts that were held back, carries, and what is known of the call. `terminated`: the wire's terminal mark came. */
  end(terminated: boolean): readonly ModelPart[];
  /** Text, reasoning, a refusal or a call came. */
  began(): boolean;
  /** A finish reason came. */
  finished(): boolean;
  /** Whether any event had a list of choices. */
  choices(): 'none' | 'some';
  usage(): Usage | undefined;
  /** The finish word that came. */
  finishWord(): string | undefined;
}

interface Place {
  readonly delta: JsonObject;
  readonly path: readonly (string | number)[];
  readonly whole: boolean;
}

/** Where the answer stands in a choice: `delta`, else `message`, else the bare `text` of the old completions. */
function placeOf(choice: JsonObject, position: number): Place | undefined {
  const at = (key: string): readonly (string | number)[] => ['choices', position, key];
  if (Object.keys(objectOr(choice.delta)).length > 0) return { delta: objectOr(choice.delta), path: at('delta'), whole: false };
  if (Object.keys(objectOr(choice.message)).length > 0) return { delta: objectOr(choice.message), path: at('message'), whole: true };
  return typeof choice.text === 'string' ? { delta: { content: choice.text }, path: at('text'), whole: false } : undefined;
}

/** A reader for one response. */
export function createChunkReader(options: ChunkReaderOptions): ChunkReader {
  const content = createContentReader(options);
  let choiceIndex: JsonValue | undefined;
  let model: string | undefined;
  let itemId: string | undefined;
  let usage: Usage | undefined;
  let word: string | undefined;
  let finalChoice: string | undefined;
  let choicesSeen: 'none' | 'some' = 'none';

  const repeatsFinal = (choice: JsonObject): boolean => {
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return false;
    const { usage: _usage, ...rest } = choice;
    const key = keyOf(rest);
    if (key !== undefined && key === finalChoice) return true;
    finalChoice = key;
    return false;
  };
  const readChoice = (choice: JsonObject, position: number, raw: string | undefined): readonly ModelPart[] => {
    if (repeatsFinal(choice)) return [];
    const place = placeOf(choice, position);
    const parts = place === undefined ? [] : content.read(place, raw);
    if (typeof choice.finish_reason === 'string' && choice.finish_reason.trim() !== '') word = choice.finish_reason;
    const tokens = readLogprobs(objectOr(choice.logprobs).content);
    return tokens.length === 0 ? parts : [...parts, { type: 'logprobs', tokens }];
  };
  const finish = (): { readonly finishReason?: FinishReason; readonly providerFinishReason?: string } => {
    if (word === undefined) return {};
    const said = finishReasonOf(word);
    // Named choices and some servers end a turn of calls with `stop`.
    const finishReason = said === 'stop' && content.calls() ? 'tool_calls' : said;
    return { finishReason, ...(finishReason === word ? {} : { providerFinishReason: word }) };
  };

  return {
    read(event, raw) {
      if (typeof event.model === 'string' && event.model !== '') model = event.model;
      if (typeof event.id === 'string' && event.id !== '') itemId ??= event.id;
      usage = usageOf(event) ?? usage;
      if (Array.isArray(event.choices)) choicesSeen = 'some';
      const choices = Array.isArray(event.choices) ? (event.choices as readonly JsonValue[]) : [];
      return choices.flatMap((entry, position) => {
        const choice = objectOr(entry);
        const index = choice.index ?? 0;
        choiceIndex ??= index;
        return index === choiceIndex ? readChoice(choice, position, raw) : [];
      });
    },
    end(terminated) {
      const rest = content.end(itemId ?? options.ids('item'));
      const requestId = options.requestId ?? itemId;
      const metadata: ModelPart = {
        type: 'call-metadata',
        ...finish(),
        ...(terminated || word !== undefined ? { terminated: true } : {}),
        ...(usage === undefined ? {} : { usage }),
        ...(model === undefined ? {} : { model }),
        ...(requestId === undefined ? {} : { requestId }),
      };
      return [...rest, metadata];
    },
    began: content.began,
    finished: () => word !== undefined,
    choices: () => choicesSeen,
    usage: () => usage,
    finishWord: () => word,
  };
}

function keyOf(choice: JsonObject): string | undefined {
  try {
    return JSON.stringify(choice);
  } catch {
    // Nested deeper than the encoder goes: then it is compared with nothing.
    return undefined;
  }
}

interface ContentReader {
  read(place: Place, raw: string | undefined): readonly ModelPart[];
  end(itemId: string): readonly ModelPart[];
  began(): boolean;
  calls(): boolean;
}

function createContentReader(options: ChunkReaderOptions): ContentReader {
  const channels = { text: createTextChannel(), thinking: createTextChannel(), refusal: createTextChannel() };
  const think = createThinkSplitter();
  const reasoning = createReasoningCollector();
  let lastReasoning: string | undefined;
  let messageText = '';
  let began = false;
  let calls = false;
  let callCarries: readonly ModelPart[] = [];

  const emit = (kind: keyof typeof channels, text: string): readonly ModelPart[] => {
    if (text !== '') began = true;
    const whole = channels[kind].push(text);
    return whole === '' ? [] : [{ type: `${kind}-delta`, text: whole }];
  };
  const answer = (text: string): readonly ModelPart[] => think.push(text).flatMap((piece) => emit(piece.kind, piece.text));
  const thoughts = (delta: JsonObject): readonly ModelPart[] => {
    const details = Array.isArray(delta.reasoning_details) ? (delta.reasoning_details as readonly JsonValue[]) : [];
    reasoning.details(details);
    const field = reasoningTextFields.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    const text = field === undefined ? detailsText(details) : String(delta[field]);
    const repeated = options.dialect.repeatsReasoningDeltas && text !== '' && text === lastReasoning;
    lastReasoning = text;
    if (text === '' || repeated) return [];
    if (field !== undefined) reasoning.text(field, text);
    return emit('thinking', text);
  };
  const contents = (value: JsonValue | undefined, whole: boolean): readonly ModelPart[] => {
    if (typeof value === 'string') return answer(whole ? unseen(value) : value);
    if (!Array.isArray(value)) return [];
    return (value as readonly JsonValue[]).flatMap((part) => {
      if (typeof part === 'string') return answer(part);
      const { type, text, refusal, thinking } = objectOr(part);
      if (type === 'thinking' || type === 'reasoning') return emit('thinking', thinkingText(thinking ?? text));
      if (typeof refusal === 'string') return emit('refusal', refusal);
      return typeof text === 'string' ? answer(text) : [];
    });
  };
  // Some gateways stream the message so far instead of a delta.
  const unseen = (text: string): string => {
    const fresh = text.length >= messageText.length && text.startsWith(messageText) ? text.slice(messageText.length) : text;
    messageText += fresh;
    return fresh;
  };
  const functionCalls = (place: Place, raw: string | undefined): readonly ModelPart[] =>
    readCalls(place.delta, { raw, path: place.path, whole: place.whole, source: options.source, ids: options.ids }).map((call) => {
      if (call.carry !== undefined) callCarries = [...callCarries, { type: 'carry', carry: call.carry }];
      if (call.delta.name !== undefined || (call.delta.arguments ?? '') !== '' || call.delta.id !== undefined) calls = true;
      return call.delta;
    });

  return {
    read(place, raw) {
      const { delta } = place;
      return [
        ...thoughts(delta),
        ...contents(delta.content, place.whole),
        ...(typeof delta.refusal === 'string' ? emit('refusal', delta.refusal) : []),
        ...functionCalls(place, raw),
      ];
    },
    end(itemId) {
      const held = think.end().flatMap((piece) => emit(piece.kind, piece.text));
      const halves = (['thinking', 'text', 'refusal'] as const).flatMap((kind): readonly ModelPart[] => {
        const text = channels[kind].end();
        return text === '' ? [] : [{ type: `${kind}-delta`, text }];
      });
      const carries = reasoning.carries(itemId, options.source).map((carry): ModelPart => ({ type: 'carry', carry }));
      return [...held, ...halves, ...carries, ...callCarries];
    },
    began: () => began || calls,
    calls: () => calls,
  };
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

function readLogprobs(value: JsonValue | undefined): readonly TokenLogprob[] {
  if (!Array.isArray(value)) return [];
  const one = (entry: JsonValue): { readonly token: string; readonly logprob: number } | undefined => {
    const { token, logprob } = objectOr(entry);
    return typeof token === 'string' && typeof logprob === 'number' ? { token, logprob } : undefined;
  };
  return (value as readonly JsonValue[]).flatMap((entry) => {
    const token = one(entry);
    const top = objectOr(entry).top_logprobs;
    const alternatives = Array.isArray(top) ? (top as readonly JsonValue[]).flatMap((other) => one(other) ?? []) : [];
    return token === undefined ? [] : [{ ...token, alternatives }];
  });
}
