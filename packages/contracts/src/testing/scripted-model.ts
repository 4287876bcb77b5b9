import { assertNever } from '../basics/assert-never.ts';
import { type Clock, systemClock } from '../basics/clock.ts';
import type { JsonValue } from '../basics/json.ts';
import type { ChatProvider, ChatRequest } from '../conversation/chat-provider.ts';
import type { ModelPart } from '../conversation/part.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Capabilities } from '../endpoint/capabilities.ts';

/** One thing that a scripted model does within an answer. */
export type ScriptedItem =
  /** Yields the text in pieces of `chunkChars`. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string }
  /** A call; arguments that are a string are sent as that JSON text, in pieces of `chunkChars`. Its id is `call_<n>` unless given. */
  | { readonly type: 'call'; readonly name: string; readonly args: JsonValue; readonly id?: string }
  /** Waits on the clock. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Ends the answer by throwing `error`. */
  | { readonly type: 'failure'; readonly error: unknown }
  /** What the provider says of the call, in place of the one that is made up. */
  | { readonly type: 'part'; readonly part: ModelPart };

/** One answer: a text alone, or what is done in order. */
export type ScriptedAnswer = string | readonly ScriptedItem[];

/** A model that says what it is told to. */
export interface ScriptedModel extends ChatProvider {
  /** Every request so far, first to last. */
  readonly requests: readonly ChatRequest[];
  /** Answers not yet given. */
  remaining(): number;
}

/** How a scripted model behaves beside its script. */
export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly id?: string;
  /** For delays. Default the platform's. */
  readonly clock?: Clock;
  readonly capabilities?: Capabilities;
  /** UTF-16 units of one delta. Default `Infinity`: a text is one delta. */
  readonly chunkChars?: number;
  /** What each answer costs. Default: none, and not reported. */
  readonly usage?: Usage;
}

function* pieces(text: string, size: number): Generator<string> {
  if (text.length <= size) yield text;
  else for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

type SpokenItem = Exclude<ScriptedItem, { readonly type: 'delay' | 'failure' }>;

function* partsOf(item: SpokenItem, index: number, chunkChars: number): Generator<ModelPart> {
  switch (item.type) {
    case 'text':
      for (const text of pieces(item.text, chunkChars)) yield { type: 'text-delta', text };
      return;
    case 'thinking':
      for (const text of pieces(item.text, chunkChars)) yield { type: 'thinking-delta', text };
      return;
    case 'refusal':
      for (const text of pieces(item.text, chunkChars)) yield { type: 'refusal-delta', text };
      return;
    case 'call': {
      const text = typeof item.args === 'string' ? item.args : JSON.stringify(item.args);
      yield { type: 'function-call-delta', index, id: item.id ?? `call_${index + 1}`, name: item.name };
      for (const piece of pieces(text, chunkChars)) yield { type: 'function-call-delta', index, arguments: piece };
      return;
    }
    case 'part':
      yield item.part;
      return;
    default:
      assertNever(item);
  }
}

/**
 * A chat provider that gives `answers` one after another, one for each call of `stream`, and records the requests. Each answer ends with
 * `call-metadata` (finish reason, terminal mark, usage) unless the script brings its own or fails. Throws an `Error` when asked for more answers
 * than there are, and the signal's reason on abort. Networkless and deterministic.
 */
export function scriptedModel(answers: readonly ScriptedAnswer[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { id = 'scripted', clock = systemClock, chunkChars = Number.POSITIVE_INFINITY } = options;
  const requests: ChatRequest[] = [];

  async function* play(answer: ScriptedAnswer, request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const items: readonly ScriptedItem[] = typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;
    let calls = 0;
    let described = false;
    for (const item of items) {
      signal.throwIfAborted();
      if (item.type === 'failure') throw item.error;
      if (item.type === 'delay') {
        await clock.sleep(item.ms, signal);
        continue;
      }
      for (const part of partsOf(item, calls, chunkChars)) {
        signal.throwIfAborted();
        if (part.type === 'call-metadata') described = true;
        if (request.providerChunks !== true && (part.type === 'provider-chunk' || part.type === 'provider-response')) continue;
        yield part;
      }
      if (item.type === 'call') calls += 1;
    }
    signal.throwIfAborted();
    if (described) return;
    const usage = options.usage === undefined ? {} : { usage: options.usage };
    yield { type: 'call-metadata', finishReason: calls > 0 ? 'tool_calls' : 'stop', terminated: true, model: id, ...usage };
  }

  return {
    id,
    ...(options.capabilities === undefined ? {} : { capabilities: options.capabilities }),
    requests,
    remaining: () => Math.max(0, answers.length - requests.length),
    stream(request, { signal }) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error(`the script has ${answers.length} answers, and answer ${requests.length} was asked for`);
      return play(answer, request, signal);
    },
  };
}
