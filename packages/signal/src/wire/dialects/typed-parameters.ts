import { childPointer, type JsonSchema, type JsonValue } from '@vouch/contracts';
import { sameValue, setOwn } from '../json/equality.ts';
import type { Finding } from '../json/reader.ts';
import { decodeRelaxed } from '../json/relaxed-json.ts';
import { memberPlaces, rootPlace, typesAt } from '../json/schema-shape.ts';
import { isOpener } from '../scan.ts';
import type { TaggedParameter } from './call-item.ts';

/** Arguments typed by a schema with what refuses them, or why they cannot be typed. */
export type TypedParameters =
  | { readonly ok: true; readonly value: JsonValue; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly reason: 'schema_mismatch' | 'invalid_json'; readonly why: string };

/**
 * Types parameters that were written as tagged text (SG-071): a string field keeps its text as it is; any other must be JSON of a type that the
 * schema allows. A text that two types fit, or a parameter that came twice with different texts, is `ambiguous`; the other checks are those of any
 * JSON (SG-070).
 */
export function typedParameters(parameters: readonly TaggedParameter[], schema: JsonSchema, maxDepth: number): TypedParameters {
  const value: Record<string, JsonValue> = {};
  const findings: Finding[] = [];
  for (const { name, text } of parameters) {
    const path = childPointer('', name);
    const refuse = (reason: Finding['reason']): void => {
      findings.push({ reason, path, start: 0, end: 0 });
    };
    const typed = typedText(text, typesAt(memberPlaces([rootPlace(schema)], name)), maxDepth);
    if (!typed.ok) return typed;
    findings.push(...typed.findings.map((finding) => ({ ...finding, path: `${path}${finding.path}` })));
    if (name === '__proto__') refuse('unsafe_key');
    if (name === 'constructor' && typeof typed.value === 'object' && typed.value !== null && Object.hasOwn(typed.value, 'prototype'))
      refuse('unsafe_key');
    if (typed.fitsTwo || (Object.hasOwn(value, name) && !sameValue(value[name], typed.value))) refuse('ambiguous');
    setOwn(value, name, typed.value);
  }
  return { ok: true, value, findings };
}

type TypedText =
  | { readonly ok: true; readonly value: JsonValue; readonly findings: readonly Finding[]; readonly fitsTwo: boolean }
  | Extract<TypedParameters, { readonly ok: false }>;

function typedText(text: string, types: ReadonlySet<string> | undefined, maxDepth: number): TypedText {
  const trimmed = text.trim();
  const decoded = decodeRelaxed(trimmed, 0, trimmed.length, { maxDepth });
  const other = decoded.kind === 'value' && decoded.end === trimmed.length ? decoded : undefined;
  const otherType = other === undefined ? undefined : typeName(other.value);
  const isOther = otherType !== undefined && otherType !== 'string';
  // Where the schema says nothing of the parameter, its text could be either.
  if (types === undefined || types.has('string')) {
    return { ok: true, value: text, findings: [], fitsTwo: isOther && (types === undefined || types.has(otherType)) };
  }
  if (other !== undefined && otherType !== undefined && types.has(otherType)) {
    return { ok: true, value: other.value, findings: other.findings, fitsTwo: false };
  }
  // A word is a value of another type; JSON or a number that is none may be meant as several.
  return other === undefined && (isOpener(trimmed.charCodeAt(0)) || /^[+-]?\.?\d/.test(trimmed))
    ? { ok: false, reason: 'invalid_json', why: 'a parameter is JSON or a number that needs a guess' }
    : { ok: false, reason: 'schema_mismatch', why: 'a parameter has not the type that the schema wants' };
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
