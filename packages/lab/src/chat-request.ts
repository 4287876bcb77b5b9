import type { JsonObject } from '@vouch/contracts';

/** One message of a request, with its text parts joined by line ends. */
export interface LabMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Calls of an assistant message. */
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** The call that a tool message answers. */
  readonly toolCallId?: string;
}

/** A declared function. */
export interface LabTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments; absent when the tool takes none. */
  readonly parameters?: JsonObject;
}

/** What the request asks of the answer's form. */
export type LabFormat =
  | { readonly type: 'text' | 'json_object' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject };

/** A chat request that its wire has accepted, in one form for every wire. */
export interface LabChatRequest {
  /** The wire on which it came, such as `openai-chat`. */
  readonly wire: string;
  readonly model: string;
  readonly messages: readonly LabMessage[];
  readonly tools: readonly LabTool[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
  readonly format: LabFormat;
  /** The answer goes out in parts. */
  readonly stream: boolean;
  /** The parts go out as one JSON list, on the wire that has that form. */
  readonly asList?: boolean;
  /** A streamed answer ends with its usage. */
  readonly includeUsage: boolean;
  /** Tokens (four characters each) after which the answer is cut with finish `length`; absent: no limit. */
  readonly maxOutputTokens?: number;
  readonly logprobs: boolean;
  /** The request asks for thinking, or leaves on what is on by itself. Absent: the wire does not say. */
  readonly thinking?: boolean;
  /** The decoded body, as it came. */
  readonly body: JsonObject;
}

/** The name of the one tool that the request forces, if it forces one by name. */
export function forcedTool(request: LabChatRequest): string | undefined {
  return typeof request.toolChoice === 'object' ? request.toolChoice.name : undefined;
}

/** Every text that the model reads, joined by line ends. */
export function promptText(request: LabChatRequest): string {
  return request.messages.map((message) => message.text).join('\n');
}
