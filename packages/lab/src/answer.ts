import { forcedTool, type LabChatRequest, promptText } from './chat-request.ts';
import type { Random } from './random.ts';

/** Bytes exactly as given, whatever the wire would have said. */
export interface RawReply {
  /** 0: no head is sent, the ending comes at once (or after `firstByteMs`). */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written one after the other, each in a write of its own. */
  readonly chunks: readonly (string | Uint8Array)[];
  /**
   * After the last chunk: `end` ends the body, `cut` closes the lab's half of the connection (FIN) without ending the body, `reset` sends RST, `stall`
   * and `keep-open` send nothing more and leave the connection to the client (`keep-open`: the answer was whole, `stall`: it was not).
   */
  readonly ending: 'end' | 'cut' | 'reset' | 'stall' | 'keep-open';
  /**
   * `close`: the body ends with the connection, as HTTP/1.0 has it. `bytes`: the chunks are the whole response, head and framing included, and go to
   * the socket as they are; `status` is then only what the log says. Default `chunked`, unless a length is among the headers.
   */
  readonly framing?: 'chunked' | 'close' | 'bytes';
  /** Milliseconds before the first byte. Default: the lab's `delays.firstByteMs`. */
  readonly firstByteMs?: number;
  /** Milliseconds between two chunks. Default: the lab's `delays.chunkMs`. */
  readonly chunkDelayMs?: number;
}

/** Tokens that a reply claims. */
export interface LabUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

/** One token of the answer's text with its probability and the likeliest others. */
export interface LabLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly top?: readonly { readonly token: string; readonly logprob: number }[];
}

/** One piece of a model's reasoning. */
export interface LabThinking {
  readonly text: string;
  /** The service shows none of it: an opaque block. */
  readonly redacted?: boolean;
  /** The steps of a summary, on wires that show reasoning as one. Default: the text as one step. */
  readonly summary?: readonly string[];
  /** The index of the call that it comes right before. Absent: it opens the answer. */
  readonly beforeCall?: number;
}

/** What a model says, in the terms of no wire. */
export interface LabContent {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[];
  /** One piece of reasoning that opens the answer; `thinking` says more, and wins. */
  readonly reasoning?: string;
  readonly thinking?: readonly LabThinking[];
  readonly refusal?: string;
  /** The wire's own word. Default: `tool_calls` when there are calls (`stop` when the tool was forced by name), `length` when cut, else `stop`. */
  readonly finish?: string;
  /** Default: four characters count as one token. `null`: the answer carries no usage. */
  readonly usage?: LabUsage | null;
  /** Sent only when the request asks for them. */
  readonly logprobs?: readonly LabLogprob[];
}

/** What a lab model gives: content for the wire to say, or raw bytes. */
export type LabReply = LabContent | { readonly raw: RawReply };

/** Content with every default filled in: what a wire writes. */
export interface LabAnswer {
  readonly text: string | null;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string; readonly id: string }[];
  /** The texts of `thinking`, joined; absent when there is none. */
  readonly reasoning?: string;
  readonly thinking: readonly LabThinking[];
  readonly refusal?: string;
  readonly finish: string;
  readonly usage: LabUsage | null;
  readonly logprobs?: readonly LabLogprob[];
}

const charactersPerToken = 4;

/** Tokens as the lab counts them: a quarter of the characters, rounded up. */
function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Fills the defaults: ids drawn from `random`, the output limit of the request, finish and usage. */
export function completeAnswer(content: LabContent, request: LabChatRequest, random: Random): LabAnswer {
  const limited = limitOutput(content, request.maxOutputTokens);
  const toolCalls = (limited.toolCalls ?? []).map((call) => ({ ...call, id: call.id ?? `call_${random.letters(24)}` }));
  const calledFinish = forcedTool(request) === undefined ? 'tool_calls' : 'stop';
  const { refusal, logprobs } = limited;
  const thinking = thinkingOf(limited);
  return {
    text: limited.text ?? null,
    toolCalls,
    ...(thinking.length === 0 ? {} : { reasoning: thinking.map(({ text }) => text).join('') }),
    thinking,
    ...(refusal === undefined ? {} : { refusal }),
    finish: limited.finish ?? (toolCalls.length > 0 ? calledFinish : 'stop'),
    usage: limited.usage === undefined ? countUsage(limited, request) : limited.usage,
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

function thinkingOf({ thinking, reasoning }: LabContent): readonly LabThinking[] {
  if (thinking !== undefined && thinking.length > 0) return thinking;
  return reasoning === undefined || reasoning === '' ? [] : [{ text: reasoning }];
}

function countUsage(content: LabContent, request: LabChatRequest): LabUsage {
  const reasoningTokens = countTokens(
    thinkingOf(content)
      .map(({ text }) => text)
      .join(''),
  );
  const calls = (content.toolCalls ?? []).map((call) => call.name + call.arguments).join('');
  return {
    inputTokens: countTokens(promptText(request)),
    outputTokens: reasoningTokens + countTokens((content.text ?? content.refusal ?? '') + calls),
    cachedTokens: 0,
    reasoningTokens,
  };
}

/** Cuts what passes the output limit: reasoning counts first, then text, then calls in order. A finish that the model gave stays. */
function limitOutput(content: LabContent, maxOutputTokens: number | undefined): LabContent {
  if (maxOutputTokens === undefined) return content;
  let left = maxOutputTokens * charactersPerToken;
  let cut = false;
  const take = (text: string): string => {
    const taken = text.slice(0, Math.max(0, left));
    if (taken.length < text.length) cut = true;
    left -= text.length;
    return taken;
  };
  const thinking = thinkingOf(content).flatMap((piece) => (left > 0 ? [{ ...piece, text: take(piece.text) }] : []));
  const text = content.text === undefined ? undefined : take(content.text);
  const toolCalls = (content.toolCalls ?? []).filter(() => left > 0).map((call) => ({ ...call, arguments: take(call.arguments) }));
  if (!cut && toolCalls.length === (content.toolCalls ?? []).length) return content;
  return {
    ...content,
    thinking,
    ...(text === undefined ? {} : { text }),
    toolCalls,
    finish: content.finish ?? 'length',
  };
}
