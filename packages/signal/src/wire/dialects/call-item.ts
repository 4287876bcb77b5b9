import type { JsonValue, LossGrade } from '@vouch/contracts';
import type { DecodeEdit, Finding } from '../json/reader.ts';
import { decodeRelaxed } from '../json/relaxed-json.ts';
import { isOpener, skipSpace } from '../scan.ts';
import { callsOf, openCallOf, soleNameOf } from './call-shape.ts';

/** A parameter written as tagged text: it has no type of its own. */
export interface TaggedParameter {
  readonly name: string;
  readonly text: string;
}

/** One call found in text. */
export interface CallItem {
  readonly name: string;
  readonly id?: string;
  /** The arguments, typed by JSON or by literals. */
  readonly args?: JsonValue;
  /** The arguments where the dialect has no types: the tool's schema types them. */
  readonly parameters?: readonly TaggedParameter[];
  readonly start: number;
  readonly end: number;
  readonly loss: LossGrade;
  readonly edits: readonly DecodeEdit[];
  readonly findings: readonly Finding[];
}

/** What parsing calls at one place gave. */
export type ParsedCalls =
  | { readonly kind: 'calls'; readonly items: readonly CallItem[]; readonly end: number }
  /** The text ended inside a call; `items` are the complete ones before it. */
  | {
      readonly kind: 'cut';
      readonly items: readonly CallItem[];
      readonly end: number;
      readonly name?: string;
      readonly args?: JsonValue;
    }
  | { readonly kind: 'broken'; readonly end: number; readonly why: string }
  | { readonly kind: 'deep'; readonly end: number };

/** A call without decoding edits of its own. */
export function plainItem(name: string, start: number, end: number, args: Pick<CallItem, 'args' | 'parameters'>): CallItem {
  return { name, ...args, start, end, loss: 'reencoded', edits: [], findings: [] };
}

/** The JSON arguments of a named call, which start at or after `at`. */
export function namedArguments(text: string, at: number, end: number, name: string, start: number, maxDepth: number): ParsedCalls {
  const from = skipSpace(text, at, end);
  const decoded = decodeRelaxed(text, from, end, { maxDepth });
  switch (decoded.kind) {
    case 'value': {
      const { value, loss, edits, findings } = decoded;
      if (Array.isArray(value)) return { kind: 'broken', end: decoded.end, why: 'the arguments are a list' };
      const item: CallItem = { name, args: value, start, end: decoded.end, loss, edits, findings };
      return { kind: 'calls', items: [item], end: decoded.end };
    }
    case 'open': {
      const { salvaged } = decoded;
      return { kind: 'cut', items: [], end: decoded.end, name, ...(salvaged === undefined ? {} : { args: salvaged }) };
    }
    case 'deep':
      return { kind: 'deep', end };
    case 'layer':
      return { kind: 'broken', end: from + 1, why: 'the arguments carry a layer of escapes' };
    default:
      return { kind: 'broken', end: Math.max(decoded.at, from), why: decoded.why };
  }
}

/** Calls written as JSON at `at`: one object, a list, or a wrapper. Undefined when what stands there is JSON of another kind, or none. */
export function jsonCalls(text: string, at: number, end: number, maxDepth: number): ParsedCalls | undefined {
  if (!isOpener(text.charCodeAt(at))) return undefined;
  const decoded = decodeRelaxed(text, at, end, { maxDepth });
  switch (decoded.kind) {
    case 'value': {
      const { loss, edits, findings } = decoded;
      const calls = callsOf(decoded.value) ?? soleNameOf(decoded.value);
      if (calls === undefined) return { kind: 'broken', end: decoded.end, why: 'the value has not the shape of a call' };
      const items = calls.map(({ name, args, id }) => ({
        name,
        args,
        ...(id === undefined ? {} : { id }),
        start: at,
        end: decoded.end,
        loss,
        edits,
        findings,
      }));
      return { kind: 'calls', items, end: decoded.end };
    }
    case 'open': {
      const known = openCallOf(decoded.salvaged);
      return { kind: 'cut', items: [], end: decoded.end, ...known };
    }
    case 'deep':
      return { kind: 'deep', end };
    case 'layer':
      return { kind: 'broken', end: at + 1, why: 'the call carries a layer of escapes' };
    default:
      return { kind: 'broken', end: Math.max(decoded.at, at + 1), why: decoded.why };
  }
}
