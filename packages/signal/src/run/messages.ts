import {
  boundText,
  type Carry,
  type IdSource,
  type Message,
  type MessagePart,
  type ModelPart,
  type Origin,
  type PartBase,
  type StepToolCall,
  textLimits,
} from '@vouch/contracts';
import type { ToolOutcome } from './tool-calls.ts';

/** Who wrote a turn, and where its pieces get their ids. */
export interface Author {
  readonly provider: string;
  readonly model: string;
  readonly ids: IdSource;
}

/** What of a turn goes back: its pieces, and the calls that are answered. Calls without an answer stay out: wires refuse a history with them. */
export interface TurnContent {
  readonly parts: readonly ModelPart[];
  readonly calls: readonly StepToolCall[];
  /** Stands in place of the turn's own text: an answer that came by arguments (SG-055). */
  readonly text?: string;
}

/** A turn as the message that goes back, reasoning and carries included, in the turn's order. */
export function assistantMessage(turn: TurnContent, author: Author): Message {
  const origin: Origin = { kind: 'model', provider: author.provider, model: author.model };
  const base = (): PartBase => ({ id: author.ids('part'), origin, trust: 'user' });
  const parts: MessagePart[] = [];
  const places = new Map<string, number>();
  const answered = new Map(turn.calls.map((call) => [call.id, call]));
  const blocks = new Set(turn.parts.flatMap((part) => (part.type === 'thinking-block' ? [part.blockId] : [])));
  const add = (part: MessagePart, blockId: string | undefined): void => {
    if (blockId !== undefined && !places.has(blockId)) places.set(blockId, parts.length);
    parts.push(part);
  };
  for (const part of turn.parts) {
    if (part.type === 'text-delta' && turn.text === undefined) add({ type: 'text', text: part.text, ...base() }, part.blockId);
    if (part.type === 'thinking-block') add({ type: 'thinking', block: part.block, ...base() }, part.blockId);
    if (part.type === 'thinking-delta' && !(part.blockId !== undefined && blocks.has(part.blockId)))
      add({ type: 'thinking', block: { type: 'thinking', content: part.text }, ...base() }, part.blockId);
    if (part.type === 'refusal-delta' && turn.text === undefined) add({ type: 'refusal', text: part.text, ...base() }, part.blockId);
    const call = part.type === 'function-call-delta' && part.id !== undefined ? answered.get(part.id) : undefined;
    if (call !== undefined && answered.delete(call.id)) parts.push(callPart(call, base()));
  }
  if (turn.text !== undefined) parts.push({ type: 'text', text: turn.text, ...base() });
  // Calls that the wire did not carry as calls: written as text, or inside an error body.
  for (const call of answered.values()) parts.push(callPart(call, base()));
  return { role: 'assistant', parts: withCarries(parts, { sources: turn.parts, places, base }) };
}

function callPart(call: StepToolCall, base: PartBase): MessagePart {
  // Arguments that were repaired go back as read: a wire may refuse the ones that were written.
  return {
    type: 'tool-call',
    callId: call.id,
    name: call.name,
    arguments: isJson(call.argsText) ? call.argsText : JSON.stringify(call.args),
    ...base,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What the placing of carries rests on. `places`: where the first part of each block stands. */
interface CarryPlaces {
  readonly sources: readonly ModelPart[];
  readonly places: ReadonlyMap<string, number>;
  readonly base: () => PartBase;
}

/** Each carry on the piece that it belongs to: its call or its block, else the first reasoning, else the first piece. */
function withCarries(parts: readonly MessagePart[], { sources, places, base }: CarryPlaces): readonly MessagePart[] {
  const carries = sources.flatMap((part) => (part.type === 'carry' ? [part.carry] : []));
  if (carries.length === 0) return parts;
  const whole: readonly MessagePart[] = parts.length > 0 ? parts : [{ type: 'text', text: '', ...base() }];
  const thinking = Math.max(
    0,
    whole.findIndex((part) => part.type === 'thinking'),
  );
  const callPlaces = new Map(whole.flatMap((part, index) => (part.type === 'tool-call' ? [[part.callId, index] as const] : [])));
  const owned = new Map<number, Carry[]>();
  for (const carry of carries) {
    const { kind, id } = carry.owner;
    const place = (kind === 'call' ? callPlaces.get(id) : places.get(id)) ?? thinking;
    const others = owned.get(place);
    if (others === undefined) owned.set(place, [carry]);
    else others.push(carry);
  }
  return whole.map((part, index) => {
    const carry = owned.get(index);
    return carry === undefined ? part : { ...part, carry };
  });
}

/** The results of a turn's calls, one message each. */
export function toolMessages(outcomes: readonly ToolOutcome[], ids: IdSource): readonly Message[] {
  return outcomes.map(({ record, text }): Message => {
    const { callId, name, outcome } = record;
    const origin: Origin = { kind: 'tool', callId };
    return { role: 'tool', parts: [{ id: ids('part'), origin, trust: 'tool', type: 'tool-result', callId, name, text, outcome }] };
  });
}

/** What the model wrote in a failed attempt, cut to `textLimits.evidence`, and what it is told; both marked internal (SG-055). */
export function correctionMessages(failed: string, correction: string, attempt: number, author: Author): readonly Message[] {
  const correcting: Origin = { kind: 'correction', attempt };
  const told: Message = {
    role: 'user',
    internal: true,
    parts: [{ id: author.ids('part'), origin: correcting, trust: 'system', type: 'text', text: correction }],
  };
  if (failed === '') return [told];
  const { text } = boundText(failed, textLimits.evidence);
  const origin: Origin = { kind: 'model', provider: author.provider, model: author.model };
  const shown: Message = {
    role: 'assistant',
    internal: true,
    parts: [{ id: author.ids('part'), origin, trust: 'user', type: 'text', text }],
  };
  return [shown, told];
}
