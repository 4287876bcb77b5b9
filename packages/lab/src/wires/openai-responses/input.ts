import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../../chat-request.ts';
import { tooLong } from '../field-faults.ts';
import { type Read, refuse, wrongType } from '../refusal.ts';

const roles = ['assistant', 'system', 'developer', 'user'];
const partTypes = {
  assistant: ['output_text', 'refusal'],
  other: ['input_text', 'input_image', 'input_file'],
} as const;
const longestId = 64;
/** Items that the lab takes; of the hosted tools it has none. */
const itemTypes = ['message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'];

/** An item of a request: as it came, and what of it a model reads. */
interface ReadItem {
  readonly item: JsonObject;
  readonly message?: LabMessage;
}

/** A request's input, item by item, and the messages that a model reads of it. */
export interface LabInput {
  readonly items: readonly JsonObject[];
  readonly messages: readonly LabMessage[];
}

/** Reads the input: a text, or a list of items. That items belong together is judged elsewhere. */
export function readInput(value: JsonValue | undefined): Read<LabInput> {
  if (value === undefined || value === null) return refuse("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  if (typeof value === 'string') return { value: { items: [], messages: [{ role: 'user', text: value, toolCalls: [] }] } };
  if (!Array.isArray(value)) return { refusal: wrongType('input', 'one of a string or array of objects', value) };
  const items: JsonObject[] = [];
  const messages: LabMessage[] = [];
  for (const [index, entry] of value.entries()) {
    const read = readItem(entry, `input[${index}]`);
    if ('refusal' in read) return read;
    items.push(read.value.item);
    if (read.value.message !== undefined) addMessage(messages, read.value.message);
  }
  return { value: { items, messages } };
}

/** Calls of one turn are items of their own here, and one message there. */
function addMessage(messages: LabMessage[], message: LabMessage): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || message.role !== 'assistant' || message.toolCalls.length === 0) messages.push(message);
  else messages[messages.length - 1] = { ...last, toolCalls: [...last.toolCalls, ...message.toolCalls] };
}

function readItem(entry: JsonValue, place: string): Read<ReadItem> {
  if (!isJsonObject(entry)) return { refusal: wrongType(place, 'an object', entry) };
  const { id, type } = entry;
  if (typeof id === 'string' && id.length > longestId) return { refusal: tooLong(id, `${place}.id`, longestId) };
  if (type === undefined || type === 'message') return readMessage(entry, place);
  if (type === 'function_call') return readCall(entry, place);
  if (type === 'function_call_output') return readOutput(entry, place);
  if (type === 'reasoning') return readReasoning(entry, place);
  if (type === 'item_reference') return { refusal: { ...refuse(`Item with id '${String(id)}' not found.`, 'input').refusal, status: 404 } };
  const supported = itemTypes.map((name) => `'${name}'`).join(', ');
  return refuse(`Invalid value: '${String(type)}'. Supported values are: ${supported}.`, `${place}.type`, 'invalid_value');
}

const missing = (parameter: string): { readonly refusal: ReturnType<typeof wrongType> } =>
  refuse(`Missing required parameter: '${parameter}'.`, parameter, 'missing_required_parameter');

function readMessage(item: JsonObject, place: string): Read<ReadItem> {
  const { role } = item;
  if (role === undefined) return missing(`${place}.role`);
  if (typeof role !== 'string' || !roles.includes(role)) {
    const supported = roles.map((name) => `'${name}'`).join(', ');
    return refuse(`Invalid value: '${String(role)}'. Supported values are: ${supported}.`, `${place}.role`, 'invalid_value');
  }
  const text = readContent(item.content, partTypes[role === 'assistant' ? 'assistant' : 'other'], `${place}.content`);
  if ('refusal' in text) return text;
  return { value: { item, message: { role: role as LabMessage['role'], text: text.value, toolCalls: [] } } };
}

function readContent(content: JsonValue | undefined, allowed: readonly string[], place: string): Read<string> {
  if (content === undefined || content === null) return missing(place);
  if (typeof content === 'string') return { value: content };
  if (!Array.isArray(content)) return { refusal: wrongType(place, 'one of a string or array of objects', content) };
  const texts: string[] = [];
  for (const [index, part] of content.entries()) {
    const type = isJsonObject(part) ? part.type : undefined;
    if (!isJsonObject(part) || typeof type !== 'string' || !allowed.includes(type)) {
      const supported = allowed.map((name) => `'${name}'`).join(', ');
      return refuse(`Invalid value: '${String(type)}'. Supported values are: ${supported}.`, `${place}[${index}]`, 'invalid_value');
    }
    const fault = partFault(part, type, `${place}[${index}]`);
    if (fault !== undefined) return fault;
    const text = type === 'refusal' ? part.refusal : part.text;
    if (typeof text === 'string') texts.push(text);
  }
  return { value: texts.join('\n') };
}

function partFault(part: JsonObject, type: string, place: string): { readonly refusal: ReturnType<typeof wrongType> } | undefined {
  if (type === 'refusal') return typeof part.refusal === 'string' ? undefined : missing(`${place}.refusal`);
  if (type === 'input_text' || type === 'output_text') return typeof part.text === 'string' ? undefined : missing(`${place}.text`);
  if (type === 'input_file') return undefined;
  return typeof part.image_url === 'string' || typeof part.file_id === 'string' ? undefined : missing(`${place}.image_url`);
}

function readCall(item: JsonObject, place: string): Read<ReadItem> {
  for (const name of ['call_id', 'name', 'arguments']) {
    if (item[name] === undefined) return missing(`${place}.${name}`);
    if (typeof item[name] !== 'string') return { refusal: wrongType(`${place}.${name}`, 'a string', item[name]) };
  }
  const call = { id: String(item.call_id), name: String(item.name), arguments: String(item.arguments) };
  return { value: { item, message: { role: 'assistant', text: '', toolCalls: [call] } } };
}

function readOutput(item: JsonObject, place: string): Read<ReadItem> {
  if (typeof item.call_id !== 'string') return missing(`${place}.call_id`);
  const text = readContent(item.output, partTypes.other, `${place}.output`);
  if ('refusal' in text) return text;
  return { value: { item, message: { role: 'tool', text: text.value, toolCalls: [], toolCallId: item.call_id } } };
}

function readReasoning(item: JsonObject, place: string): Read<ReadItem> {
  if (typeof item.id !== 'string') return missing(`${place}.id`);
  if (!Array.isArray(item.summary)) return missing(`${place}.summary`);
  const wrong = item.summary.findIndex((step) => !isJsonObject(step) || step.type !== 'summary_text' || typeof step.text !== 'string');
  return wrong === -1 ? { value: { item } } : missing(`${place}.summary[${wrong}].text`);
}
