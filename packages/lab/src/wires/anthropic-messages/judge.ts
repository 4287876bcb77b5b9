import type { JsonObject } from '@vouch/contracts';
import { refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import { blockKey } from './answer.ts';
import type { PlacedBlock, Turn } from './messages.ts';
import type { Seal, SignedThought } from './seal.ts';

/** What a conversation is judged by. */
export interface Judging {
  readonly seal: Seal;
  readonly model: string;
  /** How the request asks for thinking; off, none of it is missed. */
  readonly thinking: 'budget' | 'off' | undefined;
}

const fault = (message: string): WireRefusal => refuse(message).refusal;

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking';

/**
 * Why the service refuses a conversation: calls that the next message does not answer first, results of no call, thinking that was altered or is of
 * another model; and since the user's last message, thinking that is missing, moved, or parted from what stood around it. Before that message thinking
 * may be left out. A call that is left out altogether is not missed. Undefined when it takes it.
 */
export function conversationFault(turns: readonly Turn[], judging: Judging): WireRefusal | undefined {
  return pairingFault(turns) ?? signatureFault(turns, judging) ?? loopFault(turns, judging);
}

function pairingFault(turns: readonly Turn[]): WireRefusal | undefined {
  const seen = new Set<string>();
  for (const [index, { role, place, blocks }] of turns.entries()) {
    const calls = blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [String(block.id)] : []));
    const next = turns[index + 1];
    const answers = role === 'assistant' && next?.role === 'user' ? leadingResults(next) : new Set<string>();
    if (role === 'assistant' && calls.length > 0) {
      const open = calls.filter((id) => !answers.has(id));
      if (open.length > 0) {
        const hint = 'Each tool_use block must have a corresponding tool_result block in the next message.';
        return fault(`${place}: tool_use ids were found without tool_result blocks immediately after: ${open.join(', ')}. ${hint}`);
      }
      if (calls.some((id) => seen.has(id)) || new Set(calls).size < calls.length) return fault(`${place}: tool_use ids must be unique`);
      for (const id of calls) seen.add(id);
    }
    if (role !== 'user') continue;
    const before = turns[index - 1];
    const asked = new Set(before?.role === 'assistant' ? before.blocks.map(({ block }) => String(block.id)) : []);
    for (const { block, place: at } of blocks)
      if (block.type === 'tool_result' && !asked.has(String(block.tool_use_id))) {
        const hint = 'Each tool_result block must have a corresponding tool_use block in the previous message.';
        return fault(`${at}: unexpected tool_use_id found in tool_result blocks: ${String(block.tool_use_id)}. ${hint}`);
      }
  }
  return undefined;
}

/** The results that open a message: the service looks for them there alone. */
function leadingResults({ blocks }: Turn): ReadonlySet<string> {
  const end = blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return new Set(blocks.slice(0, end === -1 ? blocks.length : end).map(({ block }) => String(block.tool_use_id)));
}

function readThought({ block }: PlacedBlock, seal: Seal): SignedThought | undefined {
  if (block.type === 'thinking') return seal.verify(String(block.signature), String(block.thinking));
  return block.type === 'redacted_thinking' ? seal.verify(String(block.data), undefined) : undefined;
}

function signatureFault(turns: readonly Turn[], { seal, model }: Judging): WireRefusal | undefined {
  for (const { blocks } of turns)
    for (const placed of blocks) {
      if (!isThinking(placed.block) || readThought(placed, seal)?.model === model) continue;
      const field = placed.block.type === 'thinking' ? 'signature' : 'data';
      return fault(`${placed.place}: Invalid \`${field}\` in \`${String(placed.block.type)}\` block`);
    }
  return undefined;
}

/** The turns since the user's last message; results of calls are no message of the user's. */
function loopOf(turns: readonly Turn[]): readonly Turn[] {
  const asked = turns.findLastIndex(({ role, blocks }) => role === 'user' && !blocks.some(({ block }) => block.type === 'tool_result'));
  return turns.slice(asked + 1).filter(({ role }) => role === 'assistant');
}

