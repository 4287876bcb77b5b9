import type { FinishReason, IdSource, JsonValue, ModelPart, Usage } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { errorIn } from '../openai-chat/errors.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { objectOr } from '../response/json-object.ts';
import type { ResponseReader } from '../response/read-response.ts';
import { createMessageReader } from './message-reader.ts';

/** What the reading of one response needs. */
export interface OllamaReaderOptions {
  readonly source: CarrySource;
  readonly ids: IdSource;
  readonly requestId: string | undefined;
}

interface Known {
  done: boolean;
  word?: string | undefined;
  usage?: Usage | undefined;
  model?: string;
}

/** A reader for one response: a line of a stream, or a whole body, is read alike, because a whole one is the last line with everything in it. */
export function createOllamaReader(options: OllamaReaderOptions): ResponseReader {
  const message = createMessageReader(options);
  const known: Known = { done: false };
  return {
    read(event, raw) {
      if (typeof event.model === 'string' && event.model !== '') known.model = event.model;
      const parts = message.read(objectOr(event.message), { raw, path: ['message'] });
      if (event.done !== true || errorIn(event) !== undefined) return parts;
      known.done = true;
      known.word = typeof event.done_reason === 'string' && event.done_reason !== '' ? event.done_reason : undefined;
      // A prompt that was cached as a whole has no count on older servers: what nobody said is not reported (G6).
      known.usage = readUsage({ prompt_tokens: numberOr(event.prompt_eval_count), completion_tokens: numberOr(event.eval_count) });
      return parts;
    },
    failure: (event) => errorIn(event),
    end: (terminated) => {
      const metadata: ModelPart = {
        type: 'call-metadata',
        ...(known.done ? finishFields(known.word, message.calls()) : {}),
        ...(terminated ? { terminated: true } : {}),
        ...(known.usage === undefined ? {} : { usage: known.usage }),
        ...(known.model === undefined ? {} : { model: known.model }),
        ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
      };
      return [...message.end(), metadata];
    },
    began: message.began,
    finished: () => known.done,
  };
}

const numberOr = (value: JsonValue | undefined): JsonValue => (typeof value === 'number' ? value : null);

/** The neutral finish. Calls end with `stop`; older servers say no reason, which is the same. */
function finishFields(
  word: string | undefined,
  calls: boolean,
): { readonly finishReason: FinishReason; readonly providerFinishReason?: string } {
  if (word === undefined) return { finishReason: calls ? 'tool_calls' : 'stop' };
  if (word === 'length') return { finishReason: 'length', providerFinishReason: word };
  if (word === 'stop') return { finishReason: calls ? 'tool_calls' : 'stop', providerFinishReason: word };
  // `load` and `unload`: the model was loaded or let go, and nothing was asked of it.
  return { finishReason: 'unknown', providerFinishReason: word.slice(0, 100) };
}
