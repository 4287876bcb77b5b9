import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../../chat-request.ts';
import { type Read, refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';

/** A content block where it stands. */
export interface PlacedBlock {
  readonly block: JsonObject;
  /** Such as `messages.1.content.0`. */
  readonly place: string;
}

/** Messages of one role that follow each other: the service reads them as one. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly place: string;
  readonly blocks: readonly PlacedBlock[];
}

/** A request's conversation: as it came, and the messages that a model reads of it. */
export interface LabConversation {
  readonly turns: readonly Turn[];
  readonly messages: readonly LabMessage[];
}

const roles: readonly JsonValue[] = ['user', 'assistant', 'system'];

const fault = (message: string): { readonly refusal: WireRefusal } => refuse(message);

/** Which fields a block of each type may have besides its type. */
const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'cache_control', 'citations'],
  image: ['source', 'cache_control'],
  document: ['source', 'title', 'context', 'citations', 'cache_control'],
  search_result: ['source', 'title', 'content', 'citations', 'cache_control'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
  tool_use: ['id', 'name', 'input', 'caller', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
};
const userBlocks = ['text', 'image', 'document', 'search_result', 'tool_result'];
const assistantBlocks = ['text', 'thinking', 'redacted_thinking', 'tool_use'];

/** Blocks of tools that the service runs itself; the lab has none, and takes back what another service gave. */
const isServerBlock = (type: string): boolean => type === 'server_tool_use' || (type.endsWith('_tool_result') && type !== 'tool_result');

/** Reads the conversation. That blocks belong together is judged elsewhere. */
export function readConversation(value: JsonValue | undefined): Read<LabConversation> {
  if (value === undefined) return fault('messages: Field required');
  if (!Array.isArray(value)) return fault('messages: Input should be a valid list');
  if (value.length === 0) return fault('messages: at least one message is required');
  const turns: { role: Turn['role']; place: string; blocks: PlacedBlock[] }[] = [];
  for (const [index, entry] of value.entries()) {
    const place = `messages.${index}`;
    if (!isJsonObject(entry)) return fault(`${place}: Input should be a valid dictionary or object to extract fields from`);
    const { role, content } = entry;
    if (!roles.includes(role ?? null)) return fault(`${place}.role: Input should be 'user', 'assistant' or 'system'`);
    const extra = Object.keys(entry).find((name) => name !== 'role' && name !== 'content');
    if (extra !== undefined) return fault(`${place}.${extra}: Extra inputs are not permitted`);
    const blocks = readBlocks(content, role as Turn['role'], place);
    if ('refusal' in blocks) return blocks;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks.value);
    else turns.push({ role: role as Turn['role'], place, blocks: [...blocks.value] });
  }
  return { value: { turns, messages: turns.flatMap(messagesOf) } };
}

function readBlocks(content: JsonValue | undefined, role: Turn['role'], place: string): Read<readonly PlacedBlock[]> {
  if (content === undefined) return fault(`${place}.content: Field required`);
  if (typeof content === 'string') {
    const block = { type: 'text', text: content };
    if (content === '') return fault(`${place}: ${role} messages must have non-empty content`);
    return { value: [{ block, place: `${place}.content` }] };
  }
  if (!Array.isArray(content)) return fault(`${place}.content: Input should be a valid list`);
  if (content.length === 0) return fault(`${place}: all messages must have non-empty content`);
  const blocks: PlacedBlock[] = [];
  for (const [index, entry] of content.entries()) {
    const at = `${place}.content.${index}`;
    if (!isJsonObject(entry)) return fault(`${at}: Input should be a valid dictionary or object to extract fields from`);
    const wrong = blockFault(entry, role, at);
    if (wrong !== undefined) return { refusal: wrong };
    blocks.push({ block: entry, place: at });
  }
  return { value: blocks };
}

/** Why a block is refused as such. */
function blockFault(block: JsonObject, role: Turn['role'], place: string): WireRefusal | undefined {
  const type = typeof block.type === 'string' ? block.type : '';
  if (role === 'assistant' && isServerBlock(type)) return undefined;
  const allowed = role === 'assistant' ? assistantBlocks : role === 'user' ? userBlocks : ['text'];
  if (!allowed.includes(type)) {
    const tags = allowed.map((tag) => `'${tag}'`).join(', ');
    return fault(`${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`).refusal;
  }
  const extra = Object.keys(block).find((name) => name !== 'type' && !blockFields[type]?.includes(name));
  if (extra !== undefined) return fault(`${place}.${type}.${extra}: Extra inputs are not permitted`).refusal;
  const missing = requiredFields[type]?.find((name) => block[name] === undefined);
  if (missing !== undefined) return fault(`${place}.${type}.${missing}: Field required`).refusal;
  return valueFault(block, type, place);
}

const requiredFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source'],
  tool_result: ['tool_use_id'],
  tool_use: ['id', 'name', 'input'],
  thinking: ['signature', 'thinking'],
  redacted_thinking: ['data'],
};
const textFields = ['text', 'id', 'name', 'tool_use_id', 'thinking', 'signature', 'data'];
const mediaTypes: readonly JsonValue[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

function valueFault(block: JsonObject, type: string, place: string): WireRefusal | undefined {
  for (const name of textFields)
    if (block[name] !== undefined && typeof block[name] !== 'string')
      return fault(`${place}.${type}.${name}: Input should be a valid string`).refusal;
  if (type === 'text' && block.text === '') return fault('messages: text content blocks must be non-empty').refusal;
  if (type === 'tool_use' && !isJsonObject(block.input))
    return fault(`${place}.tool_use.input: Input should be a valid dictionary`).refusal;
  if (type === 'image') return imageFault(block.source, place);
  if (type !== 'tool_result' || !Array.isArray(block.content)) return undefined;
  for (const [index, entry] of block.content.entries()) {
    const wrong = isJsonObject(entry) ? blockFault(entry, 'user', `${place}.tool_result.content.${index}`) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function imageFault(source: JsonValue | undefined, place: string): WireRefusal | undefined {
  const given = isJsonObject(source) ? source : {};
  if (given.type === 'url' && typeof given.url === 'string') return undefined;
  if (given.type === 'file' && typeof given.file_id === 'string') return undefined;
  if (given.type !== 'base64' || typeof given.data !== 'string')
    return fault(`${place}.image.source: Input should be a valid base64, url or file source`).refusal;
  if (mediaTypes.includes(given.media_type ?? null)) return undefined;
  const wanted = "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
  return fault(`${place}.image.source.base64.media_type: ${wanted}`).refusal;
}

const textOf = (content: JsonValue | undefined): string => {
  if (typeof content === 'string') return content;
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : [])).join('\n');
};

function messagesOf({ role, blocks }: Turn): readonly LabMessage[] {
  const results = blocks.flatMap(({ block }): readonly LabMessage[] =>
    block.type === 'tool_result'
      ? [{ role: 'tool', text: textOf(block.content), toolCalls: [], toolCallId: String(block.tool_use_id) }]
      : [],
  );
  const said = blocks.map(({ block }) => block).filter(({ type }) => type !== 'tool_result');
  if (said.length === 0) return results;
  const toolCalls = said.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: String(block.id), name: String(block.name), arguments: JSON.stringify(block.input) }] : [],
  );
  return [...results, { role, text: textOf(said), toolCalls }];
}