function loopFault(turns: readonly Turn[], { seal, thinking }: Judging): WireRefusal | undefined {
  if (thinking === 'off') return undefined;
  const loop = loopOf(turns);
  for (const [index, turn] of loop.entries()) {
    const [first] = turn.blocks;
    if (first === undefined) continue;
    const opens = turn.blocks.some(({ block }) => block.type === 'tool_use' && seal.responseOf(String(block.id))?.opens === true);
    const calls = turn.blocks.some(({ block }) => block.type === 'tool_use');
    // Within a budget every loop opens with thinking, whoever made its calls.
    if (!isThinking(first.block) && (opens || (thinking === 'budget' && index === 0 && calls)))
      return fault(`${first.place}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.block.type)}\``);
    const moved = movedBlock(turn, seal);
    if (moved !== undefined)
      return fault(`${moved.place}: thinking or redacted_thinking blocks in the latest assistant message cannot be modified`);
  }
  return undefined;
}

/** The first block at which the thinking of a turn is not as its response had it. */
function movedBlock({ blocks }: Turn, seal: Seal): PlacedBlock | undefined {
  const thoughts = blocks.flatMap((placed) => {
    const thought = readThought(placed, seal);
    return thought === undefined ? [] : [{ placed, thought }];
  });
  const stems = new Set(thoughts.map(({ thought }) => thought.stem));
  for (const { block } of blocks) {
    const response = block.type === 'tool_use' ? seal.responseOf(String(block.id)) : undefined;
    if (response !== undefined) stems.add(response.stem);
  }
  for (const stem of stems) {
    const own = thoughts.filter(({ thought }) => thought.stem === stem);
    const [known] = own;
    // A call says that there was thinking, and none of it is here.
    if (known === undefined) return blocks[0];
    const { layout } = known.thought;
    const places = [...layout.entries()].flatMap(([at, key]) => (key === 'thinking' ? [at] : []));
    const wrong = own.findIndex(({ thought }, index) => thought.at !== places[index]);
    if (wrong !== -1) return own[wrong]?.placed;
    if (own.length < places.length) return own.at(-1)?.placed;
    if (stems.size === 1) {
      const apart = partedBlock(blocks, layout);
      if (apart !== undefined) return apart;
    }
  }
  return undefined;
}

/** The thinking before which, or behind which, something else stands than did: other texts, or a call from elsewhere. */
function partedBlock(blocks: readonly PlacedBlock[], layout: readonly string[]): PlacedBlock | undefined {
  const were = segments(layout, (key) => key);
  const are = segments(blocks, ({ block }) => blockKey(block));
  const wrong = are.findIndex((keys, index) => {
    const texts = (list: readonly string[]): number => list.filter((key) => key === 'text').length;
    const before = were[index] ?? [];
    const calls = keys.filter((key) => key.startsWith('tool_use '));
    return texts(keys) !== texts(before) || calls.some((key) => !before.includes(key)) || !inOrder(keys, before);
  });
  if (wrong === -1) return undefined;
  const thoughts = blocks.filter(({ block }) => isThinking(block));
  return thoughts[Math.max(0, wrong - 1)];
}

/** What stands before, between and behind the thinking. */
function segments<T>(list: readonly T[], keyOf: (one: T) => string): readonly (readonly string[])[] {
  const found: string[][] = [[]];
  for (const one of list) {
    const key = keyOf(one);
    if (key === 'thinking') found.push([]);
    else found.at(-1)?.push(key);
  }
  return found;
}

/** The keys stand in the order of `all`. */
function inOrder(keys: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const key of keys) {
    const found = all.indexOf(key, at);
    if (found === -1) return !all.includes(key);
    at = found + 1;
  }
  return true;
}
