import {
  childPointer,
  type FitUndo,
  type Gate,
  type Issue,
  isJsonObject,
  type JsonPointer,
  type JsonValue,
  pointerKeys,
} from '@vouch/contracts';
import { isJsonSpace } from '../scan.ts';
import { setOwn } from './equality.ts';
import { parseStrict } from './exactness.ts';
import type { Finding } from './reader.ts';
import { type DecodedValue, decodeRelaxed } from './relaxed-json.ts';
import { allowedTypes, memberPlaces, rootPlace, type SchemaPlace, typesAt } from './schema-shape.ts';

/** What a value must meet, and which envelopes may be taken off it. */
export interface ReadingTarget {
  readonly gate: Gate;
  /** Sole keys that are envelopes. */
  readonly isEnvelope: (key: string) => boolean;
  readonly undo?: FitUndo;
  readonly maxDepth: number;
}

/** A change that a reading made to the decoded value. */
export interface ReadingEdit {
  readonly mechanism: 'deep-decode' | 'envelope' | 'list-brackets' | 'root-unwrap' | 'null-undo';
  readonly path: JsonPointer;
}

/** A reading of a value that passes its gate. */
export interface PassingReading {
  readonly ok: true;
  readonly value: JsonValue;
  readonly edits: readonly ReadingEdit[];
  readonly findings: readonly Finding[];
}

/** No reading passes; the issues of the value as it stands. */
export interface FailingReading {
  readonly ok: false;
  readonly issues: readonly Issue[];
}

interface Step {
  readonly value: JsonValue;
  readonly edits: readonly ReadingEdit[];
  readonly findings: readonly Finding[];
  readonly steps: number;
}

type Rewrite = (step: Step, target: ReadingTarget) => Step | undefined;

const maxReadings = 12;
const maxSteps = 4;

/** The first reading of `value` that passes, least change first. At most twelve are gated. */
export function passingReading(value: JsonValue, target: ReadingTarget): PassingReading | FailingReading {
  const first: Step = { value, edits: [], findings: [], steps: 0 };
  const queue: Step[] = [];
  const unwrapped = unwrapRoot(first, target);
  // The wrapping was this request's own: undoing it comes before reading the wrapped value.
  if (unwrapped !== undefined) queue.push(unwrapped);
  queue.push(first);
  let issues: readonly Issue[] = [];
  for (let index = 0; index < queue.length && index < maxReadings; index += 1) {
    const step = queue[index] as Step;
    const verdict = target.gate.validate(step.value);
    if (verdict.ok) return { ok: true, value: step.value, edits: step.edits, findings: step.findings };
    if (index === 0) issues = verdict.issues;
    if (step.steps >= maxSteps) continue;
    for (const rewrite of rewrites) {
      const next = rewrite(step, target);
      if (next !== undefined) queue.push({ ...next, steps: step.steps + 1 });
    }
  }
  return { ok: false, issues };
}

const rewrites: readonly Rewrite[] = [undoNulls, decodeStrings, unwrapRoot, unwrapEnvelope, unwrapBrackets];

/** Undoes the wrapping of this request's root, also where the wrapped value came as its JSON text. */
function unwrapRoot(step: Step, { undo, maxDepth }: ReadingTarget): Step | undefined {
  if (undo?.rootKey === undefined || step.edits.some((edit) => edit.mechanism === 'root-unwrap')) return undefined;
  const { value } = step;
  const decoded = typeof value === 'string' && value.trimStart().startsWith('{') ? strictValue(value.trim(), maxDepth) : undefined;
  const inner = soleMember(decoded === undefined ? value : decoded.value);
  if (inner === undefined || inner.key !== undo.rootKey) return undefined;
  const opened: readonly ReadingEdit[] = decoded === undefined ? [] : [{ mechanism: 'deep-decode', path: '' }];
  const findings = [...step.findings, ...(decoded?.findings ?? [])];
  return { ...step, value: inner.value, edits: [...step.edits, ...opened, { mechanism: 'root-unwrap', path: '' }], findings };
}

