import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../../chat-request.ts';
import type { Read } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import { fieldSet, invalid, invalidField, readFields, wrongValue } from './fault.ts';

/** One part of a content, in one spelling. */
export type ContentPart = JsonObject;

/** One content of a request, as it came. */
export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly ContentPart[];
}

const contentFields = fieldSet('role parts');
const dataFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;
const partFields = new Set([...dataFields, 'thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata']);
const callFields = fieldSet('id name args partialArgs willContinue');
const responseFields = fieldSet('id name response parts willContinue scheduling');
const roles = ['user', 'model', 'function'];

/** Reads the contents. That calls and results belong together, and what signatures say, is judged elsewhere. */
export function readContents(value: JsonValue | undefined): Read<readonly Content[]> {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
    return { refusal: invalidField('contents', 'contents is not specified') };
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const contents: Content[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readContent(entry, `contents[${index}]`);
    if ('refusal' in read) return read;
    contents.push(read.value);
  }
  return { value: contents };
}

/** Reads one content; `place` is what refusals call it. */
export function readContent(entry: JsonValue, place: string): Read<Content> {
  const read = readFields(entry, contentFields, place);
  if ('refusal' in read) return read;
  const { role = 'user', parts = [] } = read.fields;
  if (typeof role !== 'string' || !roles.includes(role)) return { refusal: invalid('Please use a valid role: user, model.') };
  const list: readonly JsonValue[] = Array.isArray(parts) ? parts : [parts];
  if (list.length === 0) return { refusal: invalidField(`${place}.parts`, 'contents.parts must not be empty.') };
  const found: ContentPart[] = [];
  for (const [index, part] of list.entries()) {
    const one = readPart(part, `${place}.parts[${index}]`);
    if ('refusal' in one) return one;
    found.push(one.value);
  }
  return { value: { role: role === 'model' ? 'model' : 'user', parts: found } };
}

function readPart(value: JsonValue, place: string): Read<ContentPart> {
  const read = readFields(value, partFields, place);
  if ('refusal' in read) return read;
  const { fields } = read;
  const data = dataFields.filter((name) => fields[name] !== undefined);
  const [first, second] = data;
  // An empty text alone says nothing; with a signature it is the signature's place.
  if (first === undefined || (fields.text === '' && fields.thoughtSignature === undefined))
    return { refusal: invalidField(`${place}.data`, "required oneof field 'data' must have one initialized field") };
  if (second !== undefined)
    return { refusal: invalid(`Invalid value at '${place}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`) };
  const fault = dataFault(fields, place);
  if (fault !== undefined) return { refusal: fault };
  if (fields.functionCall !== undefined) return named(fields, 'functionCall', callFields, 'args', place);
  if (fields.functionResponse !== undefined) return named(fields, 'functionResponse', responseFields, 'response', place);
  return { value: fields };
}

function dataFault({ text, thought, thoughtSignature, inlineData, fileData }: JsonObject, place: string): WireRefusal | undefined {
  if (text !== undefined && typeof text !== 'string') return wrongValue(`${place}.text`, 'TYPE_STRING', text);
  if (thought !== undefined && typeof thought !== 'boolean') return wrongValue(`${place}.thought`, 'TYPE_BOOL', thought);
  // Bytes travel as base64, in either alphabet.
  if (thoughtSignature !== undefined && (typeof thoughtSignature !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(thoughtSignature)))
    return invalid(`Invalid value at '${place}.thought_signature' (TYPE_BYTES), Base64 decoding failed`);
  if (inlineData !== undefined && !(isJsonObject(inlineData) && typeof (inlineData.mimeType ?? inlineData.mime_type) === 'string'))
    return invalidField(`${place}.inline_data.mime_type`, 'mime_type is not specified');
  if (fileData !== undefined && !(isJsonObject(fileData) && typeof (fileData.fileUri ?? fileData.file_uri) === 'string'))
    return invalidField(`${place}.file_data.file_uri`, 'file_uri is not specified');
  return undefined;
}

/** A call or a response: its name, and an object. */
function named(
  fields: JsonObject,
  kind: 'functionCall' | 'functionResponse',
  known: ReadonlySet<string>,
  holds: 'args' | 'response',
  place: string,
): Read<ContentPart> {
  const where = `${place}.${kind === 'functionCall' ? 'function_call' : 'function_response'}`;
  const read = readFields(fields[kind], known, where);
  if ('refusal' in read) return read;
  const { name, [holds]: struct } = read.fields;
  if (typeof name !== 'string' || name === '') return { refusal: invalidField(`${where}.name`, 'Name cannot be empty.') };
  if (struct !== undefined && !isJsonObject(struct))
    return { refusal: wrongValue(`${where}.${holds}`, 'type.googleapis.com/google.protobuf.Struct', struct) };
  return { value: { ...fields, [kind]: read.fields } };
}

/** The contents as the messages that a model reads. Calls without an id get one of their place. */
export function messagesOf(contents: readonly Content[]): readonly LabMessage[] {
  let asked: { readonly id: string; readonly name: string }[] = [];
  return contents.flatMap(({ role, parts }, index): readonly LabMessage[] => {
    const text = parts.flatMap((part) => (typeof part.text === 'string' && part.thought !== true ? [part.text] : [])).join('\n');
    if (role === 'model') {
      const toolCalls = parts.flatMap(({ functionCall: call }, place) => {
        if (!isJsonObject(call)) return [];
        const id = typeof call.id === 'string' ? call.id : `call_${index}_${place}`;
        return [{ id, name: String(call.name), arguments: JSON.stringify(call.args ?? {}) }];
      });
      asked = [...toolCalls];
      return [{ role: 'assistant', text, toolCalls }];
    }
    const results = parts.flatMap(({ functionResponse: response }): readonly LabMessage[] => {
      if (!isJsonObject(response)) return [];
      const place = asked.findIndex(({ id, name }) => (typeof response.id === 'string' ? id === response.id : name === response.name));
      const [call] = place === -1 ? [] : asked.splice(place, 1);
      const said = { role: 'tool' as const, text: JSON.stringify(response.response ?? {}), toolCalls: [] };
      return [{ ...said, toolCallId: call?.id ?? String(response.id ?? response.name) }];
    });
    return results.length > 0 ? results : [{ role: 'user', text, toolCalls: [] }];
  });
}
