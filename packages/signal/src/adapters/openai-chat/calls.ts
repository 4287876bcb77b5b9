import type { Carry, FunctionCallDelta, IdSource, JsonObject, JsonValue } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceJson } from '../response/json-slice.ts';
import { callExtrasShape } from './messages.ts';

/** What reading a call may use. */
export interface CallReading {
  /** The event's source text, where there is one. */
  readonly raw: string | undefined;
  /** Where the delta stands in the event. */
  readonly path: readonly (string | number)[];
  /** The calls are whole, and their place in the list is their index. */
  readonly whole: boolean;
  readonly source: CarrySource;
  readonly ids: IdSource;
}

/** A call's delta, and what must travel back with the call. */
export interface ReadCall {
  readonly delta: FunctionCallDelta;
  readonly carry?: Carry;
}

const textOr = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const indexOf = (value: JsonValue | undefined): number | null => {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
};

/** The calls of a delta or message, in any of the wire's forms. */
export function readCalls(delta: JsonObject, reading: CallReading): readonly ReadCall[] {
  const found: ReadCall[] = [];
  if (Array.isArray(delta.tool_calls)) {
    for (const [position, entry] of (delta.tool_calls as readonly JsonValue[]).entries()) {
      const call = objectOr(entry);
      const holder = ['function', 'custom'].find((key) => Object.keys(objectOr(call[key])).length > 0);
      const body = holder === undefined ? call : objectOr(call[holder]);
      const path = [...reading.path, 'tool_calls', position, ...(holder === undefined ? [] : [holder])];
      found.push(readCall(call, body, { ...reading, path }, reading.whole ? position : indexOf(call.index)));
    }
  }
  const legacy = objectOr(delta.function_call);
  if (Object.keys(legacy).length > 0)
    found.push(readCall({}, legacy, { ...reading, path: [...reading.path, 'function_call'] }, reading.whole ? found.length : null));
  return found;
}

function readCall(call: JsonObject, body: JsonObject, reading: CallReading, index: number | null): ReadCall {
  const key = body.arguments === undefined && typeof body.input === 'string' ? 'input' : 'arguments';
  const value = body[key];
  const text = argumentsText(value, reading.raw, [...reading.path, key]);
  const whole = reading.whole || (text !== undefined && typeof value !== 'string');
  const extras = Object.keys(objectOr(call.extra_content)).length === 0 ? undefined : { extra_content: objectOr(call.extra_content) };
  const id = textOr(call.id) ?? (extras === undefined ? undefined : reading.ids('call'));
  const name = textOr(body.name);
  const delta: FunctionCallDelta = {
    type: 'function-call-delta',
    index,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { arguments: text }),
    ...(whole ? { whole: true } : {}),
  };
  if (extras === undefined || id === undefined) return { delta };
  return { delta, carry: { owner: { kind: 'call', id }, shape: callExtrasShape, ...reading.source, data: extras } };
}

/** The arguments' JSON text. An object is given as it stands in the source, because encoding it anew would lose the digits of long numbers. */
function argumentsText(value: JsonValue | undefined, raw: string | undefined, path: readonly (string | number)[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return (raw === undefined ? undefined : sliceJson(raw, path)) ?? JSON.stringify(value);
}
