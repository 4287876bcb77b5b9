import type { FinishReason, JsonObject, JsonValue, ModelPart, Usage } from '@vouch/contracts';
import { errorIn } from '../openai-chat/errors.ts';
import { finishReasonOf } from '../openai-chat/finish.ts';
import { objectOr } from '../response/json-object.ts';
import type { ResponseReader } from '../response/read-response.ts';
import type { ContentReaderOptions } from './blocks.ts';
import { createContentReader } from './content.ts';
import { createUsageCollector } from './usage.ts';

/** What the reading of one response needs. */
export interface MessagesReaderOptions extends ContentReaderOptions {
  readonly requestId: string | undefined;
}

interface Known {
  id?: string;
  model?: string;
  /** The provider's word for why it stopped. */
  stop?: string;
  /** The terminal mark came. */
  stopped: boolean;
}

/** A reader for one response, streamed or whole. Events are told by `data.type`; those of unknown types say nothing and are skipped. */
export function createMessagesReader(options: MessagesReaderOptions): ResponseReader {
  const content = createContentReader(options);
  const usage = createUsageCollector();
  const known: Known = { stopped: false };
  const readWhole = (message: JsonObject, raw: string | undefined): readonly ModelPart[] => {
    note(message, known);
    usage.take(message.usage, true);
    known.stopped = true;
    const list = Array.isArray(message.content) ? (message.content as readonly JsonValue[]) : [];
    const cut = finishOf(known.stop) === 'length';
    return [...content.whole(list, raw, cut), ...refusalOf(message, content)];
  };
  return {
    read(event, raw) {
      switch (event.type) {
        case 'message_start': {
          const message = objectOr(event.message);
          note(message, known);
          usage.take(message.usage, false);
          return [];
        }
        case 'content_block_start':
          return content.start(event, raw);
        case 'content_block_delta':
          return content.delta(event);
        case 'content_block_stop':
          return content.stop(event);
        case 'message_delta': {
          const delta = objectOr(event.delta);
          note(delta, known);
          usage.take(event.usage, true);
          return refusalOf(delta, content);
        }
        case 'message_stop':
          known.stopped = true;
          return [];
        default:
          return isWhole(event) ? readWhole(event, raw) : [];
      }
    },
    failure(event) {
      if (event.type === 'error') return event;
      if (typeof event.type === 'string') return Object.keys(objectOr(event.error)).length > 0 ? event : undefined;
      return isWhole(event) ? undefined : errorIn(event);
    },
    end(terminated) {
      const said = terminated || known.stop !== undefined;
      const ended = said && known.stop !== paused;
      const rest = content.end(!said ? 'cut' : ended && finishOf(known.stop) !== 'length' ? 'whole' : 'limited');
      return [...rest, metadataOf(known, { ended, usage: usage.read(), requestId: options.requestId ?? known.id })];
    },
    began: () => content.began() || known.stop !== undefined,
    finished: () => known.stopped,
    // A stop reason proves that the answer is complete, also where the mark after it is missing (E14).
    complete: () => known.stop !== undefined,
  };
}

function metadataOf(
  { stop, model }: Known,
  { ended, usage, requestId }: { readonly ended: boolean; readonly usage: Usage | undefined; readonly requestId: string | undefined },
): ModelPart {
  const finishReason = finishOf(stop);
  return {
    type: 'call-metadata',
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(stop === undefined ? {} : { providerFinishReason: stop }),
    ...(ended ? { terminated: true } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

const isWhole = ({ type, content }: JsonObject): boolean => type === 'message' || (type === undefined && Array.isArray(content));

function note({ id, model, stop_reason: stop }: JsonObject, known: Known): void {
  if (typeof id === 'string' && id !== '') known.id ??= id;
  if (typeof model === 'string' && model !== '') known.model = model;
  if (typeof stop === 'string' && stop !== '') known.stop = stop;
}

/** The server stopped in the middle, to be sent what it said and to go on: no end of an answer, so that nobody takes it for a whole one. */
const paused = 'pause_turn';

/** The neutral finish; undefined while none was given, and for a pause. */
function finishOf(stop: string | undefined): FinishReason | undefined {
  if (stop === undefined || stop === paused) return undefined;
  return stop === 'refusal' ? 'content_filter' : finishReasonOf(stop);
}

/** The service's own words about a refusal, which stand beside the content. */
function refusalOf(
  { stop_reason: stop, stop_details: details }: JsonObject,
  content: ReturnType<typeof createContentReader>,
): readonly ModelPart[] {
  const { explanation } = objectOr(details);
  return stop === 'refusal' && typeof explanation === 'string' && explanation !== '' ? content.refusal(explanation) : [];
}
