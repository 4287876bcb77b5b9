import type { JsonPointer, JsonSchema } from '@vouch/contracts';
import type { DroppedKeyword, PlacedSchema } from './schema-walk.ts';
import { annotations, isKept } from './strict-keywords.ts';
import type { SchemaView } from './strict-view.ts';

/** Limits of the strict subset, as its provider documents them. Passing one makes the schema unfit for the wire. */
export const strictLimits = {
  levels: 10,
  properties: 5_000,
  nameAndValueChars: 120_000,
  enumValues: 1_000,
  longEnumChars: 15_000,
} as const;

/** Why a schema is not sent strictly; `beyond-limits`: nor in any other form. */
export interface Unfit {
  readonly kind: 'not-strict' | 'beyond-limits';
  readonly reason: string;
}

/** One fitting under way: what it has found so far. */
export interface Fitting {
  readonly root: JsonSchema;
  readonly madeNullable: Set<JsonPointer>;
  readonly dropped: Map<string, DroppedKeyword>;
  /** Names of referenced schemas, by the place where they stand. */
  readonly names: Map<JsonPointer, string>;
  readonly waiting: PlacedSchema[];
  /** The root itself is the answer, so `#` can be said. */
  readonly rootStands: boolean;
  properties: number;
  chars: number;
  enumValues: number;
  unfit?: Unfit;
}

export function checkTotals(fitting: Fitting): void {
  const { properties, chars, enumValues } = fitting;
  if (properties > strictLimits.properties)
    beyond(fitting, `${properties} properties, over the strict subset's ${strictLimits.properties}.`);
  if (chars > strictLimits.nameAndValueChars) {
    beyond(fitting, `${chars} characters of names and values, over the strict subset's ${strictLimits.nameAndValueChars}.`);
  }
  if (enumValues > strictLimits.enumValues)
    beyond(fitting, `${enumValues} enum values, over the strict subset's ${strictLimits.enumValues}.`);
}

export function notStrict(fitting: Fitting, reason: string): JsonSchema {
  fitting.unfit ??= { kind: 'not-strict', reason };
  return {};
}

export function beyond(fitting: Fitting, what: string): JsonSchema {
  // A limit outranks what merely cannot be strict: a looser form of the same schema passes it as well.
  if (fitting.unfit?.kind !== 'beyond-limits') fitting.unfit = { kind: 'beyond-limits', reason: `The schema has ${what}` };
  return {};
}

export function drop(fitting: Fitting, pointer: JsonPointer, keyword: string): void {
  fitting.dropped.set(`${pointer} ${keyword}`, { pointer, keyword });
}

export function valuesOf(fitting: Fitting, view: SchemaView): JsonSchema {
  const constant = view.keywords.get('const');
  const list = view.keywords.get('enum')?.value;
  if (constant !== undefined) fitting.chars += charsOf(constant.value);
  if (!Array.isArray(list)) return constant === undefined ? {} : { const: constant.value };
  fitting.enumValues += list.length;
  const chars = list.reduce((sum: number, value) => sum + charsOf(value), 0);
  fitting.chars += chars;
  if (list.length > 250 && chars > strictLimits.longEnumChars) {
    beyond(fitting, `an enum of ${list.length} values with ${chars} characters, over the strict subset's ${strictLimits.longEnumChars}.`);
  }
  return constant === undefined ? { enum: list } : { enum: list, const: constant.value };
}

function charsOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

/** The keywords that stay as they are; every other one that is neither handled nor an annotation is reported as dropped. */
export function keptOf(fitting: Fitting, view: SchemaView, handled: ReadonlySet<string>): JsonSchema {
  const kept: [string, unknown][] = [];
  for (const [keyword, { value, pointer }] of view.keywords) {
    if (isKept(keyword, value, view.keywords)) kept.push([keyword, value]);
    else if (keyword !== 'type' && !handled.has(keyword) && !annotations.has(keyword)) drop(fitting, pointer, keyword);
  }
  return Object.fromEntries(kept);
}

export function wordsOf(view: SchemaView): JsonSchema {
  const words = ['title', 'description'].flatMap((keyword) => {
    const value = view.keywords.get(keyword)?.value;
    return typeof value === 'string' ? [[keyword, value] as const] : [];
  });
  return Object.fromEntries(words);
}
