import {
  type Carry,
  type ChatDialect,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type WithheldPart,
} from '@vouch/contracts';
import { ownCarries } from './withheld.ts';

/** The fields in which chat servers send reasoning, in the order in which they are asked: the first that has text counts (C5). */
export const reasoningTextFields = ['reasoning_content', 'reasoning'] as const;

const shapes = { reasoning_content: 'reasoning-content', reasoning: 'reasoning', reasoning_details: 'reasoning-details' } as const;

/** Who gave a carry. */
export interface CarrySource {
  readonly provider: string;
  readonly model: string;
}

/** Collects the reasoning of one response, in the spelling in which it must go back. */
export interface ReasoningCollector {
  text(field: (typeof reasoningTextFields)[number], text: string): void;
  /** Takes the entries of one `reasoning_details` list; fragments of one entry are joined. */
  details(entries: readonly JsonValue[]): void;
  /** The carries, owned by the response's item. */
  carries(itemId: string, source: CarrySource): readonly Carry[];
}

/** A collector for one response. */
export function createReasoningCollector(): ReasoningCollector {
  const texts = new Map<(typeof reasoningTextFields)[number], string>();
  const entries: JsonObject[] = [];
  return {
    text(field, text) {
      texts.set(field, (texts.get(field) ?? '') + text);
    },
    details(list) {
      joinDetails(entries, list);
    },
    carries(itemId, source) {
      const carry = (shape: string, data: JsonValue): Carry => ({ owner: { kind: 'item', id: itemId }, shape, ...source, data });
      const found = [...texts].map(([field, text]) => carry(shapes[field], text));
      return entries.length === 0 ? found : [...found, carry(shapes.reasoning_details, entries)];
    },
  };
}

/** Adds the entries of one `reasoning_details` list to those before; fragments of one entry are joined. */
export function joinDetails(entries: JsonObject[], list: readonly JsonValue[]): void {
  for (const entry of list) {
    if (!isJsonObject(entry)) continue;
    const last = entries.at(-1);
    const joined = last === undefined ? undefined : joinEntries(last, entry);
    if (joined === undefined) entries.push(entry);
    else entries[entries.length - 1] = joined;
  }
}

/** Two fragments of one entry, joined; undefined when they are two entries. */
function joinEntries(last: JsonObject, next: JsonObject): JsonObject | undefined {
  const field = next.type === 'reasoning.text' ? 'text' : next.type === 'reasoning.summary' ? 'summary' : undefined;
  if (field === undefined || last.type !== next.type || last.index !== next.index || next.index === undefined) return undefined;
  if (typeof last.id === 'string' && typeof next.id === 'string' && last.id !== next.id) return undefined;
  const said = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null));
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
  return { ...last, ...said, [field]: text(last[field]) + text(next[field]) };
}

/** The text of the entries of a `reasoning_details` list that show any. */
export function detailsText(entries: readonly JsonValue[]): string {
  return entries
    .map((entry) => (isJsonObject(entry) ? [entry.text, entry.summary].find((text) => typeof text === 'string') : undefined))
    .filter((text) => typeof text === 'string')
    .join('');
}

type ReplayRule = Pick<ChatDialect, 'reasoningReplay' | 'reasoningReplayField'>;

/**
 * The field with which each assistant message's reasoning goes back, by the position of the message. `after-tool-calls`: every message of a turn from
 * its first tool call on has the field, even when there is no reasoning to put in it, because the server refuses its absence (D25).
 */
export function replayedReasoning(messages: readonly Message[], rule: ReplayRule, source: CarrySource): ReadonlyMap<number, JsonObject> {
  const replayed = new Map<number, JsonObject>();
  const field = rule.reasoningReplayField;
  if (field === undefined || rule.reasoningReplay === 'never') return replayed;
  let calledTools = false;
  for (const [position, message] of messages.entries()) {
    if (message.role === 'user') calledTools = false;
    if (message.role !== 'assistant') continue;
    if (message.parts.some((part) => part.type === 'tool-call')) calledTools = true;
    if (rule.reasoningReplay === 'after-tool-calls' && !calledTools) continue;
    const value =
      reasoningOf(message, field, source) ??
      (rule.reasoningReplay === 'after-tool-calls' && field !== 'reasoning_details' ? '' : undefined);
    if (value !== undefined) replayed.set(position, { [field]: value });
  }
  return replayed;
}

const ownShapes: ReadonlySet<string> = /* @__PURE__ */ new Set(Object.values(shapes));

/** The carries that stay out because another wire, endpoint or model gave them (TH-015). */
export function foreignReasoning(messages: readonly Message[], source: CarrySource): readonly WithheldPart[] {
  const withheld: WithheldPart[] = [];
  for (const { parts } of messages)
    for (const part of parts) if (part.carry !== undefined) ownCarries(part, { source, shapes: ownShapes }, withheld);
  return withheld;
}

function reasoningOf(message: Message, field: keyof typeof shapes, source: CarrySource): JsonValue | undefined {
  const carries = message.parts
    .flatMap((part) => part.carry ?? [])
    .filter((c) => c.provider === source.provider && c.model === source.model);
  if (field === 'reasoning_details') return carries.find((carry) => carry.shape === shapes.reasoning_details)?.data;
  const carried =
    carries.find((carry) => carry.shape === shapes[field]) ??
    carries.find((carry) => typeof carry.data === 'string' && /^reasoning/.test(carry.shape));
  if (carried !== undefined) return carried.data;
  const thoughts = message.parts.filter((part) => part.type === 'thinking');
  const own = thoughts.filter(
    (part) => part.origin.kind === 'model' && part.origin.provider === source.provider && part.origin.model === source.model,
  );
  return own.length === 0 ? undefined : own.map((part) => part.block.content).join('');
}
