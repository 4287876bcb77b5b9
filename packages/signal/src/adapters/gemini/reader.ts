import type { JsonObject, JsonValue, ModelPart, TokenLogprob, Usage } from '@vouch/contracts';
import { errorIn } from '../openai-chat/errors.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceJson } from '../response/json-slice.ts';
import type { ResponseReader } from '../response/read-response.ts';
import { finishReasonOf } from './finish.ts';
import { createPartReader, type PartReaderOptions } from './parts.ts';
import { readUsageMetadata } from './usage.ts';

/** What the reading of one response needs. */
export interface GenerateContentReaderOptions extends PartReaderOptions {
  readonly requestId: string | undefined;
}

interface Known {
  id?: string;
  model?: string;
  usage?: Usage;
  finish?: string;
  finishMessage?: string;
  /** Why the prompt was blocked: then there is no candidate. */
  blocked?: string;
}

/**
 * A reader for one response, streamed or whole. The wire has no terminal mark: an answer is whole when its last event had a finish reason before the
 * body ended, and servers repeat that reason, so reading goes on to the end. A blocked prompt is the one thing after which nothing is waited for.
 */
export function createGenerateContentReader(options: GenerateContentReaderOptions): ResponseReader {
  const parts = createPartReader(options);
  const known: Known = {};
  return {
    read(event, raw) {
      note(event, known);
      const list: readonly JsonValue[] = Array.isArray(event.candidates) ? event.candidates : [];
      const place = list.findIndex((candidate) => (objectOr(candidate).index ?? 0) === 0);
      if (place === -1) return [];
      const candidate = objectOr(list[place]);
      noteFinish(candidate, known);
      const said = objectOr(candidate.content).parts;
      const path = ['candidates', place, 'content', 'parts'];
      const read = Array.isArray(said) ? parts.read(said, () => (raw === undefined ? undefined : sliceJson(raw, path))) : [];
      return [...read, ...logprobsOf(candidate)];
    },
    failure: (event) => errorIn(event) ?? malformedCall(known),
    end() {
      const rest = parts.end();
      const { usage, model, blocked, finish } = known;
      const requestId = options.requestId ?? known.id;
      const word = blocked ?? finish;
      const metadata: ModelPart = {
        type: 'call-metadata',
        ...(word === undefined ? {} : { providerFinishReason: word, terminated: true }),
        ...(blocked !== undefined ? { finishReason: 'content_filter' } : {}),
        ...(blocked === undefined && finish !== undefined ? { finishReason: finishReasonOf(finish, parts.calls()) } : {}),
        ...(usage === undefined ? {} : { usage }),
        ...(model === undefined ? {} : { model }),
        ...(requestId === undefined ? {} : { requestId }),
      };
      return [...rest, metadata];
    },
    // A finish without output is an empty answer and no broken one.
    began: () => parts.began() || known.finish !== undefined || known.blocked !== undefined,
    finished: () => known.blocked !== undefined,
    complete: () => known.finish !== undefined,
  };
}

const textOr = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function note(event: JsonObject, known: Known): void {
  const usage = readUsageMetadata(event.usageMetadata);
  if (usage !== undefined) known.usage = usage;
  const id = textOr(event.responseId);
  if (id !== undefined) known.id ??= id;
  const model = textOr(event.modelVersion);
  if (model !== undefined) known.model = model;
  const blocked = textOr(objectOr(event.promptFeedback).blockReason);
  if (blocked !== undefined && blocked !== 'BLOCK_REASON_UNSPECIFIED') known.blocked = blocked;
}

function noteFinish({ finishReason, finishMessage }: JsonObject, known: Known): void {
  const word = textOr(finishReason);
  // A later reason that says more than the end is not undone by a mere end.
  if (word !== undefined && (known.finish === undefined || word !== 'STOP')) known.finish = word;
  const message = textOr(finishMessage);
  if (message !== undefined) known.finishMessage = message;
}

/** A call that the server could not read, as the text that the model wrote: an error that carries the attempt (SG-067). */
function malformedCall({ finish, finishMessage }: Known): JsonValue | undefined {
  if (finish !== 'MALFORMED_FUNCTION_CALL' || finishMessage === undefined) return undefined;
  const attempt = finishMessage.replace(/^Malformed function call:\s{0,10}/i, '');
  return { error: { code: finish, type: 'tool_use_failed', message: finishMessage, failed_generation: attempt } };
}

/** The chosen tokens and their likeliest others. */
function logprobsOf({ logprobsResult }: JsonObject): readonly ModelPart[] {
  const { chosenCandidates, topCandidates } = objectOr(logprobsResult);
  if (!Array.isArray(chosenCandidates)) return [];
  const one = (value: JsonValue): { readonly token: string; readonly logprob: number } | undefined => {
    const { token, logProbability } = objectOr(value);
    return typeof token === 'string' && typeof logProbability === 'number' ? { token, logprob: logProbability } : undefined;
  };
  const tokens = chosenCandidates.flatMap((chosen: JsonValue, place: number): readonly TokenLogprob[] => {
    const token = one(chosen);
    const top: JsonValue | undefined = Array.isArray(topCandidates) ? objectOr(topCandidates[place]).candidates : undefined;
    const alternatives = Array.isArray(top) ? top.flatMap((other: JsonValue) => one(other) ?? []) : [];
    return token === undefined ? [] : [{ ...token, alternatives }];
  });
  return tokens.length === 0 ? [] : [{ type: 'logprobs', tokens }];
}