/** The value of a text that is strict JSON as a whole. */
export function strictValue(text: string, maxDepth: number): DecodedValue | undefined {
  const parsed = isJsonSpace(text.charCodeAt(text.length - 1)) ? undefined : parseStrict(text, maxDepth);
  if (parsed?.isExact === true) {
    return { kind: 'value', value: parsed.value, end: text.length, loss: 'none', edits: [], editsOmitted: 0, findings: [], notes: [] };
  }
  const decoded = decodeRelaxed(text, 0, text.length, { maxDepth });
  return decoded.kind === 'value' && decoded.loss === 'none' && decoded.end === text.length ? decoded : undefined;
}

function soleMember(value: JsonValue): { readonly key: string; readonly value: JsonValue } | undefined {
  if (!isJsonObject(value)) return undefined;
  const keys = Object.keys(value);
  const [key] = keys;
  if (key === undefined || keys.length !== 1) return undefined;
  return { key, value: value[key] as JsonValue };
}

/** Keys whose content is said not to be the answer. */
const negations =
  /^(?:errors?|warnings?|refus(?:als?|ed)|messages?|issues|problems|fail(?:ed|ures?)|skipped|ignored|omitted|reason(?:s|ing)?|thoughts?|thinking|invalid|rejected|excluded|wrong|drafts?|examples?|missing|unknown|schema|(?:not|non|un|in)_.*)$/i;

function unwrapEnvelope(step: Step, { gate, isEnvelope }: ReadingTarget): Step | undefined {
  const inner = soleMember(step.value);
  if (inner === undefined) return undefined;
  const wantsList = Array.isArray(inner.value) && !allowedTypes(rootPlace(gate.jsonSchema)).has('object') && !negations.test(inner.key);
  if (!isEnvelope(inner.key) && !wantsList) return undefined;
  return { ...step, value: inner.value, edits: [...step.edits, { mechanism: 'envelope', path: childPointer('', inner.key) }] };
}

/** Brackets are no envelope inside a list that a key of no known envelope held: that would be two guesses in one. */
function unwrapBrackets(step: Step, { isEnvelope }: ReadingTarget): Step | undefined {
  const { value } = step;
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  if (step.edits.some(({ mechanism, path }) => mechanism === 'envelope' && !isEnvelope(pointerKeys(path)[0] ?? ''))) return undefined;
  return { ...step, value: value[0] as JsonValue, edits: [...step.edits, { mechanism: 'list-brackets', path: '' }] };
}

/** Where a value is being rewritten. */
interface Walk {
  readonly edits: ReadingEdit[];
  readonly findings: Finding[];
  readonly maxDepth: number;
}

function decodeStrings(step: Step, { gate, maxDepth }: ReadingTarget): Step | undefined {
  const walk: Walk = { edits: [], findings: [], maxDepth };
  const value = decodeContainers(step.value, [rootPlace(gate.jsonSchema)], '', walk, 0);
  if (walk.edits.length === 0) return undefined;
  return { ...step, value, edits: [...step.edits, ...walk.edits], findings: [...step.findings, ...walk.findings] };
}

/**
 * Decodes strings that stand where the schema wants a container and no string, if they are strict JSON of that kind; everything else stays. Returns
 * the same value when nothing changed. Recursive: call within the depth bound, which also bounds what decoding adds.
 */
function decodeContainers(value: JsonValue, places: readonly SchemaPlace[], path: JsonPointer, walk: Walk, depth: number): JsonValue {
  if (places.length === 0 || depth > walk.maxDepth) return value;
  if (typeof value === 'string') {
    const inner = containerIn(value, places, path, walk);
    return inner === undefined ? value : decodeContainers(inner, places, path, walk, depth + 1);
  }
  if (Array.isArray(value)) {
    let changed: JsonValue[] | undefined;
    for (const [index, item] of value.entries()) {
      const next = decodeContainers(item, memberPlaces(places, index), childPointer(path, index), walk, depth + 1);
      if (next === item) continue;
      changed ??= [...value];
      changed[index] = next;
    }
    return changed ?? value;
  }
  if (!isJsonObject(value)) return value;
  const changes = new Map<string, JsonValue>();
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue;
    if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) continue;
    const next = decodeContainers(item, memberPlaces(places, key), childPointer(path, key), walk, depth + 1);
    if (next !== item) changes.set(key, next);
  }
  return changes.size === 0 ? value : copyWith(value, changes);
}

