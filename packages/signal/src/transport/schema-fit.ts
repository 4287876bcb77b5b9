import type { EndpointDialect, FitUndo, JsonSchema } from '@vouch/contracts';
import { fitGenerateContent } from './fit/generate-content-fit.ts';
import { fitGrammar } from './fit/grammar-fit.ts';
import { fitMessages } from './fit/messages-fit.ts';
import { isObjectRoot, withoutRootReference, wrapRoot } from './fit/root-wrap.ts';
import { type DroppedKeyword, measureSchema, withoutDialect } from './fit/schema-walk.ts';
import { fitStrict } from './fit/strict-fit.ts';

/** The subset of JSON Schema that a wire takes: the strict subset, or any schema with an object root. */
export type SchemaSubset = EndpointDialect['schemaSubset'];

/** A schema as it goes out on a wire, and what that changed. */
export interface FittedSchema {
  readonly schema: JsonSchema;
  /** What the answer needs undone. */
  readonly undo: FitUndo;
  readonly dropped: readonly DroppedKeyword[];
  /** The provider may be asked to enforce it strictly. */
  readonly strict: boolean;
  /** False: this schema cannot go on this wire, for the last reason of `why`. */
  readonly viable: boolean;
  readonly why: readonly string[];
}

/** Key under which a root that is no object is sent. */
const rootKey = 'value';

const fits = new WeakMap<JsonSchema, Map<SchemaSubset, FittedSchema>>();

/**
 * Fits a caller's JSON Schema to a wire (SG-053). `open`: only the root is wrapped in `{ value }` where it is no object. `grammar`: so is it, and what
 * converters to a grammar overlook is dropped and reported. `openai-strict`: objects
 * are closed, every property is required, optional ones become nullable (listed in `undo.madeNullable`), what the subset lacks is dropped and
 * reported; a schema that the subset cannot say (open records, any-typed parts) is sent as under `open`, with `strict: false`. Beyond the
 * subset's limits (10 levels, 5 000 properties, 120 000 characters of names and values, 1 000 enum values) or 128 nested containers it is not
 * viable. `anthropic`: objects are closed, optional properties stay optional (10 at most), bounds and lengths are dropped and reported; a recursive
 * schema, or one that the subset cannot say, is not viable. `gemini`: what the wire does not read is dropped and reported, and a recursion through required
 * properties alone is opened. Pure; computed once per schema object.
 */
export function fitSchema(schema: JsonSchema, subset: SchemaSubset): FittedSchema {
  const known = fits.get(schema)?.get(subset);
  if (known !== undefined) return known;
  const fitted = compute(schema, subset);
  const all = fits.get(schema) ?? new Map<SchemaSubset, FittedSchema>();
  fits.set(schema, all.set(subset, fitted));
  return fitted;
}

function compute(schema: JsonSchema, subset: SchemaSubset): FittedSchema {
  const measure = measureSchema(schema);
  if (measure.tooDeep) return unviable(schema, 'The schema is nested too deeply, or too large, to be looked into.');
  if (measure.dangling) return unviable(schema, 'A $ref of the schema leads nowhere, or out of the document.');
  if (subset === 'grammar') {
    const grammar = fitGrammar(schema);
    return { ...fitOpen(grammar.schema), dropped: grammar.dropped };
  }
  const open = fitOpen(schema);
  if (subset === 'anthropic') return fitOnlyForm(schema, measure.recursive);
  if (subset === 'gemini') {
    const wrapUnder = isObjectRoot(schema) ? undefined : rootKey;
    const undo: FitUndo = { ...(wrapUnder === undefined ? {} : { rootKey: wrapUnder }), madeNullable: [] };
    return { ...fitGenerateContent(schema, wrapUnder), undo, strict: true, viable: true, why: open.why };
  }
  if (subset !== 'openai-strict') return open;
  const strict = fitStrict(schema, isObjectRoot(schema) ? undefined : rootKey);
  switch (strict.kind) {
    case 'fitted':
      return { schema: strict.schema, undo: strict.undo, dropped: strict.dropped, strict: true, viable: true, why: strict.why };
    case 'beyond-limits':
      return { ...open, viable: false, why: [...open.why, strict.reason] };
    case 'not-strict':
      return { ...open, why: [...open.why, `Not strict: ${strict.reason}`] };
  }
}

/** The wire has one form, which it enforces: a schema that does not fit cannot be sent. */
function fitOnlyForm(schema: JsonSchema, recursive: boolean): FittedSchema {
  if (recursive) return unviable(schema, 'The schema is recursive, which the endpoint’s subset does not compile.');
  const fitted = fitMessages(schema, isObjectRoot(schema) ? undefined : rootKey);
  if (fitted.kind !== 'fitted') return unviable(schema, fitted.reason);
  return { schema: fitted.schema, undo: fitted.undo, dropped: fitted.dropped, strict: true, viable: true, why: fitted.why };
}

function fitOpen(schema: JsonSchema): FittedSchema {
  const plain = withoutRootReference(withoutDialect(schema));
  const result = { dropped: [], strict: false, viable: true };
  if (isObjectRoot(schema) && plain.type === 'object') return { ...result, schema: plain, undo: { madeNullable: [] }, why: [] };
  const why = [`The root is no object, so it is sent as the property "${rootKey}" of one.`];
  return { ...result, schema: wrapRoot(withoutDialect(schema), rootKey), undo: { rootKey, madeNullable: [] }, why };
}

function unviable(schema: JsonSchema, reason: string): FittedSchema {
  return { schema, undo: { madeNullable: [] }, dropped: [], strict: false, viable: false, why: [reason] };
}
