import type { JsonObject, JsonValue } from '@vouch/contracts';
import { refuse, wrongType } from './refusal.ts';
import type { WireRefusal } from './wire.ts';

const namePattern = /^[a-zA-Z0-9_-]+$/;
const longestName = 64;
/** Deeper bodies are refused before anything walks them. */
const deepestBody = 128;

const isAbsent = (value: JsonValue | undefined): boolean => value === undefined || value === null;

/** Why a field that must be a whole number of at least `least` is refused. */
export function wholeFault(body: JsonObject, name: string, least: number): WireRefusal | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  if (!Number.isInteger(value)) return wrongType(name, 'an integer', value);
  if (Number(value) >= least) return undefined;
  const text = `Invalid '${name}': integer below minimum value. Expected a value >= ${least}, but got ${value} instead.`;
  return refuse(text, name, 'integer_below_min_value').refusal;
}

/** Why a field that must be true or false is refused. */
export function flagFault(body: JsonObject, name: string): WireRefusal | undefined {
  const value = body[name];
  return isAbsent(value) || typeof value === 'boolean' ? undefined : wrongType(name, 'a boolean', value);
}

/** Why a field that must be a number from `least` to `most` is refused. */
export function rangeFault(body: JsonObject, name: string, least: number, most: number): WireRefusal | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number') return wrongType(name, 'a decimal', value);
  if (value >= least && value <= most) return undefined;
  const [side, relation, bound] = value < least ? ['below minimum', '>=', least] : ['above maximum', '<=', most];
  const text = `Invalid '${name}': decimal ${side} value. Expected a value ${relation} ${bound}, but got ${value} instead.`;
  return refuse(text, name, value < least ? 'decimal_below_min_value' : 'decimal_above_max_value').refusal;
}

/** Why the name of a function or a format is refused. */
export function nameFault(name: JsonValue | undefined, parameter: string): WireRefusal | undefined {
  if (typeof name !== 'string')
    return refuse(`Missing required parameter: '${parameter}'.`, parameter, 'missing_required_parameter').refusal;
  if (name.length > longestName) return tooLong(name, parameter, longestName);
  if (namePattern.test(name)) return undefined;
  const text = `Invalid '${parameter}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return refuse(text, parameter, 'invalid_value').refusal;
}

/** The refusal of a text that is longer than `most` UTF-16 units. */
export function tooLong(value: string, parameter: string, most: number): WireRefusal {
  const text = `Invalid '${parameter}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`;
  return refuse(text, parameter, 'string_above_max_length').refusal;
}

/** Why a body is too deep to be read. By an explicit stack: a hostile body must not exhaust the call stack. */
export function depthFault(root: JsonValue): WireRefusal | undefined {
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (typeof here.value !== 'object' || here.value === null) continue;
    if (here.depth > deepestBody) return refuse(`The body is nested deeper than ${deepestBody} levels.`).refusal;
    for (const value of Object.values(here.value)) open.push({ value, depth: here.depth + 1 });
  }
  return undefined;
}
