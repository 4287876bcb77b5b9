import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { LabAnswer, RawReply } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import type { Random } from '../random.ts';

/** The chat wires, by the ids of the client's adapters. */
export type LabWireId = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ollama';

/** Where a request went, and what it said of itself. */
export interface LabTarget {
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. Keys are among them: never copied into a reply. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What every answer of one exchange carries. */
export interface Frame {
  /** The request id, as `x-request-id` says it. */
  readonly requestId: string;
  /** The answer's own id, such as `chatcmpl-…`. */
  readonly id: string;
  /** Seconds since the epoch, drawn from the seed. */
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
  readonly random: Random;
}

/** A request that a wire refuses, in that wire's own error form. */
export interface WireRefusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly parameter?: string;
  readonly code?: string;
}

/** One protocol: how it reads requests and how it says answers and errors. */
export interface LabWire {
  readonly id: LabWireId;
  /** Requests to this path, without its query, are of this wire. */
  takes(path: string): boolean;
  /** The request in the terms of no wire, or why the real service would refuse it. */
  read(body: JsonObject, target: LabTarget): { readonly request: LabChatRequest } | { readonly refusal: WireRefusal };
  whole(answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply;
  parts(answer: LabAnswer, request: LabChatRequest, frame: Frame): RawReply;
  /** An error in the wire's own form. */
  refuse(refusal: WireRefusal): RawReply;
  /** What a GET of this path shows of the lab's one model; undefined when the wire has no such path. */
  models?(modelId: string, target: LabTarget): RawReply | undefined;
  /** The last block of every stream, where it is a mark that says nothing else. */
  readonly terminalBlock?: string;
}

/** A JSON reply, whole, with its length. */
export function jsonReply(status: number, body: JsonValue, headers: Readonly<Record<string, string>> = {}): RawReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), ...headers },
    chunks: [bytes],
    ending: 'end',
  };
}

/** An event stream of the given blocks, each with its own blank line. */
export function eventStream(blocks: readonly string[], headers: Readonly<Record<string, string>> = {}): RawReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    chunks: blocks,
    ending: 'end',
  };
}
