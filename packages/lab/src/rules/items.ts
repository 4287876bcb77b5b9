import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabMessage } from '../chat-request.ts';
import { termsOf } from './terms.ts';

/** One message as the rules see it. */
export interface Item {
  readonly role: LabMessage['role'];
  readonly text: string;
  /** The decoded text, when all of it is a JSON object or array. */
  readonly json?: JsonValue;
  /** Of a tool result: the tool's name. */
  readonly tool?: string;
  /** Of a tool result: the terms of the tool's name and of the arguments it was called with. */
  readonly context: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** The request's messages in their order; each tool result with the call that it answers. */
export function itemsOf(request: LabChatRequest): readonly Item[] {
  const calls = new Map<string, { readonly name: string; readonly arguments: string }>();
  return request.messages.map((message): Item => {
    for (const call of message.toolCalls) calls.set(call.id, call);
    const json = decode(message.text);
    const call = calls.get(message.toolCallId ?? '');
    const base = { role: message.role, text: message.text, ...(json === undefined ? {} : { json }) };
    if (message.role !== 'tool' || call === undefined) return { ...base, context: none };
    return { ...base, tool: call.name, context: termsOf(`${call.name} ${plainValues(decode(call.arguments)).join(' ')}`) };
  });
}

/** What role a message has over others when instructions differ; 0: it does not instruct. */
export const authority: Readonly<Record<LabMessage['role'], number>> = { system: 4, developer: 3, user: 2, tool: 1, assistant: 0 };

/** A JSON object or array; undefined for anything else. */
export function decode(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Every text, number and truth inside a value, in order. */
function plainValues(root: JsonValue | undefined): readonly string[] {
  const values: string[] = [];
  const open: (JsonValue | undefined)[] = [root];
  while (open.length > 0) {
    const here = open.pop();
    if (Array.isArray(here)) for (const member of [...here].reverse()) open.push(member);
    else if (isJsonObject(here)) open.push(...Object.values(here).reverse());
    else if (here !== undefined && here !== null) values.push(String(here));
  }
  return values;
}
