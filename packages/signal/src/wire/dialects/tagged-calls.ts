import type { JsonValue } from '@vouch/contracts';
import { setOwn } from '../json/equality.ts';
import { decodeRelaxed } from '../json/relaxed-json.ts';
import { readLiteral, readNumber } from '../repair.ts';
import { closingQuotes, isOpener, skipSpace } from '../scan.ts';
import { type CallItem, namedArguments, type ParsedCalls, plainItem, type TaggedParameter } from './call-item.ts';
import { plainToolName } from './call-shape.ts';

const prefix = '(?:[a-z]{1,16}:|｜DSML｜)?';
const functionTag = /<function(?:=|\/|\s{1,4}name\s?=\s?["']?)\s{0,4}([\w.:-]{1,64})["']?/iy;
const functionClose = /\s{0,200}(?:\)?>?)\s{0,200}<\/?function>/iy;
const invokeTag = new RegExp(`<${prefix}invoke\\s{1,4}name\\s?=\\s?["']([\\w.:-]{1,64})["'][^<>]{0,100}>`, 'iy');
const invokeClose = new RegExp(`\\s{0,200}</${prefix}invoke>`, 'iy');
const parameterTag = new RegExp(`<${prefix}parameter(?:=|\\s{1,4}name\\s?=\\s?["'])([\\w.:-]{1,64})["']?[^<>]{0,100}>`, 'iy');
const parameterClose = new RegExp(`</${prefix}parameter>`, 'gi');

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function withoutLineFrame(text: string): string {
  const start = text.startsWith('\r\n') ? 2 : text.startsWith('\n') ? 1 : 0;
  const end = text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0;
  return text.length >= start + end ? text.slice(start, text.length - end) : '';
}

interface TaggedList {
  readonly parameters: readonly TaggedParameter[];
  readonly end: number;
  readonly cut: boolean;
}

/** The tagged parameters from `at` on, up to what is none. */
function taggedParameters(text: string, at: number, end: number): TaggedList {
  const parameters: TaggedParameter[] = [];
  let here = at;
  for (;;) {
    const from = skipSpace(text, here, end);
    const open = matchAt(parameterTag, text, from);
    if (open === null) return { parameters, end: from, cut: false };
    const valueStart = from + open[0].length;
    const close = matchAt(parameterClose, text, valueStart);
    if (close === null || close.index >= end) return { parameters, end, cut: true };
    parameters.push({ name: open[1] ?? '', text: withoutLineFrame(text.slice(valueStart, close.index)) });
    here = close.index + close[0].length;
  }
}

/** `<function=NAME>…</function>` in its spellings: with or without `>`, with `=` or `/`, JSON or tagged parameters. */
export function functionTagCall(text: string, at: number, end: number, maxDepth: number): ParsedCalls | undefined {
  const tag = matchAt(functionTag, text, at);
  if (tag === null) return undefined;
  const name = plainToolName(tag[1] ?? '');
  let here = at + tag[0].length;
  const opening = /\s{0,20}[=(]?\s{0,20}(\/?>)?/y;
  here += matchAt(opening, text, here)?.[0].length ?? 0;
  const selfClosed = text.slice(here - 2, here) === '/>';
  const from = skipSpace(text, here, end);
  if (from < end && (isOpener(text.charCodeAt(from)) || closingQuotes(text.charCodeAt(from)).length > 0)) {
    const parsed = namedArguments(text, from, end, name, at, maxDepth);
    if (parsed.kind !== 'calls') return parsed;
    const stop = afterClose(functionClose, />/y, text, parsed.end);
    const next = skipSpace(text, stop, end);
    // Without its closing tag, only the end or another mark may follow.
    if (stop === parsed.end && next < end && text.charCodeAt(next) !== 0x3c)
      return { kind: 'broken', end: stop, why: 'a function tag does not end' };
    return { ...parsed, end: stop };
  }
  const list = taggedParameters(text, from, end);
  if (list.cut || (list.end >= end && !selfClosed)) return { kind: 'cut', items: [], end, name };
  const close = matchAt(functionClose, text, list.end);
  if (list.parameters.length === 0 && close === null && !selfClosed)
    return { kind: 'broken', end: here, why: 'a function tag without arguments' };
  const stop = close === null ? list.end : list.end + close[0].length;
  if (close === null && !selfClosed && !/\s{0,20}<\//y.test(text.slice(list.end, list.end + 24))) {
    return { kind: 'broken', end: list.end, why: 'text stands between the parameters of a call' };
  }
  return { kind: 'calls', items: [plainItem(name, at, stop, taggedArguments(list.parameters))], end: stop };
}

const taggedArguments = (parameters: readonly TaggedParameter[]): Pick<CallItem, 'args' | 'parameters'> =>
  parameters.length === 0 ? { args: {} } : { parameters };

function afterClose(close: RegExp, loose: RegExp, text: string, at: number): number {
  const closed = matchAt(close, text, at) ?? matchAt(loose, text, at);
  return closed === null ? at : at + closed[0].length;
}

/** `<invoke name="NAME">` with `<parameter name="…">` children. */
export function invokeCall(text: string, at: number, end: number): ParsedCalls | undefined {
  const tag = matchAt(invokeTag, text, at);
  if (tag === null) return undefined;
  const name = plainToolName(tag[1] ?? '');
  const list = taggedParameters(text, at + tag[0].length, end);
  if (list.cut || list.end >= end) return { kind: 'cut', items: [], end, name };
  const close = matchAt(invokeClose, text, list.end);
  if (close === null) return { kind: 'broken', end: list.end, why: 'text stands between the parameters of a call' };
  const stop = list.end + close[0].length;
  return { kind: 'calls', items: [plainItem(name, at, stop, taggedArguments(list.parameters))], end: stop };
}

/** `NAME <arg_key>k</arg_key> <arg_value>v</arg_value> …` */
export function keyedArguments(text: string, at: number, end: number, name: string, start: number): ParsedCalls {
  const parameters: TaggedParameter[] = [];
  let here = at;
  for (;;) {
    const from = skipSpace(text, here, end);
    if (!text.startsWith('<arg_key>', from)) {
      return { kind: 'calls', items: [plainItem(name, start, from, taggedArguments(parameters))], end: from };
    }
    const keyEnd = text.indexOf('</arg_key>', from);
    const open = keyEnd < 0 ? -1 : skipSpace(text, keyEnd + 10, end);
    const close = open < 0 || !text.startsWith('<arg_value>', open) ? -1 : text.indexOf('</arg_value>', open);
    if (close < 0 || close >= end) return { kind: 'cut', items: [], end, name };
    parameters.push({ name: text.slice(from + 9, keyEnd).trim(), text: withoutLineFrame(text.slice(open + 11, close)) });
    here = close + 12;
  }
}

const pythonName = /(?:print\s?\(\s?)?(?:default_api\.|functions\.)?([A-Za-z_]\w{0,63})(?:\.call)?\s?\(/y;
const pythonKey = /([A-Za-z_]\w{0,63})\s{0,4}=(?!=)\s{0,4}/y;
const pythonToken = /[^\s,()[\]{}'"]+/y;

/** `NAME(key=value, …)` with literals only: nothing is evaluated. Undefined when what stands there is no call of a name that `isKnown`. */
export function pythonicCall(
  text: string,
  at: number,
  end: number,
  maxDepth: number,
  isKnown: (name: string) => boolean,
): ParsedCalls | undefined {
  const head = matchAt(pythonName, text, at);
  const name = head?.[1] ?? '';
  if (head === null || !isKnown(name)) return undefined;
  const args: Record<string, JsonValue> = {};
  let here = skipSpace(text, at + head[0].length, end);
  for (let first = true; text.charCodeAt(here) !== 0x29; first = false) {
    if (!first) {
      if (text.charCodeAt(here) !== 0x2c) return here >= end ? cutCall(name, args, end) : broken(here);
      here = skipSpace(text, here + 1, end);
      if (text.charCodeAt(here) === 0x29) break;
    }
    if (here >= end) return cutCall(name, args, end);
    const key = matchAt(pythonKey, text, here);
    if (key === null || Object.hasOwn(args, key[1] ?? '')) return broken(here);
    const value = pythonValue(text, here + key[0].length, end, maxDepth);
    if (value === 'cut') return cutCall(name, args, end);
    if (value === undefined) return broken(here);
    setOwn(args, key[1] ?? '', value.value);
    here = skipSpace(text, value.end, end);
  }
  const stop = here + 1 + (head[0].startsWith('print') && text.charCodeAt(here + 1) === 0x29 ? 1 : 0);
  return { kind: 'calls', items: [plainItem(name, at, stop, { args })], end: stop };
}

const cutCall = (name: string, args: JsonValue, end: number): ParsedCalls => ({ kind: 'cut', items: [], end, name, args });
const broken = (at: number): ParsedCalls => ({ kind: 'broken', end: at, why: 'an argument is no literal' });

function pythonValue(text: string, at: number, end: number, maxDepth: number): { value: JsonValue; end: number } | 'cut' | undefined {
  const code = text.charCodeAt(at);
  if (isOpener(code) || closingQuotes(code).length > 0) {
    const decoded = decodeRelaxed(text, at, end, { maxDepth });
    if (decoded.kind === 'open') return 'cut';
    return decoded.kind === 'value' && decoded.findings.length === 0 ? decoded : undefined;
  }
  const token = matchAt(pythonToken, text, at)?.[0] ?? '';
  if (at + token.length >= end) return 'cut';
  const value = readNumber(token)?.value ?? readLiteral(token);
  return value === undefined ? undefined : { value, end: at + token.length };
}

/** `[NAME(…), NAME(…)]` or calls one after another. */
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