function copyWith(
  value: { readonly [key: string]: JsonValue },
  changes: ReadonlyMap<string, JsonValue>,
  drop?: ReadonlySet<string>,
): JsonValue {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (drop?.has(key)) continue;
    setOwn(copy, key, (changes.has(key) ? changes.get(key) : value[key]) as JsonValue);
  }
  return copy;
}

function containerIn(text: string, places: readonly SchemaPlace[], path: JsonPointer, walk: Walk): JsonValue | undefined {
  const first = /^\s*([{["])/.exec(text.slice(0, 256))?.[1];
  if (first === undefined) return undefined;
  const types = typesAt(places);
  if (types === undefined || types.has('string')) return undefined;
  if (first === '{' ? !types.has('object') : first === '[' ? !types.has('array') : !types.has('object') && !types.has('array'))
    return undefined;
  const decoded = strictValue(text.trim(), walk.maxDepth);
  if (decoded === undefined) return undefined;
  // A string in a string is opened only if a container is in it.
  const scratch: Walk = { edits: [], findings: [], maxDepth: walk.maxDepth };
  if (typeof decoded.value === 'string' && containerIn(decoded.value, places, path, scratch) === undefined) return undefined;
  walk.findings.push(...decoded.findings.map((finding) => ({ ...finding, path: `${path}${finding.path}` })));
  if (typeof decoded.value !== 'string') walk.edits.push({ mechanism: 'deep-decode', path });
  return decoded.value;
}

function undoNulls(step: Step, { gate, undo }: ReadingTarget): Step | undefined {
  if (undo === undefined || undo.madeNullable.length === 0) return undefined;
  const walk: Walk = { edits: [], findings: [], maxDepth: 0 };
  const value = dropNulls(step.value, [rootPlace(gate.jsonSchema)], '', new Set(undo.madeNullable), walk);
  return walk.edits.length === 0 ? undefined : { ...step, value, edits: [...step.edits, ...walk.edits] };
}

/** Drops members that are null only because this request's schema was made to ask for them. Recursive within the depth bound. */
function dropNulls(value: JsonValue, places: readonly SchemaPlace[], path: JsonPointer, made: ReadonlySet<string>, walk: Walk): JsonValue {
  if (places.length === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => dropNulls(item, memberPlaces(places, index), childPointer(path, index), made, walk));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const object = value as { readonly [key: string]: JsonValue };
  const changes = new Map<string, JsonValue>();
  const drop = new Set<string>();
  for (const key of Object.keys(object)) {
    const item = object[key] as JsonValue;
    const members = memberPlaces(places, key);
    const member = childPointer(path, key);
    if (item === null && members.some((place) => made.has(place.pointer) && !allowedTypes(place).has('null'))) {
      drop.add(key);
      walk.edits.push({ mechanism: 'null-undo', path: member });
    } else {
      const next = dropNulls(item, members, member, made, walk);
      if (next !== item) changes.set(key, next);
    }
  }
  return drop.size === 0 && changes.size === 0 ? value : copyWith(object, changes, drop);
}

/** The value with every string decoded that the schema wants as a container; the face of `deep-decode` alone. */
export function decodeWantedContainers(value: JsonValue, gate: Pick<Gate, 'jsonSchema'>): JsonValue {
  return decodeContainers(value, [rootPlace(gate.jsonSchema)], '', { edits: [], findings: [], maxDepth: 512 }, 0);
}
