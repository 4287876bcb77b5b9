import { type FitUndo, isJsonObject, pointerKeys } from '@vouch/contracts';
import { sameValue } from '../draw/equality.ts';
import { type Json, resolveShape, type Shape, type ShapeSet } from '../draw/shape.ts';
import { compileCheck } from '../draw/validator.ts';
import type { DrawnSchema } from '../schemas.ts';
import { readDocuments } from './reader.ts';

/** The names under which a sole member is an envelope (corpus principle 7). */
export const envelopeNames = [
  'output',
  'result',
  'response',
  'data',
  'answer',
  'json',
  'arguments',
  'parameters',
  'parameter',
  '$PARAMETER_NAME',
  'input',
] as const;

const callNames = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'function', 'tool_calls'] as const;

/** What stands between the printed document and the value. */
export interface Wrapping {
  readonly schema: DrawnSchema;
  readonly exitTool: string | undefined;
  readonly undo: FitUndo | undefined;
}

function parseContainer(text: string): Json | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Opens strings where the shape refuses a string and the text is a container (principle 8). */
function decodeContainers(value: Json, shape: Shape, set: ShapeSet): Json {
  const here = resolveShape(shape, set);
  if (typeof value === 'string') {
    const opened = compileCheck(here, set)(value) === undefined ? undefined : parseContainer(value);
    return opened === undefined ? value : decodeContainers(opened, here, set);
  }
  if (here.kind === 'union') {
    for (const branch of here.branches) {
      const opened = decodeContainers(value, branch, set);
      if (compileCheck(branch, set)(opened) === undefined) return opened;
    }
    return value;
  }
  if (Array.isArray(value)) {
    if (here.kind === 'array') return value.map((item: Json) => decodeContainers(item, here.items, set));
    if (here.kind === 'tuple')
      return value.map((item: Json, index: number) => decodeContainers(item, here.items[index] ?? { kind: 'anything' }, set));
    return value;
  }
  if (!isJsonObject(value)) return value;
  if (here.kind !== 'object' && here.kind !== 'record') return value;
  const shapeOf = (key: string): Shape =>
    here.kind === 'record' ? here.values : (here.properties.find((property) => property.key === key)?.shape ?? { kind: 'anything' });
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decodeContainers(member, shapeOf(key), set)]));
}

/** Takes out the nulls that a fit asked for. The suite's fits touch members of the root alone. */
function withoutNulls(value: Json, undo: FitUndo | undefined): Json {
  if (undo === undefined || undo.madeNullable.length === 0 || !isJsonObject(value)) return value;
  const made = new Set(undo.madeNullable.map((pointer) => pointerKeys(pointer).at(-1)));
  return Object.fromEntries(Object.entries(value).filter(([key, member]) => member !== null || !made.has(key)));
}

function inner(value: Json, wrapping: Wrapping): readonly Json[] {
  if (typeof value === 'string') {
    const opened = parseContainer(value);
    return opened === undefined ? [] : [opened];
  }
  if (Array.isArray(value)) return value.length === 1 ? [value[0] as Json] : [];
  if (!isJsonObject(value)) return [];
  const keys = Object.keys(value);
  const root = wrapping.schema.root;
  const names: readonly (string | undefined)[] = [
    ...envelopeNames,
    ...callNames,
    'properties',
    wrapping.exitTool,
    wrapping.undo?.rootKey,
    root.kind === 'object' ? root.title : undefined,
  ];
  const sole = keys.length === 1 ? [value[keys[0] as string] as Json] : [];
  // Around a wanted list any sole key is an envelope.
  if (Array.isArray(sole[0])) return sole;
  const called = keys.filter((key) => callNames.some((name) => name === key)).map((key) => value[key] as Json);
  return [...(sole.length > 0 && names.includes(keys[0]) ? sole : []), ...called];
}

/** Every value that a document may stand for: itself, and what is left when known envelopes are taken off. */
function readingsOf(value: Json, wrapping: Wrapping): readonly Json[] {
  const { schema, undo } = wrapping;
  const out: Json[] = [];
  let layer: readonly Json[] = [value];
  for (let depth = 0; depth < 8 && layer.length > 0; depth += 1) {
    for (const one of layer) out.push(one, decodeContainers(withoutNulls(one, undo), schema.set.root, schema.set));
    layer = layer.flatMap((one) => inner(one, wrapping));
  }
  return out;
}

const readsOtherwise = (document: Json, original: Json, wrapping: Wrapping): boolean =>
  readingsOf(document, wrapping).some((reading) => wrapping.schema.passes(reading) && !sameValue(reading, original));

/** The document itself conforms, or an envelope's content does, and is not the original. */
export function standsForAnother(document: Json, original: Json, wrapping: Wrapping): boolean {
  return readsOtherwise(document, original, wrapping);
}

/** What may be missing at the end of a document without anything being lost (principle 9). */
const endings = ['', '}', '}}', '}}}'] as const;

/** Text that could be talk beside a document: nothing in it is part of one. Quotes come in pairs there, and apart from the document. */
const talkBefore =
  /^(?:[^{}[\]"`“”‘„:,]*[^\s{}[\]"`“”‘„:,][^{}[\]"`“”‘„:,]*:\s*|[^{}[\]"`“”‘„:,\d][^{}[\]"`“”‘„:]*|[^{}[\]"`“”‘„:,]*)(?=[{[])/u;
const talkAfter = /(?<=[}\]])(?:[^{}[\]"`“”‘„]*|[,;]?\s[^{}[\]"`“”‘„]*(?:(?:```|"[^{}[\]"`“”‘„\\]*"|\{\w*\}|\[\w*\])[^{}[\]"`“”‘„]*)*)$/u;

/**
 * The damage cannot be seen: by lossless edits alone, with talk beside the document or an object closed at its end, the text reads as another
 * conforming value.
 */
export function isUndetectable(text: string, original: Json, wrapping: Wrapping): boolean {
  const document = text.replace(talkBefore, '').replace(talkAfter, '');
  for (const spelled of [text, document, ...withoutEscapes(document)]) {
    for (const ending of endings) {
      const documents = readDocuments(spelled + ending);
      if (documents !== undefined) return documents.some((value) => readsOtherwise(value, original, wrapping));
    }
  }
  return false;
}

/** The document as it reads when all of it still carries the escapes of a string. */
function withoutEscapes(document: string): readonly string[] {
  if (!document.includes('\\"')) return [];
  try {
    return [JSON.parse(`"${document.replace(/[\n\r\t]/g, ' ')}"`) as string];
  } catch {
    return [];
  }
}
