import type { JsonValue } from '@vouch/contracts';
import type { WireRefusal } from './wire.ts';

/** Either the thing read, or why the wire refuses it. */
export type Read<T> = { readonly value: T } | { readonly refusal: WireRefusal };

/** A 400 in the wire's words. */
export function refuse(message: string, parameter?: string, code?: string): { readonly refusal: WireRefusal } {
  return { refusal: { status: 400, message, ...(parameter === undefined ? {} : { parameter }), ...(code === undefined ? {} : { code }) } };
}

/** The wire's words for a value of the wrong type. */
export function wrongType(name: string, expected: string, value: JsonValue | undefined): WireRefusal {
  return refuse(`Invalid type for '${name}': expected ${expected}, but got ${typeWords(value)} instead.`, name, 'invalid_type').refusal;
}

function typeWords(value: JsonValue | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return `a ${typeof value}`;
}
