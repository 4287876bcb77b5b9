import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../chat-request.ts';
import { type Read, refuse, wrongType } from './refusal.ts';
import type { WireRefusal } from './wire.ts';

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];
const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

/** Reads the history: roles, contents, and that every call has its result in place. */
export function readMessages(value: JsonValue | undefined): Read<readonly LabMessage[]> {
  if (value === undefined) return refuse("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  if (!Array.isArray(value)) return { refusal: wrongType('messages', 'an array of objects', value) };
  if (value.length === 0) {
    return refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
  }
  const messages: LabMessage[] = [];
  for (const [index, entry] of value.entries()) {
    const message = readMessage(entry, `messages[${index}]`);
    if ('refusal' in message) return message;
    messages.push(message.value);
  }
  const unpaired = pairingFault(messages);
  return unpaired === undefined ? { value: messages } : { refusal: unpaired };
}

function readMessage(entry: JsonValue, place: string): Read<LabMessage> {
  if (!isJsonObject(entry)) return { refusal: wrongType(place, 'an object', entry) };
  const role = entry.role;
  if (role === undefined) return refuse(`Missing required parameter: '${place}.role'.`, `${place}.role`, 'missing_required_parameter');
  if (typeof role !== 'string' || !roles.includes(role)) {
    const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
    return refuse(`Invalid value: '${String(role)}'. Supported values are: ${supported}.`, `${place}.role`, 'invalid_value');
  }
  if (role === 'function')
    return refuse("The role 'function' was replaced by 'tool'; the lab does not take it.", `${place}.role`, 'unsupported_value');
  const toolCalls = role === 'assistant' ? readToolCalls(entry.tool_calls, `${place}.tool_calls`) : { value: [] };
  if ('refusal' in toolCalls) return toolCalls;
  const text = readContent(entry, role, place, toolCalls.value.length > 0);
  if ('refusal' in text) return text;
  if (role === 'tool' && typeof entry.tool_call_id !== 'string') {
    return refuse(`Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`, `${place}.tool_call_id`);
  }
  return {
    value: {
      role: role as LabMessage['role'],
      text: text.value,
      toolCalls: toolCalls.value,
      ...(typeof entry.tool_call_id === 'string' ? { toolCallId: entry.tool_call_id } : {}),
    },
  };
}

function readContent(entry: JsonObject, role: string, place: string, hasCalls: boolean): Read<string> {
  const { content } = entry;
  if (typeof content === 'string') return { value: content };
  if (content === null || content === undefined) {
    if (role === 'assistant' && (hasCalls || typeof entry.refusal === 'string')) return { value: '' };
    return refuse(`Invalid value for 'content': expected a string, got null.`, `${place}.content`);
  }
  if (!Array.isArray(content)) return { refusal: wrongType(`${place}.content`, 'one of a string or array of objects', content) };
  const texts: string[] = [];
  const allowed = partTypes[role] ?? ['text'];
  for (const [index, part] of content.entries()) {
    const type = isJsonObject(part) ? part.type : undefined;
    if (!isJsonObject(part) || typeof type !== 'string' || !allowed.includes(type)) {
      const supported = allowed.map((name) => `'${name}'`).join(', ');
      return refuse(
        `Invalid value: '${String(type)}'. Supported values are: ${supported}.`,
        `${place}.content[${index}].type`,
        'invalid_value',
      );
    }
    const text = part[type];
    if (type === 'text' || type === 'refusal') {
      if (typeof text !== 'string')
        return refuse(
          `Missing required parameter: '${place}.content[${index}].${type}'.`,
          `${place}.content[${index}].${type}`,
          'missing_required_parameter',
        );
      texts.push(text);
    } else if (!isJsonObject(text))
      return refuse(
        `Missing required parameter: '${place}.content[${index}].${type}'.`,
        `${place}.content[${index}].${type}`,
        'missing_required_parameter',
      );
  }
  return { value: texts.join('\n') };
}

function readToolCalls(value: JsonValue | undefined, place: string): Read<LabMessage['toolCalls']> {
  if (value === undefined || value === null) return { value: [] };
  if (!Array.isArray(value)) return { refusal: wrongType(place, 'an array of objects', value) };
  if (value.length === 0)
    return refuse(
      `Invalid '${place}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      place,
      'empty_array',
    );
  const calls: LabMessage['toolCalls'][number][] = [];
  for (const [index, entry] of value.entries()) {
    const declared = isJsonObject(entry) ? entry.function : undefined;
    if (!isJsonObject(entry) || typeof entry.id !== 'string')
      return refuse(`Missing required parameter: '${place}[${index}].id'.`, `${place}[${index}].id`, 'missing_required_parameter');
    if (entry.type !== 'function')
      return refuse(`Missing required parameter: '${place}[${index}].type'.`, `${place}[${index}].type`, 'missing_required_parameter');
    if (!isJsonObject(declared) || typeof declared.name !== 'string') {
      return refuse(
        `Missing required parameter: '${place}[${index}].function.name'.`,
        `${place}[${index}].function.name`,
        'missing_required_parameter',
      );
    }
    if (typeof declared.arguments !== 'string')
      return { refusal: wrongType(`${place}[${index}].function.arguments`, 'a string', declared.arguments) };
    calls.push({ id: entry.id, name: declared.name, arguments: declared.arguments });
  }
  return { value: calls };
}

/** Every call is answered once, before any other message, and no result stands without its call. */
function pairingFault(messages: readonly LabMessage[]): WireRefusal | undefined {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = message.toolCallId ?? '';
      if (open.includes(id)) {
        open = open.filter((other) => other !== id);
        continue;
      }
      const text = `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
      return refuse(text, `messages.[${index}].role`).refusal;
    }
    if (open.length > 0) return unanswered(open, index);
    open = message.toolCalls.map((call) => call.id);
  }
  return open.length > 0 ? unanswered(open, messages.length) : undefined;
}

function unanswered(ids: readonly string[], index: number): WireRefusal {
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  return refuse(text, `messages.[${index}].role`).refusal;
}
