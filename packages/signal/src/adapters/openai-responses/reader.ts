import type { FinishReason, IdSource, JsonObject, JsonValue, ModelPart, ResponsesDialect, Usage } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { readLogprobs } from '../openai-chat/chunks.ts';
import { errorIn } from '../openai-chat/errors.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { objectOr } from '../response/json-object.ts';
import type { ResponseReader } from '../response/read-response.ts';
import { createItemReader, type ItemPlace } from './items.ts';
import type { Spoken } from './open-items.ts';

/** What the reading of one response needs. */
export interface ResponsesReaderOptions {
  readonly dialect: Pick<ResponsesDialect, 'store' | 'encryptedReasoning' | 'hidesTruncation'>;
  readonly source: CarrySource;
  readonly ids: IdSource;
  readonly requestId: string | undefined;
  /** The output limit that was asked for. */
  readonly maxOutputTokens: number | undefined;
  readonly contradiction: (message: string) => Error;
}

const deltas: { readonly [type: string]: Spoken } = {
  'response.output_text.delta': { kind: 'text', itemType: 'message' },
  'response.refusal.delta': { kind: 'refusal', itemType: 'message' },
  'response.reasoning_summary_text.delta': { kind: 'summary', itemType: 'reasoning' },
  'response.reasoning_text.delta': { kind: 'reasoning', itemType: 'reasoning' },
  'response.function_call_arguments.delta': { kind: 'arguments', itemType: 'function_call' },
};

const terminals: ReadonlySet<unknown> = /* @__PURE__ */ new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** A reader for one response, streamed or whole. Events of unknown types say nothing and are skipped. */
export function createResponsesReader(options: ResponsesReaderOptions): ResponseReader {
  const { dialect } = options;
  const items = createItemReader({ ...options, carries: dialect.store || dialect.encryptedReasoning });
  const known: Known = {};
  const readWhole = (response: JsonObject, place: ItemPlace, status: JsonValue | undefined): readonly ModelPart[] => {
    note(response, known);
    known.status = typeof status === 'string' ? status : 'completed';
    known.incomplete = objectOr(response.incomplete_details).reason;
    known.usage = readUsage(response.usage) ?? known.usage;
    const list = Array.isArray(response.output) ? (response.output as readonly JsonValue[]) : [];
    return items.output(list, { raw: place.raw, path: [...place.path, 'output'] });
  };
  return {
    read(event, raw) {
      const { type } = event;
      const spoken = typeof type === 'string' && Object.hasOwn(deltas, type) ? deltas[type] : undefined;
      if (spoken !== undefined) return [...items.delta(event, spoken), ...logprobsOf(event)];
      if (terminals.has(type)) {
        const response = objectOr(event.response);
        return readWhole(response, { raw, path: ['response'] }, response.status ?? String(type).slice('response.'.length));
      }
      if (type === 'response.output_item.added') return items.added(event);
      if (type === 'response.output_item.done') return items.done(event, { raw, path: ['item'] });
      if (type === 'response.reasoning_summary_part.added') items.summaryPart(event);
      else if (type === undefined && isWhole(event)) return readWhole(event, { raw, path: [] }, event.status);
      else note(objectOr(event.response), known);
      return [];
    },
    failure(event) {
      const { type } = event;
      if (typeof type === 'string' && type.startsWith('response.') && !terminals.has(type)) return undefined;
      const response = terminals.has(type) ? objectOr(event.response) : event;
      if (known.status === 'failed' || known.status === 'cancelled' || type === 'response.failed')
        return {
          error: nonEmpty(response.error) ?? { message: `The response ended as ${known.status ?? 'failed'}.`, code: 'server_error' },
        };
      return terminals.has(type) || isWhole(event) ? unfinished(known) : errorIn(event);
    },
    end(terminated) {
      const rest = items.end();
      const requestId = options.requestId ?? known.id;
      const metadata: ModelPart = {
        type: 'call-metadata',
        ...finishFields(known, items.calls(), options),
        ...(terminated ? { terminated: true } : {}),
        ...(known.usage === undefined ? {} : { usage: known.usage }),
        ...(known.model === undefined ? {} : { model: known.model }),
        ...(requestId === undefined ? {} : { requestId }),
      };
      return [...rest, metadata];
    },
    began: items.began,
    finished: () => known.status === 'completed' || known.status === 'incomplete',
  };
}

interface Known {
  id?: string;
  model?: string;
  status?: string;
  incomplete?: JsonValue | undefined;
  usage?: Usage | undefined;
}

function note({ id, model }: JsonObject, known: Known): void {
  if (typeof id === 'string' && id !== '') known.id ??= id;
  if (typeof model === 'string' && model !== '') known.model = model;
}

const isWhole = (event: JsonObject): boolean => event.object === 'response' || Array.isArray(event.output);

const nonEmpty = (value: JsonValue | undefined): JsonValue | undefined =>
  value === null || value === '' || Object.keys(objectOr(value)).length === 0
    ? typeof value === 'string' && value !== ''
      ? value
      : undefined
    : value;

/** A response that the server has not finished, such as one in the background: not an answer, and nothing more will come. */
function unfinished({ status }: Known): JsonValue | undefined {
  if (status === 'completed' || status === 'incomplete') return undefined;
  return { error: { message: `The response is not finished (${String(status).slice(0, 40)}).`, code: 'invalid_request' } };
}

/** The neutral finish. A refusal is no word of its own: it is seen by its part. */
function finishFields(
  { status, incomplete, usage }: Known,
  calls: boolean,
  { dialect, maxOutputTokens }: ResponsesReaderOptions,
): { readonly finishReason?: FinishReason; readonly providerFinishReason?: string } {
  if (status === undefined) return {};
  if (status === 'incomplete') return incompleteFields(incomplete);
  if (status !== 'completed') return { finishReason: 'error', providerFinishReason: status };
  // Some servers call an answer complete that their limit cut (C30).
  const cut = dialect.hidesTruncation && maxOutputTokens !== undefined && usage !== undefined && usage.outputTokens >= maxOutputTokens;
  return { finishReason: cut ? 'length' : calls ? 'tool_calls' : 'stop', providerFinishReason: status };
}

function incompleteFields(reason: JsonValue | undefined): { readonly finishReason: FinishReason; readonly providerFinishReason: string } {
  const word = typeof reason === 'string' && reason !== '' ? reason : 'incomplete';
  if (word === 'max_output_tokens') return { finishReason: 'length', providerFinishReason: word };
  if (word === 'content_filter') return { finishReason: 'content_filter', providerFinishReason: word };
  return { finishReason: 'unknown', providerFinishReason: word };
}

function logprobsOf(event: JsonObject): readonly ModelPart[] {
  if (!Array.isArray(event.logprobs) || event.logprobs.length === 0) return [];
  const tokens = readLogprobs(event.logprobs as readonly JsonValue[]);
  return tokens.length === 0 ? [] : [{ type: 'logprobs', tokens }];
}
