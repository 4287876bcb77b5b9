import type { JsonObject, JsonValue } from '@vouch/contracts';
import { objectOr } from '../response/json-object.ts';
import type { Reassembly } from '../response/provider-parts.ts';

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Puts the lines of an answer together: texts joined, calls in one list, of the other fields the last. */
export function createLineReassembly(): Reassembly {
  let first: JsonObject | undefined;
  let last: JsonObject = {};
  let message: JsonObject = {};
  let content = '';
  let thinking = '';
  const calls: JsonValue[] = [];
  let lines = 0;
  return {
    take(event) {
      lines += 1;
      first ??= event;
      last = { ...last, ...event };
      const said = objectOr(event.message);
      message = { ...message, ...said };
      content += textOr(said.content);
      thinking += textOr(said.thinking);
      if (Array.isArray(said.tool_calls)) for (const call of said.tool_calls as readonly JsonValue[]) calls.push(call);
    },
    whole() {
      if (lines === 1 && first !== undefined) return first;
      const spoken = {
        ...message,
        content,
        ...(thinking === '' ? {} : { thinking }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
      return { ...last, message: spoken };
    },
  };
}
