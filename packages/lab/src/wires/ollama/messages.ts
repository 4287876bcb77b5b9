import type { JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../../chat-request.ts';
import { type Read, refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import { objectOf, typeFault } from './type-fault.ts';

const roles: readonly JsonValue[] = ['system', 'user', 'assistant', 'tool'];

type Call = LabMessage['toolCalls'][number];

/** Reads the messages of a request. A result belongs to the call of its id, or to the first call of its name that has none yet. */
export function readMessages(value: JsonValue): Read<readonly LabMessage[]> {
  const fault = typeFault(value, 'messages', '[]api.Message');
  if (fault !== undefined) return { refusal: fault };
  const messages: LabMessage[] = [];
  const waiting: Call[] = [];
  for (const entry of Array.isArray(value) ? (value as readonly JsonValue[]) : []) {
    const read = readMessage(entry, messages.length, waiting);
    if ('refusal' in read) return read;
    waiting.push(...read.value.toolCalls);
    messages.push(read.value);
  }
  return { value: messages };
}

function readMessage(entry: JsonValue, place: number, waiting: Call[]): Read<LabMessage> {
  const fault = typeFault(entry, 'messages', 'api.Message') ?? fieldsFault(entry) ?? imagesFault(entry);
  if (fault !== undefined) return { refusal: fault };
  const { role = '', content = '', tool_calls = null, tool_call_id, tool_name } = objectOf(entry);
  if (!roles.includes(role)) return refuse(`invalid role: ${role}, role must be one of [system, user, assistant, tool]`);
  const calls = readCalls(tool_calls, place);
  if ('refusal' in calls) return calls;
  const answered = role === 'tool' ? answeredCall(tool_call_id, tool_name, waiting) : undefined;
  return {
    value: {
      role: role as LabMessage['role'],
      text: String(content ?? ''),
      toolCalls: calls.value,
      ...(answered === undefined ? {} : { toolCallId: answered }),
    },
  };
}

function fieldsFault(entry: JsonValue): WireRefusal | undefined {
  const message = objectOf(entry);
  const texts = ['role', 'content', 'thinking', 'tool_name', 'tool_call_id'];
  for (const name of texts) {
    const fault = typeFault(message[name], `messages.${name}`, 'string');
    if (fault !== undefined) return fault;
  }
  return (
    typeFault(message.images, 'messages.images', '[]api.ImageData') ??
    typeFault(message.tool_calls, 'messages.tool_calls', '[]api.ToolCall')
  );
}

/** An image is base64 without any prefix. */
function imagesFault(entry: JsonValue): WireRefusal | undefined {
  const { images } = objectOf(entry);
  for (const image of Array.isArray(images) ? (images as readonly JsonValue[]) : []) {
    const fault = typeFault(image, 'messages.images', 'string');
    if (fault !== undefined) return fault;
    const text = String(image);
    const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(text);
    const at = wrong?.index ?? (text.replace(/[\r\n]/g, '').length % 4 === 0 ? undefined : text.length - (text.length % 4));
    if (at !== undefined) return refuse(`illegal base64 data at input byte ${at}`).refusal;
  }
  return undefined;
}

function readCalls(value: JsonValue, place: number): Read<readonly Call[]> {
  const calls: Call[] = [];
  for (const [index, entry] of (Array.isArray(value) ? (value as readonly JsonValue[]) : []).entries()) {
    const call = objectOf(entry);
    const body = objectOf(call.function);
    const at = 'messages.tool_calls';
    const fault =
      typeFault(entry, at, 'api.ToolCall') ??
      typeFault(call.id, `${at}.id`, 'string') ??
      typeFault(call.function, `${at}.function`, 'api.ToolCallFunction') ??
      typeFault(body.name, `${at}.function.name`, 'string') ??
      // An object, never its text.
      typeFault(body.arguments, `${at}.function.arguments`, 'api.ToolCallFunctionArguments');
    if (fault !== undefined) return { refusal: fault };
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : `call_${place}_${index}`;
    calls.push({ id, name: String(body.name ?? ''), arguments: JSON.stringify(body.arguments ?? {}) });
  }
  return { value: calls };
}

function answeredCall(id: JsonValue | undefined, name: JsonValue | undefined, waiting: Call[]): string | undefined {
  const byId = waiting.findIndex((call) => call.id === id);
  const found = byId === -1 ? waiting.findIndex((call) => call.name === name) : byId;
  return waiting.splice(found === -1 ? waiting.length : found, 1)[0]?.id;
}
