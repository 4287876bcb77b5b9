import type { JsonObject } from '@vouch/contracts';
import { refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';
import type { Seal } from './seal.ts';

const fault = (message: string, code?: string): WireRefusal => refuse(message, 'input', code).refusal;

/** What a history is judged by. */
export interface Judging {
  readonly seal: Seal;
  readonly model: string;
  /** The request says `store: false`. */
  readonly stateless: boolean;
}

const idOf = (item: JsonObject): string => (typeof item.id === 'string' ? item.id : '');

/**
 * Why the service refuses a history of items: a result of no call, a call without result, reasoning that was altered, is of another model, stands
 * without what it produced or is missing before what it produced. Undefined when it takes it.
 */
export function historyFault(items: readonly JsonObject[], judging: Judging): WireRefusal | undefined {
  return reasoningFault(items, judging) ?? pairingFault(items);
}

function reasoningFault(items: readonly JsonObject[], { seal, model, stateless }: Judging): WireRefusal | undefined {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = idOf(item);
    if (item.type === 'reasoning') {
      const content = item.encrypted_content;
      if (typeof content !== 'string') {
        if (!stateless && seal.isOwn(id)) {
          seen.add(id);
          continue;
        }
        const hint = stateless ? ' Items are not persisted when store is set to false.' : '';
        return { ...fault(`Item with id '${id}' not found.${hint}`), status: 404 };
      }
      const sealed = seal.decrypt(content);
      if (sealed === undefined || sealed.id !== id || sealed.model !== model)
        return fault(`The encrypted content for item ${id} could not be verified.`, 'invalid_encrypted_content');
      if (!isProduct(items.slice(index + 1), sealed.next))
        return fault(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
      seen.add(id);
      continue;
    }
    const needed = seal.madeWith(id);
    if (needed !== undefined && !seen.has(needed))
      return fault(`Item '${id}' of type '${String(item.type)}' was provided without its required 'reasoning' item: '${needed}'.`);
  }
  return undefined;
}

/** The first of the items that is no reasoning is what `next` names; a message may have lost its id. */
function isProduct(items: readonly JsonObject[], next: string): boolean {
  const item = items.find(({ type }) => type !== 'reasoning');
  if (item === undefined) return false;
  if (item.type === 'function_call') return item.call_id === next;
  return item.role === 'assistant' && (item.id === undefined ? next.startsWith('msg_') : item.id === next);
}

function pairingFault(items: readonly JsonObject[]): WireRefusal | undefined {
  const open = new Set<string>();
  for (const { type, call_id: callId } of items) {
    if (type === 'function_call') open.add(String(callId));
    if (type === 'function_call_output' && !open.delete(String(callId)))
      return fault(`No tool call found for function call output with call_id ${String(callId)}.`);
  }
  const [unanswered] = open;
  return unanswered === undefined ? undefined : fault(`No tool output found for function call ${unanswered}.`);
}
