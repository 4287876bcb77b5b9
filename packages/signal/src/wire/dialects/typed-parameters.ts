import type { JsonSchema, JsonValue } from '@vouch/contracts';
import { setOwn } from '../json/equality.ts';
import { decodeRelaxed } from '../json/relaxed-json.ts';
import { memberPlaces, rootPlace, typesAt } from '../json/schema-shape.ts';
import type { TaggedParameter } from './call-item.ts';

/** Arguments typed by a schema, or why they cannot be. */
export type TypedParameters = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly why: string };

/**
 * Types parameters that were written as tagged text (SG-071): a string field keeps its text as it is; any other must be JSON of a type that the
 * schema allows; a text that could be either is a guess.
 */
export function typedParameters(parameters: readonly TaggedParameter[], schema: JsonSchema): TypedParameters {
  const value: Record<string, JsonValue> = {};
  for (const parameter of parameters) {
    if (Object.hasOwn(value, parameter.name)) return { ok: false, why: 'a parameter came twice' };
    const typed = typedText(parameter.text, typesAt(memberPlaces([rootPlace(schema)], parameter.name)));
    if (typed === undefined) return { ok: false, why: 'a parameter has no type that the schema decides' };
    setOwn(value, parameter.name, typed.value);
  }
  return { ok: true, value };
}

function typedText(text: string, types: ReadonlySet<string> | undefined): { readonly value: JsonValue } | undefined {
  const trimmed = text.trim();
  const decoded = decodeRelaxed(trimmed, 0, trimmed.length);
  const other = decoded.kind === 'value' && decoded.end === trimmed.length && decoded.findings.length === 0 ? decoded : undefined;
  const otherType = other === undefined ? undefined : typeName(other.value);
  if (types === undefined) return otherType === undefined || otherType === 'string' ? { value: text } : undefined;
  if (types.has('string')) {
    const asOther = otherType !== undefined && otherType !== 'string' && types.has(otherType);
    return asOther ? undefined : { value: text };
  }
  return other !== undefined && otherType !== undefined && types.has(otherType) ? { value: other.value } : undefined;
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
