import { childPointer, type JsonPointer, type JsonValue, type LossGrade } from '@vouch/contracts';
import { sameValue, setOwn } from '../json/equality.ts';
import { type DecodeEdit, type Finding, worseLoss } from '../json/reader.ts';
import { type DecodedValue, decodeRelaxed } from '../json/relaxed-json.ts';
import { closingQuotes, isOpener, skipSpace } from '../scan.ts';
import type { CallItem, ParsedCalls } from './call-item.ts';

const pythonName = /(?:print\s?\(\s?)?(?:default_api\.|functions\.)?([A-Za-z_]\w{0,63})(?:\.call)?\s?\(/y;
const pythonKey = /([A-Za-z_]\w{0,63})\s{0,4}=(?!=)\s{0,4}/y;
const begunKey = /[A-Za-z_]\w{0,63}\s{0,4}$/y;
const pythonToken = /[^\s,()[\]{}'"]+/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The keyword arguments of a call as they come. */
interface Keywords {
  readonly args: Record<string, JsonValue>;
  readonly edits: DecodeEdit[];
  readonly findings: Finding[];
  loss: LossGrade;
}

/** `NAME(key=value, …)` with literals only: nothing is evaluated. Undefined when what stands there is no call of a name that `isKnown`. */
function pythonicCall(
  text: string,
  at: number,
  end: number,
  maxDepth: number,
  isKnown: (name: string) => boolean,
): ParsedCalls | undefined {
  const head = matchAt(pythonName, text, at);
  const name = head?.[1] ?? '';
  if (head === null || !isKnown(name)) return undefined;
  const found: Keywords = { args: {}, edits: [], findings: [], loss: 'reencoded' };
  const cut: ParsedCalls = { kind: 'cut', items: [], end, name, args: found.args };
  let here = skipSpace(text, at + head[0].length, end);
  for (let first = true; text.charCodeAt(here) !== 0x29; first = false) {
    if (!first) {
      if (text.charCodeAt(here) !== 0x2c) return here >= end ? cut : broken(here);
      here = skipSpace(text, here + 1, end);
      if (text.charCodeAt(here) === 0x29) break;
    }
    if (here >= end) return cut;
    const key = matchAt(pythonKey, text, here);
    if (key === null) return (matchAt(begunKey, text, here)?.[0].length ?? 0) >= end - here ? cut : broken(here);
    const value = pythonValue(text, here + key[0].length, end, maxDepth);
    if (value === 'cut') return cut;
    if (value === 'deep') return { kind: 'deep', end };
    if (value === undefined) return broken(here);
    takeKeyword(found, key[1] ?? '', value, here);
    here = skipSpace(text, value.end, end);
  }
  const stop = here + 1 + (head[0].startsWith('print') && text.charCodeAt(here + 1) === 0x29 ? 1 : 0);
  return { kind: 'calls', items: [{ name, ...found, start: at, end: stop }], end: stop };
}

const broken = (at: number): ParsedCalls => ({ kind: 'broken', end: at, why: 'an argument is no literal' });

/** Keeps an argument, and what refuses it, by the same checks as a member of an object (SG-070). */
function takeKeyword(found: Keywords, key: string, value: DecodedValue, start: number): void {
  const path: JsonPointer = childPointer('', key);
  const refuse = (reason: Finding['reason']): void => {
    found.findings.push({ reason, path, start, end: value.end });
  };
  found.findings.push(...value.findings.map((finding) => ({ ...finding, path: `${path}${finding.path}` })));
  found.edits.push(...value.edits.map((edit) => ({ ...edit, path: `${path}${edit.path ?? ''}` })));
  found.loss = worseLoss(found.loss, value.loss);
  if (key === '__proto__') refuse('unsafe_key');
  if (key === 'constructor' && typeof value.value === 'object' && value.value !== null && Object.hasOwn(value.value, 'prototype'))
    refuse('unsafe_key');
  if (Object.hasOwn(found.args, key) && !sameValue(found.args[key], value.value)) refuse('ambiguous');
  setOwn(found.args, key, value.value);
}

function pythonValue(text: string, at: number, end: number, maxDepth: number): DecodedValue | 'cut' | 'deep' | undefined {
  const code = text.charCodeAt(at);
  const isDelimited = isOpener(code) || closingQuotes(code).length > 0;
  const stop = isDelimited ? end : at + (matchAt(pythonToken, text, at)?.[0].length ?? 0);
  // A bare token that the text ends with may go on.
  if (!isDelimited && stop >= end) return 'cut';
  const decoded = stop > at ? decodeRelaxed(text, at, stop, { maxDepth }) : undefined;
  if (decoded?.kind === 'open') return 'cut';
  if (decoded?.kind === 'deep') return 'deep';
  return decoded?.kind === 'value' && (isDelimited || decoded.end === stop) ? decoded : undefined;
}

/** `[NAME(…), NAME(…)]`, or one call. Undefined when what stands there is no call of a name that `isKnown`. */
export function pythonicCalls(
  text: string,
  at: number,
  end: number,
  maxDepth: number,
  isKnown: (name: string) => boolean,
): ParsedCalls | undefined {
  const bracketed = text.charCodeAt(at) === 0x5b;
  const items: CallItem[] = [];
  let here = bracketed ? skipSpace(text, at + 1, end) : at;
  for (;;) {
    const call = pythonicCall(text, here, end, maxDepth, isKnown);
    if (call === undefined)
      return items.length === 0 ? undefined : { kind: 'broken', end: here, why: 'a list of calls holds something else' };
    if (call.kind === 'cut') return { ...call, items };
    if (call.kind !== 'calls') return call;
    items.push(...call.items);
    here = skipSpace(text, call.end, end);
    if (!bracketed) return { kind: 'calls', items, end: call.end };
    if (here >= end) return { kind: 'cut', items, end };
    if (text.charCodeAt(here) === 0x5d) return { kind: 'calls', items, end: here + 1 };
    if (text.charCodeAt(here) !== 0x2c) return { kind: 'broken', end: here, why: 'a list of calls holds something else' };
    here = skipSpace(text, here + 1, end);
  }
}
