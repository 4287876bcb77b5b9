import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';

type Kind = 'string' | 'number' | 'bool' | 'array' | 'object';

function kindOf(value: Exclude<JsonValue, null>): Kind {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'number' : 'string';
}

const wantedKind = (type: string): Kind => {
  if (type === 'string' || type === 'bool') return type;
  return type.startsWith('[]') ? 'array' : 'object';
};

/** Why the service's decoder refuses the value of a field; absent and null are its zero value. `type` is the field's own type there. */
export function typeFault(value: JsonValue | undefined, path: string, type: string): WireRefusal | undefined {
  if (value === undefined || value === null || kindOf(value) === wantedKind(type)) return undefined;
  return refuse(`json: cannot unmarshal ${kindOf(value)} into Go struct field ChatRequest.${path} of type ${type}`).refusal;
}

/** A value as an object; empty for any other. */
export const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? (value as JsonObject) : {});
