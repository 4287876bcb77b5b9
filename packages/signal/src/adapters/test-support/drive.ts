import {
  type ChatDialect,
  createToolCallAssembler,
  type ModelPart,
  type ProviderFault,
  sequentialIds,
  systemClock,
  type Usage,
} from '@vouch/contracts';
import type { Http, HttpResponse } from '../../net/http.ts';
import { ProviderError } from '../../net/provider-error.ts';
import type { AdapterEndpoint, ChatAdapter, ProviderRequest } from '../adapter.ts';
import { openaiChat } from '../openai-chat.ts';

/** A dialect that leaves every door open. */
export const openDialect: ChatDialect = {
  wire: 'openai-chat',
  outputLimitField: 'max_completion_tokens',
  systemRole: 'system',
  toolCallIds: 'verbatim',
  toolChoice: { required: 'required', named: true, none: true },
  seedField: 'seed',
  schemaFormat: 'json_schema',
  jsonObjectFormat: true,
  schemaSubset: 'open',
  streamUsageOption: true,
  parallelToolCallsField: true,
  reasoningReplay: 'never',
  effortField: 'reasoning_effort',
  repeatsReasoningDeltas: false,
  auth: 'bearer',
  path: '/chat/completions',
};

/** An endpoint over `http`. */
export function endpointOf(http: Http, more: Partial<AdapterEndpoint> = {}): AdapterEndpoint {
  return { provider: 'harbour', baseUrl: 'http://harbour.test/v1', dialect: openDialect, http, ids: sequentialIds(), ...more };
}

/** An `Http` that answers every POST with these chunks and counts what was released. */
export function httpOf(
  chunks: readonly Uint8Array[],
  answer: { readonly status?: number; readonly headers?: { readonly [name: string]: string } } = {},
): Http {
  const headers = answer.headers ?? {};
  const response = (): HttpResponse => ({
    status: answer.status ?? 200,
    header: (name) => headers[name],
    open() {
      const left = chunks.values();
      return { read: async () => left.next().value, end: async () => undefined };
    },
    chunks: async function* () {
      yield* chunks;
    },
    text: async () => chunks.map((chunk) => new TextDecoder().decode(chunk)).join(''),
    release: async () => undefined,
  });
  const settings = { fetch: globalThis.fetch, clock: systemClock, timeout: { firstByte: 60_000, idle: 60_000 }, secrets: [] };
  return { settings, post: async () => response() };
}

/** What one send gave: its parts, and the error that ended it. */
export interface Sent {
  readonly parts: readonly ModelPart[];
  readonly error?: unknown;
}

/** Drains one send of the chat wire. */
export function drain(endpoint: AdapterEndpoint, request: ProviderRequest, signal?: AbortSignal): Promise<Sent> {
  return drainAdapter(openaiChat(endpoint), request, signal);
}

/** Drains one send. */
export async function drainAdapter(
  adapter: ChatAdapter,
  request: ProviderRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Sent> {
  const parts: ModelPart[] = [];
  try {
    for await (const list of adapter.send(request, { signal })) for (const part of list) parts.push(part);
    return { parts };
  } catch (error) {
    return { parts, error };
  }
}

/** A send, summed up so that whole and streamed answers can be compared. */
export interface Summary {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string; readonly complete: boolean }[];
  readonly finish: string | null;
  readonly providerFinish: string | undefined;
  readonly terminated: boolean;
  readonly usage: Usage | null;
  readonly logprobs: readonly unknown[];
  readonly carries: readonly { readonly shape: string; readonly data: unknown }[];
  readonly fault: ProviderFault | undefined;
}

/** Sums up a send; the calls by the tolerant assembler. */
export function summarise(sent: Sent, declaredNames: readonly string[] = []): Summary {
  const ids = sequentialIds();
  const assembler = createToolCallAssembler({ identity: 'tolerant', newCallId: () => ids('new'), declaredNames });
  const joined = { 'text-delta': '', 'thinking-delta': '', 'refusal-delta': '' };
  let metadata: Extract<ModelPart, { type: 'call-metadata' }> = { type: 'call-metadata' };
  for (const part of sent.parts) {
    if (part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta') joined[part.type] += part.text;
    else if (part.type === 'function-call-delta') assembler.accept(part);
    else if (part.type === 'call-metadata') metadata = { ...metadata, ...part };
  }
  return {
    text: joined['text-delta'],
    thinking: joined['thinking-delta'],
    refusal: joined['refusal-delta'],
    calls: assembler.complete().calls.map((call) => ({ id: call.id, name: call.name, args: call.argsText, complete: call.complete })),
    finish: metadata.finishReason ?? null,
    providerFinish: metadata.providerFinishReason,
    terminated: metadata.terminated ?? false,
    usage: metadata.usage ?? null,
    logprobs: sent.parts.flatMap((part) => (part.type === 'logprobs' ? part.tokens : [])),
    carries: sent.parts.flatMap((part) => (part.type === 'carry' ? [{ shape: part.carry.shape, data: part.carry.data }] : [])),
    fault: sent.error instanceof ProviderError ? sent.error.fault : undefined,
  };
}
