import type { SchemaInput } from '@vouch/signal';
import type { ChosenModel } from '../model/model-choice.ts';
import type { Watch } from '../watch/watch.ts';
import { watchStream } from '../watch/watch-stream.ts';
import { longestPauseMs } from './endpoint-pause.ts';
import type { Ask } from './extract-document.ts';
import type { ExtractOptions } from './options.ts';

/** What the asking rests on. */
export interface AskSettings {
  readonly model: ChosenModel;
  readonly schema: SchemaInput;
  readonly options: ExtractOptions;
  readonly signal: AbortSignal;
  /** Answers are streamed, and shown here as they grow. */
  readonly watch?: Watch;
}

/** How the model is asked about one document, by the options. */
export function createAsk({ model, schema, options, signal, watch }: AskSettings): Ask {
  const { seed, maxOutputTokens, timeout, retries, instruction } = options;
  const instructed = instruction === undefined ? model.client : model.client.systemPrompt(instruction);
  const configured = instructed
    .schema(schema)
    .accept(options.accept)
    .options({
      signal,
      // A longer Retry-After is waited for as well: the endpoint's pause holds every document back anyway.
      network: { maxDelay: longestPauseMs },
      ...(seed === undefined ? {} : { seed }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(timeout === undefined ? {} : { timeout: { total: timeout * 1000 } }),
    });
  const client = retries === undefined ? configured : configured.retries(retries);
  if (watch === undefined) return (text) => client.tryComplete(text);
  return (text, path) => watchStream(client.stream(text), watch, path);
}
