import type { FinishReason, JsonObject, JsonValue, ModelPart, TokenLogprob, Usage } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import { type ContentReaderOptions, createContentReader, type Place } from './content.ts';
import { finishReasonOf } from './finish.ts';
import { usageOf } from './usage.ts';

/** What the reading of one response needs. */
export interface ChunkReaderOptions extends ContentReaderOptions {
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

/** Where the answer stands in a choice: `delta`, else `message`, else the bare `text` of the old completions. */
function placeOf(choice: JsonObject, position: number): Place | undefined {
  const place = (delta: JsonObject, key: string, whole: boolean): Place => ({ delta, path: ['choices', position, key], whole });
  if (typeof choice.delta === 'object' && choice.delta !== null) return place(objectOr(choice.delta), 'delta', false);
  if (Object.keys(objectOr(choice.message)).length > 0) return place(objectOr(choice.message), 'message', true);
  return typeof choice.text === 'string' ? place({ content: choice.text }, 'text', false) : undefined;
}

/** A reader for one response. */
export function createChunkReader(options: ChunkReaderOptions): ChunkReader {
  const content = createContentReader(options);
  let choiceIndex: JsonValue | undefined;
  let model: string | undefined;
  let itemId: string | undefined;
  let usage: Usage | undefined;
  let word: string | undefined;
  const repeatsFinal = createFinalGuard();
  let choicesSeen: 'none' | 'some' = 'none';

  const readChoice = (choice: JsonObject, position: number, raw: string | undefined): readonly ModelPart[] => {
    if (repeatsFinal(choice)) return [];
    const place = placeOf(choice, position);
    const parts = place === undefined ? [] : content.read(place, raw);
    if (typeof choice.finish_reason === 'string' && choice.finish_reason.trim() !== '') word = choice.finish_reason;
    const tokens = readLogprobs(objectOr(choice.logprobs).content);
    return tokens.length === 0 ? parts : [...parts, { type: 'logprobs', tokens }];
  };
  return {
    read(event, raw) {
      if (typeof event.model === 'string' && event.model !== '') model = event.model;
      if (typeof event.id === 'string' && event.id !== '') itemId ??= event.id;
      usage = usageOf(event) ?? usage;
      if (Array.isArray(event.choices)) choicesSeen = 'some';
      const choices = Array.isArray(event.choices) ? (event.choices as readonly JsonValue[]) : [];
      const readOwn = (entry: JsonValue | undefined, position: number): readonly ModelPart[] => {
        const choice = objectOr(entry);
        const index = choice.index ?? 0;
        choiceIndex ??= index;
        return index === choiceIndex ? readChoice(choice, position, raw) : [];
      };
      return choices.length === 1 ? readOwn(choices[0], 0) : choices.flatMap(readOwn);
    },
    end(terminated) {
      const rest = content.end(itemId ?? options.ids('item'));
      const requestId = options.requestId ?? itemId;
      const metadata: ModelPart = {
        type: 'call-metadata',
        ...finishFields(word, content.calls()),
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

/** The neutral finish reason. Named choices and some servers end a turn of calls with `stop`. */
function finishFields(
  word: string | undefined,
  calls: boolean,
): { readonly finishReason?: FinishReason; readonly providerFinishReason?: string } {
  if (word === undefined) return {};
  const said = finishReasonOf(word);
  const finishReason = said === 'stop' && calls ? 'tool_calls' : said;
  return { finishReason, ...(finishReason === word ? {} : { providerFinishReason: word }) };
}

/** Tells whether a choice with a finish reason is the one before it once more (B26). */
function createFinalGuard(): (choice: JsonObject) => boolean {
  let last: JsonObject | undefined;
  return (choice) => {
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return false;
    const key = last === undefined ? undefined : keyOf(choice);
    const repeated = last !== undefined && key !== undefined && key === keyOf(last);
    last = choice;
    return repeated;
  };
}

function keyOf({ usage: _usage, ...choice }: JsonObject): string | undefined {
  try {
    return JSON.stringify(choice);
  } catch {
    // Nested deeper than the encoder goes: then it is compared with nothing.
    return undefined;
  }
}

/** The log-probabilities of a list in the wire's form. */
export function readLogprobs(value: JsonValue | undefined): readonly TokenLogprob[] {
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
